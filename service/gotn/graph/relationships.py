"""Lists of relationships themselves, of several types in one order, in one statement.

Each branch is a snippet that matches one kind; together they are ordered by source,
type, target and kind, which name a relationship, so that a page goes on after any of them.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from gotn.database.connection import Tx
from gotn.graph import faces, paging, snippets
from gotn.graph.scope import require_project
from gotn.graph.statements import Members

#: Name of the order in cursors, and how many values one keeps.
ORDER, VALUES = "EDGE", 4


#: What a row's relationship is called in a statement: source, type, target and kind. No snippet
#: has such names.
_NAMES = "e_src, e_type, e_dst, e_kind"
#: What a cursor keeps of a row.
MARK = f"[{_NAMES}]"
#: What a relationship that waits would join, as far as it is there.
_ENDS = """  OPTIONAL MATCH (src:WorkNode {project_id: $project, id: e_src})
  OPTIONAL MATCH (dst:WorkNode {project_id: $project, id: e_dst})
"""


@dataclass(frozen=True)
class Branch:
    """One kind of relationship: its snippet, and where its names are in it."""

    snippet: str
    #: Variables that hold the ids at both ends, each with its property.
    src: str = "src.id"
    dst: str = "dst.id"
    #: The type's name, a declared constant.
    type: str = ""
    #: Whether `kind` of `edge` is part of its name.
    kinds: bool = False
    #: Kept whole in the property `data`, since it waits for a node.
    waiting: bool = False

    def names(self) -> tuple[str, str, str, str]:
        """Source, type, target and kind in Cypher."""
        return self.src, f"'{self.type}'", self.dst, "edge.kind" if self.kinds else "''"

    def order(self) -> str:
        """The names that vary, for ORDER BY; the index of the source comes first."""
        prefix = f"{self.src.split('.')[0]}.project_id"
        varying = [name for name in self.names() if not name.startswith("'")]
        return ", ".join([prefix, *varying])


@dataclass(frozen=True)
class AskedEdges:
    """What the statement of a list of relationships depends on."""

    branches: tuple[Branch, ...]
    members: Members
    src: bool = False
    dst: bool = False
    after: bool = False
    rows: bool = True
    total: bool = False
    #: A compiled row in Cypher, for relationships and for those that wait, instead of `members`;
    #: over `edge`, its names (`MARK`), and the entities `src` and `dst`.
    row: str | None = None
    #: Whether that row shows the entities, which are looked for where a relationship waits.
    ends: bool = False


@lru_cache(maxsize=256)
def statement(asked: AskedEdges) -> str:
    """One row of rows and total."""
    return f"{_found(asked)}\nRETURN rows, total"


def expression(asked: AskedEdges) -> str:
    """The same as one value: rows, or [rows, total] where the total is asked for."""
    return f"{_found(asked)}\nRETURN {'[rows, total]' if asked.total else 'rows'} AS value"


def _found(asked: AskedEdges) -> str:
    parts = ["WITH [] AS rows"]
    if asked.rows:
        union = "\n  UNION ALL\n  ".join(_rows(asked, branch) for branch in asked.branches)
        parts = [
            f"CALL () {{\n  {union}\n}}",
            f"WITH {_NAMES}, row ORDER BY {_NAMES} LIMIT $limit",
            f"WITH collect({'row' if asked.row else f'[{MARK}, row]'}) AS rows",
        ]
    if asked.total:
        union = "\n  UNION ALL\n  ".join(
            f"{_match(asked, branch)} RETURN count(*) AS one" for branch in asked.branches
        )
        parts.append(f"CALL () {{\n  {union}\n}}\nWITH rows, sum(one) AS total")
        return "\n".join(parts)
    return "\n".join([*parts, "WITH rows, null AS total"])


def _rows(asked: AskedEdges, branch: Branch) -> str:
    a, t, b, k = branch.names()
    beyond = ""
    if asked.after:
        beyond = f" AND {a} >= $at0 AND [{a}, {t}, {b}, {k}] > [$at0, $at1, $at2, $at3]"
    row = asked.row or (
        "edge {.data}" if branch.waiting else faces.projection("edge", dict(asked.members))
    )
    names = f"{a} AS e_src, {t} AS e_type, {b} AS e_dst, {k} AS e_kind"
    return (
        f"{_match(asked, branch)}{beyond}\n"
        f"  WITH *, {names} ORDER BY {branch.order()} LIMIT $limit\n"
        f"{_ENDS if branch.waiting and asked.ends else ''}  RETURN {_NAMES}, {row} AS row"
    )


def _match(asked: AskedEdges, branch: Branch) -> str:
    text = snippets.named(branch.snippet).text
    text += f" AND {branch.src} = $src" if asked.src else f" AND {branch.src} IS NOT NULL"
    if branch.waiting:
        text += f" AND edge.type = '{branch.type}'"
    if asked.dst:
        text += f" AND {branch.dst} = $dst"
    return text


def parameters(
    project: str, first: int, after: str | None, src: str | None, dst: str | None
) -> dict[str, Any]:
    """The parameters of the statement; Invalid for a cursor of another list."""
    values: dict[str, Any] = {
        "project": project,
        "limit": paging.checked(first) + 1,
        "src": src,
        "dst": dst,
    }
    if after is not None:
        found = paging.decode(ORDER, VALUES, after)
        values |= {f"at{number}": at for number, at in enumerate(found)}
    return values


async def page(
    tx: Tx,
    project: str,
    asked: AskedEdges,
    *,
    first: int,
    after: str | None,
    src: str | None,
    dst: str | None,
    name: str,
) -> tuple[list[Any], int | None]:
    """Rows of [[source, type, target, kind], properties], one more than `first` if it goes on.

    NotFound where there is no such project.
    """
    values = parameters(project, first, after, src, dst)
    if not asked.branches:
        await require_project(tx, project)
        return [], 0
    rows = await tx.composed(statement(asked), values, name=name)
    if not rows[0]["rows"] and not rows[0]["total"]:
        await require_project(tx, project)
    return rows[0]["rows"], rows[0]["total"]
