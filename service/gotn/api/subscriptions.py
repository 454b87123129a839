"""What can be followed: a project's journal, and what it says of one run."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Annotated, Any

import strawberry

from gotn.api.history import JournalEntry
from gotn.errors import NotFound
from gotn.feed import Cursor, Event
from gotn.graph.arguments import ProjectId
from gotn.shapes import moment
from gotn.work.store import runs

Info = strawberry.Info[Any, None]
AfterSeq = Annotated[
    int | None,
    strawberry.argument(
        description="The last seq that is known; null follows from now on, 0 from the first."
    ),
]


@strawberry.type(description="What an entry says of one step of a run.")
class StepEvent:
    """What an entry says of one step of a run; null where it says nothing of that."""

    node: str | None = strawberry.field(description="Id of the node that the step executes.")
    position: int | None = strawberry.field(description="The step's place in the run, from 0.")
    status: str | None = strawberry.field(description="Where the step stands now.")
    worker: str | None = strawberry.field(description="Who has, or had, the step.")
    attempt: int | None = strawberry.field(description="Which attempt this is, from 1.")
    reason: str | None = strawberry.field(description="Why it stands so.")


@strawberry.type(description="A journal entry that says something of a run.")
class RunEvent:
    """A journal entry that says something of a run."""

    seq: int = strawberry.field(description="Its number in the project: the cursor to go on from.")
    run: str = strawberry.field(description="Id of the run.")
    run_status: str | None = strawberry.field(
        description="Where the run stands now; null where the entry says nothing of that."
    )
    steps: list[StepEvent] = strawberry.field(description="What it says of the run's steps.")
    entry: JournalEntry = strawberry.field(description="The whole entry.")


@dataclass(frozen=True)
class Followed:
    """What a subscription follows: a journal from a cursor on, or what it says of a run."""

    cursor: Cursor
    run: str | None = None

    def wants(self, event: Event) -> bool:
        """Whether this event is one of these."""
        return self.run is None or self.run in event.runs

    def payload(self, event: Event) -> Any:
        """The event as the root field's type."""
        entry = _entry(event)
        return entry if self.run is None else _run_event(self.run, event, entry)


def _entry(event: Event) -> JournalEntry:
    entry = JournalEntry.__new__(JournalEntry)
    entry.__dict__.update(vars(event.entry))
    entry.timestamp = moment(event.entry.timestamp)
    entry.__dict__["project_id"] = event.project_id
    return entry


def _run_event(run: str, event: Event, entry: JournalEntry) -> RunEvent:
    status, steps = None, []
    for item in event.entry.items():
        told, step = item.get("run"), item.get("step")
        if isinstance(told, dict) and told.get("id") == run:
            status = _text(told.get("status")) or status
        if isinstance(step, dict) and step.get("run") == run:
            steps.append(
                StepEvent(
                    node=_text(step.get("node")),
                    position=_number(step.get("position")),
                    status=_text(step.get("status")),
                    worker=_text(step.get("worker")),
                    attempt=_number(step.get("attempt")),
                    reason=_text(step.get("reason")),
                )
            )
    return RunEvent(seq=event.entry.seq, run=run, run_status=status, steps=steps, entry=entry)


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _number(value: Any) -> int | None:
    return value if isinstance(value, int) else None


async def _events(info: Info, followed: Followed) -> AsyncGenerator[Any]:
    """The events themselves, unless the transport renders them once for all who ask the same."""
    if info.context.followed is not None:
        info.context.followed.append(followed)
        return
    async for event in info.context.feed.follow(followed.cursor):
        if followed.wants(event):
            yield followed.payload(event)


@strawberry.type(description="What can be followed as it happens, each entry once.")
class Subscription:
    """What can be followed as it happens, each entry once and in order."""

    @strawberry.subscription(
        description="Every entry of a project's journal, whoever writes; ends when it is removed."
    )
    async def journal_events(
        self, info: Info, project: ProjectId = "default", after: AfterSeq = None
    ) -> AsyncGenerator[JournalEntry]:
        """Every entry of a project's journal."""
        cursor = await info.context.feed.cursor(project, after)
        async for one in _events(info, Followed(cursor)):
            yield one

    @strawberry.subscription(
        description="Every journal entry that says something of a run or its steps."
    )
    async def run_events(
        self,
        info: Info,
        run: Annotated[str, strawberry.argument(description="Id of the run.")],
        project: ProjectId = "default",
        after: AfterSeq = None,
    ) -> AsyncGenerator[RunEvent]:
        """Every journal entry that says something of a run."""
        cursor = await info.context.feed.cursor(project, after)
        found = await info.context.database.read(lambda tx: runs.get(tx, project, [run]))
        if run not in found:
            raise NotFound(f"There is no run {run!r} in project {project!r}.", id=run)
        async for one in _events(info, Followed(cursor, run)):
            yield one
