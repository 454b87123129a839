from pathlib import Path

import pytest
from command import Command


@pytest.fixture
def gotn(neo4j_environment: dict[str, str], tmp_path: Path, project: str) -> Command:
    """The command on this test's project."""
    return Command(neo4j_environment, tmp_path, project)


def test_an_edge_is_shown_and_changed(gotn: Command) -> None:
    """Show, update, clear; without a change a usage error, without an edge 3."""
    _add(gotn, "a")
    _add(gotn, "b")
    gotn.data("edge", "add", "a", "b", "--evidence", "said")
    assert gotn.data("edge", "update", "a", "b", "--evidence", "seen")["evidence"] == "seen"
    assert gotn.data("edge", "show", "a", "b")["evidence"] == "seen"
    assert "seen" in gotn.text("edge", "show", "a", "b")
    assert gotn.data("edge", "update", "a", "b", "--clear", "evidence")["evidence"] is None
    assert gotn.run("edge", "update", "a", "b").returncode == 2
    assert gotn.error("edge", "update", "a", "b", "--score", "0.5", code=1)["field"] == "score"
    error = gotn.error("edge", "show", "b", "a", code=3)
    assert "'b → a'" in error["message"]
    assert "'a' has 1 edge;" in gotn.error("node", "remove", "a", code=4)["message"]


def _add(gotn: Command, id_: str, *more: str) -> None:
    gotn.data(
        "node", "add", id_, "--kind", "task", "--summary", f"Do {id_}", "--prompt", "x", *more
    )


def test_a_node_from_its_beginning_to_its_end(gotn: Command) -> None:
    """Add, add again, show, update, clear, list, remove: each verb's data and exit code."""
    words = ["node", "add", "a/[b] ü", "--kind", "task", "--summary", "S", "--prompt", "P",
             "--produces", "t1", "--produces", "t2", "--tag", "k", "--minutes", "15",
             "--exec-target", "x.py"]  # fmt: skip
    added = gotn.data(*words)
    assert (added["id"], added["status"], added["produces"]) == ("a/[b] ü", "ready", ["t1", "t2"])
    assert added["estimate_minutes"] == 15
    assert gotn.data(*words)["revision"] == 1
    changed = gotn.data(
        "node", "update", "a/[b] ü", "--status", "running", "--clear", "exec_target",
        "--expected-revision", "1",
    )  # fmt: skip
    assert (changed["status"], changed["exec_target"], changed["revision"]) == ("running", None, 2)
    kept = gotn.data("node", "update", "a/[b] ü", "--minutes", "20")
    assert kept["extra"] == {"estimate_minutes": 20}
    again = gotn.data("node", "update", "a/[b] ü", "--attempts", "3", "--time-limit", "10m")
    assert again["extra"]["retry"] == {"attempts": 3, "time_limit_ms": 600_000}
    slower = gotn.data("node", "update", "a/[b] ü", "--backoff", "1.5s")
    assert slower["extra"]["retry"] == again["extra"]["retry"] | {"backoff_ms": 1500}
    assert "a/[b] ü" in gotn.text("node", "show", "a/[b] ü")
    listed = gotn.data("node", "list", "--status", "running", "--tag", "k")
    assert [row["id"] for row in listed["nodes"]] == ["a/[b] ü"]
    assert listed["total"] == 1
    assert gotn.data("node", "remove", "a/[b] ü")["nodes"] == ["a/[b] ü"]
    assert gotn.error("node", "show", "a/[b] ü", code=3)["code"] == "NOT_FOUND"


def test_refusals_have_their_exit_codes(gotn: Command) -> None:
    """A stale revision is 4, a removal that takes more along 4, bad words 2, bad values 1."""
    _add(gotn, "a", "--produces", "t")
    _add(gotn, "b", "--requires", "t")
    gotn.data("link")
    assert gotn.data("node", "update", "a", "--summary", "New")["revision"] == 2
    stale = gotn.error("node", "update", "a", "--summary", "x", "--expected-revision", "1", code=4)
    assert stale["code"] == "STALE_REVISION"
    assert gotn.error("node", "remove", "a", code=4)["code"] == "CONFLICT"
    assert gotn.data("node", "remove", "a", "--cascade")["edges"] == 1
    assert gotn.error("node", "update", "b", code=2)["code"] == "USAGE"
    assert gotn.error("node", "add", "c", "--summary", "no prompt", code=2)["code"] == "USAGE"


def test_edges(gotn: Command) -> None:
    """Add, check, list and remove; an edge that closes a cycle is 5 and names the way round."""
    for name in "abc":
        _add(gotn, name)
    assert gotn.data("edge", "add", "a", "b")["origin"] == "explicit"
    gotn.data("edge", "add", "b", "c", "--evidence", "so it is")
    gotn.data("edge", "add", "a", "c", "--type", "related", "--kind", "see-also")
    refused = gotn.error("edge", "add", "c", "a", code=5)
    assert refused["code"] == "CYCLE"
    assert refused["path"] == ["c", "a", "b", "c"]
    assert gotn.data("edge", "check", "c", "a", code=5)["closes"] is True
    assert gotn.data("edge", "check", "a", "c")["closes"] is False
    assert "see-also" in gotn.text("edge", "list", "--src", "a")
    hard = gotn.data("edge", "list", "--type", "hard_requires")
    assert [(row["src"], row["dst"]) for row in hard["edges"]] == [("a", "b"), ("b", "c")]
    assert gotn.data("edge", "remove", "a", "b")["edges"] == 1
    assert gotn.error("edge", "remove", "a", "b", code=3)["code"] == "NOT_FOUND"


def test_lists_say_how_many_more_there_are(gotn: Command) -> None:
    """--limit bounds a list, and the rest is counted."""
    for name in "abc":
        _add(gotn, name)
    found = gotn.data("node", "list", "--limit", "2")
    assert (len(found["nodes"]), found["total"], found["more"]) == (2, 3, True)
    assert "1 more of 3" in gotn.text("node", "list", "--limit", "2")


def test_projects(gotn: Command) -> None:
    """Show, set, unset, list, remove; a project that is gone is 3."""
    assert gotn.project is not None
    _add(gotn, "a")
    assert gotn.data("project", "show")["nodes"] == 1
    changed = gotn.data("project", "settings", "description=Ours: a=b")
    assert changed["settings"] == {"description": "Ours: a=b"}
    assert not gotn.data("project", "settings", "description=")["settings"]
    assert gotn.error("project", "settings", "colour=red", code=1)["code"] == "INVALID"
    ids = [row["id"] for row in gotn.data("project", "list", "--limit", "100000")["projects"]]
    assert gotn.project in ids
    assert gotn.data("project", "remove", "--yes")["id"] == gotn.project
    assert gotn.error("project", "show", code=3)["code"] == "NOT_FOUND"


def test_actor_stands_in_the_journal(gotn: Command) -> None:
    """--actor over GOTN_ACTOR; the tail shows the newest last."""
    _add(gotn, "a")
    _add(gotn, "b", "--actor", "ada")
    entries = gotn.data("journal", "tail")["entries"]
    assert [(one["event"], one["actor"]) for one in entries] == [
        ("workspace_initialized", "tester"),
        ("add_node", "tester"),
        ("add_node", "ada"),
    ]
    assert [one["seq"] for one in gotn.data("journal", "tail", "--limit", "1")["entries"]] == [3]
