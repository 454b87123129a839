"""The journal in GraphQL."""

from datetime import datetime
from enum import Enum

import strawberry
from strawberry.scalars import JSON

from gotn import journal
from gotn.api.describing import described
from gotn.api.relay import Connection, Edge, Node
from gotn.graph import faces
from gotn.graph.fields import stored
from gotn.graph.filters import where
from gotn.graph.forms import LEAF, MOMENT
from gotn.graph.paging import Key, by
from gotn.graph.reads import Above, Entity, Equals, Property
from gotn.work.store.keys import key


@strawberry.enum(description="How journal entries are listed.")
class JournalOrder(Enum):
    """How journal entries are listed."""

    SEQ = strawberry.enum_value(
        by(Key("seq", number=True), prefix="project_id"), description="From the first on."
    )
    NEWEST = strawberry.enum_value(
        by(Key("seq", descending=True, number=True), prefix="project_id"),
        description="From the last back.",
    )


@strawberry.input(description="Which entries; members are joined by AND, null asks nothing.")
class JournalFilter:
    """Which entries; members are joined by AND, null asks nothing."""

    after_seq: int | None = where(Above("seq"), "With a seq above this one.")
    event: str | None = where(Equals("event"), "Of this event.")
    actor: str | None = where(Equals("actor"), "Made by this actor.")
    since: datetime | None = where(Above("timestamp"), "After this moment.")


@strawberry.type(description="One change of a project (001, Journal Entry).")
class JournalEntry(journal.Entry, Node):
    """One change of a project (001, Journal Entry)."""

    timestamp: datetime = stored(  # type: ignore[assignment]  # ISO text in the record
        "When it happened; never before the entry before.", Property("timestamp", MOMENT)
    )
    data: JSON = stored(
        "What changed: {items: […]} and what the event adds.", Property("data", LEAF)
    )


described(
    JournalEntry,
    seq="Its number in the project, from 1 without gaps.",
    event="What happened: `add_node`, `update_edge`, `start_run` …",
    actor="Who did it.",
    schema_version="Version of the entry's shape.",
    previous_hash="Hash of the entry before.",
    hash="SHA-256 of the RFC 8785 JSON of everything else.",
)
faces.entity(
    JournalEntry,
    Entity(
        "JournalEntry", lambda entry: key(entry.project_id, entry.seq), needs=("project_id", "seq")
    ),
)


@strawberry.type(description="A journal entry in a list.")
class JournalEdge(Edge):
    """A journal entry in a list."""

    node: JournalEntry = strawberry.field(description="The entry.")


@strawberry.type(description="Journal entries.")
class JournalConnection(Connection):
    """Journal entries."""

    edges: list[JournalEdge] = strawberry.field(description="The rows with their cursors.")
    nodes: list[JournalEntry] = strawberry.field(description="The entries alone.")
