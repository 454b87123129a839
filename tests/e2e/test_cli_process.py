import asyncio
import json
import os
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import IO, Any

import pytest
from chaos.proxy import Proxy
from command import TIMEOUT, Command
from conftest import Neo4j
from neo4j import GraphDatabase


@pytest.fixture
def gotn(neo4j_environment: dict[str, str], tmp_path: Path) -> Command:
    """The command on the tests' Neo4j, with a home of its own."""
    return Command(neo4j_environment, tmp_path, process=True)


@pytest.fixture
def alone(tmp_path: Path) -> Command:
    """The command where no Neo4j is named and none runs."""
    return Command({}, tmp_path, process=True)


def _port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def _started(gotn: Command, *words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "gotn", *gotn.words(*words)],
        env=gotn.variables() | {"PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def _until(stream: IO[str] | None, beginning: str) -> str:
    """The first line that begins so."""
    assert stream is not None
    return next(line for line in stream if line.startswith(beginning))


def _ended(process: subprocess.Popen[str]) -> tuple[int, str]:
    """The exit code, and what was printed to stderr."""
    _, err = process.communicate(timeout=TIMEOUT)
    return process.returncode, err


def _get(url: str) -> Any:
    with urllib.request.urlopen(url, timeout=30) as answer:
        return json.load(answer)


def test_without_neo4j(alone: Command) -> None:
    """Verbs that need data end with 8 and say what to do; status and down are calm."""
    error = alone.error("ready", code=8)
    assert error["code"] == "DATABASE_UNAVAILABLE"
    assert "gotn up" in error["message"]
    state = alone.data("status")
    assert (state["source"], state["answers"], state["running"]) == ("managed", False, False)
    assert alone.data("down") == {"stopped": False}
    assert alone.error("browser", code=8)["code"] == "DATABASE_UNAVAILABLE"
    found = alone.data("doctor", code=1)
    wrong = {check["name"]: check["mend"] for check in found["checks"] if check["ok"] is False}
    assert wrong["server"] == "gotn up"
    assert "Traceback" not in alone.text("doctor", code=1)


def test_an_address_that_does_not_answer(tmp_path: Path) -> None:
    """NEO4J_URI that nobody listens on: 8, quickly, with the address of the trouble."""
    gotn = Command({"NEO4J_URI": f"bolt://127.0.0.1:{_port()}"}, tmp_path, process=True)
    assert gotn.error("ready", code=8)["code"] == "DATABASE_UNAVAILABLE"
    assert gotn.data("status")["answers"] is False


def test_bad_settings_name_the_variable(alone: Command) -> None:
    """Every verb that reads settings says which one is wrong; doctor as well."""
    alone.extra["GOTN_PORT"] = "eighty"
    assert alone.error("config", "show", code=1)["message"].startswith("GOTN_PORT: ")
    checks = alone.data("doctor", code=1)["checks"]
    assert [check["name"] for check in checks] == ["settings"]


@pytest.mark.parametrize("scheme", ["bolt", "http"])
def test_a_password_in_the_address_is_never_printed(tmp_path: Path, scheme: str) -> None:
    """Whether the address could be one or not: refused, and every verb keeps it to itself."""
    secret = "hush-4711" + "x" * 60
    gotn = Command({"NEO4J_URI": f"{scheme}://neo4j:{secret}@127.0.0.1:{_port()}"}, tmp_path)
    printed = ""
    for words in (["ready"], ["status"], ["config", "show"], ["browser"], ["doctor"], ["up"]):
        for more in ([], ["--json"], ["--debug"]):
            done = gotn.run(*words, *more)
            printed += done.stdout + done.stderr
    assert "hush" not in printed
    assert gotn.run("ready").returncode == (8 if scheme == "bolt" else 1)
    assert ("NEO4J_PASSWORD" if scheme == "bolt" else "NEO4J_URI: expected") in printed


def test_config_show(gotn: Command) -> None:
    """Values with their origins, and no secret."""
    gotn.extra |= {"GOTN_API_KEY": "hush-4711", "GOTN_MAX_DEPTH": "7"}
    found = {one["name"]: one for one in gotn.data("config", "show")["settings"]}
    assert (found["max_depth"]["value"], found["max_depth"]["origin"]) == (7, "GOTN_MAX_DEPTH")
    assert found["actor"]["origin"] == "GOTN_ACTOR"
    assert "hush-4711" not in gotn.text("config", "show") + json.dumps(found)


def test_help_is_for_programs_too(alone: Command) -> None:
    """`help --json` prints the tree; `help VERB` explains one; completion prints a script."""
    tree = alone.data("help")
    assert {"node", "plan", "demo"} <= {one["name"] for one in tree["commands"]}
    assert "--target" in alone.text("help", "plan")
    assert alone.error("help", "nonsense", code=3)["code"] == "NOT_FOUND"
    assert "_gotn_completion" in alone.text("completion", "bash")
    assert "complete -c" in alone.text("completion", "fish") or alone.text("completion", "fish")


def test_set_up_on_a_named_neo4j(gotn: Command) -> None:
    """Up and migrate touch only the schema of NEO4J_URI; status tells what is there."""
    assert gotn.data("up")["managed"] is False
    assert gotn.data("migrate") == {"applied": []}
    state = gotn.data("status")
    assert (state["source"], state["answers"], state["pending"]) == ("NEO4J_URI", True, [])
    assert not list(gotn.home.iterdir())


def test_a_reader_that_leaves(gotn: Command) -> None:
    """`gotn … | head` ends quietly."""
    process = _started(gotn, "help", "--json")
    assert process.stdout is not None
    process.stdout.close()
    process.stdout = None
    assert _ended(process) == (0, "")


def test_demo_once(gotn: Command) -> None:
    """The demonstration ends after the plan and leaves what was running alone."""
    done = gotn.run("demo", "--once")
    assert done.returncode == 0
    for title in ("Plan run-", "Why in this order", "Critical path", "Ready now", "Waiting on",
                  "Blocked", "Unmet requirements", "Executed, as a", "with kill -9"):  # fmt: skip
        assert title in done.stdout
    assert "69 nodes" in done.stderr
    assert re.search(r"say: \d+ pairs alike \(all-MiniLM-L6-v2@", done.stderr)
    assert "Put together because their" in done.stdout
    assert _drawn(gotn, done.stdout) >= 3
    assert "Layer 4" in done.stdout
    assert re.search(r"run-\S+ completed: 40 steps by 3 worker processes", done.stdout)
    killed = re.search(r"Killed +(\w+), with kill -9 in the middle of (\w+)", done.stdout)
    heir = re.search(r"Then .* and (\w+) did (\w+), attempt (\d+)", done.stdout)
    assert killed
    assert heir
    assert killed[1] != heir[1]
    assert (killed[2], int(heir[3]) >= 2) == (heir[2], True)
    assert "replayed: the same graph" in done.stdout
    assert f"A tree of tasks executed {killed[2]}" in done.stdout
    assert "0.0869 USD, 29,780 tokens, 5 tasks, 6 tries" in done.stdout
    found = gotn.data("cost", "show", "-p", "demo-run", "--node", killed[2])
    assert "0.086900000000" == found["inclusive"]["total_cost_usd"]
    assert gotn.data("journal", "verify", "-p", "demo-run")["equal"]


def _drawn(gotn: Command, shown: str) -> int:
    """Rows of what is to be pasted into Neo4j Browser, each with its evidence; it runs as it is."""
    texts = re.findall(r"^// Draw [^\n]*\n((?:[^\n]+\n)+)", shown, re.MULTILINE)
    assert len(texts) == 2
    given = gotn.variables()
    auth = (given["NEO4J_USERNAME"], given["NEO4J_PASSWORD"])
    with GraphDatabase.driver(given["NEO4J_URI"], auth=auth if auth[1] else None) as driver:
        alike, groups = (driver.execute_query(text).records for text in texts)
    assert all(row["evidence"] for row in groups)
    assert {row["alike"].element_id for row in groups} <= {row["alike"].element_id for row in alike}
    return len(groups)


def test_serve_until_interrupted(gotn: Command) -> None:
    """The API answers where serve says, and Ctrl-C ends it with 130 and no traceback."""
    process = _started(gotn, "serve", "--port", str(_port()))
    try:
        api = _until(process.stdout, "GraphQL").split()[1]
        base = api.removesuffix("/graphql")
        assert _get(f"{base}/healthz")
        assert _get(f"{base}/readyz")["status"] == "ready"
    finally:
        process.send_signal(signal.SIGINT)
        code, err = _ended(process)
    assert code == 130
    assert "Traceback" not in err


def test_a_port_that_is_taken(gotn: Command) -> None:
    """A port that was asked for and is taken is an error that names it; 4, as a conflict."""
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = str(other.getsockname()[1])
        error = gotn.error("serve", "--port", port, code=4)
    assert port in error["message"]


def test_serving_the_world_needs_a_key(gotn: Command) -> None:
    """An address that is not loopback is refused without GOTN_API_KEY."""
    error = gotn.error("serve", "--host", "0.0.0.0", code=1)
    assert error["code"] == "FORBIDDEN"
    assert "GOTN_API_KEY" in error["message"]


def test_demo_stops_what_it_started(gotn: Command) -> None:
    """After the plan the demo serves; a signal ends the server, and the named Neo4j stays."""
    process = _started(gotn, "demo")
    try:
        api = _until(process.stdout, "GraphQL").split()[1]
        assert _get(f"{api.removesuffix('/graphql')}/readyz")["status"] == "ready"
    finally:
        os.kill(process.pid, signal.SIGTERM)
        code, err = _ended(process)
    assert code in (143, -signal.SIGTERM)
    assert "Traceback" not in err
    assert gotn.data("status")["answers"] is True


def test_a_journal_is_followed(gotn: Command, project: str) -> None:
    """Old entries, then those that others write, one line of JSON each, until it is interrupted."""
    gotn.project = project
    words = ("--kind", "k", "--summary", "s", "--prompt", "p")
    for id_ in ("one", "two"):
        gotn.data("node", "add", id_, *words)
    process = _started(gotn, "journal", "tail", "--follow", "--limit", "1", "--json")
    assert process.stdout is not None
    first = json.loads(process.stdout.readline())
    assert (3, "add_node") == (first["seq"], first["event"])
    gotn.data("node", "add", "three", *words)
    second = json.loads(process.stdout.readline())
    assert (4, "three") == (second["seq"], second["data"]["items"][0]["node"]["id"])
    process.send_signal(signal.SIGINT)
    code, said = _ended(process)
    assert (130, "") == (code, said)
    shown = _started(gotn, "journal", "tail", "-f", "--limit", "2")
    assert shown.stdout is not None
    assert shown.stdout.readline().startswith("3  ")
    assert "three" in shown.stdout.readline()
    shown.send_signal(signal.SIGTERM)
    shown.communicate(timeout=TIMEOUT)


async def test_following_outlives_a_database_that_is_away(
    gotn: Command, project: str, neo4j_server: Neo4j
) -> None:
    """It says once that Neo4j is away, once that it is back, and tells what came meanwhile."""
    words = ("-p", project, "--kind", "k", "--summary", "s", "--prompt", "p")
    gotn.data("node", "add", "one", *words)
    proxy = Proxy(int(neo4j_server.uri.rpartition(":")[2]))
    await proxy.open()
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "gotn", "journal", "tail", "-f", "--limit", "1", "-p", project),
        env=gotn.variables() | {"NEO4J_URI": f"bolt://127.0.0.1:{proxy.port}"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    try:
        assert b"one" in await process.stdout.readline()
        await proxy.close()
        assert b"does not answer; waiting" in await process.stderr.readline()
        await asyncio.to_thread(gotn.data, "node", "add", "two", *words)
        await proxy.open()
        assert b"answers again" in await process.stderr.readline()
        assert b"two" in await process.stdout.readline()
        process.send_signal(signal.SIGINT)
        assert await process.wait() == 130
        assert await process.stderr.read() == b""
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
        await proxy.close()
