"""Waiting for the first of several things."""

import asyncio


async def rest(seconds: float, *events: asyncio.Event) -> None:
    """Wait so long, or until one of the events."""
    waits = [asyncio.ensure_future(event.wait()) for event in events]
    try:
        await asyncio.wait(waits, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for one in waits:
            one.cancel()
