"""Prove and rebuild: a journal's chain, its state against the database's, and replay."""

from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import uuid4

from gotn import journal, parts, shapes
from gotn.database.connection import Database, Tx
from gotn.errors import BadDocument, Conflict, DatabaseUnavailable, GotnError, Invalid
from gotn.journal import Entry, Ledger
from gotn.work.records import Replayed, Unknown, Verification
from gotn.work.rules import fold
from gotn.work.store import digest
from gotn.work.usecases import projects, rebuilding, recovering
from gotn.work.usecases.adopting import adopt
from gotn.work.usecases.chain import Chain, folded
from gotn.work.usecases.lines import LISTED, Lines, is_original
from gotn.work.usecases.writing import Request, check_project, write

__all__ = ["Chain", "adopt", "current_digest", "folded", "replay", "replay_file", "verify"]

Row = dict[str, Any]
#: Entries from their first on; asked twice, so that they need not be held.
Source = Callable[[], AsyncIterator[Entry]]
#: Entries of a journal that is taken over in one transaction; a longer one is appended before.
AHEAD = 20_000
#: Times that a verification begins again because somebody wrote meanwhile.
PATIENCE = 5


async def verify(database: Database, project_id: str) -> Verification:
    """Check a project's chain and compare the journal's state with the database's.

    What is written meanwhile is waited for; Conflict where that does not end.
    """
    for _ in range(PATIENCE):
        seq = (await projects.show(database, project_id)).seq
        found = await _verified(database, project_id, seq)
        if (await projects.show(database, project_id)).seq == seq:
            return found
    raise Conflict(f"Project {project_id!r} is being written; verify it again.", project=project_id)


async def _verified(database: Database, project_id: str, seq: int) -> Verification:
    chain = Chain()
    state = await folded(journal.entries(database, project_id, until=seq), chain)
    if chain.entries != seq:
        chain.problems.append(f"seq {seq}: the project is there, its journal has {chain.entries}")
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


async def replay_file(
    database: Database, request: Request, path: Path, *, recover: bool = False
) -> Replayed:
    """Rebuild a project from an exported journal, or from an original folder or journal (001).

    An exported journal that is damaged is refused, every damaged line named (BadDocument),
    unless `recover` takes what can be read; the project then gets a journal of its own. Of
    a newer schema nothing is taken, with `recover` neither: those lines are listed. An
    original is always recovered: what cannot be read is listed, nothing stored gives way.
    """
    if is_original(path):
        taken = await recovering.original(database, request, path)
        return await _held(database, request, taken.journal_entries, taken.skipped)
    lines = Lines(path)
    state = _scanned(lines)
    if not lines.chain.entries or (lines.damages and not recover):
        raise _refusal(lines)
    if not lines.damages:
        return await _taken_over(
            database, request, lambda: _each(lines.by_seq()), state, lines.chain
        )
    return await _recovered(database, request, lines)


def _refusal(lines: Lines) -> BadDocument:
    """The error for a damaged journal, with every damaged line."""
    name, found = lines.path.name, [shapes.plain(unknown) for unknown in lines.damaged]
    if not lines.damages or not (lines.newer or lines.chain.entries):
        return BadDocument(f"{name}: holds no journal entry.", violations=found)
    first = lines.damaged[0]
    many = f"{lines.damages} damage{'s' if lines.damages > 1 else ''}, the first at"
    said = f"{name}: {many} line {first.line}: {first.reason.rstrip('.')}."
    if not lines.chain.entries:
        return BadDocument(f"{said} No other entry can be read.", violations=found)
    kept = " but what a newer program wrote" if lines.newer else ""
    return BadDocument(f"{said} Recover what can be read{kept} with --recover.", violations=found)


def _scanned(lines: Lines) -> fold.State:
    """The state of a whole journal; of a damaged one only the damages matter."""
    state = fold.State()
    for entry in lines.scan():
        if not lines.damages:
            state.take(entry.event, entry.items(), entry.staged)
    return state


async def _each(entries: Iterator[Entry]) -> AsyncIterator[Entry]:
    for entry in entries:
        yield entry


async def _recovered(database: Database, request: Request, lines: Lines) -> Replayed:
    """What can be read, in the order of seq, as a journal of the project's own."""
    skipped = list(lines.damaged)
    finished = recovering.finished(lines.by_seq())
    state = recovering.salvaged(lines.by_seq(), finished, skipped)

    async def note(_: Tx, ledger: Ledger) -> None:
        rebuilding.note(ledger, state, recovering.originals(lines.by_seq()))

    answer = _begun(lines.chain.entries, verbatim=False, skipped=skipped[:LISTED])
    return await _rebuilt(database, request, state, note, answer)


async def replay(
    database: Database, request: Request, source: Source, *, recover: bool = False
) -> Replayed:
    """Rebuild an empty project from entries; the same digest as where they come from.

    An intact journal is taken over as it is, seq and hashes included; a damaged one is
    BadDocument, or with `recover` becomes entries of the new project's own. Raises
    Conflict where the project holds something already.
    """
    chain = Chain()
    state = await folded(source(), chain)
    if not chain.entries:
        raise Invalid("There is no journal entry to replay.")
    if chain.whole:
        return await _taken_over(database, request, source, state, chain)
    if not recover:
        raise BadDocument(
            f"The journal is damaged: {chain.problems[0]}. Recover what can be read with "
            "--recover.",
            violations=[{"line": None, "id": None, "reason": said} for said in chain.problems],
        )
    rebuilding.settle_pending(state)

    async def note(_: Tx, ledger: Ledger) -> None:
        rebuilding.note(ledger, state, ())

    skipped = [Unknown(line=None, id=None, reason=said) for said in chain.problems]
    answer = _begun(chain.entries, verbatim=False, skipped=skipped)
    return await _rebuilt(database, request, state, note, answer)


async def _taken_over(
    database: Database, request: Request, source: Source, state: fold.State, chain: Chain
) -> Replayed:
    """The state, and the journal as it is; a long one in transactions of its own, before."""
    answer = _begun(chain.entries, verbatim=True)
    large = chain.entries > AHEAD or rebuilding.large(state)
    if large and request.idempotency_key is None:
        return await _ahead(database, request, source, state, chain, answer)

    async def note(tx: Tx, ledger: Ledger) -> None:
        ledger.entries = []
        await journal.take_over(tx, ledger, _until(source(), chain.entries))
        if ledger.head != chain.head:
            raise _changed()

    return await _rebuilt(database, request, state, note, answer)


def _changed() -> Conflict:
    return Conflict("The journal changed while it was read; replay it again.")


async def _ahead(
    database: Database,
    request: Request,
    source: Source,
    state: fold.State,
    chain: Chain,
    answer: Replayed,
) -> Replayed:
    """Append the entries while the project is closed for writers, then store the state.

    Cut short, the project is one that is being removed: asked for again, its removal ends it.
    """
    project_id, token = check_project(request.project_id), uuid4().hex

    async def close(tx: Tx) -> None:
        ledger = await journal.begin(tx, project_id, request.actor)
        if not ledger.created:
            raise _taken(project_id)
        await tx.rows("project/close", project=project_id, token=token)

    async def work(tx: Tx) -> None:
        if not await tx.value("project/open", project=project_id, token=token):
            raise _changed()
        ledger = await journal.begin(tx, project_id, request.actor, create=False)
        await rebuilding.write(tx, ledger, state)
        if last is None or last.hash != chain.head:
            raise _changed()
        await journal.continue_after(tx, ledger, last)

    await database.write(close)
    try:
        entries = _until(source(), chain.entries)
        last = await journal.append_ahead(database, project_id, entries, token)
        await rebuilding.stage(database, project_id, state)
        await database.write(work)
    except GotnError:
        await _undone(database, project_id, token)
        raise
    return await _counted(database, request, state, answer)


async def _undone(database: Database, project_id: str, token: str) -> None:
    """Remove what was taken over, if the project is still the one that was closed for it."""

    async def ours(tx: Tx) -> bool:
        return bool(await tx.value("project/is_closed", project=project_id, token=token))

    with suppress(DatabaseUnavailable):
        if await database.write(ours):
            await projects.go_on_removing(database, project_id)


async def _counted(
    database: Database, request: Request, state: fold.State, answer: Replayed
) -> Replayed:
    return replace(
        answer,
        nodes=len(state.nodes),
        edges=len(state.edges),
        runs=len(state.runs),
        trees=parts.counted(state.others, "tree"),
        digest=await current_digest(database, request.project_id),
    )


def _taken(project_id: str) -> Conflict:
    return Conflict(
        f"Project {project_id!r} is not empty: replay into a new one.", project=project_id
    )


async def _until(entries: AsyncIterator[Entry], seq: int) -> AsyncIterator[Entry]:
    async for entry in entries:
        yield entry
        if entry.seq >= seq:
            return


async def _rebuilt(
    database: Database,
    request: Request,
    state: fold.State,
    note: Callable[[Tx, Ledger], Any],
    answer: Replayed,
) -> Replayed:
    """Store a state in an empty project, and what `note` notes, in one transaction.

    Under an idempotency key the answer, digest included, is kept; the same again gets it.
    """
    keyed = request.idempotency_key is not None
    answer.nodes, answer.edges, answer.runs = len(state.nodes), len(state.edges), len(state.runs)
    answer.trees = parts.counted(state.others, "tree")
    answer.digest = fold.digest(fold.digests(fold.entities(state))) if keyed else ""

    async def work(tx: Tx, ledger: Ledger) -> Replayed:
        if not ledger.created:
            raise _taken(request.project_id)
        await rebuilding.write(tx, ledger, state)
        await note(tx, ledger)
        return answer

    given = shapes.plain(answer) if keyed else None
    found = await write(database, request, "replay", given, Replayed, work)
    if keyed:
        return found
    return replace(found, digest=await current_digest(database, request.project_id))


def _begun(entries: int, *, verbatim: bool, skipped: Iterable[Unknown] = ()) -> Replayed:
    """An answer whose counts and digest are not known yet."""
    return Replayed(
        entries=entries,
        nodes=0,
        edges=0,
        runs=0,
        digest="",
        verbatim=verbatim,
        skipped=tuple(skipped),
    )


async def _held(
    database: Database, request: Request, entries: int, skipped: Iterable[Unknown]
) -> Replayed:
    """What the project holds after entries were taken into it."""
    held = await projects.show(database, request.project_id)
    return Replayed(
        entries=entries,
        nodes=held.nodes,
        edges=held.edges + held.pending,
        runs=held.runs,
        digest=await current_digest(database, request.project_id),
        verbatim=False,
        skipped=tuple(skipped),
    )
