"""What can be done with a work graph: each in one transaction, with its journal entry."""
