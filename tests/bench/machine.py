"""On what the figures were taken: without it they say nothing."""

import os
import platform
from importlib.metadata import version
from pathlib import Path
from typing import Any

from bench import statements
from bench.world import World
from gotn.provision.memory import machine_memory

PACKAGES = ("gotn", "neo4j", "neo4j-rust-ext", "strawberry-graphql", "starlette", "uvicorn")


async def described(world: World) -> dict[str, Any]:
    """Processor, memory, load, and the versions of everything that matters."""
    return {
        "processor": processor(),
        "cores": len(os.sched_getaffinity(0)),
        "memory_mib": machine_memory(),
        "load": round(os.getloadavg()[0], 2),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "neo4j_server": await world.read(statements.COMPONENTS),
        "packages": {name: version(name) for name in PACKAGES},
    }


def processor() -> str:
    """Its name, as its maker has it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    named = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return named[0] if named else platform.processor() or platform.machine()


def line(found: dict[str, Any]) -> str:
    """The same in a line or two."""
    packages = found["packages"]
    return (
        f"{found['processor']}, {found['cores']} cores, {found['memory_mib'] / 1024:.0f} GiB, "
        f"{found['system']}; load {found['load']} before.\n"
        f"Neo4j {found['neo4j_server']}, driver {packages['neo4j']} "
        f"(Rust extension {packages['neo4j-rust-ext']}), Python {found['python']}, "
        f"Strawberry {packages['strawberry-graphql']}, Starlette {packages['starlette']}, "
        f"uvicorn {packages['uvicorn']}, GoTN {packages['gotn']}."
    )
