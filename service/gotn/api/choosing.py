"""How lists of work nodes are ordered and filtered."""

from datetime import datetime
from enum import Enum

import strawberry

from gotn.api import enums  # noqa: F401  # the records' enums must be GraphQL's before this
from gotn.graph.filters import where
from gotn.graph.paging import Key, by
from gotn.graph.reads import Above, Equals, Fulfils, In, Text
from gotn.work import records


@strawberry.enum(description="How work nodes are listed; ids break ties.")
class WorkNodeOrder(Enum):
    """How work nodes are listed; ids break ties."""

    ID = strawberry.enum_value(by(Key("id"), prefix="project_id"), description="By id.")
    NEWEST = strawberry.enum_value(
        by(
            Key("created_at", descending=True, temporal=True),
            Key("id", descending=True),
            prefix="project_id",
        ),
        description="Last created first.",
    )
    OLDEST = strawberry.enum_value(
        by(Key("created_at", temporal=True), Key("id"), prefix="project_id"),
        description="First created first.",
    )
    UPDATED = strawberry.enum_value(
        by(
            Key("updated_at", descending=True, temporal=True),
            Key("id", descending=True),
            prefix="project_id",
        ),
        description="Last changed first.",
    )
    STATUS = strawberry.enum_value(
        by(Key("status"), Key("id"), prefix="project_id"), description="By status, then id."
    )
    KIND = strawberry.enum_value(
        by(Key("kind"), Key("id"), prefix="project_id"), description="By kind, then id."
    )


@strawberry.enum(description="How the neighbours of a node are listed.")
class NeighbourOrder(Enum):
    """How the neighbours of a node are listed."""

    ID = strawberry.enum_value(by(Key("id")), description="By id.")


@strawberry.enum(description="How nodes of about the same meaning are listed.")
class SoftOrder(Enum):
    """How nodes of about the same meaning are listed."""

    NEAREST = strawberry.enum_value(
        by(Key("score", on="edge", descending=True, missing=0), Key("id")),
        description="Highest score first.",
    )


@strawberry.enum(description="How related nodes are listed.")
class RelatedOrder(Enum):
    """How related nodes are listed."""

    KIND = strawberry.enum_value(
        by(Key("kind", on="edge"), Key("id")), description="By the relation's kind, then id."
    )


@strawberry.enum(description="How a node's children are listed.")
class ChildOrder(Enum):
    """How a node's children are listed."""

    POSITION = strawberry.enum_value(
        by(Key("position", on="edge", missing=1_000_000), Key("id")),
        description="In the order in which the parent names them.",
    )


@strawberry.enum(description="How the runs of a node are listed.")
class RunsOfNodeOrder(Enum):
    """How the runs of a node are listed."""

    NEWEST = strawberry.enum_value(
        by(Key("created_at", descending=True, temporal=True), Key("id", descending=True)),
        description="Last created first.",
    )


@strawberry.enum(description="How what executed a node is listed.")
class ExecutorOrder(Enum):
    """How what executed a node is listed."""

    ID = strawberry.enum_value(by(Key("id"), Key("key")), description="By id.")


@strawberry.input(description="Which work nodes; members are joined by AND, null asks nothing.")
class WorkNodeFilter:
    """Which work nodes; members are joined by AND, null asks nothing."""

    status: list[records.NodeStatus] | None = where(In("status"), "In one of these statuses.")
    kind: str | None = where(Equals("kind"), "Of this kind.")
    tag: str | None = where(Fulfils("node_has_keyword"), "With this keyword.")
    requires: str | None = where(Fulfils("node_requires_tag"), "Requiring this tag.")
    produces: str | None = where(Fulfils("node_produces_tag"), "Producing this tag.")
    text: str | None = where(
        Text("work_node_text"),
        "With all these words, or what they begin, in id, summary or prompt.",
    )
    parent: str | None = where(Fulfils("node_has_parent"), "Broken out of the node of this id.")
    root: bool | None = where(Fulfils("node_is_root"), "Without a parent; false: with one.")
    ready: bool | None = where(Fulfils("node_is_ready"), "Claimable now; false: not.")
    orphan: bool | None = where(
        Fulfils("node_is_orphan"), "Joined to no other node; false: joined."
    )
    created_after: datetime | None = where(Above("created_at"), "Created after this moment.")
    created_before: datetime | None = where(
        Above("created_at", below=True), "Created before this moment."
    )
    updated_after: datetime | None = where(Above("updated_at"), "Changed after this moment.")


@strawberry.input(description="Which neighbours; members are joined by AND, null asks nothing.")
class NeighbourFilter:
    """Which neighbours; members are joined by AND, null asks nothing."""

    status: list[records.NodeStatus] | None = where(In("status"), "In one of these statuses.")
    kind: str | None = where(Equals("kind"), "Of this kind.")
    tag: str | None = where(Fulfils("node_has_keyword"), "With this keyword.")
