"""Every invariant of the stored graphs, checked on the database itself (graph-model)."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

from gotn.database import schema
from gotn.database.connection import Database, Tx
from gotn.work.usecases import projects, replay

#: Examples of what is wrong that are named.
SHOWN = 5
#: Projects read at once.
PAGE = 100


@dataclass(frozen=True, kw_only=True)
class Check:
    """One line of the examination."""

    name: str
    #: None where it could not be looked at.
    ok: bool | None
    #: What was found.
    found: str
    #: What to do about it; empty where nothing is wrong.
    mend: str = ""
    project: str | None = None


async def stored_schema(database: Database) -> list[Check]:
    """Whether every migration ran, and whether the server has just what they declare."""
    done = await schema.applied(database)
    known = [migration.name for migration in schema.migrations()]
    pending = [name for name in known if name not in done]
    newer = sorted(set(done) - set(known))
    drift = await schema.drift(database)
    return [
        Check(
            name="migrations",
            ok=not pending and not newer,
            found=f"pending: {', '.join(pending)}"
            if pending
            else f"of a newer gotn: {', '.join(newer)}"
            if newer
            else f"{len(done)} applied, none pending",
            mend="gotn migrate" if pending else "update gotn" if newer else "",
        ),
        Check(
            name="schema",
            ok=not drift.missing and not drift.unknown,
            found=_drifted(drift) or f"{len(schema.declared())} constraints and indexes, all there",
            mend=_mend_drift(drift),
        ),
    ]


def _drifted(drift: schema.Drift) -> str:
    said = [f"missing {', '.join(drift.missing)}"] if drift.missing else []
    said += [f"not ours: {', '.join(drift.unknown)}"] if drift.unknown else []
    return "; ".join(said)


def _mend_drift(drift: schema.Drift) -> str:
    if drift.missing:
        return "run the CREATE statements of these names in cypher/migrations in Neo4j Browser"
    if drift.unknown:
        return "drop what you do not need, in Neo4j Browser: DROP INDEX name, DROP CONSTRAINT name"
    return ""


async def invariants(database: Database, project_id: str) -> AsyncIterator[Check]:
    """Each invariant of one project."""
    for check in (_crossing, _ordered, _flags, _replayed, _sequence):
        yield await check(database, project_id)


async def each_project(database: Database) -> AsyncIterator[str]:
    """The id of every project, page by page."""
    after = ""
    while found := await projects.listed(database, PAGE, after):
        for project in found:
            yield project.id
        after = found[-1].id


def _rebuild(project_id: str) -> str:
    return (
        "rebuild it from its journal: "
        f"gotn journal replay --from-project {project_id} -p {project_id[:50]}-rebuilt"
    )


def _mend_journal(project_id: str, *, chain_ok: bool) -> str:
    """Changes by hand can be taken over; a broken chain cannot be mended, only left behind."""
    if chain_ok:
        return (
            f"take changes made by hand over: gotn doctor -p {project_id} --adopt; "
            f"or undo them, {_rebuild(project_id)}"
        )
    return f"see gotn journal verify -p {project_id}; {_rebuild(project_id)}"


async def _examples(database: Database, query: str, project_id: str) -> list[list[Any]]:
    async def read(tx: Tx) -> list[list[Any]]:
        return list(await tx.value(query, project=project_id, limit=SHOWN) or ())

    return await database.read(read)


async def _pairs(
    database: Database, project_id: str, query: str, name: str, wrong: str, right: str
) -> Check:
    """A check whose query names what is wrong by its ends."""
    found = await _examples(database, query, project_id)
    shown = ", ".join(" → ".join(str(part) for part in row) for row in found)
    return Check(
        name=name,
        ok=not found,
        found=f"{wrong}: {shown}" if found else right,
        mend=_rebuild(project_id) if found else "",
        project=project_id,
    )


async def _crossing(database: Database, project_id: str) -> Check:
    return await _pairs(
        database,
        project_id,
        "doctor/crossing",
        "1 one project",
        "relationships lead into another project",
        "no relationship leaves the project",
    )


async def _ordered(database: Database, project_id: str) -> Check:
    return await _pairs(
        database,
        project_id,
        "doctor/disordered",
        "2 order",
        "unflagged edges against the stored ranks",
        "ranks put every unflagged hard edge in order",
    )


async def _flags(database: Database, project_id: str) -> Check:
    return await _pairs(
        database,
        project_id,
        "doctor/idle_flags",
        "2 flags",
        "flagged edges that close no cycle",
        "every flagged edge closes a cycle",
    )


async def _sequence(database: Database, project_id: str) -> Check:
    async def read(tx: Tx) -> dict[str, Any] | None:
        return await tx.one("doctor/sequence", project=project_id, limit=SHOWN)

    row = await database.read(read)
    if row is None:
        return Check(name="4 seq", ok=None, found="the project is gone", project=project_id)
    gaps = ", ".join(str(seq) for seq in row["after_gaps"])
    whole = not gaps and row["entries"] == row["seq"]
    wrong = f"the project is at {row['seq']} and has {row['entries']} entries"
    return Check(
        name="4 seq",
        ok=whole,
        found=f"{row['entries']} entries without a gap"
        if whole
        else f"{wrong}; gaps before seq {gaps}"
        if gaps
        else wrong,
        mend=""
        if whole
        else "restore a backup, or go on from what is stored: "
        f"gotn export -p {project_id} -o it.json, then "
        f"gotn import it.json -p {project_id[:50]}-new",
        project=project_id,
    )


async def _replayed(database: Database, project_id: str) -> Check:
    found = await replay.verify(database, project_id)
    said = f"chain broken: {found.problems[0]}" if found.problems else ""
    if not found.equal:
        names = [str(item.get("entity", item)) for item in (found.differing or ())[:SHOWN]]
        said = "; ".join(filter(None, (said, f"replay differs: {', '.join(names)}")))
    return Check(
        name="3 journal",
        ok=found.chain_ok and found.equal,
        found=said or f"replaying {found.entries} entries gives what is stored",
        mend=_mend_journal(project_id, chain_ok=found.chain_ok) if said else "",
        project=project_id,
    )
