"""Which process is our Neo4j: a process id alone proves nothing, since ids are used again."""

import contextlib
import os
import signal
import subprocess
import time
from pathlib import Path

_PROC = Path("/proc")


def started_at(pid: int) -> str | None:
    """Answer an opaque text for when the process began; None where it is gone or a zombie."""
    if _PROC.joinpath("self/stat").exists():
        return _linux_start(pid)
    return _ps(pid, "lstart")


def command_of(pid: int) -> list[str]:
    """Answer the command line's words; empty where the process is gone or a zombie."""
    if _PROC.joinpath("self/stat").exists():
        try:
            raw = (_PROC / str(pid) / "cmdline").read_bytes()
        except OSError:
            return []
        return raw.decode("utf-8", "surrogateescape").rstrip("\0").split("\0") if raw else []
    return (_ps(pid, "command") or "").split()


def is_same(pid: int, started: str | None) -> bool:
    """Tell whether the process that began then still runs; unknown beginnings never match."""
    return started is not None and started_at(pid) == started


def is_server(pid: int, server_home: Path, started: str | None = None) -> bool:
    """Tell whether this process is the Neo4j of that folder (and began then, where known)."""
    if pid <= 1 or (started is not None and not is_same(pid, started)):
        return False
    marker = home_argument(server_home)
    words = command_of(pid)
    return marker in words or f" {marker} " in f" {' '.join(words)} "


def home_argument(server_home: Path) -> str:
    """Answer the argument by which a Neo4j process shows whose it is."""
    return f"--home-dir={server_home}"


def stop(pid: int, server_home: Path, *, grace: float) -> bool:
    """End the server: asked politely, killed after `grace` seconds. True if it went by itself."""
    if grace > 0:
        _signal(pid, signal.SIGTERM)
        if _wait_gone(pid, server_home, grace):
            return True
    _signal(pid, signal.SIGKILL)
    return _wait_gone(pid, server_home, 10) and grace <= 0


def _wait_gone(pid: int, server_home: Path, seconds: float) -> bool:
    end = time.monotonic() + seconds
    while is_server(pid, server_home):
        if time.monotonic() >= end:
            return False
        time.sleep(0.05)
    return True


def _signal(pid: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)


def _linux_start(pid: int) -> str | None:
    try:
        stat = (_PROC / str(pid) / "stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    fields = stat.rpartition(")")[2].split()  # the name before it may hold anything
    if len(fields) < 20 or fields[0] in "ZX":
        return None
    return fields[19]


def _ps(pid: int, column: str) -> str | None:
    result = subprocess.run(
        ["ps", "-o", f"{column}=", "-p", str(pid)], capture_output=True, text=True, check=False
    )
    return result.stdout.strip() or None
