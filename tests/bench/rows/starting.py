"""How long a person waits for the command line to say anything."""

import os
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

from bench.timing import Result, race
from bench.world import World

_BARE = Path(__file__).resolve().parents[1] / "bare.py"


async def helps(world: World) -> AsyncIterator[Result]:
    """`help`: two processes from their start to their end."""
    ours = Path(sys.executable).parent / "gotn"
    command = [str(ours)] if ours.exists() else [sys.executable, "-m", "gotn"]

    async def measured() -> None:
        _run([*command, "--help"])

    async def floor() -> None:
        _run([sys.executable, str(_BARE), "--help"])

    found = await race(floor, measured, world.options.rounds * 3 - 2, warm=world.options.warm)
    yield Result("help", "", *found)


def _run(command: list[str]) -> None:
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("GOTN_", "NEO4J_"))}
    done = subprocess.run(command, env=kept, capture_output=True, check=True, timeout=60)
    assert b"Usage" in done.stdout
