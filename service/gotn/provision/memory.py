"""How much memory the managed Neo4j may use, from what the machine or its container has."""

import os
from dataclasses import dataclass
from pathlib import Path

_MIB = 1024 * 1024
#: From this much memory (MiB) on: heap and page cache (MiB). The first row that fits counts.
SIZES = (
    (60_000, 4096, 1024),
    (20_000, 2048, 512),
    (12_000, 1536, 384),
    (7_000, 1024, 256),
    (3_500, 768, 192),
    (0, 512, 128),
)


@dataclass(frozen=True, kw_only=True)
class Profile:
    """What is sized differently for a user's server and for a test's."""

    #: Heap, MiB.
    heap_mb: int
    #: Page cache, MiB.
    page_cache_mb: int
    #: Size of one transaction log file.
    tx_log_size: str = "64m"
    #: Whether Neo4j reserves a whole log file on the disk at once.
    tx_log_preallocate: bool = True


#: For a server that lives as long as a test run.
SMALL = Profile(heap_mb=512, page_cache_mb=128, tx_log_size="1m", tx_log_preallocate=False)


def for_machine(memory_mb: int | None = None) -> Profile:
    """Size a user's server for so much memory; by default what this machine has."""
    available = machine_memory() if memory_mb is None else memory_mb
    heap, cache = next((heap, cache) for least, heap, cache in SIZES if available >= least)
    return Profile(heap_mb=heap, page_cache_mb=cache)


def machine_memory() -> int:
    """Answer the memory this process may use, MiB: the machine's, or its cgroup's if less."""
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return min([total, *cgroup_limits()]) // _MIB


def cgroup_limits(root: Path = Path("/sys/fs/cgroup"), own: Path | None = None) -> list[int]:
    """Answer every memory limit set on this process's control groups, bytes."""
    folders = {root, root / "memory"}
    for line in _text(own or Path("/proc/self/cgroup")).splitlines():
        _, controllers, group = [*line.split(":", 2), "", ""][:3]
        base = root / "memory" if "memory" in controllers.split(",") else root
        place = base / group.lstrip("/")
        folders.update(p for p in (place, *place.parents) if p.is_relative_to(root))
    names = ("memory.max", "memory.limit_in_bytes")
    texts = (_text(folder / name).strip() for folder in folders for name in names)
    return [int(text) for text in texts if text.isdecimal() and int(text) > 0]


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError:
        return ""
