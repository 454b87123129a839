"""Questions to whoever executes: a person at a terminal, `--yes`, or nobody."""

import asyncio
import contextlib
import os
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from gotn.cli.show.visible import visible, visible_lines

#: Bytes of one answer.
LONGEST = 64 * 1024
#: What a person may answer to a step's prompt, by the letters that say so.
OUTCOMES = {"d": "done", "f": "failed", "s": "skip", "l": "leave"}


class Nobody:
    """Nobody is asked: what only a person could say stays unanswered."""

    #: Who answers.
    name: str | None = None

    async def met(self, _question: str, _halt: asyncio.Event) -> bool | None:
        """Whether an assertion holds; None: unanswered."""
        return None

    async def outcome(self, _told: str, _halt: asyncio.Event) -> tuple[str, str] | None:
        """What became of a step that was done by hand, and why; None: unanswered."""
        return None


class Yes(Nobody):
    """`--yes`: every assertion is said to hold, and recorded as said by --yes.

    A step without a command is not done by that: whether its work was done stays a question.
    """

    name = "--yes"

    def __init__(self, otherwise: Nobody) -> None:
        self._otherwise = otherwise

    async def met(self, _question: str, _halt: asyncio.Event) -> bool | None:
        """It does."""
        return True

    async def outcome(self, told: str, halt: asyncio.Event) -> tuple[str, str] | None:
        """Ask whoever is there."""
        return await self._otherwise.outcome(told, halt)


class Person(Nobody):
    """Somebody at this terminal; one question at a time."""

    def __init__(self, name: str, quiet: Callable[[], AbstractContextManager[None]]) -> None:
        """`quiet`: nothing else is drawn while a question stands there."""
        self.name = name
        self._quiet = quiet
        self._turn = asyncio.Lock()

    async def met(self, question: str, halt: asyncio.Event) -> bool | None:
        """Yes or no; an empty line or the end of input leaves it unanswered."""
        async with self._turn:
            with self._quiet():
                print(f"? {visible(question)}")
                while True:
                    said = await self._line("  Does this hold? [y]es, [n]o, Enter: leave it ", halt)
                    if not said:
                        return None
                    if said[0].lower() in "yn":
                        return said[0].lower() == "y"

    async def outcome(self, told: str, halt: asyncio.Event) -> tuple[str, str] | None:
        """What became of it; a failure and a skip want a reason."""
        async with self._turn:
            with self._quiet():
                print(visible_lines(told))
                while True:
                    said = await self._line("  [d]one, [f]ailed, [s]kip, [l]eave it? ", halt)
                    word = OUTCOMES.get((said or "l")[0].lower())
                    if word in ("failed", "skip"):
                        return word, await self._line("  Why? ", halt) or "no reason was given"
                    if word is not None:
                        return None if word == "leave" else (word, "")

    async def _line(self, question: str, halt: asyncio.Event) -> str | None:
        """A line that is typed; None at the end of input, or where the work is to stop."""
        print(question, end="", flush=True)
        answer: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        source = sys.stdin.fileno()

        def typed() -> None:
            if not answer.done():
                with contextlib.suppress(BlockingIOError):
                    answer.set_result(os.read(source, LONGEST))

        loop = asyncio.get_running_loop()
        loop.add_reader(source, typed)
        stopped = asyncio.ensure_future(halt.wait())
        either: list[asyncio.Future[Any]] = [answer, stopped]
        try:
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        finally:
            loop.remove_reader(source)
            stopped.cancel()
        if not answer.done():
            print()
            return None
        return answer.result().decode("utf-8", "replace").strip() or None


def chosen(
    *, yes: bool, as_json: bool, name: str, quiet: Callable[[], AbstractContextManager[None]]
) -> Nobody:
    """Who is asked: a person only where there is a terminal, and no program reads the answer."""
    there = not as_json and sys.stdin.isatty() and sys.stdout.isatty()
    somebody = Person(name, quiet) if there else Nobody()
    return Yes(somebody) if yes else somebody
