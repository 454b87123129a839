"""One invocation of a verb: its common options, its settings, its way to Neo4j and out."""

import os
import re
import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from gotn.cli.failing import Misused
from gotn.cli.show.visible import told

if TYPE_CHECKING:
    from rich.console import Console

    from gotn.cli.connecting import Target
    from gotn.database.connection import Database
    from gotn.settings import Settings
    from gotn.similarity.engine import Options
    from gotn.work.usecases.writing import Request

T = TypeVar("T")
#: Version of the envelope that `--json` prints.
SCHEMA_VERSION = 1
#: What a project may be called, and how that is said.
_PROJECT = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")
PROJECT_RULE = "project: expected 1 to 64 of a-z, 0-9, '.', '_' and '-', a letter or digit first"
#: Columns where no terminal says how many there are.
WIDE = 160


@dataclass
class Call:
    """What a verb is given beside its own arguments."""

    #: The verb as it is typed: "node add".
    command: str
    as_json: bool = False
    debug: bool = False
    #: Settings given as options; None for those that were not.
    options: dict[str, Any] = field(default_factory=dict)
    #: The whole command, with every verb below it.
    root: Any = None

    def __post_init__(self) -> None:
        self.choose(self.options.get("project"))

    def choose(self, project: str | None) -> None:
        """Work in this project, if one is given; a bad id is a mistake of the command line."""
        if project is None:
            return
        if not _PROJECT.fullmatch(project):
            raise Misused(f"{PROJECT_RULE}, found {project[:80]!r}.")
        self.options["project"] = project

    @cached_property
    def settings(self) -> "Settings":
        """The settings; reading them costs a third of a second."""
        from gotn import settings  # noqa: PLC0415
        from gotn.cli import failing  # noqa: PLC0415
        from gotn.errors import Invalid  # noqa: PLC0415

        try:
            return settings.load(self.options)
        except Invalid as error:
            raise failing.discreet(error) from None

    @property
    def project(self) -> str:
        """The project this works in."""
        return self.settings.project

    @cached_property
    def target(self) -> "Target":
        """The Neo4j this works on; DatabaseUnavailable where there is none."""
        from gotn.cli import connecting  # noqa: PLC0415

        return connecting.target(self.settings)

    def request(self) -> "Request":
        """Who writes, and where."""
        from gotn.work.usecases.writing import Request  # noqa: PLC0415

        return Request(project_id=self.project, actor=self.settings.actor)

    def run(self, work: Callable[["Database"], Awaitable[T]], *, migrations: bool = True) -> T:
        """Run `work` with an open database whose schema is current (or unseen, if not asked)."""
        from gotn.cli import connecting  # noqa: PLC0415

        return connecting.run(self.target, work, migrations=migrations)

    def ask(self, operation: str, **variables: Any) -> Any:
        """The answer of a named operation in this project, as plain snake_case data."""
        from gotn.cli import operations  # noqa: PLC0415

        given = {"project": self.project} | variables
        return self.run(
            lambda database: operations.ask(
                database, operation, given, self.settings.actor, self.similarity
            )
        )

    @cached_property
    def similarity(self) -> "Options":
        """What compares texts; on a terminal it shows how far it is."""
        from gotn.cli import comparing  # noqa: PLC0415

        return comparing.options(self.settings, shown=not self.as_json and sys.stderr.isatty())

    @cached_property
    def console(self) -> "Console":
        """Where people read: coloured on a terminal, plain and wide elsewhere."""
        from gotn.cli.show.terminal import Terminal  # noqa: PLC0415

        told = sys.stdout.isatty() or "COLUMNS" in os.environ
        return Terminal(width=None if told else WIDE, highlight=False, soft_wrap=False)

    def note(self, message: str) -> None:
        """A line about what is going on, beside the answer: on stderr, none with --json."""
        if not self.as_json:
            print(told(message), file=sys.stderr, flush=True)

    def answer(self, data: Any, show: Callable[[Any, "Console"], None]) -> None:
        """Print the answer: the envelope for programs, or what `show` makes of it."""
        if self.as_json:
            print(self.envelope(data))
        else:
            show(data, self.console)

    def envelope(self, data: Any) -> str:
        """`data` as `--json` prints it."""
        import json  # noqa: PLC0415

        body = {"schema_version": SCHEMA_VERSION, "command": self.command, "data": data}
        utf8 = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
        return json.dumps(body, indent=2, ensure_ascii=not utf8, default=str)

    def change(self, operation: str, **members: Any) -> Any:
        """The answer of a named mutation whose input has these members and this project."""
        given = {name: value for name, value in members.items() if value is not None}
        return self.ask(operation, input={"project": self.project} | given)

    def pages(self, operation: str, limit: int, name: str, **variables: Any) -> dict[str, Any]:
        """At most `limit` rows of a connection, page by page, and how many there are in all."""
        from gotn.cli import operations  # noqa: PLC0415

        given = {"project": self.project} | variables
        actor = self.settings.actor
        return self.run(lambda db: operations.pages(db, operation, given, actor, limit, name))
