"""Cost documents (rlm-cost): a tree of their records, the stated aggregates compared.

A record names no parent: the first is the root, the others are its children, as the
documents' own `sub_call_count` has it.
"""

from collections.abc import Iterator
from typing import Any

from gotn import shapes
from gotn.errors import Invalid
from gotn.trees.exchange.nesting import shown
from gotn.trees.exchange.reading import tree
from gotn.trees.exchange.report import Report
from gotn.trees.records import Disagreement, TreeDraft
from gotn.trees.rules import money, totals

Row = dict[str, Any]
_COSTS = {
    "input_tokens": "input_tokens",
    "output_tokens": "output_tokens",
    "total_tokens": "total_tokens",
    "input_cost_usd": "input_cost_usd",
    "output_cost_usd": "output_cost_usd",
    "cost_usd": "total_cost_usd",
    "cache_hits": "cache_hits",
    "cache_savings_usd": "cache_savings_usd",
}
_TIMES = ("started_at", "completed_at", "duration_ms")


def cost_tree(document: Row, report: Report, as_id: str | None = None) -> TreeDraft:
    """The tree of a cost document; BadDocument for a report that holds no records."""
    records = document.get("records")
    if not isinstance(records, list) or not records:
        said = " (a percentile report has none)" if "percentile_report" in document else ""
        report.wrong(f"records: expected a list of calls, found {shown(records)}{said}")
        report.finish()
    root, *others = (_node(one, i, report) for i, one in enumerate(records or ()))
    report.finish()
    if others:
        root["children"] = others
    made: Row = {"version": document.get("version"), "root_task": root}
    if document.get("tree_id") is not None:
        made["metadata"] = {"tree_id": document["tree_id"]}
    about = {k: v for k, v in document.items() if k not in ("version", "tree_id", "records")}
    made |= {"rlm_cost": shapes_plain(about)} if about else {}
    draft = tree(made, report, as_id)
    report.warn("a cost document: its records became tasks without prompts, below the first")
    draft.disagreements += _compared(document.get("aggregates"), draft, report)
    report.finish()
    return draft


def shapes_plain(value: Any) -> Any:
    """Unread parts with their decimals as text where they are money, so that none is a float."""
    if isinstance(value, dict):
        return {k: str(v) if _is_money(k, v) else shapes_plain(v) for k, v in value.items()}
    return [shapes_plain(item) for item in value] if isinstance(value, list) else value


def _is_money(name: str, value: Any) -> bool:
    return name.endswith("usd") and not isinstance(value, dict | list | bool | None)


def _node(record: Any, place: int, report: Report) -> Row:
    if not isinstance(record, dict):
        report.wrong(f"records[{place}]: expected an object, found {shown(record)}")
        return {}
    known = {"node_id", "model", *_COSTS, *_TIMES}
    node: Row = {"node_id": record.get("node_id"), "prompt": "", "status": "completed"}
    node["cost"] = {_COSTS[k]: v for k, v in record.items() if k in _COSTS}
    if record.get("model") is not None:
        node["execution_config"] = {"model": record["model"]}
    if times := {name: record[name] for name in _TIMES if name in record}:
        node["timestamps"] = times
    return node | {k: v for k, v in record.items() if k not in known}


def _compared(stated: Any, draft: TreeDraft, report: Report) -> list[Disagreement]:
    """Each aggregate that the records do not give."""
    if not isinstance(stated, dict):
        return []
    whole = totals.inclusive(draft.tasks)[draft.tasks[0]["id"]]
    own = [(row, totals.own(row)) for row in draft.tasks]
    found = list(_differences(stated, "aggregates", whole, report))
    found += _whole(stated, draft)
    by_model: dict[str, totals.Total] = {}
    by_depth: dict[str, totals.Total] = {}
    for row, total in own:
        model = (row.get("execution_config") or {}).get("model") or ""
        by_model.setdefault(model, totals.Total()).add(total)
        by_depth.setdefault(str(row["depth"]), totals.Total()).add(total)
    models = stated.get("by_model")
    for model, group in models.items() if isinstance(models, dict) else ():
        ours = by_model.get(model, totals.Total())
        found += _differences(group, f"aggregates.by_model.{model}", ours, report)
    depths = stated.get("by_depth")
    for group in depths if isinstance(depths, list) else ():
        depth = str(group.get("depth")) if isinstance(group, dict) else ""
        ours = by_depth.get(depth, totals.Total())
        found += _differences(group, f"aggregates.by_depth.{depth}", ours, report)
    return found


def _whole(stated: Row, draft: TreeDraft) -> Iterator[Disagreement]:
    """What is stated of the whole beside its sums."""
    root = draft.tasks[0].get("execution_config") or {}
    ours = {
        "sub_call_count": len(draft.tasks) - 1,
        "depth_max": max(row["depth"] for row in draft.tasks),
        "root_model": root.get("model") or "none",
    }
    yield from counted(stated, "aggregates", ours)


def counted(stated: Row, where: str, ours: Row) -> Iterator[Disagreement]:
    """Each member that says another count or name than ours."""
    for name, value in ours.items():
        said = stated.get(name)
        if said is not None and said != value:
            shown = said if isinstance(said, str) else shapes.shown(said)
            yield Disagreement(member=f"{where}.{name}", stated=shown, ours=str(value))


def _differences(
    stated: Any, where: str, ours: totals.Total, report: Report
) -> Iterator[Disagreement]:
    if not isinstance(stated, dict):
        return
    counts = {
        "node_count": ours.tasks,
        "total_input_tokens": ours.input_tokens,
        "total_output_tokens": ours.output_tokens,
        "total_tokens": ours.total_tokens,
    }
    yield from counted(stated, where, counts)
    for member, amount in (
        ("total_cost_usd", ours.cost),
        ("total_cache_savings_usd", ours.savings),
        ("effective_cost_usd", ours.effective),
    ):
        yield from _amount(stated.get(member), f"{where}.{member}", amount, report)


def _amount(said: Any, member: str, ours: int, report: Report) -> Iterator[Disagreement]:
    if said is None:
        return
    try:
        text = money.text(said, member, money.MOST_STATED)
    except Invalid as error:
        report.wrong(error.message)
        return
    if money.pico(text) != ours:
        yield Disagreement(member=member, stated=text, ours=money.short(ours))
