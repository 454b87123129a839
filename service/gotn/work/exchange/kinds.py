"""Which of 001's objects this is, told by its keys."""

from typing import Any

from gotn import shapes
from gotn.errors import BadDocument, Invalid
from gotn.work.exchange.parsing import Piece
from gotn.work.exchange.report import Report, placed


def kind_of(value: Any) -> str:
    """`node`, `edge`, `run` or `journal`, or what is wrong with the object."""
    if not isinstance(value, dict):
        return f"expected an object, found {shapes.shown(value)}"
    if "event" in value and "timestamp" in value and "data" in value:
        return "journal"
    if "src" in value and "dst" in value:
        return "edge"
    if "ordered_node_ids" in value:
        return "run"
    if "embedding" in value and "kind" not in value:
        return "expected a node, edge, run or journal entry, found a vector; vectors are computed"
    if "id" in value:
        return "node"
    keys = shapes.shown(list(value)[:8])
    return f"expected a node, edge, run or journal entry, found an object with the keys {keys}"


def refuse_our_journal(piece: Piece, report: Report) -> None:
    """Raise BadDocument for a line of this program's own journal: it is replayed, not imported."""
    value = piece.value
    if isinstance(value, dict) and {"seq", "hash", "event"} <= value.keys():
        reason = "this is an entry of GoTN's own journal; use `gotn journal replay`"
        found = {"line": piece.line, "id": None, "reason": placed(piece.where, reason)}
        raise BadDocument(f"{report.name}: {reason}", file=report.name, violations=[found])


def entry_violations(value: Any) -> list[str]:
    """What is wrong with an original journal entry {event, timestamp, data}."""
    if not isinstance(value, dict):
        return [f"expected an object, found {shapes.shown(value)}"]
    if not isinstance(value.get("event"), str) or not value["event"]:
        return [f"event: expected text, found {shapes.shown(value.get('event'))}"]
    try:
        shapes.moment(value.get("timestamp"), "timestamp")
        shapes.portable(value, "data")
    except Invalid as error:
        return [error.message]
    if not isinstance(value.get("data"), dict | None):
        return [f"data: expected an object, found {shapes.shown(value['data'])}"]
    return []
