"""The work graph's queries by name: rows in, rows out, no decisions."""
