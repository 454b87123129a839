"""Keeping a project's vectors in step with its journal.

A vector's name holds the hash of its text, so what is right can be told by names alone: a
text that came back, or an index that lags or was lost, costs no encoding that was done before.
"""

import asyncio
import contextvars
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from typing import TYPE_CHECKING, Any

from gotn import journal
from gotn.errors import NotFound
from gotn.similarity import noting, store, texts
from gotn.similarity.engine import Engine, Known, translated
from gotn.writing import check_project

if TYPE_CHECKING:
    from gotn_embeddings import Position, VectorStore
    from gotn_embeddings.identity import Vectors

log = logging.getLogger("gotn.similarity")
#: Entries that are read one by one; of more, every node's text is looked at instead.
ENTRIES = 2_000
#: Changes that are told apart for linking; of more, everything is linked anew.
CHANGES = 2_000
#: Characters whose encoding is saved before more are encoded: some seconds' work.
SAVED = 500_000
#: Texts, and characters of them, that are encoded at once; a bulk encoder begins at that.
TEXTS, CHARACTERS = 4_000, 1_000_000


async def current(engine: Engine, project_id: str) -> Known:
    """A project's vectors as its journal has them now; NotFound where there is no project.

    The work goes on where a caller with a time limit leaves, for the next one to find it done.
    """
    check_project(project_id)
    await engine.store()
    known = engine.known(project_id)
    async with known.lock:
        if known.task is not None and not known.task.done():
            await asyncio.shield(known.task)
        known.task = asyncio.create_task(
            _follow(engine, project_id, known), context=contextvars.Context()
        )
        known.task.add_done_callback(lambda task: task.cancelled() or task.exception())
        await asyncio.shield(known.task)
    return known


async def _follow(engine: Engine, project_id: str, known: Known) -> None:
    with translated():
        head = await _head(engine, project_id)
        kept = await engine.store()
        if known.position == head:
            return
        try:
            await _catch_up(engine, project_id, known, kept, head)
        except BaseException:
            engine.forget(project_id)  # what it knows may not be what the store has
            raise


async def _head(engine: Engine, project_id: str) -> "Position":
    from gotn_embeddings import Position  # noqa: PLC0415  # only where it is used

    found = await engine.database.read(lambda tx: store.standing(tx, project_id, 0))
    if found is None:
        raise NotFound(f"There is no project {project_id!r}.", project=project_id)
    return Position(found["seq"], found["head"])


async def _catch_up(
    engine: Engine, project_id: str, known: Known, kept: "VectorStore", head: "Position"
) -> None:
    at = await _opened(engine, project_id, known, kept)
    changed = await _changed(engine, project_id, known, at, head)
    if changed is None:
        if at.seq >= head.seq:  # of another journal: it would not follow this one
            there = await kept.get(project_id, [*known.vectors.values()])
            await _replace(engine, project_id, kept, there)
        known.forget(None)
        await _compare(engine, project_id, known, kept, head)
    else:
        found = await store.texts_of(engine.database, project_id, sorted(changed))
        await _put(engine, project_id, known, kept, found)
        await _drop(project_id, known, kept, changed - found.keys(), head)
    known.position = head
    if len(known.nodes) + len(known.ends) > CHANGES:
        known.forget(None)
    await noting.keep(project_id, known, kept)
    if changed is None or known.unsaved >= SAVED:
        await _save(engine, project_id, known, kept)


async def _opened(engine: Engine, project_id: str, known: Known, kept: "VectorStore") -> "Position":
    """The entry that the vectors follow; an index that cannot answer begins anew."""
    from gotn_embeddings import IndexUnusable, Position  # noqa: PLC0415  # only where it is used

    try:
        at = await kept.position(project_id)
        if at == known.position:
            return at
        held = await kept.ids(project_id)
    except IndexUnusable as unusable:
        new = unusable.reason == "missing" and not await _linked(engine, project_id)
        level = logging.INFO if new else logging.WARNING
        log.log(level, "vectors of %s are built anew: %s", project_id, unusable.message)
        at, held = Position(), set()
        await _replace(engine, project_id, kept, {})
    known.forget(None)
    if held:
        noting.recall(known, await kept.note(project_id))
    known.vectors = {texts.node_of(vector): vector for vector in held}
    return at


async def _linked(engine: Engine, project_id: str) -> bool:
    """Whether its nodes were compared before, so that there have been vectors of them."""
    found = await engine.database.read(
        lambda tx: tx.row("similarity/get_linked", project=project_id)
    )
    return found["linked"] is not None


async def _replace(
    engine: Engine, project_id: str, kept: "VectorStore", vectors: "dict[str, Vectors]"
) -> None:
    """Begin anew with these vectors; where no file can be written, in memory alone."""
    from gotn_embeddings import IndexNotSaved, Position  # noqa: PLC0415  # the same

    try:
        await kept.replace(project_id, vectors, Position())
    except IndexNotSaved as error:
        engine.not_saved(error)


async def _save(engine: Engine, project_id: str, known: Known, kept: "VectorStore") -> None:
    """Let what took long to encode outlive this process, where the store has files."""
    from gotn_embeddings import IndexNotSaved  # noqa: PLC0415  # the same

    known.unsaved = 0
    save: Callable[[str], Awaitable[bool]] | None = getattr(kept, "save", None)
    if save is None:
        return
    try:
        await save(project_id)
    except IndexNotSaved as error:
        engine.not_saved(error)
    else:
        engine.saved()


async def _changed(
    engine: Engine, project_id: str, known: Known, at: "Position", head: "Position"
) -> set[str] | None:
    """Nodes that may say something else since an entry; None where all must be looked at."""
    if head.seq - at.seq > ENTRIES or not at.seq:
        return None
    stands = await engine.database.read(lambda tx: store.standing(tx, project_id, at.seq))
    if stands is None or stands["known"] != at.hash:
        log.warning("vectors of %s followed another journal; they are compared", project_id)
        return None
    changed: set[str] = set()
    async for entry in journal.entries(engine.database, project_id, at.seq, head.seq):
        if entry.staged is not None:
            if entry.event == "finish_import":
                return None
            continue
        for item in entry.items():
            _take(entry, item, changed, known.ends)
    return changed


def _take(entry: journal.Entry, item: dict[str, Any], changed: set[str], ends: set[str]) -> None:
    node, edge = item.get("node"), item.get("edge")
    if isinstance(node, dict):
        whole = entry.event.startswith(("add_", "remove_"))
        if whole or any(name in node for name in texts.FIELDS):
            changed.add(node["id"])
    elif isinstance(edge, dict) and edge.get("type") == "soft_semantic":
        ends.update(() if entry.data.get("derived") else (edge["src"], edge["dst"]))


async def _compare(
    engine: Engine, project_id: str, known: Known, kept: "VectorStore", head: "Position"
) -> None:
    """Look at every node's text."""
    there: set[str] = set()
    async for found in _gathered(store.pages(engine.database, project_id)):
        there |= found.keys()
        await _put(engine, project_id, known, kept, found)
        if known.unsaved >= SAVED:
            await _save(engine, project_id, known, kept)
    await _drop(project_id, known, kept, known.vectors.keys() - there, head)


async def _gathered(pages: AsyncIterator[list[tuple[str, str]]]) -> AsyncIterator[dict[str, str]]:
    """Pages put together or apart, as much as is encoded at once."""
    found: dict[str, str] = {}
    size = 0
    async for page in pages:
        for id_, text in page:
            found[id_] = text
            size += len(text)
            if len(found) >= TEXTS or size >= CHARACTERS:
                yield found
                found, size = {}, 0
    if found:
        yield found


async def _put(
    engine: Engine, project_id: str, known: Known, kept: "VectorStore", found: dict[str, str]
) -> None:
    """Have the vectors of these texts, and no others of their nodes."""
    from gotn_embeddings import Position  # noqa: PLC0415  # only where it is used

    said = {id_: text for id_, text in found.items() if text}
    wanted = {id_: texts.vector_id(id_, text) for id_, text in said.items()}
    fresh = {id_: name for id_, name in wanted.items() if known.vectors.get(id_) != name}
    gone = [id_ for id_ in found if id_ in known.vectors and known.vectors[id_] != wanted.get(id_)]
    vectors = await _vectors(engine, project_id, known, kept, {i: said[i] for i in fresh})
    await _remove(project_id, known, kept, gone, Position())
    await kept.put(project_id, {fresh[id_]: one for id_, one in vectors.items()}, Position())
    known.vectors |= fresh
    known.nodes |= fresh.keys()


async def _vectors(
    engine: Engine, project_id: str, known: Known, kept: "VectorStore", said: dict[str, str]
) -> "dict[str, Vectors]":
    """A vector a text: of another node that says the same, or encoded."""
    contents = {id_: texts.content(text) for id_, text in said.items()}
    wanted = set(contents.values())
    by_content = {
        texts.content_of(name): name
        for name in known.vectors.values()
        if texts.content_of(name) in wanted
    }
    there = await kept.get(project_id, list(by_content.values())) if by_content else {}
    ready = {sha: there[name] for sha, name in by_content.items() if name in there}
    missing = {sha: said[id_] for id_, sha in contents.items() if sha not in ready}
    if missing:
        ready |= dict(zip(missing, await engine.encode(list(missing.values())), strict=True))
        known.encoded += len(missing)
        known.unsaved += sum(map(len, missing.values()))
    return {id_: ready[sha] for id_, sha in contents.items()}


async def _drop(
    project_id: str, known: Known, kept: "VectorStore", gone: Iterable[str], head: "Position"
) -> None:
    """Forget nodes that are not there, and follow the journal to its head."""
    await _remove(project_id, known, kept, [id_ for id_ in gone if id_ in known.vectors], head)


async def _remove(
    project_id: str, known: Known, kept: "VectorStore", ids: list[str], position: "Position"
) -> None:
    names = [known.vectors[id_] for id_ in ids]
    if known.since is not None and names:
        old = await kept.get(project_id, names)
        known.old += old.values()
        known.nodes.update(ids)
        if len(old) < len(names):  # another server was faster, and they are gone
            known.forget(None)
    await kept.remove(project_id, names, position)
    for id_ in ids:
        del known.vectors[id_]
