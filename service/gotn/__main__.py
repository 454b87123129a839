"""`python -m gotn` is `gotn`."""

from gotn.cli import main

main()
