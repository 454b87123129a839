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
from gotn.work.exchange.report import Report, Skipping
from gotn.work.records import GraphDraft, Unknown
from gotn.work.rules import forms

Row = dict[str, Any]
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
        if any((folder / name).is_file() for name in ("graph.json", "meta.json")):
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


def gather(path: Path) -> tuple[Gathering, str]:
    """A folder's graph, runs and journal, not yet joined, and the journal file's name.

    Raises BadDocument for a damaged graph.json or a newer meta.json; damaged lines of the
    journal are listed as skipped.
    """
    folder = _found_root(path)
    _check_meta(folder / "meta.json")
    gathering = Gathering(Report("graph.json"), complete=False)
    if (graph := folder / "graph.json").is_file():
        for piece in source.pieces(source.load(graph)[1], gathering.report):
            gathering.take(piece)
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
        if path.name in ("graph.json", "meta.json") or path.is_symlink() or not path.is_file():
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


def _take_run(gathering: Gathering, plan: Path, name: str) -> None:
    """A run's plan, with the lines of its steps.jsonl in `extra`."""
    document = source.one_document(source.load(plan)[1], name)
    if isinstance(document, dict) and isinstance(document.get("run"), dict):
        document = document["run"]
    if isinstance(document, dict) and "id" not in document:
        document = {"id": plan.parent.name, **document}
    strict, gathering.report = gathering.report, Report(name)
    before = len(gathering.draft.runs)
    gathering.run(Piece(document, None))
    gathering.report.finish()
    gathering.report = strict
    steps = plan.with_name("steps.jsonl")
    if len(gathering.draft.runs) > before and steps.is_file():
        _keep_steps(gathering, gathering.draft.runs[-1], steps, name)


def _keep_steps(gathering: Gathering, run: Row, path: Path, name: str) -> None:
    lenient = Skipping(name.replace("plan.json", path.name), gathering.draft.skipped)
    lines = source.lines(source.load(path)[1], lenient)
    steps = [piece.value for piece in lines]
    try:
        run["extra"] = {**run.get("extra", {}), "steps": forms.leaf(steps, "steps")}
    except Invalid as error:
        reason = f"{lenient.name}: left out: {error.message}"
        gathering.draft.warnings.append(Unknown(line=None, id=run["id"], reason=reason))


def recover(path: Path) -> tuple[GraphDraft, list[int | None], str]:
    """The entries of an original journal alone, with their lines and the file's name."""
    journal = path if path.is_file() else journal_file(_found_root(path))
    if journal is None:
        raise Invalid(f"{path}: expected a journal of {{event, timestamp, data}} lines, found none")
    gathering = Gathering(Report(journal.name), complete=False)
    take_journal(gathering, journal)
    return gathering.draft, gathering.journal_lines, journal.name
