"""Pure decisions of the work graph: no database, no files, no clock."""
