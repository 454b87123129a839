"""Taskmaster's tasks in, made up and real."""

import json
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import pytest
from documents import refused, take
from hypothesis import given, settings

from gotn.errors import BadDocument, LimitExceeded
from gotn.work import exchange
from gotn.work.exchange import taskmaster
from gotn.work.records import GraphDraft


def make_task(id_: Any = 1, **more: Any) -> dict[str, Any]:
    """A task."""
    return {"id": id_, "title": f"T{id_}", "status": "pending", **more}


def tagged(*tasks: Any, **more: Any) -> str:
    """A tasks.json with the tag master, an object a line."""
    return json.dumps({"master": {"tasks": list(tasks), "metadata": {}}, **more}, indent=1)


def hard(draft: GraphDraft) -> list[tuple[str, str]]:
    """The hard edges of a draft."""
    return [(e["src"], e["dst"]) for e in draft.edges if e["type"] == "hard_requires"]


def test_a_task_becomes_a_node() -> None:
    """Every key goes where the mapping says, the others to extra."""
    task = make_task(
        description="short",
        details="long",
        testStrategy="- one\n- two",
        priority="high",
        tags=["x"],
        dependencies=[],
    )
    assert take(tagged(task)).nodes == [
        {
            "id": "master.1",
            "kind": "task",
            "summary": "T1",
            "prompt_text": "long",
            "success_criteria": ["one", "two"],
            "provenance": {"created_by": "taskmaster", "source": "tasks.json"},
            "extra": {
                "priority": "high",
                "taskmaster_tags": ["x"],
                "description": "short",
                "testStrategy": "- one\n- two",
            },
            "status": "ready",
        }
    ]


def test_what_a_task_lacks_is_taken_from_the_next_best() -> None:
    """details, else description, else title; one criterion needs no copy."""
    short = take(tagged(make_task(details=" ", description="d", testStrategy="t"))).nodes[0]
    assert (short["prompt_text"], short["success_criteria"]) == ("d", ["t"])
    assert "extra" not in short
    assert take(tagged(make_task())).nodes[0]["prompt_text"] == "T1"


def test_statuses() -> None:
    """Each status has its own; what would be lost is the reason."""
    names = ["done", "in-progress", "review", "pending", "deferred", "cancelled", "blocked", "odd"]
    draft = take(tagged(*(make_task(i, status=name) for i, name in enumerate(names))))
    assert [(row["status"], row.get("status_reason")) for row in draft.nodes] == [
        ("completed", None),
        ("running", None),
        ("running", "Taskmaster: review"),
        ("ready", None),
        ("skipped", "Taskmaster: deferred"),
        ("skipped", "Taskmaster: cancelled"),
        ("blocked", "Taskmaster: blocked"),
        ("ready", 'Taskmaster: "odd"'),
    ]
    assert [(w.id, w.line) for w in draft.warnings] == [("master.7", 39)]


def test_subtasks_name_what_stands_beside_them() -> None:
    """A number is local to the parent, "1.2" is not, and one that is nowhere waits."""
    subtasks = [make_task(1), make_task(2, dependencies=[1, "1.1", 9, 3, "2.1"])]
    tasks = [
        make_task(1, subtasks=subtasks, dependencies=["1.2", 2]),
        make_task(2, subtasks=[make_task("2.1", dependencies=["7"])]),
        make_task(3),
    ]
    draft = take(tagged(*tasks))
    ids = ["master.1", "master.1.1", "master.1.2", "master.2", "master.2.1", "master.3"]
    assert [row["id"] for row in draft.nodes] == ids
    assert hard(draft) == [
        ("master.1.2", "master.1"),
        ("master.2", "master.1"),
        ("master.1.1", "master.1.2"),
        ("master.1.9", "master.1.2"),
        ("master.3", "master.1.2"),
        ("master.2.1", "master.1.2"),
        ("master.2.7", "master.2.1"),
    ]
    assert [(w.id, w.reason.split(";")[0]) for w in draft.warnings] == [
        ("master.1.2", 'the dependency on "master.1.1" stands twice'),
        ("master.1.2", "no subtask 3 stands beside it"),
    ]


def test_subtasks_are_derived_from_their_task_in_order() -> None:
    """The parent lists its children, each child names it."""
    draft = take(tagged(make_task(1, subtasks=[make_task(2), make_task(1)])))
    derived = [e for e in draft.edges if e["type"] == "derived_from"]
    assert [(e["src"], e["dst"], e["position"], e["said"]) for e in derived] == [
        ("master.1", "master.1.2", 0, ["children", "parent"]),
        ("master.1", "master.1.1", 1, ["children", "parent"]),
    ]
    assert [row["kind"] for row in draft.nodes] == ["task", "subtask", "subtask"]


def test_tags_are_contexts_of_their_own() -> None:
    """The same number in two tags is two tasks; the older form is the tag master."""
    other = {"tasks": [make_task(1), make_task(2, dependencies=[1, "master.1"])], "odd": 1}
    draft = take(tagged(make_task(1), other=other, strange=5))
    assert [row["id"] for row in draft.nodes] == ["master.1", "other.1", "other.2"]
    assert hard(draft) == [("other.1", "other.2"), ("master.1", "other.2")]
    assert [w.reason for w in draft.warnings] == [
        '"other.odd": unknown here, left out',
        '"strange": unknown here, left out',
    ]
    old = take(json.dumps({"tasks": [make_task(1)], "metadata": {"projectName": "p"}}))
    assert ([row["id"] for row in old.nodes], old.warnings) == (["master.1"], [])


@pytest.mark.parametrize(
    ("number", "node"), [(1.2, "master.1.2"), (2.0, "master.2"), (" 2 ", "master.2")]
)
def test_numbers_as_people_write_them(number: Any, node: str) -> None:
    """A dependency may be a fraction, which is told, or have spaces around it."""
    draft = take(tagged(make_task(1, subtasks=[make_task(2)]), make_task(2), make_task(3)))
    assert hard(draft) == []
    draft = take(tagged(make_task(3, dependencies=[number])))
    assert hard(draft) == [(node, "master.3")]
    assert len(draft.warnings) == (1 if number == 1.2 else 0)


def test_everything_wrong_is_listed_with_its_place() -> None:
    """Doubles, strangers, wrong types and self-dependencies: line, id and path."""
    found = refused(
        tagged(
            make_task(1),
            make_task(1, title="other"),
            make_task(2, dependencies=[2, True, "", {}], subtasks=5),
            {"title": "no id"},
            7,
            make_task(3, title=None, details=1, subtasks=[make_task(1, details=[])]),
            make_task(4, dependencies="1"),
        )
    )
    assert [(one["line"], one["id"], one["reason"].split(", found")[0]) for one in found] == sorted(
        [
            (26, None, 'master.tasks[3].id: expected a number or text such as "1.2"'),
            (None, None, "master.tasks[4]: expected a task"),
            (9, "master.1", "master.tasks[1].id: expected each id once"),
            (14, "master.2", "master.tasks[2].subtasks: expected a list"),
            (14, "master.2", 'master.tasks[2].dependencies[0]: "master.2" cannot depend on itself'),
            *[
                (
                    14,
                    "master.2",
                    f'master.tasks[2].dependencies[{i}]: expected a number or text such as "1.2"',
                )
                for i in (1, 2, 3)
            ],
            (30, "master.3", "master.tasks[5].details: expected text"),
            (30, "master.3", "master.tasks[5].title: expected text that is not blank"),
            (36, "master.3.1", "master.tasks[5].subtasks[0].details: expected text"),
            (44, "master.4", "master.tasks[6].dependencies: expected a list"),
        ],
        key=lambda one: one[0] or 99,
    )
    assert found[0]["reason"].endswith('found "master.1" again, differing from line 4')


def test_a_task_that_stands_twice_alike_is_told() -> None:
    """It is taken once, with its subtasks."""
    task = make_task(1, subtasks=[make_task(1)])
    draft = take(tagged(task, task))
    assert [row["id"] for row in draft.nodes] == ["master.1", "master.1.1"]
    assert [w.reason for w in draft.warnings] == ['task "master.1" stands twice, alike']


def test_a_file_with_a_byte_order_mark_and_windows_lines_is_read() -> None:
    """Editors add both; the lines stay right."""
    text = "\ufeff" + tagged(make_task(1), make_task(2)).replace("\n", "\r\n")
    draft = take(text)
    assert draft.lines == {"node master.1": 4, "node master.2": 9}


@pytest.mark.parametrize("format_", ["auto", "taskmaster"])
def test_a_file_that_is_not_merged_is_refused_by_name(format_: str) -> None:
    """Each marker with its line."""
    whole = tagged(make_task(1, priority="high"))
    text = whole.replace(
        '    "priority": "high"\n',
        '<<<<<<< HEAD\n    "priority": "high"\n=======\n    "priority": "low"\n>>>>>>> main\n',
    )
    found = refused(text, format=format_)
    assert [one["line"] for one in found] == [8, 10, 12]
    assert all("merge-conflict marker" in one["reason"] for one in found)


def test_a_latin_1_file_is_refused_with_its_line() -> None:
    """The byte that is no UTF-8 is named."""
    data = tagged(make_task(1, details="caf@")).encode().replace(b"caf@", "café".encode("latin-1"))
    (found,) = refused(data)
    assert (found["line"], "0xe9" in found["reason"]) == (8, True)


def test_a_file_over_the_limit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was allowed and what was found are named."""
    monkeypatch.setattr(taskmaster, "CHARACTERS", 100)
    with pytest.raises(LimitExceeded, match=r"x\.json: expected at most 100 characters of tasks"):
        take(tagged(make_task(1, details="x" * 100)))


def test_cycles_are_listed_with_the_other_violations() -> None:
    """One for each component, with the lines of its tasks."""
    found = refused(
        tagged(
            make_task(1, dependencies=[2]),
            make_task(2, dependencies=[3]),
            make_task(3, dependencies=[2]),
            make_task(4, dependencies=[5]),
            make_task(5, dependencies=[4]),
            make_task(6, dependencies=[True]),
        )
    )
    assert [one["id"] for one in found] == ["master.2", "master.4", "master.6"]
    assert [one["reason"].split(": ")[1].split(";")[0] for one in found[:2]] == [
        "master.2 → master.3 → master.2 (lines 12, 20)",
        "master.4 → master.5 → master.4 (lines 28, 36)",
    ]


_ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["id", "title", "subtasks", "dependencies", "x"]), inner)
    ),
    max_leaves=12,
)
_TASKS = st.lists(
    st.fixed_dictionaries(
        {"id": st.integers(0, 3) | _ANY, "title": st.just("t") | _ANY},
        optional={
            "dependencies": st.lists(st.integers(0, 4) | st.sampled_from(["1.1", 1.2])) | _ANY,
            "subtasks": st.lists(st.fixed_dictionaries({"id": _ANY, "title": st.just("s")})) | _ANY,
            "status": _ANY,
            "details": _ANY,
            "extra": _ANY,
        },
    )
    | _ANY,
    max_size=4,
)


@settings(deadline=None)
@given(st.dictionaries(st.text(max_size=3), st.fixed_dictionaries({"tasks": _TASKS}), min_size=1))
def test_any_json_is_taken_or_refused(document: Any) -> None:
    """No crash; what is taken names each node once and comes out as it went in."""
    try:
        draft = take(json.dumps(document), format="taskmaster")
    except BadDocument:
        return
    ids = [row["id"] for row in draft.nodes]
    assert len(ids) == len(set(ids))
    assert all(edge["src"] != edge["dst"] and edge["dst"] in ids for edge in draft.edges)
    again = take("".join(exchange.write(draft.nodes, draft.edges)))
    assert [row["id"] for row in again.nodes] == ids
    assert len(again.edges) == len(draft.edges)


@pytest.mark.parametrize("text", ["[]", '{"a": {"b": 1}}', '{"nodes": []}', "[1, 2]"])
def test_other_documents_are_no_tasks(text: str) -> None:
    """Asked for Taskmaster's format, anything else is refused; an empty list says nothing."""
    if text == "[]":
        assert take(text, format="taskmaster").nodes == []
    else:
        assert "tasks" in refused(text, format="taskmaster")[0]["reason"]


@pytest.mark.parametrize(
    ("name", "nodes", "hard_edges", "done"),
    [("aastar-sdk.tasks.json", 10, 11, 10), ("testcraft.tasks.json", 145, 187, 91)],
)
def test_real_files(shared_data: Path, name: str, nodes: int, hard_edges: int, done: int) -> None:
    """Counts of real files, none of whose dependencies dangle; export and import agree."""
    draft = exchange.read(shared_data / "taskmaster" / name)
    ids = {row["id"] for row in draft.nodes}
    assert (len(ids), len(hard(draft))) == (nodes, hard_edges)
    assert {end for edge in draft.edges for end in (edge["src"], edge["dst"])} <= ids
    assert [row["status"] for row in draft.nodes].count("completed") == done
    assert draft.warnings == []
    text = "".join(exchange.write(draft.nodes, draft.edges))
    again = take(text)
    assert text == "".join(exchange.write(again.nodes, again.edges))
