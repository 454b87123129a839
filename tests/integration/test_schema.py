"""Migrations on a server of their own: fresh equals migrated, drift is seen, neomodel agrees."""

import os
import re
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from factories import make_node
from neomodel import AsyncStructuredNode, adb

from gotn import provision, resources
from gotn.database import labels, queries, schema
from gotn.database.connection import Database
from gotn.errors import SchemaPending
from gotn.journal import Entry
from gotn.provision.memory import Profile
from gotn.trees.records import Document, Task, TaskState, TaskTree
from gotn.work.records import Project, Run, WorkEdge, WorkNode
from gotn.work.usecases import nodes
from gotn.work.usecases.writing import Request
from gotn_embeddings import Hit

#: Declared properties that no record has: what keeps the graph together.
BOOKKEEPING = {"key", "project_id", "head", "name", "original", "created_at", "unlinked"}
BOOKKEEPING |= {"embedding", "ready_under", "place", "lease_until"}
RECORDS: dict[str, type] = {
    "Project": Project,
    "WorkNode": WorkNode,
    "Run": Run,
    "PendingEdge": WorkEdge,
    "JournalEntry": Entry,
    "TaskTree": TaskTree,
    "Task": Task,
    "Document": Document,
    "TaskState": TaskState,
    "Vector": Hit,
}


@pytest.fixture(scope="module")
def second_server() -> Iterator[tuple[str, str, str]]:
    """A server whose schema may be broken: named, or one that lives as long as this module."""
    uri = os.environ.get("GOTN_TEST_SCHEMA_NEO4J_URI")
    if uri:
        yield uri, "neo4j", os.environ.get("GOTN_TEST_SCHEMA_NEO4J_PASSWORD", "")
        return
    downloads = provision.Paths(provision.default_home()).downloads
    with provision.ephemeral(downloads, profile=Profile(heap_mb=512, page_cache_mb=64)) as server:
        yield server.bolt_uri, server.user, server.password


@pytest.fixture(scope="module")
async def second(second_server: tuple[str, str, str]) -> AsyncIterator[Database]:
    """The database of that server."""
    opened = Database.open(*second_server)
    yield opened
    await opened.close()


async def run(database: Database, text: str) -> list[dict[str, Any]]:
    """A statement of this test's own, by itself."""
    async with database.session() as session:
        return [dict(row) async for row in await session.run(queries.trusted(text))]


async def empty(database: Database) -> None:
    """Take every constraint, index and migration away."""
    for row in await run(database, "SHOW CONSTRAINTS YIELD name"):
        await run(database, f"DROP CONSTRAINT {row['name']}")
    for row in await run(database, "SHOW INDEXES YIELD name, type WHERE type <> 'LOOKUP'"):
        await run(database, f"DROP INDEX {row['name']}")
    await run(database, "MATCH (m:Migration) DELETE m")


async def picture(database: Database) -> list[tuple[Any, ...]]:
    """Every constraint and index with what it is on."""
    indexes = await run(
        database, "SHOW INDEXES YIELD name, type, entityType, labelsOrTypes, properties, state"
    )
    constraints = await run(
        database, "SHOW CONSTRAINTS YIELD name, type, labelsOrTypes, properties"
    )
    return sorted(
        tuple(str(value) for value in row.values())
        for row in (*indexes, *constraints)
        if row["type"] != "LOOKUP"
    )


async def test_fresh_equals_migrated(second: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """All at once or one after the other, each again: the same schema."""
    await empty(second)
    names = [migration.name for migration in schema.migrations()]
    assert await schema.pending(second) == names
    assert await schema.migrate(second) == names
    fresh = await picture(second)
    assert {row[-1] for row in fresh if row[-1] in ("ONLINE", "POPULATING")} == {"ONLINE"}
    await empty(second)
    every = schema.migrations()
    for count in range(1, len(every) + 1):
        monkeypatch.setattr(schema, "migrations", lambda n=count: every[:n])
        await schema.migrate(second)
    assert await picture(second) == fresh


async def test_migrating_again_changes_nothing(second: Database) -> None:
    """A second run has nothing to do, and leaves the dates."""
    await schema.migrate(second)
    before = await picture(second), await run(second, "MATCH (m:Migration) RETURN properties(m)")
    assert await schema.migrate(second) == []
    after = await picture(second), await run(second, "MATCH (m:Migration) RETURN properties(m)")
    assert after == before
    await schema.require_current(second)


async def test_migration_cut_short_goes_on(second: Database) -> None:
    """One that stopped half-way is finished by the next run."""
    await schema.migrate(second)
    whole = await picture(second)
    await run(second, "MATCH (m:Migration) DELETE m")
    await run(second, "DROP INDEX run_id")
    with pytest.raises(SchemaPending, match="run `gotn migrate`"):
        await schema.require_current(second)
    assert await schema.migrate(second) == [one.name for one in schema.migrations()]
    assert await picture(second) == whole


async def test_drift_is_reported(second: Database) -> None:
    """An index that somebody dropped, and one that somebody made, are named."""
    await schema.migrate(second)
    assert await schema.drift(second) == schema.Drift((), ())
    await run(second, "DROP INDEX work_node_status")
    await run(second, "CREATE INDEX mine IF NOT EXISTS FOR (n:WorkNode) ON (n.summary)")
    assert await schema.drift(second) == schema.Drift(("work_node_status",), ("mine",))
    await empty(second)
    await schema.migrate(second)


async def test_newer_database_is_refused(second: Database) -> None:
    """A migration that this program does not know stops it, by name."""
    await schema.migrate(second)
    await run(second, "CREATE (:Migration {name: '9999_future'})")
    try:
        for work in (schema.pending, schema.migrate, schema.require_current):
            with pytest.raises(SchemaPending, match="9999_future"):
                await work(second)
    finally:
        await run(second, "MATCH (m:Migration {name: '9999_future'}) DELETE m")


def test_migrations_are_numbered() -> None:
    """0001, 0002 … in order, each number once, each statement repeatable."""
    names = [migration.name for migration in schema.migrations()]
    assert sorted({name[:4] for name in names}) == [name[:4] for name in names]
    assert all(re.fullmatch(r"\d{4}_[a-z0-9_]+", name) for name in names)
    texts = [text for migration in schema.migrations() for text in migration.statements]
    assert [
        text for text in texts if text.startswith("CREATE ") and "IF NOT EXISTS" not in text
    ] == []
    assert len(schema.declared()) == sum(text.startswith("CREATE ") for text in texts)


def declared(label: type[AsyncStructuredNode]) -> dict[str, Any]:
    """A label's properties by the name that the database has for them."""
    found = label.defined_properties(rels=False, aliases=False)
    return {prop.get_db_property_name(name): prop for name, prop in found.items()}


def _indexed() -> dict[str, set[str]]:
    text = " ".join(part for one in schema.migrations() for part in one.statements)
    found: dict[str, set[str]] = {}
    for label, names in re.findall(r"INDEX \w+ IF NOT EXISTS FOR \(n:(\w+)\) ON \(([^)]*)\)", text):
        found.setdefault(label, set()).update(re.findall(r"n\.(\w+)", names))
    return found


def test_neomodel_declares_what_migrations_make() -> None:
    """Unique keys and indexed properties are the same on both sides."""
    text = " ".join(part for one in schema.migrations() for part in one.statements)
    unique = dict(
        re.findall(r"CONSTRAINT \w+ IF NOT EXISTS FOR \(n:(\w+)\) REQUIRE n\.(\w+)", text)
    )
    known = {label.__label__: label for label in labels.ALL}
    assert known.keys() == unique.keys() - {"Migration"}
    for name, label in known.items():
        props = declared(label)
        assert [n for n, prop in props.items() if prop.unique_index] == [unique[name]]
        assert {n for n, prop in props.items() if prop.index} == _indexed().get(name, set())


@pytest.mark.parametrize("name", sorted(label.__label__ for label in labels.ALL))
def test_declared_property_is_a_field_of_its_record(name: str) -> None:
    """Nothing is declared that neither a record has nor keeps the graph together."""
    label = next(one for one in labels.ALL if one.__label__ == name)
    record = RECORDS.get(name)
    fields = set(record.__dataclass_fields__) if record else set()  # type: ignore[attr-defined]
    assert declared(label).keys() - fields <= BOOKKEEPING


def test_every_relationship_type_is_declared() -> None:
    """Types that queries name are those that neomodel knows."""
    text = "\n".join(queries.code(query.text) for query in queries.table().values())
    used = {
        part for match in re.findall(r"\[\w*:([A-Z_|]+)", text) for part in match.split("|") if part
    }
    known = {
        definition.definition["relation_type"]
        for label in labels.ALL
        for definition in label.defined_properties(aliases=False, properties=False).values()
    }
    assert used == known


async def test_neomodel_reads_one_by_its_key(
    database: Database, request_: Request, project: str
) -> None:
    """It shares our driver: one entity by key, and its neighbours."""
    await nodes.add(database, request_, make_node("a", produces=("A",)))
    await adb.set_connection(driver=database.driver)
    found = await labels.WorkNode.nodes.get(key=f"{project}/a")
    assert (found.uid, found.status) == ("a", "ready")
    neighbours: Any = getattr(found.produced, "all")()  # noqa: B009  # a manager, once read
    assert [tag.name for tag in await neighbours] == ["A"]
    assert (await labels.Project.nodes.get(key=project)).seq == 2


def test_migrations_are_where_the_wheel_has_them() -> None:
    """Every file below cypher/migrations is one migration."""
    files = sorted(Path(resources.cypher() / "migrations").iterdir())
    assert [file.stem for file in files] == [one.name for one in schema.migrations()]
