"""The task trees' queries by name: rows in, rows out, no decisions."""
