"""Taskmaster's tasks.json as a work graph, by the mapping of DECISIONS.md.

A tag is a context of its own: `{"master": {"tasks": […]}, …}`; the older form without tags,
`{"tasks": […]}`, is the tag master, as Taskmaster itself reads it. Task 1 of master is
`master.1`, its subtask 2 `master.1.2`, joined by derived_from in the order of the file.
title → summary; details → prompt_text (empty: description, then title); testStrategy →
success_criteria, one a line. All else stands in `extra`; a key that 001 uses for something
else is kept as `taskmaster_KEY`. A subtask's dependency `2` is the subtask beside it, `"1.2"`
a subtask anywhere in its tag.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from gotn import shapes
from gotn.errors import Invalid, LimitExceeded
from gotn.work.exchange import issues, locating
from gotn.work.exchange.families import Families
from gotn.work.exchange.parsing import Piece
from gotn.work.exchange.report import Report
from gotn.work.records import GraphDraft, Unknown
from gotn.work.rules import forms

Row = dict[str, Any]
PROVENANCE = {"created_by": "taskmaster", "source": "tasks.json"}
#: Of a whole file: it is one object, and taken as one.
CHARACTERS = 32 * 1024 * 1024
#: The tag of a file from before there were tags.
UNTAGGED = "master"
STATUS = {
    "pending": "ready",
    "in-progress": "running",
    "review": "running",
    "done": "completed",
    "completed": "completed",
    "blocked": "blocked",
    "deferred": "skipped",
    "cancelled": "skipped",
}
#: Statuses whose own name would be lost, kept as the reason.
TOLD = frozenset(("review", "blocked", "deferred", "cancelled"))
_TEXTS = ("title", "description", "details", "testStrategy")
_MAPPED = frozenset(("id", "status", "dependencies", "subtasks", *_TEXTS))
_TAKEN = frozenset((*forms.NODE, *forms.NODE_OWN))
_ENTITY = frozenset(("id", "src", "event", "ordered_node_ids"))


def is_tasks(value: Any) -> bool:
    """Whether an object is a tasks.json, with tags or without."""
    if not isinstance(value, dict) or value.keys() & _ENTITY:
        return False
    return isinstance(value.get("tasks"), list) or any(map(_is_context, value.values()))


def _is_context(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("tasks"), list)


def read(pieces: Iterable[Piece], report: Report, text: str = "") -> GraphDraft:
    """The draft of a tasks.json, whose `text` gives the lines; BadDocument with every violation."""
    if len(text) > CHARACTERS:
        reason = f"expected at most {CHARACTERS} characters of tasks, found {len(text)}"
        raise LimitExceeded(f"{report.name}: {reason}", limit=CHARACTERS)
    read = list(pieces)
    found = _Tasks(report, {} if report.violations else locating.objects(text))
    for piece in read:
        if is_tasks(piece.value):
            found.take(piece.value)
        else:
            reason = f'expected {{"tasks": […]}}, in tags or not, found {shapes.shown(piece.value)}'
            report.add(piece.line, None, reason, piece.where)
    return found.finish()


@dataclass
class _Task:
    """One task or subtask, and where it stands."""

    value: Row
    place: str
    tag: str
    #: Its number in the tag: `1`, or `1.2` for a subtask.
    number: str
    #: The number of the task it is a part of.
    parent: str | None = None

    @property
    def id(self) -> str:
        return f"{self.tag}.{self.number}"


class _Tasks:
    def __init__(self, report: Report, lines: Mapping[str, int]) -> None:
        self.report = report
        self.draft = GraphDraft()
        self.families = Families(report)
        self._lines = lines
        self._tasks: dict[str, _Task] = {}

    def take(self, document: Row) -> None:
        """Take in the tasks of every tag."""
        for key, value in document.items():
            if key == "tasks" and isinstance(value, list):
                self._collect(UNTAGGED, "tasks", value)
            elif _is_context(value):
                self._collect(key, f"{key}.tasks", value["tasks"])
                self._strange(f"{key}.", value)
            elif key != "metadata":
                self._warn(None, f"{shapes.shown(key)}: unknown here, left out")

    def _strange(self, place: str, context: Row) -> None:
        for key in context:
            if key not in ("tasks", "metadata"):
                self._warn(None, f"{shapes.shown(place + key)}: unknown here, left out")

    def _collect(self, tag: str, place: str, values: list[Any]) -> None:
        """Note tasks and all below them in the order of the file."""
        todo = list(reversed(list(self._listed(tag, place, values, None))))
        while todo:
            task = todo.pop()
            if not self._note(task):
                continue
            below = task.value.get("subtasks")
            if isinstance(below, list):
                under = f"{task.place}.subtasks"
                todo += reversed(list(self._listed(tag, under, below, task.number)))
            elif below is not None:
                self._bad(task, f"subtasks: expected a list, found {shapes.shown(below)}")

    def _listed(
        self, tag: str, place: str, values: list[Any], parent: str | None
    ) -> Iterator[_Task]:
        for i, value in enumerate(values):
            at = f"{place}[{i}]"
            try:
                yield _Task(value, at, tag, _number(value, parent), parent)
            except Invalid as error:
                self.report.add(self._lines.get(at), None, error.message, at)

    def _note(self, task: _Task) -> bool:
        """Whether this task is new."""
        known = self._tasks.setdefault(task.id, task)
        if known is task:
            if line := self._line(task):
                self.draft.lines[f"node {task.id}"] = line
            return True
        if known.value == task.value:
            self._warn(task, f"task {shapes.shown(task.id)} stands twice, alike")
        else:
            at = f"line {line}" if (line := self._line(known)) else known.place
            reason = f"id: expected each id once, found {shapes.shown(task.id)} again, differing"
            self._bad(task, f"{reason} from {at}")
        return False

    def finish(self) -> GraphDraft:
        """Rows of what was noted; raises what was wrong."""
        children: dict[str, list[str]] = {}
        for task in self._tasks.values():
            self._node(task)
            self._dependencies(task)
            if task.parent is not None:
                children.setdefault(f"{task.tag}.{task.parent}", []).append(task.id)
        for parent, ids in children.items():
            line = self._line(self._tasks[parent])
            self.families.from_parent(parent, ids, line)
            for id_ in ids:
                self.families.from_child(id_, parent, self._line(self._tasks[id_]))
                self.draft.edges.append(self.families.rows[id_])
        self.report.finish(self.draft)
        return self.draft

    def _node(self, task: _Task) -> None:
        try:
            self.draft.nodes.append(forms.node_row(self._given(task)))
        except Invalid as error:
            for reason in error.facts.get("violations", [error.message]):
                self._bad(task, reason)

    def _given(self, task: _Task) -> Row:
        """A task's values under 001's names."""
        texts = _texts(task.value)
        prompt = texts["details"] or texts["description"] or texts["title"]
        criteria = issues.criteria(texts["testStrategy"])
        extra = {
            f"taskmaster_{name}" if name in _TAKEN else name: value
            for name, value in task.value.items()
            if name not in _MAPPED and value is not None
        }
        if texts["description"] not in ("", prompt):
            extra["description"] = texts["description"]
        if criteria and criteria != [texts["testStrategy"]]:
            extra["testStrategy"] = texts["testStrategy"]
        given: Row = {
            "id": task.id,
            "kind": "task" if task.parent is None else "subtask",
            "summary": texts["title"],
            "prompt_text": prompt,
            "success_criteria": criteria,
            "provenance": PROVENANCE,
            "extra": extra or None,
            **self._status(task),
        }
        return {name: value for name, value in given.items() if value is not None}

    def _status(self, task: _Task) -> Row:
        status = task.value.get("status") or "pending"
        found = STATUS.get(status) if isinstance(status, str) else None
        if found is None:
            said = shapes.shown(status)
            self._warn(task, f"status {said} is not one of Taskmaster's; read as pending")
            return {"status": "ready", "status_reason": f"Taskmaster: {said}"}
        told = f"Taskmaster: {status}" if status in TOLD else None
        return {"status": found, "status_reason": told}

    def _dependencies(self, task: _Task) -> None:
        listed = task.value.get("dependencies")
        if listed is None:
            return
        if not isinstance(listed, list):
            self._bad(task, f"dependencies: expected a list, found {shapes.shown(listed)}")
            return
        known: set[str] = set()
        for i, found in enumerate(listed):
            try:
                self._edge(task, forms.identifier(self._named(task, found), "dependency"), known)
            except Invalid as error:
                self._bad(task, f"dependencies[{i}]: {error.message}")

    def _edge(self, task: _Task, other: str, known: set[str]) -> None:
        if other == task.id:
            raise Invalid(f"{shapes.shown(other)} cannot depend on itself")
        if other in known:
            self._warn(task, f"the dependency on {shapes.shown(other)} stands twice")
            return
        known.add(other)
        self.draft.edges.append(
            {
                "type": "hard_requires",
                "src": other,
                "dst": task.id,
                "origin": "explicit",
                "evidence": f"{task.id} lists {other} in its dependencies",
                "provenance": PROVENANCE,
            }
        )
        if line := self._line(task):
            self.draft.lines[f"edge hard_requires {other} {task.id}"] = line

    def _named(self, task: _Task, found: Any) -> str:
        """The id that a dependency means."""
        name = _name(found)
        if isinstance(found, float) and "." in name:
            self._warn(task, f'the dependency {name} is a number; read as "{name}"')
        whole = f"{task.tag}.{name}"
        if task.parent is not None and "." not in name:
            beside = f"{task.tag}.{task.parent}.{name}"
            if beside in self._tasks or whole not in self._tasks:
                return beside
            self._warn(task, f"no subtask {name} stands beside it; read as the task {whole}")
            return whole
        return name if whole not in self._tasks and name in self._tasks else whole

    def _line(self, task: _Task) -> int | None:
        return self._lines.get(task.place)

    def _bad(self, task: _Task, reason: str) -> None:
        self.report.add(self._line(task), task.id, reason, task.place)

    def _warn(self, task: _Task | None, reason: str) -> None:
        line, id_ = (self._line(task), task.id) if task else (None, None)
        self.draft.warnings.append(Unknown(line=line, id=id_, reason=reason))


def _name(found: Any) -> str:
    """A task's number as text."""
    if isinstance(found, float) and found.is_integer():
        found = int(found)
    name = str(found).strip() if isinstance(found, int | float | str) else ""
    if isinstance(found, bool) or not name:
        raise Invalid(f'expected a number or text such as "1.2", found {shapes.shown(found)}')
    return name


def _number(value: Any, parent: str | None) -> str:
    """A task's number in its tag; a subtask may say its parent's with its own."""
    if not isinstance(value, dict):
        raise Invalid(f"expected a task, found {shapes.shown(value)}")
    try:
        name = _name(value.get("id"))
    except Invalid as error:
        raise Invalid(f"id: {error.message}") from None
    if parent is None:
        return name
    return name if name.startswith(f"{parent}.") else f"{parent}.{name}"


def _texts(value: Row) -> dict[str, str]:
    """The texts of a task, blank where there is none; Invalid lists what else stands there."""
    given = {name: "" if value.get(name) is None else value[name] for name in _TEXTS}
    wrong = [
        f"{name}: expected text, found {shapes.shown(found)}"
        for name, found in given.items()
        if not isinstance(found, str)
    ]
    if isinstance(given["title"], str) and not given["title"].strip():
        wrong.append("title: expected text that is not blank, found none")
    if wrong:
        raise Invalid("; ".join(wrong), violations=wrong)
    return {name: found if found.strip() else "" for name, found in given.items()}
