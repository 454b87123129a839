"""One module a group of verbs; importing them imports Typer and nothing heavier."""
