import json
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import httpx2
import pytest
from command import TIMEOUT, Command
from conftest import Neo4j

from gotn.cli import connecting
from gotn.cli.connecting import Target
from gotn.cli.following import Following
from gotn.cli.serving import resolved
from gotn.server.app import create_app
from gotn.settings import load


@pytest.fixture
def gotn(neo4j_environment: dict[str, str], tmp_path: Path, project: str) -> Command:
    """The command on this test's project."""
    return Command(neo4j_environment, tmp_path, project)


def _add(gotn: Command, id_: str, *more: str) -> None:
    gotn.data("node", "add", id_, "--kind", "k", "--summary", "S", "--prompt", "P", *more)


def test_a_project_is_not_removed_by_accident(gotn: Command) -> None:
    """Without a terminal and without --yes nothing is removed: 2, and the option is named."""
    _add(gotn, "a")
    assert "give --yes" in gotn.error("project", "remove", code=2)["message"]
    assert gotn.data("project", "show")["nodes"] == 1
    gotn.data("project", "remove", "--yes")


def test_a_refused_removal_lists_what_goes(gotn: Command) -> None:
    """Edges and children by name, and the option that takes them along."""
    _add(gotn, "a")
    _add(gotn, "b", "--parent", "a")
    gotn.data("edge", "add", "a", "b")
    done = gotn.run("node", "remove", "a")
    assert done.returncode == 4
    assert "give --cascade" in done.stderr
    assert "  edge: a → b (hard_requires)" in done.stderr
    assert "  child: b" in done.stderr


def test_a_bad_field_is_named_without_its_place_in_a_list(gotn: Command) -> None:
    """`summary: …`, for there is no list on a command line."""
    words = ("node", "add", "a", "--kind", "", "--summary", "S", "--prompt", " ")
    done = gotn.run(*words)
    assert done.returncode in (1, 2)
    assert "nodes[0]" not in done.stderr
    assert "nodes[0]" not in json.dumps(gotn.error(*words, code=done.returncode))


def test_the_end_of_an_empty_project(gotn: Command) -> None:
    """A plan of nothing says so, and not that it was not stored."""
    _add(gotn, "a", "--status", "completed")
    text = gotn.text("plan")
    assert "Nothing to do." in text
    assert "preview" not in text


def test_imports_count_what_is_pending_in_all(gotn: Command, tmp_path: Path) -> None:
    """The second import tells its own references, and those of the first with them."""
    for name in "ab":
        node = {"id": name, "kind": "k", "summary": "S", "prompt_text": "P"}
        edge = {"src": name, "dst": f"{name}-later", "type": "hard_requires"}
        (tmp_path / name).write_text(json.dumps({"nodes": [node], "edges": [edge]}))
    assert "1 reference names a node not there yet" in gotn.text("import", str(tmp_path / "a"))
    assert "2 pending references in all" in gotn.text("import", str(tmp_path / "b"))


def test_settings_of_developers_are_kept_apart(gotn: Command) -> None:
    """`config show` has them only where they are set."""
    assert "shared_data" not in gotn.text("config", "show")
    gotn.extra["GOTN_SHARED_DATA"] = "/tmp"
    assert "shared_data" in gotn.text("config", "show")


def _answer(url: str) -> tuple[int, Any]:
    try:
        with urllib.request.urlopen(url, timeout=30) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.load(error)


def test_serving_before_the_managed_server_runs(tmp_path: Path) -> None:
    """The API starts, says on stderr what is missing, and is not ready."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    alone = Command({}, tmp_path, process=True)
    process = subprocess.Popen(
        [sys.executable, "-m", "gotn", *alone.words("serve", "--port", port)],
        env=alone.variables() | {"PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        line = next(line for line in process.stdout if line.startswith("GraphQL"))
        base = line.split()[1].removesuffix("/graphql")
        assert _answer(f"{base}/healthz")[0] == 200
        status, body = _answer(f"{base}/readyz")
        assert (status, body["code"]) == (503, "DATABASE_UNAVAILABLE")
    finally:
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=TIMEOUT)
    assert process.returncode == 130
    assert "gotn up`" in err
    assert "Traceback" not in err


async def test_the_api_follows_the_managed_server(
    neo4j_server: Neo4j, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not ready without a server, ready once one runs, and again when it has moved."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        gone = f"bolt://127.0.0.1:{taken.getsockname()[1]}"
        here: dict[str, Any] = {
            "username": neo4j_server.user,
            "password": neo4j_server.password or None,
        }
        steps = {
            0: None,
            1: Target(uri=gone, **here, database=None, managed=True),
            2: Target(uri=neo4j_server.uri, **here, database=None, managed=True),
            3: None,
        }
        now, opened = [0], []
        monkeypatch.setattr(connecting, "running", lambda _: steps[now[0]])
        monkeypatch.setattr(connecting, "marks", lambda _: (now[0],))
        settings = load({"home": tmp_path, "log_level": "error"})

        def make(target: Target) -> Any:
            opened.append(target.uri)
            return create_app(resolved(settings, target))

        app = Following(settings, make, pause=0)
        transport = httpx2.ASGITransport(app=app)
        async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
            found = []
            for now[0] in steps:
                found.append((await client.get("/readyz", timeout=60)).status_code)
        await app.close()
    assert found == [503, 503, 200, 200]
    assert len(opened) == 3
