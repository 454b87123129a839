"""Graphs, plans and trees as diagrams: answers become a `Picture`, a picture becomes text."""
