"""Why Neo4j did not start: its logs since the start, read and said in one sentence."""

import contextlib
import errno
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from gotn.errors import SetupFailed
from gotn.provision.paths import Paths

#: So much of a log is read at most, from its end, bytes.
_MOST = 1_000_000
#: Lines after which a start has failed, though the process lingers for another ten seconds.
_GIVEN_UP = re.compile(
    r"ERROR .*(Failed to start DatabaseId\{|Error starting Neo4j database server"
    r"|Failed to start Neo4j)"
)
_STARTED = re.compile(r" INFO +Started\.$", re.MULTILINE)
#: Lines of no alarm, and the indented lines that belong to them.
_CHATTER = re.compile(r"\S+ \S+ (INFO|DEBUG) | {8}")
_CAUSE = re.compile(r"^Caused by: (?:[\w$]+\.)*([\w$]+): (.+)$", re.MULTILINE)


@dataclass(frozen=True)
class _Fault:
    kind: str
    pattern: re.Pattern[str]
    sentence: Callable[[Paths], str]


_FAULTS = (
    _Fault(
        "disk_full",
        re.compile(r"No space left on device|Disk quota exceeded|disk is full"),
        lambda p: (
            f"The disk is full: make room (1 GB or more) where {p.home} is, then run "
            "`gotn up` again; nothing that was committed is lost."
        ),
    ),
    _Fault(
        "port_taken",
        re.compile(r"Address already in use|java\.net\.BindException"),
        lambda p: (
            "A port that Neo4j needs was taken by another program while it started: run "
            "`gotn up` again to get other ports, or fix free ones with GOTN_BOLT_PORT "
            "and GOTN_HTTP_PORT."
        ),
    ),
    _Fault(
        "memory",
        re.compile(
            r"Could not reserve enough space|Cannot allocate memory"
            r"|insufficient memory|java\.lang\.OutOfMemoryError"
        ),
        lambda p: (
            "There is not enough free memory for Neo4j: end other programs, then run "
            "`gotn up` again."
        ),
    ),
    _Fault(
        "in_use",
        re.compile(
            r"Lock file has been locked|FileLockException"
            r"|StoreLockException|OverlappingFileLock"
        ),
        lambda p: f"Another Neo4j works on {p.data}: end that one first.",
    ),
    _Fault(
        "newer_data",
        re.compile(
            r"UnsupportedLogVersion|[Uu]nsupported future|newer version"
            r"|Unknown store version|[Dd]owngrade",
            re.ASCII,
        ),
        lambda p: (
            f"A newer Neo4j has written {p.data}: use the newer gotn, or move that folder "
            "away to start empty."
        ),
    ),
    _Fault(
        "rights",
        re.compile(r"AccessDeniedException|Permission denied"),
        lambda p: (
            f"Neo4j may not read or write its files: give them back to yourself (chown) "
            f"in {p.server}."
        ),
    ),
    _Fault(
        "damaged",
        re.compile(r"Failed to start DatabaseId\{|Error starting Neo4j database"),
        lambda p: (
            f"The stored data is damaged and cannot be opened. Move {p.data} away and run "
            "`gotn up` to start empty; then bring each project back from a journal that was "
            "exported before: `gotn journal replay FILE -p PROJECT`."
        ),
    ),
)


def marks(paths: Paths) -> dict[str, int]:
    """Answer how long each log is now, bytes."""
    return {path.name: path.stat().st_size for path in _logs(paths) if path.is_file()}


def written_since(paths: Paths, since: dict[str, int]) -> str:
    """Read what the logs have gained since those marks; a log that was rotated, as a whole."""
    texts = []
    for path in _logs(paths):
        try:
            size = path.stat().st_size
            begin = since.get(path.name, 0)
            with path.open("rb") as file:
                file.seek(max(begin if begin <= size else 0, size - _MOST))
                texts.append(file.read(_MOST).decode("utf-8", "replace"))
        except OSError:
            continue
    return "\n".join(texts)


def has_started(text: str) -> bool:
    """Tell whether the logs say that everything is up; stopped before, a server skips its care."""
    return _STARTED.search(text) is not None


def has_given_up(text: str) -> bool:
    """Tell whether the logs say that this start has failed."""
    return _GIVEN_UP.search(text) is not None


def explain(paths: Paths, text: str) -> SetupFailed:
    """Turn the logs into the error a person reads: what is wrong, what to do, where the log is."""
    text = _complaints(text)
    fault = next((fault for fault in _FAULTS if fault.pattern.search(text)), None)
    reason = _reason(text)
    if fault is not None:
        sentence = fault.sentence(paths)
    else:
        sentence = "Neo4j ended while it was starting; run `gotn up` again."
    said = f" Neo4j says: {reason}." if reason else ""
    return SetupFailed(
        f"{sentence}{said} Log: {paths.log}",
        reason=fault.kind if fault is not None else "unknown",
        log=str(paths.log),
    )


@contextlib.contextmanager
def system_errors(paths: Paths) -> Iterator[None]:
    """Say what the system refused, and what to do about it."""
    try:
        yield
    except (OSError, UnicodeDecodeError) as error:
        if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise SetupFailed(
                f"The disk is full: make room (1 GB or more) where {paths.home} is, then run the "
                f"same command again. Log: {paths.log}",
                reason="disk_full",
                log=str(paths.log),
            ) from error
        place = getattr(error, "filename", None) or paths.home
        raise SetupFailed(
            f"{getattr(error, 'strerror', None) or error}: {place}. Give gotn a folder it may "
            f"use with GOTN_HOME, or mend the rights. Log: {paths.log}",
            log=str(paths.log),
        ) from error


def _complaints(text: str) -> str:
    """Leave out what Neo4j tells about itself at every start, such as its Java options."""
    lines = (line for line in text.splitlines() if not _CHATTER.match(line))
    return "\n".join(lines)


def _reason(text: str) -> str:
    """Answer the innermost cause's message, on one line."""
    causes = _CAUSE.findall(text)
    if causes:
        return " ".join(causes[-1][1].split())[:240].rstrip(".")
    errors = [line for line in text.splitlines() if re.search(r"\b(ERROR|Error)\b", line)]
    return " ".join(errors[-1].split())[:240].rstrip(".") if errors else ""


def _logs(paths: Paths) -> tuple[Path, ...]:
    return (paths.console, paths.logs / "neo4j.log", paths.log)
