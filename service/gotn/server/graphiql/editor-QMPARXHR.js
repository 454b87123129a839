import{a}from"./part-OZDXMVW3.js";import"./part-C5S4TXRG.js";import"./part-PUJXJ3EZ.js";import"./part-MODBHWPK.js";import"./part-A2LKOEQL.js";import"./part-BXA723OS.js";export{a as initialize};
