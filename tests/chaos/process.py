"""Processes that a scenario starts, kills and waits for."""

import asyncio
import os
import select
import signal
from contextlib import suppress


async def killed(pid: int) -> None:
    """Kill -9, and wait until the process is gone; nothing where it is gone already."""
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    try:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        if not (await asyncio.to_thread(select.select, [handle], [], [], 30))[0]:
            raise RuntimeError(f"process {pid} survived kill -9 for 30 s")
    finally:
        os.close(handle)
