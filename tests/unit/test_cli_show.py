import io
from typing import Any

import pytest
from rich.console import Console

from gotn.cli.show import parts, plan, things, work


def drawn(show: Any, data: Any, width: int = 100) -> str:
    """What a person without a terminal sees."""
    console = Console(file=io.StringIO(), width=width, highlight=False)
    show(data, console)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def make_plan(**overrides: Any) -> dict[str, Any]:
    """A plan of two layers with everything in it."""
    step = {"position": 0, "layer": 0, "slack": 0.0, "weight": 90.0, "ready": True}
    return {
        "run_id": "run-1",
        "project_id": "demo",
        "goal": "Out",
        "layers": [["a[/b]"], ["c"]],
        "ordered_node_ids": ["a[/b]", "c"],
        "ordering_reason": "Because.",
        "steps": [
            {**step, "id": "a[/b]", "summary": "[red]Do[/red] it"},
            {**step, "id": "c", "summary": "C", "ready": False, "slack": 30.0},
        ],
        "unmet": [{"tag": "key", "nodes": ["c"]}],
        "blocked": [{"id": "z", "path": ["x", "y", "z"]}],
        "waiting_on": ["w"],
        "critical_path": {"node_ids": ["a[/b]"], "length": 150.0, "unit": "minutes"},
        "satisfied": 4,
        **overrides,
    }


def test_a_plan() -> None:
    """Every part of the plan is there, and brackets of ids and texts are no markup."""
    text = drawn(plan.show, make_plan())
    for said in (
        "Plan run-1", "project demo", "Goal: Out", "2 steps · 2 layers · 4 already done",
        "at least 2 h 30 min", "Because.", "Layer 1", "a[/b]", "[red]Do[/red] it", "1 h 30 min",
        "critical", "slack 30 min", "Ready now  1 step", "◐ w", "x → y → z",
        "? key  asked for by c",
    ):  # fmt: skip
        assert said in text, said


def test_a_plan_without_anything_to_do() -> None:
    """An empty plan says so, and still says what is blocked."""
    text = drawn(plan.show, make_plan(layers=[], ordered_node_ids=[], steps=[], run_id=None))
    assert "Nothing is left to do" in text
    assert "preview" in text
    assert "x → y → z" in text


def test_a_wide_layer_is_bounded() -> None:
    """A layer of thousands prints its first steps and counts the others."""
    ids = [f"n{n}" for n in range(5000)]
    text = drawn(plan.show, make_plan(layers=[ids], ordered_node_ids=ids, steps=[], unmet=[]))
    assert "4940 more of 5000" in text
    assert len(text.splitlines()) < 120


@pytest.mark.parametrize(
    ("value", "unit", "said"),
    [(0, "minutes", "0 min"), (60, "minutes", "1 h"), (135.4, "minutes", "2 h 15 min"),
     (1, "steps", "1 step"), (12, "steps", "12 steps")],
)  # fmt: skip
def test_durations(value: float, unit: str, said: str) -> None:
    """Hours and minutes, or steps where nothing is estimated."""
    assert parts.duration(value, unit) == said


def test_lists_of_nodes() -> None:
    """Rows with their status; how many more there are; nothing says so."""
    row = {"id": "[x]", "status": "failed", "kind": "k", "summary": "s " * 99}
    text = drawn(work.show_nodes, {"nodes": [row], "total": 3})
    assert "[x]" in text
    assert "✗ failed" in text
    assert "…" in text
    assert "2 more of 3" in text
    assert "No nodes" in drawn(work.show_nodes, {"nodes": [], "total": 0})


def test_cycles_name_the_tag_of_each_hop() -> None:
    """A cycle is drawn with why each hop holds."""
    found = {"components": [{"nodes": ["a", "b"], "path": ["a", "b", "a"], "tags": ["t", "u"]}]}
    assert "a —t→ b —u→ a" in drawn(work.show_cycles, found)
    assert "No cycles" in drawn(work.show_cycles, {"components": []})


def test_a_tree() -> None:
    """Children stand under their parents, in order."""

    def node(id_: str) -> dict[str, str]:
        return {"id": id_, "status": "ready", "summary": id_.upper()}

    rows = [
        {"node": node("r"), "parent": None, "depth": 0},
        {"node": node("a"), "parent": "r", "depth": 1},
        {"node": node("b"), "parent": "a", "depth": 2},
        {"node": node("c"), "parent": "r", "depth": 1},
    ]
    lines = drawn(work.show_tree, {"rows": rows}).splitlines()
    assert [line.split("○")[1].split()[0] for line in lines] == ["r", "a", "b", "c"]
    assert lines[2].startswith("│")


def test_a_node_with_everything() -> None:
    """Lists of sentences stand below each other; neighbours and instructions follow."""
    data = {
        "id": "a", "status": "ready", "summary": "S", "kind": "k", "guards": ["one thing", "two"],
        "tags": ["x", "y"], "artifacts": {"files": ["f"]}, "prompt_text": "Do [it].",
        "prerequisites": [{"id": "p", "status": "completed", "tags": ["t"]}],
        "prerequisites_total": 1,
    }  # fmt: skip
    text = drawn(things.show_node, data)
    for said in ("x, y", "one thing\n", "● completed  p  t", "Do [it].", '{"files": ["f"]}'):
        assert said in text, said


def test_steps_and_runs_that_are_not_there() -> None:
    """Empty lists say what to do next."""
    assert "gotn plan" in drawn(things.show_runs, {"runs": [], "total": 0})
    assert "gotn demo" in drawn(things.show_projects, {"projects": [], "total": 0})
    assert "no steps" in drawn(things.show_steps, {"steps": [], "total": 0})
    assert "empty" in drawn(things.show_entries, {"entries": [], "total": 0})
