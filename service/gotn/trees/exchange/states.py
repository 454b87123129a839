"""State documents (rlm-state): the variables that contexts `variable:NAME` are read from."""

from typing import Any

from gotn import checks
from gotn.errors import Invalid
from gotn.trees.exchange.nesting import shown
from gotn.trees.exchange.report import Report
from gotn.trees.records import StateDraft
from gotn.trees.rules import shaped

Row = dict[str, Any]


def state(document: Row, report: Report, as_id: str | None = None) -> StateDraft:
    """The state's row; `as_id` names the tree that it belongs to."""
    variables = document.get("variables")
    if not isinstance(variables, dict):
        report.wrong(f"variables: expected an object, found {shown(variables)}")
        variables = {}
    row: Row = {}
    for member, name in (("id", "state_id"), ("tree", "tree_id"), ("session", "session_id")):
        value = (as_id if member == "tree" else None) or document.get(name)
        if value is None and member != "id":
            continue
        _take(row, member, lambda v=value, n=name: checks.identifier(v, n), report)
    for name, one in variables.items():
        if one is not None and not (isinstance(one, dict) and "value" in one):
            report.wrong(f"variables.{name}: expected {{name, value, …}}, found {shown(one)}")
    _take(row, "document", lambda: checks.leaf(shaped.plain(document), "the document"), report)
    report.finish()
    if "tree" not in row:
        report.warn("tree_id: is missing; name the tree with --as, or its contexts find nothing")
    return StateDraft(state=row, warnings=report.warnings)


def _take(row: Row, member: str, value: Any, report: Report) -> None:
    try:
        row[member] = value()
    except Invalid as error:
        report.wrong(error.message)
