"""Ends the process groups of a worker that was killed: a program of its own, without imports.

It reads `+ID` and `-ID` from its standard input, the groups that begin and that have ended.
When that closes, its worker is gone, however it went; what is left then is ended: SIGTERM,
a moment, SIGKILL.
"""

import contextlib
import os
import signal
import sys
import time

#: Seconds that a group has between SIGTERM and SIGKILL once its worker is gone.
GRACE = 0.5


def main() -> None:
    """Keep the groups until the worker is gone."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # it ends with its worker, not before
    groups: set[int] = set()
    for line in sys.stdin:
        with contextlib.suppress(ValueError):
            (groups.add if line[0] == "+" else groups.discard)(int(line[1:]))
    end(groups)


def end(groups: set[int]) -> None:
    """End process groups, politely and then for certain."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        left = {group for group in groups if _sent(group, number)}
        until = time.monotonic() + GRACE
        while number == signal.SIGTERM and left and time.monotonic() < until:
            time.sleep(0.02)
            left = {group for group in left if _sent(group, 0)}


def _sent(group: int, number: int) -> bool:
    """Whether the group was there to be sent this signal."""
    try:
        os.killpg(group, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True


if __name__ == "__main__":
    main()
