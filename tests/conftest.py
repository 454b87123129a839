"""Where tests find their Neo4j: never a user's own, one server a session, one project a test."""

import importlib
import os
import uuid
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest
from browser.chromium import Browser, BrowserMissing, Page, launched

from gotn.across import contexts  # noqa: F401  # makes every context known
from gotn.database import schema
from gotn.database.connection import Database
from gotn.work.usecases.writing import Request


@dataclass(frozen=True)
class Neo4j:
    """A server that tests may write to."""

    uri: str
    user: str
    password: str
    way: str

    @property
    def environment(self) -> dict[str, str]:
        """What a subprocess needs to use it."""
        return {
            "NEO4J_URI": self.uri,
            "NEO4J_USERNAME": self.user,
            "NEO4J_PASSWORD": self.password,
        }


def missing(reason: str) -> None:
    """Skip, or fail where CI says that nothing may be left out."""
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


def _container(stack: ExitStack) -> Neo4j | None:
    """A container of the official image, where a Docker daemon has or can get it."""
    if not os.environ.get("DOCKER_HOST") and not Path("/var/run/docker.sock").exists():
        return None  # the client would leave its socket open, a warning in whatever test is next
    try:
        # By name: the folder docker/ of this repository would pass for the package.
        docker = importlib.import_module("docker")
        from testcontainers.community.neo4j import Neo4jContainer  # noqa: PLC0415
    except ImportError:
        return None
    try:
        client = docker.from_env(timeout=5)
        client.ping()
        box = stack.enter_context(Neo4jContainer("neo4j:5.26-community", password="test-pass-1"))
    except (docker.errors.DockerException, OSError) as error:
        print(f"no container: {str(error).splitlines()[0][:200]}")
        return None
    return Neo4j(box.get_connection_url(), "neo4j", "test-pass-1", "testcontainers")


def _managed(stack: ExitStack) -> Neo4j:
    """A server of our own that ends with this process."""
    from gotn.provision import Paths, default_home, ephemeral  # noqa: PLC0415
    from gotn.provision.memory import Profile  # noqa: PLC0415

    server = stack.enter_context(
        ephemeral(Paths(default_home()).downloads, profile=Profile(heap_mb=1024, page_cache_mb=256))
    )
    return Neo4j(server.bolt_uri, server.user, server.password, "managed")


@pytest.fixture(scope="session")
def neo4j_server() -> Iterator[Neo4j]:
    """GOTN_TEST_NEO4J_URI, else a container, else a managed server; GOTN_TEST_WAY forces one."""
    way = os.environ.get("GOTN_TEST_WAY", "")
    if way not in ("", "uri", "testcontainers", "managed"):
        pytest.fail(f"GOTN_TEST_WAY: expected uri, testcontainers or managed, found {way!r}")
    with ExitStack() as stack:
        found: Neo4j | None = None
        uri = os.environ.get("GOTN_TEST_NEO4J_URI")
        if uri and way in ("", "uri"):
            user = os.environ.get("GOTN_TEST_NEO4J_USERNAME", "neo4j")
            found = Neo4j(uri, user, os.environ.get("GOTN_TEST_NEO4J_PASSWORD", ""), "uri")
        if found is None and way in ("", "testcontainers"):
            found = _container(stack)
        if found is None and way in ("", "managed"):
            found = _managed(stack)
        if found is None:
            missing(f"no Neo4j for tests by way {way!r}")
        assert found is not None
        print(f"tests run on {found.uri} ({found.way})")
        yield found


@pytest.fixture(scope="session")
async def database(neo4j_server: Neo4j) -> AsyncIterator[Database]:
    """The migrated database that all tests share."""
    opened = Database.open(neo4j_server.uri, neo4j_server.user, neo4j_server.password)
    await schema.migrate(opened)
    yield opened
    await opened.close()


@pytest.fixture(scope="session")
def neo4j_environment(neo4j_server: Neo4j, database: Database) -> dict[str, str]:
    """Environment variables for a subprocess; the schema is there."""
    return neo4j_server.environment


@pytest.fixture
def project() -> str:
    """A project of its own for each test: no wiping, and tests can run beside each other."""
    return f"t-{uuid.uuid4().hex[:16]}"


@pytest.fixture
def request_(project: str) -> Request:
    """A write in this test's project."""
    return Request(project_id=project, actor="tester")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real input; skipped without it, unless CI says that it must be there."""
    given = os.environ.get("GOTN_SHARED_DATA")
    beside = Path(__file__).parents[2] / "shared"
    folder = Path(given) if given else beside / "data"
    if folder.is_dir():
        return folder
    reason = f"no data folder at {folder}: set GOTN_SHARED_DATA"
    if os.environ.get("CI") == "true" and (given or beside.exists()):
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One headless Chromium; without it tests are skipped, unless CI says that it must be there."""
    with ExitStack() as stack:
        try:
            yield stack.enter_context(launched())
        except BrowserMissing as error:
            missing(str(error))


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page of this test's own; see browser.chromium."""
    with browser.page() as found:
        yield found
