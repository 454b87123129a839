"""The processes that are measured: a Neo4j of our own, `gotn serve`, and the floor's server."""

import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

from gotn.provision import Paths, Profile, default_home, ephemeral

#: Seconds that a server gets to answer.
_PATIENCE = 60.0
#: A server that runs, giving its address.
Running = AbstractContextManager[str]
TESTS = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Neo4j:
    """Where the measured Neo4j is."""

    uri: str
    user: str
    password: str
    #: Whether it ends with the run, so that nothing need be cleaned up.
    throw_away: bool = True


@contextmanager
def neo4j(*, large: bool) -> Iterator[Neo4j]:
    """The Neo4j that GOTN_BENCH_NEO4J_URI names, else one that ends with this run."""
    if uri := os.environ.get("GOTN_BENCH_NEO4J_URI"):
        user = os.environ.get("GOTN_BENCH_NEO4J_USERNAME", "neo4j")
        password = os.environ.get("GOTN_BENCH_NEO4J_PASSWORD", "")
        yield Neo4j(uri, user, password, throw_away=False)
        return
    profile = Profile(
        heap_mb=6144 if large else 2048, page_cache_mb=2048 if large else 1024, tx_log_size="256m"
    )
    downloads = Paths(default_home()).downloads
    with ephemeral(downloads, profile=profile, report=_say) as server:
        yield Neo4j(server.bolt_uri, server.user, server.password)


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


@contextmanager
def api(server: Neo4j) -> Iterator[str]:
    """`gotn serve` as people run it, and the address of its GraphQL."""
    given = {"NEO4J_URI": server.uri, "NEO4J_USERNAME": server.user}
    if server.password:
        given["NEO4J_PASSWORD"] = server.password
    port = free_port()
    command = [sys.executable, "-m", "gotn", "serve", "--port", str(port)]
    with (
        tempfile.TemporaryDirectory(prefix="gotn-bench-") as home,
        running(command, given | {"GOTN_HOME": home}, port) as url,
    ):
        yield f"{url}/graphql"


@contextmanager
def rest(server: Neo4j) -> Iterator[str]:
    """The floor's server, and its address."""
    given = {
        "BENCH_NEO4J_URI": server.uri,
        "BENCH_NEO4J_USER": server.user,
        "BENCH_NEO4J_PASSWORD": server.password,
        "PYTHONPATH": str(TESTS),
    }
    port = free_port()
    command = [sys.executable, "-m", "uvicorn", "bench.rest:app", "--port", str(port)]
    quiet = ["--log-level", "warning", "--no-access-log", "--no-server-header"]
    with running([*command, *quiet], given, port) as url:
        yield url


@contextmanager
def running(command: list[str], given: Mapping[str, str], port: int) -> Iterator[str]:
    """A server while it is used, and its address; what it said is shown if that goes wrong."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("GOTN_", "NEO4J_"))}
    url = f"http://127.0.0.1:{port}"
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(
            command,
            env=kept | dict(given),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=said,
        )
        try:
            _wait(process, url)
            yield url
        except BaseException:
            said.seek(0)
            _say(said.read()[-2000:].decode(errors="replace"))
            raise
        finally:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _wait(process: subprocess.Popen[bytes], url: str) -> None:
    until = time.monotonic() + _PATIENCE
    while time.monotonic() < until:
        if process.poll() is not None:
            break
        try:
            with urllib.request.urlopen(f"{url}/readyz", timeout=5):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
    raise RuntimeError(f"no server answers at {url}")


def free_port() -> int:
    """A port that nobody has just now."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port
