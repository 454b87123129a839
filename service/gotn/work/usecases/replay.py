"""Prove and rebuild: a journal's chain, its state against the database's, and replay."""

from collections.abc import AsyncIterator, Iterable
from pathlib import Path
from typing import Any

from gotn import journal, shapes
from gotn.database.connection import Database, Tx
from gotn.errors import BadDocument, Conflict, Invalid
from gotn.journal import Entry
from gotn.work.records import Replayed, Unknown, Verification
from gotn.work.rules import fold, ranks
from gotn.work.store import digest, edges, nodes, runs
from gotn.work.usecases import projects
from gotn.work.usecases.writing import Request, check_project

Row = dict[str, Any]
#: Problems of a chain that are named.
PROBLEMS = 20
#: Bytes of one exported line, at most.
LINE_BYTES = 64 * 1024 * 1024


class Chain:
    """Checks entries as they pass: seq without gaps, times in order, hashes that fit."""

    def __init__(self) -> None:
        self.entries = 0
        self.problems: list[str] = []
        self._seq, self._hash, self._time = 0, journal.GENESIS, ""

    def check(self, entry: Entry) -> None:
        """Look at the next entry."""
        self.entries += 1
        if entry.schema_version > journal.SCHEMA_VERSION:
            raise Invalid(
                f"seq {entry.seq}: schema version {entry.schema_version} is newer than "
                f"{journal.SCHEMA_VERSION}, which this program reads; update it."
            )
        if entry.seq != self._seq + 1:
            self._say(f"seq {entry.seq}: expected {self._seq + 1}")
        elif entry.previous_hash != self._hash:
            self._say(f"seq {entry.seq}: does not follow the entry before")
        if entry.hash != entry.digest():
            self._say(f"seq {entry.seq}: was changed; its hash does not fit")
        if shapes.moment(entry.timestamp) < shapes.moment(self._time or entry.timestamp):
            self._say(f"seq {entry.seq}: is earlier than the entry before")
        self._seq, self._hash, self._time = entry.seq, entry.hash, entry.timestamp

    def _say(self, problem: str) -> None:
        if len(self.problems) < PROBLEMS:
            self.problems.append(problem)

    @property
    def whole(self) -> bool:
        """Whether nothing was wrong."""
        return not self.problems


async def folded(entries: AsyncIterator[Entry], chain: Chain) -> fold.State:
    """The state that entries make, checking them on the way."""
    state = fold.State()
    async for entry in entries:
        chain.check(entry)
        state.apply(entry.event, entry.items())
    return state


async def verify(database: Database, project_id: str) -> Verification:
    """Check a project's chain and compare the journal's state with the database's."""
    await projects.show(database, project_id)
    chain = Chain()
    state = await folded(journal.entries(database, project_id), chain)
    replayed = fold.digests(fold.entities(state))
    live = await digest.live(database, project_id)
    return Verification(
        entries=chain.entries,
        chain_ok=chain.whole,
        problems=tuple(chain.problems),
        live_digest=fold.digest(live),
        replay_digest=fold.digest(replayed),
        equal=live == replayed,
        differing=fold.differing(live, replayed),
    )


async def current_digest(database: Database, project_id: str) -> str:
    """The digest of what the database holds."""
    return fold.digest(await digest.live(database, project_id))


def read_lines(path: Path) -> tuple[list[Entry], list[Unknown]]:
    """Entries of an exported journal, and each line that cannot be read with the reason."""
    entries: list[Entry] = []
    damaged: list[Unknown] = []
    with path.open("rb") as file:
        number = 0
        while line := file.readline(LINE_BYTES + 1):
            number += 1
            if not line.strip():
                continue
            try:
                entries.append(_entry(line))
            except Invalid as error:
                damaged.append(Unknown(line=number, id=None, reason=error.message))
    return entries, damaged + _gaps(entries)


def _entry(line: bytes) -> Entry:
    if len(line) > LINE_BYTES:
        raise Invalid(f"longer than {LINE_BYTES} bytes")
    if line.startswith((b"<<<<<<<", b"=======", b">>>>>>>")):
        raise Invalid("a merge-conflict marker")
    try:
        found = shapes.loads(line)
    except ValueError:
        raise Invalid("not JSON: cut short or damaged") from None
    if not isinstance(found, dict):
        raise Invalid("expected an object")
    entry = journal.entry_from(found)
    if not isinstance(entry.seq, int) or not isinstance(entry.schema_version, int):
        raise Invalid("seq and schema_version must be integers")
    return entry


def _gaps(entries: list[Entry]) -> list[Unknown]:
    missing = []
    for before, entry in zip([None, *entries], entries, strict=False):
        expected = before.seq + 1 if before else 1
        if entry.seq != expected:
            missing.append(
                Unknown(
                    line=None,
                    id=str(entry.seq),
                    reason=f"expected seq {expected}, found {entry.seq}",
                )
            )
    return missing


async def replay_file(
    database: Database, request: Request, path: Path, *, recover: bool = False
) -> Replayed:
    """Rebuild a project from an exported journal.

    A journal that is damaged is refused, every damaged line named (BadDocument), unless
    `recover` takes what can be read; the project then gets a journal of its own.
    """
    entries, damaged = read_lines(path)
    if not entries:
        raise BadDocument(f"{path.name}: holds no journal entry.", violations=_listed(damaged))
    if damaged and not recover:
        first = damaged[0]
        where = f"line {first.line}" if first.line else f"seq {first.id}"
        raise BadDocument(
            f"{path.name}: {len(damaged)} damaged entries, the first at {where}: {first.reason}. "
            "Recover what can be read with --recover.",
            violations=_listed(damaged),
        )
    return await replay(database, request, _each(entries), damaged=damaged, recover=recover)


def _listed(damaged: Iterable[Unknown]) -> list[Row]:
    return [shapes.plain(unknown) for unknown in damaged][:1000]


async def _each(entries: list[Entry]) -> AsyncIterator[Entry]:
    for entry in entries:
        yield entry


async def replay(
    database: Database,
    request: Request,
    source: AsyncIterator[Entry],
    *,
    damaged: Iterable[Unknown] = (),
    recover: bool = False,
) -> Replayed:
    """Rebuild an empty project from entries; the same digest as where they come from.

    An intact journal is taken over as it is, seq and hashes included; a damaged one
    (`recover`) becomes entries of the new project's own. Raises Conflict where the project
    holds something already.
    """
    project_id = check_project(request.project_id)
    chain = Chain()
    kept: list[Entry] = []

    async def watched() -> AsyncIterator[Entry]:
        async for entry in source:
            kept.append(entry)
            yield entry

    state = await folded(watched(), chain)
    if not chain.whole and not recover:
        raise BadDocument(f"The journal is damaged: {chain.problems[0]}", violations=chain.problems)

    async def work(tx: Tx) -> None:
        ledger = await journal.begin(tx, project_id, request.actor)
        if not ledger.created:
            raise Conflict(
                f"Project {project_id!r} is not empty: replay into a new one.", project=project_id
            )
        await _write(tx, ledger, state)
        if chain.whole:
            ledger.entries = kept
            ledger.seq, ledger.head = kept[-1].seq, kept[-1].hash
            ledger.now = shapes.moment(kept[-1].timestamp)
        else:
            _note(ledger, state)
        await journal.commit(tx, ledger)

    await database.write(work)
    return Replayed(
        entries=chain.entries,
        nodes=len(state.nodes),
        edges=len(state.edges),
        runs=len(state.runs),
        digest=await current_digest(database, project_id),
        verbatim=chain.whole,
        skipped=tuple(damaged),
    )


async def _write(tx: Tx, ledger: journal.Ledger, state: fold.State) -> None:
    """Store a whole state in an empty project."""
    project_id = ledger.project_id
    settle_pending(state)
    hard = [
        (row["src"], row["dst"])
        for row in state.edges.values()
        if edges.is_hard(row) and not row.get("closes_cycle") and not row.get("pending")
    ]
    ordinals = dict(zip(state.nodes, ledger.ordinals(len(state.nodes)), strict=True))
    first_to_last = ranks.first_to_last(list(state.nodes), hard)
    await nodes.create(tx, project_id, [state.nodes[i] for i in first_to_last], ordinals)
    rows = list(state.edges.values())
    await edges.create(tx, project_id, list(zip(rows, ledger.ordinals(len(rows)), strict=True)))
    found = list(state.runs.values())
    await runs.create(tx, project_id, list(zip(found, ledger.ordinals(len(found)), strict=True)))
    await runs.create_steps(tx, project_id, list(state.steps.values()))
    if state.settings:
        await tx.rows(
            "project/set_settings", project=project_id, settings=shapes.dumps(state.settings)
        )


def settle_pending(state: fold.State) -> None:
    """After a recovery an edge may have lost a node: it waits again, as do steps."""
    for row in state.edges.values():
        if not {row["src"], row["dst"]} <= state.nodes.keys():
            row["pending"] = True
    for step in state.steps.values():
        if step["node"] not in state.nodes:
            step["pending"] = True


def _note(ledger: journal.Ledger, state: fold.State) -> None:
    """Entries for a recovered state."""
    ledger.record("add_node", [{"node": row} for row in state.nodes.values()])
    ledger.record("add_edge", [{"edge": row} for row in state.edges.values()])
    for run in state.runs.values():
        steps = [{"step": s} for s in state.steps.values() if s["run"] == run["id"]]
        ledger.record("start_run", [{"run": run}, *steps])
    if state.settings:
        ledger.record("update_project", [{"settings": state.settings}])
