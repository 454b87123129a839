import io
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from gotn.cli.show import alike, parts, plan, terminal, things, visible, work


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
    assert "Nothing to do" in text
    assert text.startswith("Plan  project demo\n")
    assert "preview" not in text
    assert "x → y → z" in text


def test_what_steers_a_terminal_is_shown() -> None:
    """Ids, summaries and tags with escapes, line breaks and bidi marks stand there as escapes."""
    bad = "a\x1b[31m\x00\nb\u202ec\u2066\x9b"
    said = "a\\x1b[31m\\x00\\nb\\u202ec\\u2066\\x9b"
    row = {"id": bad, "status": bad, "kind": bad, "summary": bad}
    node = row | {"prompt_text": f"one\ntwo {bad}", "requires": [bad], "tags": [bad, "x y"]}
    steps = [{"position": 0, "layer": 0, "id": bad, "summary": bad, "ready": True}]
    whole = make_plan(layers=[[bad]], ordered_node_ids=[bad], steps=steps, goal=bad)
    for show, data in (
        (work.show_nodes, {"nodes": [row], "total": 1}),
        (things.show_node, node),
        (work.show_unmet, {"unmet": [{"tag": bad, "nodes": [bad]}]}),
        (plan.show, whole),
    ):
        text = drawn(show, data, width=300)
        assert said in text
        assert not [sign for sign in "\x1b\x00\x9b\u202e\u2066" if sign in text]
    lines = [line.strip() for line in drawn(things.show_node, node, width=300).splitlines()]
    assert lines[lines.index("Instructions") + 1 :][0] == "one"


def test_the_terminal_is_the_last_guard() -> None:
    """Text that came past our own classes is escaped when it is printed, with its colours."""
    console = terminal.Terminal(file=io.StringIO(), width=80, force_terminal=True, highlight=False)
    console.print("x\x1b]0;title\x07y\u202e", style="red", markup=False)
    assert isinstance(console.file, io.StringIO)
    text = console.file.getvalue()
    assert "\\x1b]0;title" in text
    assert "\\u202e" in text
    assert "\x1b]" not in text
    assert text.startswith("\x1b[31m")


def test_layers_and_steps_are_counted_from_one() -> None:
    """The first layer of a run's steps is layer 1, as in its plan."""
    step = {"position": 0, "layer": 0, "id": "a", "status": "ready", "summary": "A"}
    line = drawn(things.show_steps, {"steps": [step], "total": 1}).splitlines()[1]
    assert line.split()[:3] == ["1", "1", "a"]


@pytest.mark.parametrize(
    ("status", "said"), [("failed", "failed;"), ("completed", "done"), (None, "Nothing keeps")]
)
def test_why_of_a_node_past_starting(status: str | None, said: str) -> None:
    """A node that is through says so, where its status is known."""
    path = {"cause": "b", "status": "ready", "hops": []}
    assert said in drawn(work.show_why, {"id": "a", "paths": [], "status": status})
    waits = drawn(work.show_why, {"id": "a", "paths": [path], "status": status})
    assert ("waits for" in waits) == (status is None)


@pytest.mark.parametrize(("number", "said"), [(1, "1 node needs x"), (2, "2 nodes need x")])
def test_impact_in_good_english(number: int, said: str) -> None:
    """One needs, two need."""
    data = {"id": "x", "dependants": number, "by_status": [], "direct": [], "sole_tags": [],
            "runs": []}  # fmt: skip
    assert said in drawn(work.show_impact, data)


def test_commands_are_named_as_they_were_called(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A path in a checkout, the bare name on the PATH, the module where that was run."""
    called = tmp_path / ".venv" / "bin" / "gotn"
    called.parent.mkdir(parents=True)
    called.write_text("")
    called.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr("sys.argv", [str(called)])
    assert visible.hint("up") == ".venv/bin/gotn up"
    assert visible.told("run `gotn up`.") == "run `.venv/bin/gotn up`."
    assert "Try: .venv/bin/gotn demo" in drawn(things.show_projects, {"projects": [], "total": 0})
    monkeypatch.setenv("PATH", str(called.parent))
    assert visible.hint("up") == "gotn up"
    monkeypatch.setattr("sys.argv", ["/x/gotn/__main__.py"])
    assert visible.hint("up").endswith(" -m gotn up")


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


def test_entries_of_an_import_that_did_not_finish_are_marked() -> None:
    """Of two imports one is finished: the other is void; --follow says when it counts."""
    told = {"seq": 1, "timestamp": "t", "actor": "a"}
    rows = [
        {**told, "event": "add_node", "data": {"items": [], "import": number}} for number in (3, 9)
    ]
    rows.append({**told, "event": "finish_import", "data": {"items": [], "import": 9}})
    rows.append({**told, "event": "add_node", "data": ["odd"]})
    assert "once import 3 is finished" in things.entry_line(rows[0]).plain
    assert "once" not in things.entry_line(rows[2]).plain
    things.settle(rows)
    assert [row["counts"] for row in rows] == [False, True, True, True]
    text = drawn(things.show_entries, {"entries": rows, "total": 4})
    assert text.count("add_node void") == 1
    assert "void: counts for nothing" in text


def test_a_project_with_an_unfinished_import() -> None:
    """How much is staged, and what takes it away."""
    counts = dict.fromkeys(("nodes", "edges", "runs", "pending", "seq"), 0)
    text = drawn(things.show_project, {"id": "demo", **counts, "unfinished_import": 20_000})
    assert "20,000" in text
    assert "import --abort -p demo" in text
    assert "--abort" not in drawn(things.show_project, {"id": "demo", **counts})


def make_hit(**overrides: Any) -> dict[str, Any]:
    """A row of what is similar."""
    node = {"summary": "Draw a logo", "status": "ready", "kind": "task"}
    row = {"id": "logo", "cosine": 0.5123, "by_meaning": 1, "by_words": 2, "node": node}
    return row | overrides


def test_similar_has_the_columns_that_were_looked_at() -> None:
    """By words alone there is neither a cosine nor a rank by meaning to show."""
    both = drawn(alike.show_similar, {"hits": [make_hit(), make_hit(id="fox", cosine=None)]})
    assert ["cosine", "meaning", "words", "id"] == both.split()[:4]
    assert ["0.51", "1", "2", "logo"] == both.splitlines()[1].split()[:4]
    assert "–" == both.splitlines()[2].split()[0]
    words = drawn(alike.show_similar, {"hits": [make_hit(cosine=None, by_meaning=None)]})
    assert ["words", "id", "status", "kind", "summary"] == words.splitlines()[0].split()
    assert ["2", "logo"] == words.splitlines()[1].split()[:2]


def test_nothing_similar_says_among_what() -> None:
    """A filter that nothing passes is named."""
    assert "Nothing similar.\n" == drawn(alike.show_similar, {"hits": []})
    show = partial(alike.show_similar, among="--kind nonexist")
    assert "among the nodes of --kind nonexist." in drawn(show, {"hits": []})


@pytest.mark.parametrize("gone", [{"id": "fox", "summary": "A fox"}, "fox"])
def test_a_merge_in_the_journal_names_its_nodes(gone: Any) -> None:
    """Its number is what takes it back, so it is to be found."""
    row = {"seq": 42, "timestamp": "2026-01-01T00:00:00Z", "event": "merge_nodes", "actor": "me"}
    line = things.entry_line(row | {"data": {"items": [], "keep": "logo", "gone": gone}})
    assert line.plain.endswith("logo ← fox")
