"""Labels, keys, indexed properties and relationships as neomodel declares them.

Declared here, made by the migrations, never installed from here: a test compares the two
and each property with its record. neomodel reads one entity by key for administration and
fixtures; everything else is a query in `cypher/`, and nothing is ever saved through it.
"""

from neomodel import (
    ArrayProperty,
    AsyncRelationshipFrom,
    AsyncRelationshipTo,
    AsyncStructuredNode,
    BooleanProperty,
    DateTimeNeo4jFormatProperty,
    FloatProperty,
    IntegerProperty,
    StringProperty,
)


class Project(AsyncStructuredNode):
    """A space of its own, and the head of its journal."""

    key = StringProperty(unique_index=True, required=True)
    uid = StringProperty(db_property="id")
    seq = IntegerProperty()
    head = StringProperty()


class Tag(AsyncStructuredNode):
    """What nodes require and produce."""

    key = StringProperty(unique_index=True, required=True)
    project_id = StringProperty(index=True)
    name = StringProperty(index=True)


class Keyword(AsyncStructuredNode):
    """What nodes are filtered and searched by."""

    key = StringProperty(unique_index=True, required=True)
    project_id = StringProperty(index=True)
    name = StringProperty(index=True)


class WorkNode(AsyncStructuredNode):
    """One unit of work."""

    key = StringProperty(unique_index=True, required=True)
    project_id = StringProperty(index=True)
    uid = StringProperty(db_property="id", index=True)
    status = StringProperty(index=True)
    kind = StringProperty(index=True)
    #: Its tags changed since edges were derived from them.
    unlinked = BooleanProperty(index=True)
    created_at = DateTimeNeo4jFormatProperty(index=True)
    updated_at = DateTimeNeo4jFormatProperty(index=True)
    estimate_minutes = FloatProperty(index=True)

    required = AsyncRelationshipTo("Tag", "REQUIRES")
    produced = AsyncRelationshipTo("Tag", "PRODUCES")
    tagged = AsyncRelationshipTo("Keyword", "TAGGED")
    dependants = AsyncRelationshipTo("WorkNode", "HARD_REQUIRES")
    prerequisites = AsyncRelationshipFrom("WorkNode", "HARD_REQUIRES")
    alike = AsyncRelationshipTo("WorkNode", "SOFT_SEMANTIC")
    parents = AsyncRelationshipTo("WorkNode", "DERIVED_FROM")
    related = AsyncRelationshipTo("WorkNode", "RELATED")


class Run(AsyncStructuredNode):
    """An execution session."""

    key = StringProperty(unique_index=True, required=True)
    project_id = StringProperty(index=True)
    uid = StringProperty(db_property="id", index=True)
    status = StringProperty(index=True)
    created_at = DateTimeNeo4jFormatProperty(index=True)

    steps = AsyncRelationshipTo("WorkNode", "STEP")


class PendingEdge(AsyncStructuredNode):
    """An edge or a step that waits for a node."""

    key = StringProperty(unique_index=True, required=True)
    project_id = StringProperty(index=True)
    src = StringProperty(index=True)
    dst = StringProperty(index=True)


class JournalEntry(AsyncStructuredNode):
    """One entry of a project's journal."""

    key = StringProperty(unique_index=True, required=True)
    project_id = StringProperty(index=True)
    seq = IntegerProperty(index=True)
    original = StringProperty(index=True)


class Request(AsyncStructuredNode):
    """The answer to an idempotency key."""

    key = StringProperty(unique_index=True, required=True)
    project_id = StringProperty(index=True)
    created_at = DateTimeNeo4jFormatProperty(index=True)


class Staged(AsyncStructuredNode):
    """A node of an unfinished import."""

    key = StringProperty(unique_index=True, required=True)
    project_id = StringProperty(index=True)


class Import(AsyncStructuredNode):
    """How far an unfinished import came."""

    key = StringProperty(unique_index=True, required=True)


class TaskTree(AsyncStructuredNode):
    """A recursive task tree."""

    key = StringProperty(unique_index=True, required=True)
    project_id = StringProperty(index=True)
    uid = StringProperty(db_property="id", index=True)
    session_id = StringProperty(index=True)
    added_at = DateTimeNeo4jFormatProperty(index=True)

    root = AsyncRelationshipTo("Task", "ROOT")
    executed = AsyncRelationshipTo("WorkNode", "EXECUTES")


class Task(AsyncStructuredNode):
    """One task of a tree."""

    key = StringProperty(unique_index=True, required=True)
    project_id = StringProperty(index=True)
    tree_id = StringProperty(index=True)
    uid = StringProperty(db_property="id", index=True)
    status = StringProperty(index=True)
    #: The parent's key, or the tree's, where it or something below it may start; and its place.
    ready_under = StringProperty(index=True)
    place = IntegerProperty(index=True)
    #: Milliseconds since 1970.
    lease_until = IntegerProperty(index=True)

    children = AsyncRelationshipTo("Task", "SPAWNED")
    documents = AsyncRelationshipTo("Document", "READ")
    executed = AsyncRelationshipTo("WorkNode", "EXECUTES")


class Document(AsyncStructuredNode):
    """Something that tasks had in their context."""

    key = StringProperty(unique_index=True, required=True)
    project_id = StringProperty(index=True)
    uid = StringProperty(db_property="id", index=True)


class TaskState(AsyncStructuredNode):
    """The variables of a state document."""

    key = StringProperty(unique_index=True, required=True)
    project_id = StringProperty(index=True)
    uid = StringProperty(db_property="id", index=True)
    tree_id = StringProperty(index=True)


class Vector(AsyncStructuredNode):
    """What a work node means, as numbers that several servers share."""

    key = StringProperty(unique_index=True, required=True)
    project_id = StringProperty(index=True)
    uid = StringProperty(db_property="id", index=True)
    embedding = ArrayProperty(FloatProperty(), index=True)


class VectorCollection(AsyncStructuredNode):
    """What model a project's shared vectors are of, and how far they follow its journal."""

    key = StringProperty(unique_index=True, required=True)


#: Every declared label.
ALL = (
    *(Project, Tag, Keyword, WorkNode, Run, PendingEdge, JournalEntry, Request, Staged, Import),
    *(TaskTree, Task, Document, TaskState),
    *(Vector, VectorCollection),
)
