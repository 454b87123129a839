"""An original `.gotn` folder: graph.json, meta.json, a journal, a folder a run (decisions)."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gotn import shapes
from gotn.errors import BadDocument, Invalid
from gotn.work.exchange import parsing, source
from gotn.work.exchange.gathering import Gathering
from gotn.work.exchange.kinds import kind_of, refuse_our_journal
from gotn.work.exchange.parsing import Piece
from gotn.work.exchange.report import Report, Skipping, of_file
from gotn.work.records import GraphDraft, Unknown
from gotn.work.rules import forms, outcomes

Row = dict[str, Any]
#: The file that holds the nodes and edges.
GRAPH = "graph.json"
#: Run folders that are read, and how deep they are looked for: runs/ID/plan.json.
RUNS, DEPTH = 10_000, 2
#: Digits of a version that a person may have written.
_DIGITS = 9
#: Lines at a file's beginning that are tried when the journal is looked for.
_TRIED = 20
#: Bytes of such a line, at most.
_HEAD = 1024 * 1024


def root_of(path: Path) -> Path | None:
    """The `.gotn` folder a path means: itself, or the one in a workspace; None for neither."""
    for folder in (path, path / ".gotn"):
        if any((folder / name).is_file() for name in (GRAPH, "meta.json")):
            return folder
    return None


def _found_root(path: Path) -> Path:
    """The `.gotn` folder that a path means; Invalid for a folder that is something else."""
    if (folder := root_of(path)) is not None:
        return folder
    raise Invalid(
        f"{path}: expected a .gotn folder, with graph.json or meta.json in it, or a folder that "
        "holds one, found neither; a journal alone is read as a file",
        file=str(path),
    )


class _Folder(Gathering):
    """A gathering of several files: what one of them is warned of says which."""

    def __init__(self, path: Path) -> None:
        super().__init__(Report(GRAPH), complete=False)
        self.path = path
        #: What is wrong with other files than graph.json, which they name.
        self.others: list[Unknown] = []

    def finish(self) -> GraphDraft:
        """Turn, join and reconcile; raises BadDocument with every violation of every file."""
        told = len(self.draft.warnings)
        try:
            draft = super().finish()
        except BadDocument as error:
            found = [Unknown(**one) for one in error.facts["violations"]]
            self._refuse(of_file(GRAPH, found), error)
        self._refuse([], None)
        draft.warnings[told:] = of_file(GRAPH, draft.warnings[told:])
        return draft

    def _refuse(self, found: list[Unknown], error: BadDocument | None) -> None:
        """Raise what is wrong with graph.json alone as it is, else all of it as one."""
        if error is not None and not self.others:
            raise error
        whole = Report(self.path.name)
        whole.violations = found + self.others
        whole.finish()


def gather(path: Path) -> tuple[Gathering, str]:
    """A folder's graph, runs and journal, not yet joined, and the journal file's name.

    Raises BadDocument for a damaged graph.json or a newer meta.json; damaged lines of the
    journal are listed as skipped.
    """
    folder = _found_root(path)
    _check_meta(folder / "meta.json")
    gathering = _Folder(folder)
    if (graph := folder / GRAPH).is_file():
        for piece in source.pieces(source.load(graph)[1], gathering.report):
            gathering.take(piece)
        gathering.draft.warnings = of_file(GRAPH, gathering.draft.warnings)
    for plan in _plans(folder):
        _take_run(gathering, plan, plan.relative_to(folder).as_posix())
    journal = journal_file(folder)
    if journal:
        take_journal(gathering, journal)
    return gathering, journal.name if journal else ""


def _check_meta(path: Path) -> None:
    if not path.is_file():
        return
    name, data = source.load(path)
    meta = source.one_document(data, name)
    if not isinstance(meta, dict):
        raise BadDocument(f"{name}: expected an object", file=name, violations=[])
    version = meta.get("version")
    text = str(version).partition(".")[0]
    if text.isdecimal() and (len(text) > _DIGITS or int(text) > forms.DOCUMENT_VERSION):
        reason = (
            f"version: {shapes.shown(version)} is newer than {forms.DOCUMENT_VERSION}, "
            "which this program reads"
        )
        found = {"line": None, "id": None, "reason": reason}
        raise BadDocument(f"{name}: {reason}", file=name, violations=[found])


def journal_file(folder: Path) -> Path | None:
    """The file at the top whose lines are objects with event, timestamp and data."""
    if not folder.is_dir():
        return None
    for path in sorted(folder.iterdir()):
        if path.name in (GRAPH, "meta.json") or path.is_symlink() or not path.is_file():
            continue
        with path.open("rb") as stream:
            heads = [stream.readline(_HEAD) for _ in range(_TRIED)]
        if any(_is_entry(line) for line in heads if line.strip()):
            return path
    return None


def _is_entry(line: bytes) -> bool:
    found = list(parsing.one_line(line.decode(errors="replace").strip(), 1, Skipping("", [])))
    return len(found) == 1 and kind_of(found[0].value) == "journal"


def take_journal(gathering: Gathering, path: Path) -> None:
    """Take the readable entries of a journal file; the others are listed as skipped."""
    name, data = source.load(path)
    strict, lenient = gathering.report, Skipping(name, gathering.draft.skipped)
    gathering.report = lenient
    source.conflicts(data, lenient)
    for piece in source.lines(data, lenient):
        refuse_our_journal(piece, strict)
        gathering.entry(piece)
    gathering.report = strict


def _plans(folder: Path) -> Iterator[Path]:
    """Each plan.json below, in order; links are not followed."""
    found = 0
    for at, folders, files in os.walk(folder):
        depth = len(Path(at).relative_to(folder).parts)
        folders[:] = sorted(folders) if depth < DEPTH else []
        if "plan.json" in files and found < RUNS:
            found += 1
            yield Path(at) / "plan.json"


def _take_run(gathering: _Folder, plan: Path, name: str) -> None:
    """A run's plan, with the lines of its steps.jsonl in `extra`."""
    strict, report = gathering.report, Report(name)
    before = len(gathering.draft.runs)
    gathering.report = report
    try:
        document = source.one_document(source.load(plan)[1], name)
        if isinstance(document, dict) and isinstance(document.get("run"), dict):
            document = document["run"]
        if isinstance(document, dict) and "id" not in document:
            document = {"id": plan.parent.name, **document}
        gathering.run(Piece(document, None))
        report.finish()
    except BadDocument as error:
        found = [Unknown(**one) for one in error.facts["violations"]]
        whole = Unknown(reason=error.message.removeprefix(f"{name}: "))
        gathering.others += of_file(name, found or [whole])
    finally:
        gathering.report = strict
    steps = plan.with_name("steps.jsonl")
    if len(gathering.draft.runs) > before and steps.is_file():
        _keep_steps(gathering, gathering.draft.runs[-1], steps, name)


def _keep_steps(gathering: Gathering, run: Row, path: Path, name: str) -> None:
    """The lines of a steps.jsonl into a run's `extra`, where `outcomes` finds them."""
    lenient = Skipping(name.replace("plan.json", path.name), gathering.draft.skipped)
    steps = list(source.lines(source.load(path)[1], lenient))
    doubtful = Skipping(lenient.name, gathering.draft.warnings)
    known = set(run.get("ordered_node_ids", ()))
    for piece in steps:
        try:
            node, _ = outcomes.read(piece.value)
            if node not in known:
                doubtful.add(piece.line, node, "this run has no such step; kept with it")
        except Invalid as error:
            doubtful.add(piece.line, run["id"], f"kept, and not understood: {error.message}")
    kept = [piece.value for piece in steps]
    try:
        extra = {"steps": forms.leaf(kept, "steps")}
    except Invalid as error:
        reason = f"{lenient.name}: left out: {error.message}"
        gathering.draft.warnings.append(Unknown(line=None, id=run["id"], reason=reason))
        return
    run["extra"] = {**run.get("extra", {}), **extra}


def recover(path: Path) -> tuple[GraphDraft, list[int | None], str]:
    """The entries of an original journal alone, with their lines and the file's name."""
    journal = path if path.is_file() else journal_file(_found_root(path))
    if journal is None:
        raise Invalid(f"{path}: expected a journal of {{event, timestamp, data}} lines, found none")
    gathering = Gathering(Report(journal.name), complete=False)
    take_journal(gathering, journal)
    return gathering.draft, gathering.journal_lines, journal.name
