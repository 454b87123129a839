"""The database's schema: numbered, append-only migrations, applied once and compared.

Every constraint and index is made by a file in `cypher/migrations/`; `(:Migration)` nodes
remember which ones ran. Nothing else changes the schema.
"""

import re
from dataclasses import dataclass

from gotn import resources
from gotn.database import queries
from gotn.database.connection import Database, translated
from gotn.errors import SchemaPending


@dataclass(frozen=True)
class Migration:
    """One file: its name ("0001_work_graph") and its statements, each run on its own."""

    name: str
    statements: tuple[str, ...]


@dataclass(frozen=True)
class Drift:
    """What the database has too much or too little, by name."""

    missing: tuple[str, ...]
    unknown: tuple[str, ...]


_NAMED = re.compile(r"CREATE (?:CONSTRAINT|(?:\w+ )?INDEX) (\w+) IF NOT EXISTS")


def migrations() -> tuple[Migration, ...]:
    """All migrations in order."""
    found = []
    for path in sorted((resources.cypher() / "migrations").glob("*.cypher")):
        lines = path.read_text(encoding="utf-8").splitlines()
        text = "\n".join(line for line in lines if not line.startswith("//"))
        statements = tuple(part.strip() for part in text.split(";") if part.strip())
        found.append(Migration(path.stem, statements))
    return tuple(found)


def declared() -> frozenset[str]:
    """The names of every constraint and index the migrations make."""
    text = "\n".join(part for migration in migrations() for part in migration.statements)
    return frozenset(_NAMED.findall(text))


async def applied(database: Database) -> list[str]:
    """Names of the migrations that ran on this database."""
    rows = await database.read(lambda tx: tx.rows("schema/list_migrations"))
    return [row["name"] for row in rows]


async def pending(database: Database) -> list[str]:
    """Migrations that have not run; SchemaPending if the database is newer than this program."""
    done = set(await applied(database))
    known = [migration.name for migration in migrations()]
    if unknown := sorted(done - set(known)):
        raise SchemaPending(
            f"The database was migrated by a newer GoTN ({', '.join(unknown)}); update this one.",
            unknown=unknown,
        )
    return [name for name in known if name not in done]


async def migrate(database: Database) -> list[str]:
    """Apply what is pending, in order; returns the names. Repeating it changes nothing."""
    names = await pending(database)
    for migration in migrations():
        if migration.name not in names:
            continue
        for statement in migration.statements:
            await _run(database, statement)
        await _run(database, "", "schema/await_indexes")
        await database.write(
            lambda tx, name=migration.name: tx.rows("schema/put_migration", name=name)  # type: ignore[misc]
        )
    return names


async def _run(database: Database, statement: str, name: str | None = None) -> None:
    """One schema statement in its own auto-commit transaction, as Neo4j requires."""
    text = queries.named(name).text if name else queries.trusted(statement)
    with translated():
        async with database.session() as session:
            await (await session.run(text)).consume()


async def require_current(database: Database) -> None:
    """Raise SchemaPending unless every migration has run."""
    if names := await pending(database):
        raise SchemaPending(f"Migrations are pending ({', '.join(names)}): run `gotn migrate`.")


async def drift(database: Database) -> Drift:
    """Compare what the migrations declare with what the server has."""
    rows = await database.read(lambda tx: tx.rows("schema/list_schema"))
    here = {row["name"] for row in rows if row["ours"]}
    return Drift(tuple(sorted(declared() - here)), tuple(sorted(here - declared())))
