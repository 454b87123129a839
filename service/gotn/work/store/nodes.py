"""Work nodes with their tags and keywords."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from gotn import shapes
from gotn.database.connection import Tx
from gotn.work.records import NodeStatus, WorkNode
from gotn.work.rules import fold, forms, ranks
from gotn.work.store.keys import batches, key
from gotn.work.store.window import Window

Row = dict[str, Any]
#: What stands beside a row in the database: bookkeeping and neighbours, not part of it.
BESIDE = frozenset(
    {"key", "project_id", "caption", "rank", "ordinal", "revision", "unlinked"}
    | {"parent", "children"}
)
#: Characters of a caption in Neo4j Browser.
CAPTION = 60
_STATEMENTS = {"requires": "requires", "produces": "produces", "tags": "tagged"}


async def get(tx: Tx, project_id: str, ids: Iterable[str]) -> dict[str, Row]:
    """Stored nodes by id, each with parent, children, revision and rank beside its row."""
    if isinstance(tx, Window):
        return await _remembered(tx, project_id, list(dict.fromkeys(ids)))
    found: dict[str, Row] = {}
    for some in batches(list(dict.fromkeys(ids))):
        nodes = await tx.value("work/get_nodes", keys=[key(project_id, i) for i in some])
        found |= {node["id"]: plain(node) for node in nodes}
    return found


async def _remembered(tx: Window, project_id: str, ids: list[str]) -> dict[str, Row]:
    """The same out of a window, which reads what it does not know."""
    if missing := [id_ for id_ in ids if id_ not in tx.nodes]:
        await tx.flush()
        found = await get(tx.plain, project_id, missing)
        tx.nodes |= {id_: found.get(id_) for id_ in missing}
    return {id_: dict(row) for id_ in ids if (row := tx.nodes[id_]) is not None}


def plain(stored: Mapping[str, Any]) -> Row:
    """A node as the database has it, in plain JSON; empty lists of tags are absent."""
    return _without_empty(shapes.row(stored, leaves=forms.LEAVES, moments=forms.MOMENTS))


def _without_empty(row: Row) -> Row:
    """A node's row less the empty lists of tags that its document did not have."""
    said = row.get("layout", {}).get("keys", ())
    for member in fold.TAGGED:
        if not row.get(member) and member not in said:
            row.pop(member, None)
    return row


def row_of(stored: Row) -> Row:
    """Only the row: what the journal knows of a node."""
    return {name: value for name, value in stored.items() if name not in BESIDE}


def record(stored: Row) -> WorkNode:
    """The record of a node that `get` returned."""
    return shapes.build(WorkNode, stored)


async def existing(tx: Tx, project_id: str, ids: Iterable[str]) -> set[str]:
    """Which of these ids are stored."""
    if isinstance(tx, Window):
        return set(await get(tx, project_id, ids))
    found: set[str] = set()
    for some in batches(list(dict.fromkeys(ids)), 20_000):
        found.update(await tx.value("work/existing_nodes", keys=[key(project_id, i) for i in some]))
    return found


async def ancestors(tx: Tx, project_id: str, ids: Iterable[str]) -> list[tuple[str, str]]:
    """(child, parent) for these nodes and everything above them."""
    found: list[tuple[str, str]] = []
    for some in batches(list(ids)):
        keys = [key(project_id, id_) for id_ in some]
        found += [(c, p) for c, p in await tx.value("work/ancestors", keys=keys)]
    return found


async def create(tx: Tx, project_id: str, rows: Sequence[Row], ordinals: Mapping[str, int]) -> None:
    """Store new nodes: ranks above every other's in the order given, ordinals by id."""
    if isinstance(tx, Window):
        await _create_later(tx, project_id, rows, ordinals)
        return
    for some in batches(rows):
        nodes = [stored(project_id, row) | {"ordinal": ordinals[row["id"]]} for row in some]
        await tx.rows("work/create_nodes", project=project_id, nodes=nodes)
    for member in fold.TAGGED:
        await put_tags(tx, project_id, member, rows)


async def _create_later(
    tx: Window, project_id: str, rows: Sequence[Row], ordinals: Mapping[str, int]
) -> None:
    """Put new nodes off, and know them as `get` will read them."""
    if not rows:
        return
    await tx.standing()
    tx.touched = True
    for row in rows:
        ordinal = ordinals[row["id"]]
        tx.deferred.nodes.append((row, ordinal))
        lists = {member: list(row.get(member, ())) for member in fold.TAGGED}
        beside: Row = {"ordinal": ordinal, "rank": tx.next_rank, "revision": 1, "children": []}
        tx.nodes[row["id"]] = plain(stored(project_id, row) | lists | beside)
        tx.next_rank = (tx.next_rank or 0) + ranks.GAP
        _concern(tx, row)


def _concern(tx: Window, row: Row) -> None:
    """A failed or held node makes its project one whose statuses must be reviewed."""
    if row.get("status") == NodeStatus.FAILED.value or row.get("blocked_by"):
        tx.concerned = True


def stored(project_id: str, row: Row) -> Row:
    """What a new node carries besides its rank and its place."""
    names = {
        "key": key(project_id, row["id"]),
        "project_id": project_id,
        "caption": caption(row),
    }
    unlinked = {"unlinked": True} if row.get("requires") or row.get("produces") else {}
    return fold.node_properties(row) | names | unlinked


def caption(row: Row) -> str:
    """What Neo4j Browser writes on the node."""
    text = str(row.get("summary") or row["id"]).splitlines()[0]
    return text if len(text) <= CAPTION else f"{text[: CAPTION - 1]}…"


def _links(project_id: str, member: str, rows: Iterable[Row]) -> list[Row]:
    """One row for each tag or keyword that each node names, in order."""
    return [
        {
            "node": key(project_id, row["id"]),
            "key": key(project_id, name),
            "name": name,
            "position": position,
        }
        for row in rows
        for position, name in enumerate(row.get(member) or ())
    ]


async def put_tags(
    tx: Tx, project_id: str, member: str, rows: Iterable[Row], put: str = "work/put_{}"
) -> None:
    """Join nodes to the tags or keywords they name; `put` is the statement for each kind."""
    for some in batches(_links(project_id, member, rows)):
        await tx.rows(put.format(_STATEMENTS[member]), project=project_id, links=some)


async def update(tx: Tx, project_id: str, changes: Sequence[Row]) -> None:
    """Change nodes: each row has its id and the fields to set; None takes one away."""
    if isinstance(tx, Window):
        await _update_later(tx, changes)
        return
    for some in batches(changes):
        await tx.rows(
            "work/update_nodes",
            changes=[
                {"key": key(project_id, row["id"]), "properties": _changed(row)} for row in some
            ],
        )
    for member, statement in _STATEMENTS.items():
        touched = [row for row in changes if member in row]
        for some in batches(touched):
            keys = [key(project_id, row["id"]) for row in some]
            await tx.rows(f"work/clear_{statement}", keys=keys)
        await put_tags(tx, project_id, member, touched)


async def _update_later(tx: Window, changes: Sequence[Row]) -> None:
    """Put changes off, and know the nodes as they will be."""
    for row in changes:
        tagged = row.keys() & fold.TAGGED.keys()
        if tagged and any(row["id"] == known["id"] for known in tx.deferred.changes):
            await tx.flush()  # the tags of a node are written anew once a statement
        tx.touched = True
        tx.deferred.changes.append(row)
        _concern(tx, row)
        known = tx.nodes.get(row["id"])
        if known is not None:
            after = known | row | {"revision": known["revision"] + 1}
            kept = {name: value for name, value in after.items() if value is not None}
            times = {name: shapes.instant(kept[name]) for name in forms.MOMENTS if name in kept}
            tx.nodes[row["id"]] = _without_empty(kept | times)


def _changed(row: Row) -> Row:
    """The properties an update sets; those of None must reach the database as null."""
    own = {name: value for name, value in row.items() if name not in fold.TAGGED and name != "id"}
    changed = fold.node_properties(own) | {n: None for n, value in own.items() if value is None}
    if "summary" in row:
        changed["caption"] = caption(row)
    if "requires" in row or "produces" in row:
        changed["unlinked"] = True
    return changed


async def delete(tx: Tx, project_id: str, ids: Sequence[str]) -> None:
    """Remove nodes with all their relationships, and tags that nothing names any more."""
    for some in batches(ids):
        keys = [key(project_id, id_) for id_ in some]
        for statement in _STATEMENTS.values():
            await tx.rows(f"work/clear_{statement}", keys=keys)
        await tx.rows("work/delete_nodes", keys=keys)
