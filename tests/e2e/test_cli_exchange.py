import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from command import Command

SAMPLE = Path(str(files("gotn.demo").joinpath("sample.json")))


@pytest.fixture
def gotn(neo4j_environment: dict[str, str], tmp_path: Path, project: str) -> Command:
    """The command on this test's project."""
    return Command(neo4j_environment, tmp_path, project)


def test_import_and_export_are_equal(gotn: Command, tmp_path: Path) -> None:
    """A dry run changes nothing, a repeat changes nothing, the export is what came in."""
    dry = gotn.data("import", str(SAMPLE), "--dry-run")
    assert {"nodes", "edges", "pending", "skipped", "warnings"} <= dry.keys()
    assert gotn.error("project", "show", code=3)
    first = gotn.data("import", str(SAMPLE))
    assert first["changed"] == first["nodes"] + first["edges"]
    assert gotn.data("import", str(SAMPLE))["changed"] == 0
    document = json.loads(SAMPLE.read_text())
    exported = json.loads(gotn.text("export"))
    assert [exported["nodes"], exported["edges"]] == [document["nodes"], document["edges"]]
    assert gotn.data("export")["nodes"] == document["nodes"]
    out = tmp_path / "out.jsonl"
    gotn.data("export", "--format", "jsonl", "-o", str(out))
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    assert lines == document["nodes"] + document["edges"]
    assert [path.name for path in tmp_path.iterdir()] == ["out.jsonl"]


def test_a_dry_run_lists_all_that_is_wrong(gotn: Command, tmp_path: Path) -> None:
    """Every violation with its line, cycles too; code 1, or 5 if only cycles are wrong."""
    rows: list[dict[str, Any]] = [
        {"id": f"i{n}", "title": "T", "status": "open", "labels": [n]} for n in range(30)
    ]
    around = [("x", "y"), ("y", "x"), ("p", "q"), ("q", "p")]
    rows += [
        {"id": a, "title": "T", "status": "open", "dependencies": [{"depends_on_id": b}]}
        for a, b in around
    ]
    path = tmp_path / "issues.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    done = gotn.run("import", str(path), "--dry-run")
    shown = [line for line in done.stdout.splitlines() if line.startswith("  line ")]
    assert (done.returncode, len(shown)) == (1, 32)
    assert "issues.jsonl: 32 violations; nothing would be imported" in done.stderr
    told = gotn.error("import", str(path), "--dry-run", code=1)["violations"]
    assert [one["line"] for one in told] == [*range(1, 32), 33]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows[30:]))
    told = gotn.error("import", str(path), "--dry-run", code=5)["violations"]
    assert [one["line"] for one in told] == [1, 3]
    done = gotn.run("import", str(path), "--dry-run")
    assert (done.returncode, done.stdout.count("close a cycle")) == (5, 2)
    assert "issues.jsonl: 2 violations; nothing would be imported; --flag-cycles" in done.stderr
    assert gotn.data("import", str(path), "--dry-run", "--flag-cycles")["edges"] == 4
    assert gotn.error("project", "show", code=3)


def test_tasks_of_taskmaster(gotn: Command, tmp_path: Path) -> None:
    """Looked for or asked for, a tasks.json is taken in, planned and taken in again."""
    tasks = [{"id": 1, "title": "One"}, {"id": 2, "title": "Two", "dependencies": [1]}]
    path = tmp_path / "tasks.json"
    path.write_text(json.dumps({"master": {"tasks": tasks}}))
    assert gotn.data("import", str(path))["changed"] == 3
    assert gotn.data("import", str(path), "--format", "taskmaster")["changed"] == 0
    assert gotn.data("plan")["layers"] == [["master.1"], ["master.2"]]
    error = gotn.error("import", str(path), "--format", "beads", code=1)
    assert "expected an issue with an id" in error["message"]


def test_standard_input(gotn: Command) -> None:
    """FILE may be -."""
    given = json.dumps({"id": "a", "kind": "k", "summary": "s", "prompt_text": "p"})
    assert gotn.data("import", "-", given=given)["nodes"] == 1


@pytest.mark.parametrize("content", [b"", b"\x00\xff\x00", b'{"nodes": [{"id": "a"', b'{"id": 7}'])
def test_bad_files_are_refused_whole(gotn: Command, tmp_path: Path, content: bytes) -> None:
    """Empty, binary, half and wrong files: a clear error, and nothing is written."""
    path = tmp_path / "bad.json"
    path.write_bytes(content)
    error = gotn.error("import", str(path), code=1)
    assert error["code"] in ("BAD_DOCUMENT", "INVALID")
    assert "bad.json" in error["message"]
    assert gotn.error("project", "show", code=3)


def test_a_file_that_is_not_there(gotn: Command) -> None:
    """The file is named."""
    assert "nowhere.json" in gotn.error("import", "nowhere.json", code=1)["message"]


def test_a_folder_that_cannot_be_written(gotn: Command, tmp_path: Path) -> None:
    """The output is named, and nothing half-written stays."""
    gotn.data("import", str(SAMPLE))
    target = tmp_path / "no" / "such" / "out.json"
    assert str(target) in gotn.error("export", "-o", str(target), code=1)["message"]


def test_the_journal_rebuilds_the_project(gotn: Command, tmp_path: Path, project: str) -> None:
    """Export, verify, replay from a file and from Neo4j: the same digest everywhere."""
    gotn.data("import", str(SAMPLE), "--link")
    gotn.data("plan")
    gotn.data("node", "remove", "run_on_arm", "--cascade")
    proof = gotn.data("journal", "verify")
    assert (proof["chain_ok"], proof["equal"]) == (True, True)
    assert proof["live_digest"] == proof["replay_digest"]
    assert "the chain of hashes is whole" in gotn.text("journal", "verify")
    path = tmp_path / "journal.jsonl"
    gotn.data("journal", "export", "-o", str(path))
    entries = [json.loads(line) for line in path.read_text().splitlines()]
    assert [one["seq"] for one in entries] == list(range(1, proof["entries"] + 1))
    for words in ([str(path)], ["--from-project", project]):
        copy = Command(gotn.environment, gotn.home, f"{project}-{len(words)}")
        replayed = copy.data("journal", "replay", *words)
        assert replayed["digest"] == proof["live_digest"]
        assert copy.data("journal", "verify")["equal"] is True
    assert gotn.error("journal", "replay", str(path), code=4)["code"] == "CONFLICT"


def test_a_damaged_journal_is_told_line_by_line(gotn: Command, tmp_path: Path) -> None:
    """A cut line and merge markers are named with their lines; --recover takes the rest."""
    for name in "abc":
        gotn.data("node", "add", name, "--kind", "k", "--summary", name, "--prompt", name)
    path = tmp_path / "journal.jsonl"
    gotn.data("journal", "export", "-o", str(path))
    lines = path.read_text().splitlines()
    path.write_text("\n".join([*lines[:2], lines[2][:40], "<<<<<<< ours", lines[3]]))
    copy = Command(gotn.environment, gotn.home, f"{gotn.project}-copy")
    error = copy.error("journal", "replay", str(path), code=1)
    assert error["code"] == "BAD_DOCUMENT"
    assert [one.get("line") for one in error["violations"]][:2] == [3, 4]
    assert copy.data("journal", "replay", str(path), "--recover")["nodes"] == 2


def test_the_wild_format(gotn: Command, shared_data: Path) -> None:
    """A real beads history is imported, linked and planned, and imported again unchanged."""
    path = shared_data / "beads" / "beads.issues.jsonl"
    found = gotn.data("import", str(path), "--format", "beads", "--link", "--flag-cycles")
    assert found["nodes"] == 704
    assert found["pending"] > 0
    again = gotn.data("import", str(path), "--format", "auto", "--flag-cycles")
    assert again["changed"] == 0


def test_a_cycle_alone_names_the_file_and_the_way_out(gotn: Command, tmp_path: Path) -> None:
    """One message with the file, the path, its lines and the option; the lines are told once."""
    nodes = [{"id": n, "kind": "k", "summary": n, "prompt_text": n} for n in "ab"]
    edges = [{"src": a, "dst": b, "type": "hard_requires"} for a, b in ("ab", "ba")]
    path = tmp_path / "knot.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in nodes + edges))
    done = gotn.run("import", str(path))
    assert done.returncode == 5
    assert done.stderr.startswith("gotn: knot.jsonl: This would close a cycle: ")
    assert "(lines 3, 4); --flag-cycles keeps" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    error = gotn.error("import", str(path), code=5)
    assert (error["lines"], error["truncated"]) == ([3, 4], False)
    assert "--flag-cycles" not in error["violations"][0]["reason"]


def test_more_violations_than_are_listed_are_said_to_be_more(gotn: Command, tmp_path: Path) -> None:
    """The first 1,000, `truncated` for programs, `at least` for people."""
    path = tmp_path / "bad.jsonl"
    path.write_text('{"id": "a"}\n' * 600)
    error = gotn.error("import", str(path), "--dry-run", code=1)
    assert (len(error["violations"]), error["truncated"]) == (1000, True)
    assert error["message"].startswith("bad.jsonl: at least 1,000 violations, line 1: ")
    assert (
        "bad.jsonl: at least 1,000 violations;" in gotn.run("import", str(path), "--dry-run").stderr
    )


def test_warnings_alike_are_one_line(gotn: Command, tmp_path: Path) -> None:
    """Many that differ in their names alone are told once, with their lines."""
    rows = [{"id": f"i{n}", "title": "T", "status": "open"} for n in range(30)]
    path = tmp_path / "issues.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows * 2))
    shown = gotn.text("import", str(path)).splitlines()
    assert shown[-1].startswith('  line 31: i0: issue "i0" stands twice, alike; 29 more alike: ')
    assert len(gotn.data("import", str(path))["warnings"]) == 30
