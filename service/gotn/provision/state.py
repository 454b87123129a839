"""What is remembered between two runs: the ports, and which process was started."""

import dataclasses
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gotn.provision.paths import Paths, write_private


@dataclass(frozen=True, kw_only=True)
class State:
    """The state file's content; every field has a meaning when it is missing."""

    #: Port of Bolt on the loopback address, 0 for none chosen yet.
    bolt_port: int = 0
    #: Port of HTTP (Neo4j Browser), 0 for none chosen yet.
    http_port: int = 0
    #: The process that was started, 0 for none.
    pid: int = 0
    #: When that process began, as `processes.started_at` tells it.
    started: str | None = None
    #: Whether it has answered a query since it was started.
    ready: bool = False
    #: The version that was started.
    version: str | None = None
    #: Heap of the started server, MiB.
    heap_mb: int = 0
    #: Page cache of the started server, MiB.
    page_cache_mb: int = 0
    #: How long each log was before the start, bytes: what follows belongs to this start.
    log_marks: dict[str, int] = field(default_factory=dict)


def read_state(paths: Paths) -> State:
    """Read the state file; what is missing, damaged or of the wrong type counts as unknown."""
    try:
        data = json.loads(paths.state.read_bytes()[:65536])
    except (OSError, ValueError, RecursionError):
        return State()
    if not isinstance(data, dict):
        return State()
    kept = {name: data[name] for name, ok in _CHECKS.items() if name in data and ok(data[name])}
    return State(**kept)


def write_state(paths: Paths, state: State) -> None:
    """Replace the state file as a whole."""
    write_private(paths.state, json.dumps(dataclasses.asdict(state), indent=1) + "\n")


def read_pid(path: Path) -> int:
    """Read a process id file; 0 where there is none or it makes no sense."""
    try:
        text = path.read_bytes()[:32].strip()
    except OSError:
        return 0
    return int(text) if text.isdigit() and len(text) < 10 else 0


def _is_int(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**31


def _is_port(value: Any) -> bool:
    return _is_int(value) and 0 < value < 65536


def _is_marks(value: Any) -> bool:
    return isinstance(value, dict) and all(
        isinstance(mark, int) and mark >= 0 for mark in value.values()
    )


_CHECKS = {
    "bolt_port": _is_port,
    "http_port": _is_port,
    "pid": _is_int,
    "started": lambda value: isinstance(value, str),
    "ready": lambda value: isinstance(value, bool),
    "version": lambda value: isinstance(value, str),
    "heap_mb": _is_int,
    "page_cache_mb": _is_int,
    "log_marks": _is_marks,
}
