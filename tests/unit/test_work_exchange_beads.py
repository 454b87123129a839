"""Beads issues in, made up and real."""

import os
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from documents import jsonl, refused, take

from gotn.work import exchange


def make_issue(id_: str = "bd-1", **more: Any) -> dict[str, Any]:
    """A beads issue."""
    return {"id": id_, "title": "T", "status": "open", "issue_type": "bug", **more}


def depends(on: str, type_: str = "blocks", **more: Any) -> dict[str, Any]:
    """A dependency of bd-1."""
    return {"issue_id": "bd-1", "depends_on_id": on, "type": type_, **more}


def test_a_beads_issue_becomes_a_node() -> None:
    """Every key goes where the mapping says, the others to extra."""
    issue = make_issue(
        description="",
        acceptance_criteria="## Exit\n- [ ] one\n2. two\n\nthree",
        labels=["l"],
        priority=2,
        version="9",
        estimated_minutes=30,
        created_at="2026-02-16T17:42:04.903893123-08:00",
    )
    assert take(jsonl(issue)).nodes == [
        {
            "id": "bd-1",
            "kind": "bug",
            "summary": "T",
            "prompt_text": "T",
            "tags": ["l"],
            "success_criteria": ["one", "two", "three"],
            "provenance": {"created_by": "beads", "source": "issues.jsonl"},
            "created_at": "2026-02-17T01:42:04.903893Z",
            "extra": {
                "acceptance_criteria": "## Exit\n- [ ] one\n2. two\n\nthree",
                "priority": 2,
                "beads_version": "9",
                "estimated_minutes": 30,
                "estimate_minutes": 30,
            },
            "status": "ready",
            "estimate_minutes": 30.0,
        }
    ]


def test_beads_statuses() -> None:
    """Each status has its own; tombstones are left out and listed."""
    names = ["in_progress", "hooked", "closed", "blocked", "deferred", "pinned", "tombstone", "odd"]
    draft = take(jsonl(*(make_issue(name, status=name) for name in names)))
    assert [(row["id"], row["status"], row.get("status_reason")) for row in draft.nodes] == [
        ("in_progress", "running", None),
        ("hooked", "running", "beads: hooked"),
        ("closed", "completed", None),
        ("blocked", "blocked", "beads: blocked"),
        ("deferred", "skipped", "beads: deferred"),
        ("pinned", "skipped", "beads: pinned"),
        ("odd", "ready", 'beads: "odd"'),
    ]
    assert [(s.line, s.id, s.reason) for s in draft.skipped] == [(7, "tombstone", "a tombstone")]


def test_beads_dependencies() -> None:
    """Directions, kinds, the first parent, and the others kept in two places."""
    listed = [
        depends("x"),
        depends("y", "blocked-by"),
        depends("p", "parent-child", created_at="2026-01-01T00:00:00.000000001Z"),
        depends("q", "parent-child"),
        depends("z", "tracks", metadata="{}"),
        depends("x"),
    ]
    draft = take(jsonl(make_issue(dependencies=listed, parent="p")))
    assert [(e["type"], e["src"], e["dst"], e.get("kind")) for e in draft.edges] == [
        ("hard_requires", "x", "bd-1", None),
        ("hard_requires", "bd-1", "y", None),
        ("derived_from", "p", "bd-1", None),
        ("related", "bd-1", "q", "parent-child"),
        ("related", "bd-1", "z", "tracks"),
    ]
    assert draft.edges[2]["said"] == ["edge", "parent"]
    assert draft.nodes[0]["extra"]["other_parents"] == ["q"]
    assert len(draft.warnings) == 2


def test_beads_parents_in_a_circle_lose_one() -> None:
    """What would stand above itself is kept aside with a warning."""
    one = make_issue("a", dependencies=[{"depends_on_id": "b", "type": "parent-child"}])
    two = make_issue("b", parent="a")
    draft = take(jsonl(one, two))
    assert [(e["type"], e["src"], e["dst"]) for e in draft.edges] == [
        ("derived_from", "b", "a"),
        ("related", "b", "a"),
    ]
    assert draft.nodes[1]["extra"] == {"other_parents": ["a"]}


def test_bad_beads_issues_are_listed() -> None:
    """Self-dependencies, wrong types, doubles and strangers, each with its line."""
    found = refused(
        jsonl(
            make_issue(),
            make_issue(description="other"),
            make_issue("b", labels=[5], dependencies=[]),
            make_issue("c", dependencies=[{"depends_on_id": "c"}, {"type": "blocks"}, 5]),
            {"x": 1},
        )
    )
    assert [violation["line"] for violation in found] == [2, 3, 4, 4, 4, 5]
    assert found[3]["reason"].startswith("dependencies[1].depends_on_id")


def test_what_is_wrong_is_told_under_the_files_own_names() -> None:
    """title, labels: not the names that 001 has for them."""
    found = refused(jsonl(make_issue(title=7, description="d", labels=[5], issue_type={"a": 1})))
    assert [one["reason"].split(":")[0] for one in found] == ["issue_type", "title", "labels[0]"]


def test_issues_of_other_projects_wait() -> None:
    """Another prefix and an external capability are names like any other, not there yet."""
    listed = [depends("other-7"), depends("external:api:login"), depends("x-1", "parent-child")]
    draft = take(jsonl(make_issue(dependencies=listed), make_issue("tug-2", external_ref="gh-9")))
    assert [(e["type"], e["src"]) for e in draft.edges] == [
        ("hard_requires", "other-7"),
        ("hard_requires", "external:api:login"),
        ("derived_from", "x-1"),
    ]
    assert draft.nodes[1]["extra"] == {"external_ref": "gh-9"}
    assert draft.warnings == []


def test_every_kind_of_dependency_is_kept_by_name() -> None:
    """Whatever is neither blocking nor a parent is a related edge of its own kind."""
    kinds = [
        "related",
        "discovered-from",
        "waits-for",
        "conditional-blocks",
        "duplicates",
        "my-own",
    ]
    draft = take(jsonl(make_issue(dependencies=[depends("x", kind) for kind in kinds])))
    assert [(e["type"], e["src"], e["dst"], e["kind"]) for e in draft.edges] == [
        ("related", "bd-1", "x", kind) for kind in kinds
    ]


def test_an_unmerged_issues_file_is_refused_and_so_is_latin_1() -> None:
    """Markers by name, bytes by value, each with its line; the sound lines are read on."""
    data = b"<<<<<<< HEAD\n" + jsonl(make_issue("a")).encode() + b"=======\n"
    data += jsonl(make_issue("b")).encode().replace(b'"T"', b'"T\xe9"') + b">>>>>>> main\n"
    found = refused(data + jsonl(make_issue("c", labels=[5])).encode(), format="beads")
    assert sorted(one["line"] for one in found) == [1, 3, 4, 5, 6]
    assert sum("merge-conflict marker" in one["reason"] for one in found) == 3
    assert any("0xe9" in one["reason"] for one in found)


DATA = Path(os.environ.get("GOTN_SHARED_DATA", Path(__file__).parents[3] / "shared" / "data"))


@pytest.mark.skipif(
    not DATA.is_dir() and "GOTN_SHARED_DATA" not in os.environ,
    reason="the folder of real data (GOTN_SHARED_DATA) is not there",
)
@pytest.mark.parametrize(
    ("name", "nodes", "edges", "dangling"),
    [("beads.issues.jsonl", 704, 745, 30), ("tugtool.issues.jsonl", 160, 274, 8)],
)
def test_real_beads_files(name: str, nodes: int, edges: int, dangling: int) -> None:
    """Counts of real files; the same again gives the same; export and import agree."""
    draft = exchange.read(DATA / "beads" / name)
    ids = {row["id"] for row in draft.nodes}
    hanging = [e for e in draft.edges if not {e["src"], e["dst"]} <= ids]
    assert (nodes, edges, dangling) == (len(draft.nodes), len(draft.edges), len(hanging))
    assert draft == exchange.read(DATA / "beads" / name)
    text = "".join(exchange.write(draft.nodes, draft.edges, style="jsonl"))
    again = take(text)
    assert text == "".join(exchange.write(again.nodes, again.edges, style="jsonl"))
    assert Counter(e["type"] for e in draft.edges) == Counter(e["type"] for e in again.edges)
