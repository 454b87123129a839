"""Documents of task trees in and out: nothing lost, nothing rounded, every fault named."""

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from gotn.errors import BadDocument
from gotn.trees import exchange
from gotn.trees.exchange import schema
from gotn.trees.records import TreeDraft
from gotn.trees.rules import given as agents
from gotn.trees.rules import money

Row = dict[str, Any]
TREES = ("simple_tree", "map_reduce_tree")


def node(id_: str = "a", **members: Any) -> Row:
    """A task as documents have it."""
    return {"node_id": id_, "prompt": f"Do {id_}", "status": "completed"} | members


def tree(root: Row | None = None, **members: Any) -> Row:
    """A tree's document."""
    return {"version": "1.0.0", "root_task": root or node()} | members


def read(document: Any) -> TreeDraft:
    """The draft of a document that is a tree."""
    found = exchange.read(document if isinstance(document, str) else json.dumps(document))
    assert isinstance(found, TreeDraft)
    return found


def printed(draft: TreeDraft, style: str = "json") -> str:
    """The draft as a document's text."""
    return exchange.text(exchange.document(draft.tree, draft.tasks), style)


@pytest.mark.parametrize("name", TREES)
def test_published_trees_come_back_equal(shared_data: Path, name: str) -> None:
    """Unchanged, key order too, from JSON and by way of YAML; ids and nulls only warned of."""
    text = (shared_data / f"rlm/examples/rlm-task-tree.{name}.json").read_text()
    draft = read(text)
    assert json.dumps(json.loads(text)) == json.dumps(json.loads(printed(draft)))
    again = read(printed(draft, "yaml"))
    assert again.tree["id"] == draft.tree["id"]
    assert json.dumps(json.loads(text)) == json.dumps(json.loads(printed(again)))
    assert draft.warnings
    assert [] == draft.disagreements


@pytest.mark.parametrize("name", TREES)
@pytest.mark.parametrize("published", ["rlm-task-tree", "rlm-task-tree.newest-1f458e74"])
def test_strict_satisfies_the_published_schemas(
    shared_data: Path, name: str, published: str
) -> None:
    """What breaks the pattern is replaced the same way each time, and the mapping told."""
    draft = exchange.read_file(shared_data / f"rlm/examples/rlm-task-tree.{name}.json")
    found, names = exchange.strict(exchange.document(draft.tree, draft.tasks))
    standard = yaml.safe_load((shared_data / f"rlm/schemas/{published}.yaml").read_text())
    jsonschema.Draft202012Validator(standard).validate(json.loads(exchange.text(found)))
    assert (names == {}) == (name == "simple_tree")
    again = exchange.document(draft.tree, draft.tasks)
    assert names == exchange.strict(again)[1]


@pytest.mark.parametrize("name", TREES)
def test_our_schema_takes_what_we_read(shared_data: Path, name: str) -> None:
    """A standard validator finds the schema sound, and both published trees valid by it."""
    jsonschema.Draft202012Validator.check_schema(schema.schema())
    document = json.loads((shared_data / f"rlm/examples/rlm-task-tree.{name}.json").read_text())
    jsonschema.Draft202012Validator(schema.schema()).validate(document)


def test_the_shipped_schema_is_the_codes() -> None:
    """It was written anew after the last change of a shape, and refuses what the reader does."""
    shipped = Path(schema.__file__).with_name("task_tree.schema.json")
    assert shipped.read_text("utf-8") == schema.text()
    judge = jsonschema.Draft202012Validator(schema.schema())
    for wrong in (tree(node(batch_size=0)), tree(node(cost={"input_tokens": -1})), {}):
        assert not judge.is_valid(wrong)


@pytest.mark.parametrize(
    ("name", "usd", "tokens"),
    [
        ("rlm-task-tree.simple_tree", "0.109", 10900),
        ("rlm-cost.simple_cost_tree", "0.124", 11800),
        ("rlm-cost.budget_warning_scenario", "1.95", 90000),
        ("rlm-cost.cache_savings_example", "0.2925", 19500),
        ("rlm-trajectory.successful_trajectory", "0.031", 3100),
        ("rlm-trajectory.failed_trajectory", "0.0115", 1150),
    ],
)
def test_stated_totals_are_the_sums(shared_data: Path, name: str, usd: str, tokens: int) -> None:
    """The examples' own totals, exactly; none disagrees."""
    from gotn.trees.rules import totals  # noqa: PLC0415

    draft = exchange.read_file(shared_data / f"rlm/examples/{name}.json")
    whole = totals.inclusive(draft.tasks)[draft.tasks[0]["id"]]
    assert (usd, tokens) == (money.short(whole.cost), whole.total_tokens)
    assert [] == draft.disagreements


def test_a_trajectory_is_a_task_an_iteration(shared_data: Path) -> None:
    """The failed step stands as failed, with its error; the whole ended well."""
    draft = exchange.read_file(shared_data / "rlm/examples/rlm-trajectory.failed_trajectory.json")
    assert ["completed", "failed", "completed"] == [row["status"] for row in draft.tasks]
    assert [{"message": "Path must be file or glob pattern", "code": "InvalidArgument"}] == (
        draft.tasks[1]["result"]["errors"]
    )


def test_a_state_brings_variables(shared_data: Path) -> None:
    """Names and values are kept, and the tree they belong to."""
    state = exchange.read_file(shared_data / "rlm/examples/rlm-state.basic_state.json").state
    assert ("state-a1b2c3d4", "tree-87654321") == (state["id"], state["tree"])
    assert state["document"]["variables"]["total_errors"]["value"] == 2


def test_a_disagreeing_aggregate_is_told(shared_data: Path) -> None:
    """A stated sum that the records do not give stays, and ours stands beside it."""
    path = shared_data / "rlm/examples/rlm-cost.simple_cost_tree.json"
    document = json.loads(path.read_text())
    document["aggregates"]["total_cost_usd"] = 0.125
    document["aggregates"]["by_model"]["codex-mini-latest"] |= {"total_tokens": 1, "node_count": 3}
    document["aggregates"]["by_depth"][1]["node_count"] = 4
    document["aggregates"] |= {"root_model": "other", "node_count": 9}
    told = [(one.member, one.stated, one.ours) for one in read(document).disagreements]
    assert told == [
        ("aggregates.node_count", "9", "3"),
        ("aggregates.total_cost_usd", "0.125", "0.124"),
        ("aggregates.root_model", "other", "claude-sonnet-4.5"),
        ("aggregates.by_model.codex-mini-latest.node_count", "3", "2"),
        ("aggregates.by_model.codex-mini-latest.total_tokens", "1", "5300"),
        ("aggregates.by_depth.1.node_count", "4", "2"),
    ]


def test_iterations_stated_otherwise_are_told(shared_data: Path) -> None:
    """A trajectory that says another number of iterations than it has is shown to do so."""
    path = shared_data / "rlm/examples/rlm-trajectory.failed_trajectory.json"
    document = json.loads(path.read_text())
    document["metadata"]["total_iterations"] = 7
    document["outcome"]["iterations_to_completion"] = 1
    told = [(one.member, one.stated, one.ours) for one in read(document).disagreements]
    assert told == [
        ("metadata.total_iterations", "7", "2"),
        ("outcome.iterations_to_completion", "1", "2"),
    ]


def test_money_is_never_a_float() -> None:
    """Seventeen and more digits come back digit for digit; finer than pico is rounded once."""
    text = printed(read('{"version": "1.0.0", "root_task": {"node_id": "a", "prompt": "p",'
                        ' "status": "completed", "cost": {"total_cost_usd": '
                        "1234567.1234567890125}}}"))  # fmt: skip
    assert '"total_cost_usd": 1234567.1234567890125' in text
    assert "total_cost_usd: 1234567.1234567890125" in printed(read(text), "yaml")
    assert 1234567123456789012 == money.pico("1234567.1234567890125")
    assert 1 == money.pico("0.0000000000015") - 1
    assert 0 == money.pico("0.0000000000005")


@given(st.lists(st.decimals(0, 8_999_999, places=12), max_size=20))
def test_parts_sum_to_the_whole(amounts: list[Any]) -> None:
    """Quotients and remainders summed apart are the exact sum."""
    parts = [money.parted(money.pico(str(one))) for one in amounts]
    whole = money.Sum(sum(m for m, _ in parts), sum(r for _, r in parts))
    assert whole.pico == sum(int(one * money.PICO) for one in amounts)


def test_every_field_is_kept() -> None:
    """Every member of 004 and the later schema, with unknown ones among them, comes back."""
    full = node(
        "task-00000001",
        parent_id=None, depth=0, batch_size=3, preferred_model="haiku", mine={"a": [1, 0.5]},
        context={
            "type": "filtered", "source": "variable:x", "size_tokens": 5, "note": "n",
            "documents": [{"doc_id": "d", "source": "s", "chunk_ids": ["1"],
                           "relevance_score": 0.25, "excerpt": "e", "lang": "en"}],
            "filters": {"file_patterns": ["*.py"], "relevance_threshold": 0.5,
                        "date_range": {"start": "2026-01-01T00:00:00+02:00", "end": None}},
        },
        result={"status": "partial", "output": "o", "output_type": "json", "confidence": 1,
                "metadata": {"model_used": "m", "temperature": 0.1, "seed": -4,
                             "finish_reason": "tool_use"},
                "errors": [{"message": "m", "code": "c", "timestamp": "2026-01-01T00:00:00Z"}],
                "artifacts": [{"path": "p", "type": "t", "description": "d"}]},
        cost={"input_tokens": 1, "output_tokens": 2, "total_tokens": 3, "input_cost_usd": 0.1,
              "output_cost_usd": 0.2, "total_cost_usd": 0.3, "subtree_total_cost_usd": 0.3,
              "cache_hits": 1, "cache_savings_usd": 0.05},
        timestamps={"created_at": "2026-01-01T00:00:00Z", "started_at": "2026-01-01T00:00:01Z",
                    "completed_at": "2026-01-01T00:00:02.50Z", "duration_ms": 1500},
        execution_config={"model": "m", "temperature": 2, "seed": 1, "max_tokens": 1,
                          "timeout_ms": 1000, "cache_policy": {"enabled": True, "ttl_seconds": 0},
                          "retry_policy": {"max_retries": 0, "backoff_ms": 0}},
        quality_gate={"min_score": 85, "scoring_criteria": "c", "scorer_model": "opus",
                      "max_iterations": 5, "fallback": "escalate",
                      "iteration_history": [{"iteration": 1, "score": 3, "feedback": "f",
                                             "timestamp": "2026-01-01T00:00:00Z"}]},
        decomposition_strategy="map-reduce", chunking_strategy="adaptive", merge_strategy="vote",
        children=[],
    )  # fmt: skip
    document = tree(full, metadata={"tree_id": "tree-00000001", "session_id": "s"}, other=[None])
    for style in ("json", "yaml"):
        again = printed(read(printed(read(document), style)))
        assert json.dumps(document) == json.dumps(json.loads(again)), style


def deep(levels: int) -> str:
    """A tree that goes down this far, as text."""
    return (
        '{"version": "1.0.0", "root_task": '
        + "".join(
            f'{{"node_id": "n{i}", "prompt": "p", "status": "completed", "children": ['
            for i in range(levels)
        )
        + "]}" * levels
        + "}"
    )


def test_ten_thousand_levels() -> None:
    """Such a tree is read and written without recursion, and comes back."""
    text = deep(10_000)
    draft = read(text)
    assert (10_000, 9_999) == (len(draft.tasks), draft.tasks[-1]["depth"])
    assert text.replace(" ", "").strip() == printed(draft).strip().replace(" ", "")


BAD: dict[str, tuple[Any, str]] = {
    "negative tokens": (tree(node(cost={"input_tokens": -5})), "cost.input_tokens: expected 0"),
    "half a token": (tree(node(cost={"input_tokens": 1.5})), "whole number, found 1.5"),
    "no number": ('{"version": "1.0.0", "root_task": {"node_id": "a", "cost": NaN}}', "found NaN"),
    "NaN in YAML": ("version: 1.0.0\nroot_task: {cost: {total_cost_usd: .nan}}", "found .nan"),
    "a token's worth of text": (tree(node(cost={"total_cost_usd": "1"})), "a number of USD"),
    "negative money": (tree(node(cost={"total_cost_usd": -0.1})), "expected 0 or more"),
    "endless money": (tree(node(cost={"total_cost_usd": 1e300})), "expected less than 9,000,000"),
    "the clock goes back": (
        tree(node(timestamps={"created_at": "2026-01-02T00:00:00Z",
                              "completed_at": "2026-01-01T00:00:00Z"})),
        "completed_at: expected not before created_at 2026-01-02T00:00:00Z",
    ),
    "no time zone": (
        tree(node(timestamps={"created_at": "2026-01-02T00:00:00"})), "with an offset"
    ),
    "the same id twice": (tree(node(children=[node("b"), node("b")])), '"b" stands twice'),
    "half a file": (json.dumps(tree())[:-20], "the end of the file"),
    "no depth at all": (tree(limits={"max_depth": -1}), "limits.max_depth: expected 1 or more"),
    "a depth of text": (tree(limits={"max_depth": "x"}), "limits.max_depth: expected a whole"),
    "half a level": (tree(limits={"max_depth": 1.5}), "limits.max_depth: expected a whole"),
    "an unknown limit": (tree(limits={"max_dept": 5}), "did you mean max_depth?"),
    "limits that are none": (tree(limits=[5]), "limits: expected an object"),
    "more tokens than there are": (
        tree(node(cost={"input_tokens": 2**63})),
        'task "a".cost.input_tokens: expected at most 1000000000000, found 9223372036854775808',
    ),
    "half a line": (
        f'{json.dumps(node())}\n{json.dumps(node("b", parent_id="a"))[:-20]}',
        "expected JSON, found the end of the file",
    ),
    "no root": ({"version": "1.0.0"}, "root_task: is missing"),
    "two roots": (
        {"version": "1.0.0", "nodes": [node("a"), node("b")]}, "one root, found 2 tasks without"
    ),
    "a missing parent": (
        {"version": "1.0.0", "nodes": [node("a"), node("b", parent_id="c")]}, 'no task "c"'
    ),
    "parents go round": (
        {"version": "1.0.0",
         "nodes": [node("r"), node("a", parent_id="b"), node("b", parent_id="a")]},
        "its parents go round: a → b → a",
    ),
    "another parent than its place": (
        tree(node(children=[node("b", parent_id="x")])), 'expected "a", under which it stands'
    ),
    "a root with a parent": (tree(node(parent_id="x")), 'no task "x" above the root'),
    "a newer version": (tree(version="2.0.0"), "expected 1.x.y"),
    "an unknown status": (tree(node(status="done")), "expected one of pending, running"),
    "a list for an object": ([1, 2], "nodes[0].node_id"),
    "no id": (tree({"prompt": "p", "status": "pending"}), "root_task.node_id: is missing"),
    "a key twice": ('{"version": "1.0.0", "version": "1.0.0"}', '"version" twice'),
    "too deep elsewhere": (tree(node(mine=eval("[" * 90 + "]" * 90))), "deeper than 64"),
    "a YAML alias": ("version: &a 1.0.0\nother: *a\n", "aliases"),
    "broken YAML": ("version: [1.0.0\n", "expected YAML"),
    "a percentile report": ({"percentile_report": {}}, "a percentile report has none"),
    "no iterations": ({"trajectory_id": "t", "iterations": None}, "iterations: expected a list"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_named(name: str) -> None:
    """Each is refused as a document with what was expected and what was found."""
    document, said = BAD[name]
    with pytest.raises(BadDocument) as refused:
        read(document)
    reasons = [one["reason"] for one in refused.value.facts["violations"]]
    assert any(said in reason for reason in reasons), reasons


def test_places_of_what_is_no_json() -> None:
    """NaN is found on its line, and a key that stands twice in its task."""
    text = json.dumps(tree(node("b", prompt="NaN")), indent=1).replace('"completed"', "NaN")
    with pytest.raises(BadDocument, match=r"line 6: expected a JSON number, found NaN"):
        read(text)
    with pytest.raises(BadDocument, match='task "b": expected each key once, found "prompt" twice'):
        read(json.dumps(tree(node("b"))).replace('"status"', '"prompt"'))


def test_the_bound_of_what_agents_state() -> None:
    """Numbers with more digits than any amount has are refused with the bound, in quotes too."""
    wrong: list[str] = []
    stated: Row = {"total_cost_usd": "9" * 23, "input_tokens": "9" * 23, "output_tokens": 2**63}
    agents.cost(stated, wrong.append)
    assert [
        f"cost.total_cost_usd: expected less than 9,000,000 USD, found {Decimal('9' * 23):.6g}",
        f"cost.input_tokens: expected at most {money.TOKENS}, found {'9' * 23}",
        f"cost.output_tokens: expected at most {money.TOKENS}, found {2**63}",
    ] == wrong


def test_half_a_line_is_named() -> None:
    """JSONL that was cut names its line, not the first one's end."""
    text = f"{json.dumps(node())}\n{json.dumps(node('b', parent_id='a'))[:-20]}"
    with pytest.raises(BadDocument, match=r"line 2: .*; the file seems cut"):
        read(text)


def test_mistyped_members_are_warned_of() -> None:
    """A cost's every unknown member, elsewhere what is nearly a known one; kept, and told once."""
    child = node("b", cost={"total_cost": 1}, mine=1)
    root = node(cost={"total_cost": 1, "bogus": 2}, promt="p", children=[child])
    draft = read(tree(root, metadata={"tree_id": "tree-00000001"}))
    told = [one.reason for one in draft.warnings if "no such member" in one.reason]
    assert 3 == len(told), told
    assert 'task "a".cost.total_cost: 004 has no such member' in told[0]
    assert "did you mean total_cost_usd?" in told[0]
    assert "did you mean prompt?" in told[2]
    assert '"total_cost": 1' in printed(draft)


def test_every_violation_is_listed() -> None:
    """Not the first one only."""
    document = tree(node(cost={"input_tokens": -1, "output_tokens": 0.5}, batch_size=1000))
    with pytest.raises(BadDocument) as refused:
        read(document)
    assert 3 == len(refused.value.facts["violations"])


def test_a_flat_list_is_a_tree_too() -> None:
    """Tasks that name their parents, as a list, as `nodes`, or a line each."""
    nodes = [node("b", parent_id="a"), node("a"), node("c", parent_id="b")]
    lines = "\n".join(json.dumps(one) for one in nodes)
    for document in (json.dumps(nodes), json.dumps({"version": "1.0.0", "nodes": nodes}), lines):
        found = [(row["id"], row.get("parent"), row["depth"]) for row in read(document).tasks]
        assert found == [("a", None, 0), ("b", "a", 1), ("c", "b", 2)]


def test_a_flat_list_that_is_no_tree_names_every_fault() -> None:
    """Parents that go round do not hide what else is wrong with the tasks and the document."""
    nodes = [
        *(node("r"), node("a", parent_id="b"), node("b", parent_id="a", prompt=7)),
        node("c", parent_id="r", status="done", cost={"input_tokens": -1}),
        {"prompt": "p"},
    ]
    with pytest.raises(BadDocument) as refused:
        read({"version": "2.0.0", "nodes": nodes})
    said = "\n".join(one["reason"] for one in refused.value.facts["violations"])
    for part in ("nodes[4].node_id", "a → b → a", 'task "b".prompt', 'task "c".status'):
        assert 1 == said.count(part), said
    assert 1 == said.count('task "c".cost.input_tokens: expected 0 or more, found -1')
    assert 1 == said.count("version: expected 1.x.y")


def test_an_id_is_minted_from_the_content() -> None:
    """The same content has the same id, whatever the form; other content another."""
    first = read(tree()).tree["id"]
    assert first == read(printed(read(tree()), "yaml")).tree["id"]
    assert first != read(tree(node(prompt="another"))).tree["id"]
