"""Executing the steps of a run on this machine: the only part of GoTN that runs commands."""
