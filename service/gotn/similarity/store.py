"""The questions similarity has for the database."""

import re
from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from gotn import shapes
from gotn.database.connection import Database, Tx
from gotn.keys import batches, key
from gotn.similarity import texts
from gotn.similarity.staying import Standing
from gotn.work.store import asking

#: Nodes whose texts are read at once: each may have a MiB.
PAGE = 500
#: What derived soft edges say of where they come from.
PROVENANCE = {"created_by": "soft_engine", "source": "embedding_cosine"}
#: What `pairs.evidence` writes: a cosine, and the model in parentheses.
_EVIDENCE = re.compile(r"cosine [0-9.]+ \((.+)\)")


@dataclass(frozen=True)
class Soft:
    """A soft edge as it is stored; the smaller id first."""

    score: float
    model: str
    #: Whether this service derived it; others are left as they are.
    ours: bool


#: Soft edges by their two ends, the smaller id first.
Pairs = dict[tuple[str, str], Soft]


async def standing(tx: Tx, project_id: str, seq: int) -> dict[str, Any] | None:
    """The journal's head, and the hash of the entry with this seq; None without a project."""
    return await tx.one("similarity/standing", project=project_id, entry=f"{project_id}/{seq}")


async def pages(database: Database, project_id: str) -> AsyncIterator[list[tuple[str, str]]]:
    """Every node's id and text, page by page in the order of ids."""
    async for rows in said(database, project_id):
        yield [_text(row) for row in rows]


async def said(database: Database, project_id: str) -> AsyncIterator[list[list[Any]]]:
    """Every node's id, summary, prompt and keywords, page by page in the order of ids."""
    after = ""
    while True:
        rows = await database.read(
            lambda tx, a=after: tx.value(  # type: ignore[misc]
                "similarity/page_texts", project=project_id, after=a, limit=PAGE
            )
        )
        if not rows:
            return
        after = rows[-1][0]
        yield rows


async def texts_of(database: Database, project_id: str, ids: Sequence[str]) -> dict[str, str]:
    """The texts of those of these nodes that there are."""
    found: dict[str, str] = {}
    for some in batches(ids, PAGE):
        keys = [key(project_id, id_) for id_ in some]
        rows = await database.read(
            lambda tx, k=keys: tx.value("similarity/texts_of", keys=k)  # type: ignore[misc]
        )
        found |= dict(_text(row) for row in rows)
    return found


def _text(row: Sequence[Any]) -> tuple[str, str]:
    id_, summary, prompt, tags = row
    return id_, texts.text(summary, prompt, tags)


async def compared(tx: Tx, project_id: str, ids: Sequence[str]) -> dict[str, Standing]:
    """What tells which of like nodes stays, of those of these nodes that there are."""
    found: dict[str, Standing] = {}
    for some in batches(ids):
        keys = [key(project_id, id_) for id_ in some]
        tied = await asking.tied(tx, project_id, some)
        rows = await tx.value("similarity/compared", keys=keys)
        for id_, summary, status, created in rows:
            found[id_] = Standing(id_, summary, status, created, id_ in tied)
    return found


async def soft_edges(tx: Tx, project_id: str, ids: Iterable[str] | None = None) -> Pairs:
    """The soft edges of a project, or of some of its nodes."""
    provenance = shapes.dumps(PROVENANCE)
    if ids is None:
        row = await tx.row("similarity/soft_edges", project=project_id, provenance=provenance)
        return _pairs(row)
    found: Pairs = {}
    for some in batches(sorted(ids)):
        keys = [key(project_id, id_) for id_ in some]
        found |= _pairs(await tx.row("similarity/soft_edges_of", keys=keys, provenance=provenance))
    return found


def _pairs(row: dict[str, Any]) -> Pairs:
    columns = (row[name] for name in ("src", "dst", "scores", "models", "ours"))
    return {
        (a, b): Soft(score, _model(said), ours)
        for a, b, score, said, ours in zip(*columns, strict=True)
    }


def _model(said: str) -> str:
    """The model itself, or the one that an edge's evidence names: documents have no other place."""
    found = _EVIDENCE.fullmatch(said)
    return found[1] if found else said


@dataclass(frozen=True, kw_only=True)
class Which:
    """Which nodes are looked for; None asks nothing."""

    statuses: tuple[str, ...] | None = None
    kind: str | None = None
    tag: str | None = None

    @property
    def anything(self) -> bool:
        """Whether every node is."""
        return self == Which()

    def parameters(self) -> dict[str, Any]:
        """As the statements take it."""
        statuses = None if self.statuses is None else list(self.statuses)
        return {"statuses": statuses, "kind": self.kind, "tag": self.tag}


async def among(database: Database, project_id: str, which: Which) -> list[str]:
    """Ids of those nodes."""
    given = which.parameters()
    found: list[str] = await database.read(
        lambda tx: tx.value("similarity/among", project=project_id, **given)
    )
    return found


async def by_words(
    database: Database, project_id: str, words: str, which: Which, limit: int
) -> list[str]:
    """Ids of the nodes that a full-text query fits best, best first."""
    given = which.parameters() | {"words": words, "limit": limit}
    found: list[str] = await database.read(
        lambda tx: tx.value("similarity/by_words", project=project_id, **given)
    )
    return found


async def outcomes(tx: Tx, project_id: str, ids: Sequence[str]) -> dict[str, tuple[Any, Any]]:
    """The artifacts and outputs of the last completed steps of these nodes."""
    keys = [key(project_id, id_) for id_ in ids]
    found = await tx.value("similarity/outcomes", keys=keys)
    return {id_: (_leaf(artifacts), _leaf(outputs)) for id_, artifacts, outputs in found}


def _leaf(stored: str | None) -> Any:
    return None if stored is None else shapes.loads(stored)


async def told_apart(tx: Tx, project_id: str, ids: Sequence[str]) -> dict[str, dict[str, str]]:
    """Those of these nodes that edges keep apart: of each the others, with the edge's type."""
    found: dict[str, dict[str, str]] = {}
    among = [key(project_id, id_) for id_ in ids]
    for some in batches(among):
        for a, b, type_ in await tx.value("similarity/apart_among", keys=some, among=among):
            found.setdefault(a, {})[b] = type_
            found.setdefault(b, {})[a] = type_
    return found


async def put_refs(tx: Tx, project_id: str, vectors: dict[str, str]) -> None:
    """Let nodes say where their vectors are kept, which is no part of the graph's state."""
    rows = [
        [key(project_id, id_), shapes.dumps({"collection": texts.COLLECTION, "id": vector})]
        for id_, vector in sorted(vectors.items())
    ]
    for some in batches(rows):
        await tx.rows("similarity/put_refs", refs=some)
