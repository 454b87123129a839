"""What compares texts, for one command: the encoder's settings, and how far it is."""

import sys

from gotn.settings import Settings
from gotn.similarity.engine import Options

#: Characters from which on it is shown how far encoding is: fewer take a second or two.
SHOWN = 100_000
_WIDTH = 30


def options(settings: Settings, *, shown: bool) -> Options:
    """As the settings say; `shown` draws a bar on stderr."""
    return Options(
        folder=settings.home / "vectors",
        encoder=settings.encoder,
        model=settings.encoder_model,
        vectors=settings.vectors,
        progress=_draw if shown else None,
    )


def _draw(done: int, total: int) -> None:
    if total < SHOWN:
        return
    filled = _WIDTH * done // total
    end = "\n" if done >= total else ""
    bar = "━" * filled + " " * (_WIDTH - filled)
    sys.stderr.write(f"\rencoding {bar} {done:,} of {total:,} characters{end}")
    sys.stderr.flush()
