"""Documents of task trees in and out: trees, costs, trajectories and states, JSON or YAML."""

import re
from pathlib import Path
from typing import Any

from gotn import checks
from gotn.errors import Invalid
from gotn.trees.exchange import costs, reading, states, trajectories
from gotn.trees.exchange.parsing import parsed
from gotn.trees.exchange.report import Report
from gotn.trees.exchange.writing import document, strict, text
from gotn.trees.records import StateDraft, TreeDraft

__all__ = ["document", "read", "read_file", "strict", "text"]

#: Bytes of one document, at most.
MOST_BYTES = 1024 * 1024 * 1024
_LINES = re.compile(r"\}\s*\n\s*\{")


def read(content: str, *, name: str = "document", as_id: str | None = None) -> Any:
    """A TreeDraft, or a StateDraft, from text; BadDocument lists every violation."""
    report = Report(name)
    if as_id is not None:
        checks.identifier(as_id, "as")
    value = _value(content, report)
    report.finish()
    return _draft(value, report, as_id)


def _value(content: str, report: Report) -> Any:
    """One document, or the objects of JSONL."""
    found = parsed(content, report)
    begins = content[:100_000].lstrip("\ufeff \t\r\n")
    if not report.violations or begins[:1] != "{" or not _LINES.search(begins):
        return found
    rows, again = _rows(content, report.name)
    if rows:
        report.violations[:] = again.violations
    return rows or found


def _rows(content: str, name: str) -> tuple[list[Any], Report]:
    """The objects of JSONL, and its lines that hold none; nothing where the first is no object."""
    again, rows = Report(name), []
    lines = [(at, one) for at, one in enumerate(content.split("\n"), 1) if one.strip()]
    for at, line in lines:
        alone = Report(name)
        rows.append(parsed(line, alone))
        if len(rows) == 1 and (alone.violations or not isinstance(rows[0], dict)):
            return [], again
        for one in alone.violations:
            cut = "; the file seems cut" if at == lines[-1][0] else ""
            again.wrong(f"{one.reason}{cut}", one.id, at)
    return rows, again


def _draft(value: Any, report: Report, as_id: str | None) -> TreeDraft | StateDraft:
    if isinstance(value, list):
        return reading.flat(value, {"version": "1.0.0"}, report, as_id)
    members = value if isinstance(value, dict) else {}
    if "root_task" in members:
        return reading.tree(value, report, as_id)
    if isinstance(members.get("nodes"), list):
        about = {key: item for key, item in members.items() if key != "nodes"}
        return reading.flat(members["nodes"], about, report, as_id)
    if "iterations" in members:
        return trajectories.trajectory_tree(members, report, as_id)
    if "variables" in members:
        return states.state(members, report, as_id)
    if members.keys() & {"records", "aggregates", "percentile_report"}:
        return costs.cost_tree(members, report, as_id)
    if "node_id" in members:
        return reading.tree({"version": "1.0.0", "root_task": value}, report, as_id)
    return reading.tree(value, report, as_id)


def read_file(path: Path, *, as_id: str | None = None) -> Any:
    """The same from a file, or from the folder of a tree as `--layout aiwg` writes it."""
    try:
        if path.is_dir():
            return _folder(path, as_id)
        if path.stat().st_size > MOST_BYTES:
            raise Invalid(f"{path.name}: expected at most {MOST_BYTES} bytes", file=str(path))
        return read(path.read_text("utf-8"), name=path.name, as_id=as_id)
    except OSError as error:
        raise Invalid(f"{path}: cannot be read: {error.strerror}", file=str(path)) from None
    except UnicodeDecodeError as error:
        raise Invalid(f"{path.name}: not UTF-8 at byte {error.start}", file=str(path)) from None


def _folder(path: Path, as_id: str | None) -> Any:
    if (path / "tree.json").is_file():
        return read_file(path / "tree.json", as_id=as_id)
    report = Report(path.name)
    files = sorted((path / "nodes").glob("*.json"))
    nodes = [parsed(one.read_text("utf-8"), report) for one in files]
    if not nodes:
        report.wrong("expected tree.json or nodes/*.json, found neither")
    report.finish()
    return reading.flat(nodes, {"version": "1.0.0"}, report, as_id)
