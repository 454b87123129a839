"""Task trees as the database has them, named as `rules.fold` names them."""

from collections.abc import AsyncIterator, Iterator
from typing import Any

from gotn.parts import Ask, Identity
from gotn.trees.rules import fold

Row = dict[str, Any]
#: Entities of a page; a shorter one is the last.
PAGE = 1000


async def live(ask: Ask) -> AsyncIterator[list[tuple[Identity, Row]]]:
    """Every entity of a project's trees, a page at a time."""
    for query, named in (
        ("digest/task_trees", _trees),
        ("digest/tasks", _tasks),
        ("digest/documents", _documents),
        ("digest/task_states", _states),
    ):
        after = ""
        while page := await ask(query, after):
            yield list(named(page))
            if len(page) < PAGE:
                break
            after = page[-1][0]


def _trees(page: list[Any]) -> Iterator[tuple[Identity, Row]]:
    for id_, stored, relationships in page:
        yield ("TaskTree", id_), fold.counted(stored)
        for type_, other, properties in relationships:
            name = (type_, id_, "", other) if type_ == "EXECUTES" else (type_, id_, other)
            yield name, properties


def _tasks(page: list[Any]) -> Iterator[tuple[Identity, Row]]:
    for _, stored, relationships in page:
        tree, id_ = stored.get("tree_id"), stored.get("id")
        yield ("Task", tree, id_), fold.counted(stored)
        for type_, other, properties, source in relationships:
            if type_ == "READ":
                yield (type_, tree, id_, properties.get("position"), other, source), properties
            else:
                yield (type_, tree, id_, other), properties


def _documents(page: list[Any]) -> Iterator[tuple[Identity, Row]]:
    for _, stored in page:
        yield ("Document", stored.get("id"), stored.get("source")), fold.counted(stored)


def _states(page: list[Any]) -> Iterator[tuple[Identity, Row]]:
    for id_, stored in page:
        yield ("TaskState", id_), fold.counted(stored)
