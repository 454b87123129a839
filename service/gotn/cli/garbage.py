"""When Python looks for garbage: hardly while a command is imported, as ever while it works."""

import gc

_USUAL = gc.get_threshold()


def importing() -> None:
    """Look seldom: else a quarter of a short command's time goes into collecting imports."""
    gc.set_threshold(100_000)


def working() -> None:
    """Look as often as Python does: transactions leave cycles, which hold their whole text."""
    gc.freeze()
    gc.set_threshold(*_USUAL)
