"""A tracker's recorded history, event by event, as writes of the public functions.

An event is one line: an issue that was added or updated, with the edges that came and went
at that moment. Statuses and edges are mapped as an import of the tracker's file maps them.
"""

import gzip
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson
from factories import make_edge

from gotn import shapes
from gotn.work.records import EdgeType, NodeStatus, WorkEdgeDraft, WorkNodeDraft
from gotn.work.rules import moves
from gotn.work.usecases import edges, nodes
from gotn.work.usecases.grouping import Write
from gotn.work.usecases.writing import Request

STATUS = {
    "open": NodeStatus.READY,
    "in_progress": NodeStatus.RUNNING,
    "hooked": NodeStatus.RUNNING,
    "closed": NodeStatus.COMPLETED,
    "done": NodeStatus.COMPLETED,
    "blocked": NodeStatus.BLOCKED,
    "deferred": NodeStatus.SKIPPED,
    "pinned": NodeStatus.SKIPPED,
    "tombstone": NodeStatus.SKIPPED,
}


def events(folder: Path) -> Iterator[dict[str, Any]]:
    """Every event, in order."""
    with gzip.open(folder / "beads" / "beads.history-events.jsonl.gz") as lines:
        for line in lines:
            yield orjson.loads(line)


@dataclass
class Replayer:
    """Turns events into writes; knows what it asked for before."""

    request: Request
    statuses: dict[str, NodeStatus] = field(default_factory=dict)
    parents: dict[str, str] = field(default_factory=dict)

    def writes(self, event: dict[str, Any]) -> list[tuple[str, Write[Any]]]:
        """The writes of one event, each with its name: the issue first, then its edges."""
        found = list(self._issue(event))
        for listed, asked in (("remove_edges", self._removed), ("add_edges", self._added)):
            for edge in event.get(listed, ()):
                name = f"{listed}: {event['id']} {edge['type']} {edge['to']}"
                found.append((name, asked(event["id"], edge)))
        return found

    def _issue(self, event: dict[str, Any]) -> Iterator[tuple[str, Write[Any]]]:
        id_, said = event["id"], event.get("status")
        moment = shapes.moment(event["ts"])
        name = f"{event['op']}: {id_}"
        if event["op"] == "add_node":
            self.statuses[id_] = STATUS[event["status"]]
            draft = WorkNodeDraft(
                id=id_,
                kind=event["issue_type"],
                summary=event["title"] or id_,
                prompt_text=event["title"] or id_,
                status=self.statuses[id_],
                extra={"priority": event["priority"], "commit": event["commit"]},
                created_at=moment,
                updated_at=moment,
            )
            yield name, nodes.adding(self.request, draft)
            return
        for status in self._way(id_, STATUS[said] if said else None):
            yield name, self._update(id_, {"status": status, "updated_at": moment})
        if not said:
            yield name, self._update(id_, {"updated_at": moment})

    def _update(self, id_: str, changes: dict[str, Any]) -> Write[Any]:
        return nodes.updating(self.request, id_, changes)

    def _way(self, id_: str, status: NodeStatus | None) -> list[NodeStatus]:
        """The moves that lead to a status: a tracker reopens and starts in one."""
        if status is None:
            return []
        before, self.statuses[id_] = self.statuses[id_], status
        direct = before is status or status in moves.NODE_MOVES[before]
        return [status] if direct else [NodeStatus.READY, status]

    def _added(self, id_: str, edge: dict[str, Any]) -> Write[Any]:
        draft = self._draft(id_, edge)
        if draft.type is EdgeType.DERIVED_FROM and self.parents.setdefault(id_, draft.src) != (
            draft.src
        ):  # another parent is kept beside the first, as an import keeps it
            draft = _related(id_, edge)
        return edges.adding(self.request, draft, wait=True)

    def _removed(self, id_: str, edge: dict[str, Any]) -> Write[Any]:
        draft = self._draft(id_, edge)
        if draft.type is EdgeType.DERIVED_FROM:
            if self.parents.get(id_) == draft.src:
                del self.parents[id_]
            else:
                draft = _related(id_, edge)
        return edges.removing(self.request, draft)

    def _draft(self, id_: str, edge: dict[str, Any]) -> WorkEdgeDraft:
        if edge["type"] == "blocks":
            return make_edge(edge["to"], id_)
        if edge["type"] == "blocked-by":
            return make_edge(id_, edge["to"])
        if edge["type"] == "parent-child":
            return make_edge(edge["to"], id_, type=EdgeType.DERIVED_FROM)
        return _related(id_, edge)


def _related(id_: str, edge: dict[str, Any]) -> WorkEdgeDraft:
    return make_edge(id_, edge["to"], type=EdgeType.RELATED, kind=edge["type"])
