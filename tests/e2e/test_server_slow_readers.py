"""What readers that do not read cost a real `gotn serve`: entries of megabytes, real sockets."""

import asyncio
import json
import re
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from following import connected, serving

from gotn.database.connection import Database
from gotn.work.records import WorkNodeDraft
from gotn.work.usecases import bulk, projects
from gotn.work.usecases.writing import Request

DATA = """subscription($p: String!) {
  journalEvents(project: $p, after: 0) { seq timestamp data } }"""
#: Entries of some 3 MB, and readers of each transport that never read.
ENTRIES, NODES, LENGTH = 12, 1000, 2700
READERS = 6
#: MiB that a reader may cost: an entry on its way, and the next as its text.
EACH = 8
#: A WebSocket whose client takes a message or two from it, and no more until it reads.
BLOCKED: dict[str, Any] = {
    "max_queue": 1,
    "max_size": None,
    "compression": None,
    "close_timeout": 0.1,
}
needs_proc = pytest.mark.skipif(
    not Path("/proc/self/status").exists(), reason="Linux alone tells memory so"
)


@needs_proc
async def test_readers_that_do_not_read_cost_little(
    neo4j_environment: dict[str, str], database: Database, project: str
) -> None:
    """Each holds about the entry it is sent, and a quick one beside them gets everything."""
    asked = Request(project_id=project, actor="other")
    for number in range(ENTRIES):
        await bulk.add_graph(database, asked, [_node(number, i) for i in range(NODES)], [])
    last = (await projects.show(database, project)).seq
    async with AsyncExitStack() as stack:
        url = stack.enter_context(serving(neo4j_environment))
        server = _server(url)
        await _everything(url, project, last)
        before = _own_memory(server)
        for _ in range(READERS):
            await stack.enter_async_context(_blocked_events(url, project))
            client = await stack.enter_async_context(connected(url, **BLOCKED))
            await client.subscribe("1", DATA, p=project)
        await _everything(url, project, last)
        grown = _own_memory(server) - before
        print(f"{before} MiB before, {grown} MiB more, {2 * READERS} readers")
        assert grown < 2 * READERS * EACH


def _node(entry: int, number: int) -> WorkNodeDraft:
    text = f"{entry} {number} ".ljust(LENGTH, "x")
    return WorkNodeDraft(id=f"n{entry}-{number}", kind="k", summary="s", prompt_text=text)


async def _everything(url: str, project: str, last: int) -> None:
    """Read the whole journal as fast as it comes."""
    async with connected(url, max_size=None) as quick:
        await quick.subscribe("1", DATA, p=project)
        assert await quick.seqs(last) == list(range(1, last + 1))


@asynccontextmanager
async def _blocked_events(url: str, project: str) -> AsyncIterator[None]:
    """A reader of server-sent events that reads nothing after it has asked."""
    host, port = url.removeprefix("http://").split(":")
    body = json.dumps({"query": DATA, "variables": {"p": project}}).encode()
    head = (
        f"POST /graphql HTTP/1.1\r\nhost: {host}:{port}\r\naccept: text/event-stream\r\n"
        f"content-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
    )
    _, writer = await asyncio.open_connection(host, int(port), limit=1024)
    writer.write(head.encode() + body)
    try:
        yield
    finally:
        writer.transport.abort()


def _server(url: str) -> int:
    """The process that serves this address."""
    asked = f"serve\0--port\0{url.rsplit(':', 1)[1]}\0".encode()
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if asked in path.read_bytes():
                return int(path.parent.name)
        except OSError:
            continue  # it has ended
    raise AssertionError(url)


def _own_memory(process: int) -> int:
    """MiB of its own that a process has now."""
    status = Path(f"/proc/{process}/status").read_text()
    found = re.search(r"RssAnon:\s*(\d+)", status)
    assert found
    return int(found[1]) // 1024
