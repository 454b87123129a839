"""Where a command writes a document: standard output, or a file that is whole or not there."""

import contextlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from gotn.errors import GotnError


@contextlib.contextmanager
def opened(path: str) -> Iterator[IO[str]]:
    """Standard output for `-`, or a file that is there only once it is whole."""
    if path == "-":
        yield sys.stdout
        return
    target = Path(path)
    half = target.with_name(f".{target.name}.part")
    try:
        with half.open("w", encoding="utf-8") as file:
            yield file
        half.replace(target)
    except OSError as error:
        raise GotnError(f"{path}: cannot be written: {error.strerror}", file=path) from None
    finally:
        half.unlink(missing_ok=True)
