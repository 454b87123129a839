"""The one door for documents: file, folder or standard input, to a draft."""

from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import BinaryIO

from gotn.errors import Invalid
from gotn.work.exchange import beads, folder, history, issues, joining, source, taskmaster
from gotn.work.exchange.gathering import Gathering
from gotn.work.exchange.parsing import Piece
from gotn.work.exchange.report import Report
from gotn.work.records import GraphDraft

#: What `format` may be.
FORMATS = ("auto", "gotn", "beads", "taskmaster")
_HISTORY = (
    "expected nodes, edges or issues, found a change of beads' history (op, id, ts): this file has "
    "what was done to issues, not the issues; import issues.jsonl"
)


def read(
    path: str | Path | BinaryIO,
    format: str = "auto",  # noqa: A002  the word that the command line has
    *,
    name: str | None = None,
) -> GraphDraft:
    """What a document brings; `-` reads standard input, a folder is an original's `.gotn`.

    `name` is what messages call it. Journal entries are in the draft whole, and what they
    imply is merged into its rows, the document's own nodes, edges and runs winning. Raises
    BadDocument with every violation (the first 1,000) as {line, id, reason}.
    """
    if format not in FORMATS:
        raise Invalid(f"format: expected one of {', '.join(FORMATS)}, found {format!r}")
    if isinstance(path, str | Path) and path != "-" and Path(path).is_dir():
        return _joined(*folder.gather(Path(path)))
    called, data = source.load(path, name)
    report = Report(called)
    pieces = source.pieces(data, report)
    first = next(pieces, None)
    if first is not None:
        pieces = chain([first], pieces)
    if first is not None and issues.is_event(first.value):
        report.add(first.line, None, _HISTORY, first.where)
        report.finish()
    if format == "beads" or (format == "auto" and first and issues.is_issue(first.value)):
        return beads.read(pieces, report)
    if format == "taskmaster" or (format == "auto" and first and taskmaster.is_tasks(first.value)):
        return taskmaster.read(pieces, report, data[:].decode(errors="replace"))
    return _gathered(pieces, report)


def _gathered(pieces: Iterator[Piece], report: Report) -> GraphDraft:
    gathering = Gathering(report)
    for piece in pieces:
        gathering.take(piece)
    return _joined(gathering, "")


def _joined(gathering: Gathering, journal: str) -> GraphDraft:
    draft = gathering.finish()
    graph = gathering.report.name if journal else ""
    names = {row["id"]: graph for row in draft.nodes}
    if draft.journal:
        draft.nodes, draft.edges = list(draft.nodes), list(draft.edges)  # to be filled in place
        told = history.told(draft.journal, gathering.journal_lines, journal)
        history.merge(draft, told, journal)
    joining.confirm(draft)
    history.note_missing(draft, names, journal)
    return draft


def recover(path: str | Path) -> GraphDraft:
    """What the journal alone of an original folder or file tells, whatever else is damaged."""
    found, lines, name = folder.recover(Path(path))
    draft = history.fold_original(found.journal, lines, name)
    draft.journal = found.journal
    draft.skipped = found.skipped + draft.skipped
    joining.confirm(draft)
    return draft
