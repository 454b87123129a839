"""Many workers share one run on a real database: nothing twice, nothing lost, nobody waits long."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from conftest import Neo4j
from factories import make_edge, make_node
from graphs import assert_verified

from gotn import journal
from gotn.database.connection import Database
from gotn.work.records import ClaimStatus, RunStatus
from gotn.work.store import runs as run_store
from gotn.work.usecases import bulk, claiming, ending, planning
from gotn.work.usecases.queue import WriteQueue
from gotn.work.usecases.writing import Request

WORKERS = 64


async def planned(database: Database, request: Request, layers: int, width: int) -> str:
    """A run of `layers` times `width` steps; each needs one or two of the layer before."""
    ids = [[f"n{layer}-{i}" for i in range(width)] for layer in range(layers)]
    hard = [
        make_edge(ids[layer - 1][(i + shift) % width], ids[layer][i])
        for layer in range(1, layers)
        for i in range(width)
        for shift in range(1 + i % 2)
    ]
    nodes = [make_node(id_) for layer in ids for id_ in layer]
    await bulk.add_graph(database, request, nodes, hard)
    return (await planning.plan(database, request)).run_id or ""


async def work(
    database: Database, request: Request, run: str, name: str, taken: list[tuple[int, str, str]]
) -> None:
    """Claim and complete until the run is over; note each claim with the journal's seq."""
    while True:
        journal.last_seq.set({})
        claim = await claiming.claim(database, request, run, name)
        if claim.status is ClaimStatus.RUN_ENDED:
            return
        if claim.node is None:
            await asyncio.sleep(0.001)  # others must complete first
            continue
        seq = (journal.last_seq.get() or {})[request.project_id]
        taken.append((seq, claim.node.id, name))
        await ending.complete(database, request, run, claim.node.id, claim.token or "")


async def together(
    databases: Sequence[Database], request: Request, run: str
) -> list[tuple[int, str, str]]:
    """Every worker's claims; the workers are spread over so many servers."""
    queues = [WriteQueue() for _ in databases]
    taken: list[tuple[int, str, str]] = []
    await asyncio.gather(
        *(
            asyncio.create_task(
                work(
                    databases[i % len(databases)],
                    replace(request, queue=queues[i % len(databases)], actor=f"w{i}"),
                    run,
                    f"w{i}",
                    taken,
                )
            )
            for i in range(WORKERS)
        )
    )
    for queue in queues:
        await queue.close()
    return taken


async def assert_done(
    database: Database, request: Request, run: str, taken: list[tuple[int, str, str]], steps: int
) -> None:
    """Each step was claimed once, and is completed; the journal says so too."""
    assert steps == len(taken)
    assert {1} == set(Counter(id_ for _, id_, _ in taken).values())
    stored = await database.read(lambda tx: run_store.get(tx, request.project_id, [run]))
    assert RunStatus.COMPLETED.value == stored[run]["status"]
    ends = Counter(
        [
            item["step"]["node"]
            async for entry in journal.entries(database, request.project_id)
            if entry.event == "execute_step"
            for item in entry.items()
            if "step" in item
        ]
    )
    assert (steps, {1}) == (len(ends), set(ends.values()))
    await assert_verified(database, request.project_id)


async def test_64_workers_share_a_run(database: Database, request_: Request) -> None:
    """No double claim, nothing lost; layers are respected; everybody gets their share."""
    run = await planned(database, request_, 6, 64)
    taken = await together([database], request_, run)
    await assert_done(database, request_, run, taken, 6 * 64)


async def test_nobody_waits_longer_than_64_claims(database: Database, request_: Request) -> None:
    """While 64 ask, between a worker's asking and its answer at most 64 others are served."""
    run = await planned(database, request_, 1, 1024)
    request = replace(request_, queue=WriteQueue())
    served = 0
    longest = 0

    async def ask(name: str) -> None:
        nonlocal served, longest
        for _ in range(16):
            before = served
            claim = await claiming.claim(database, request, run, name)
            assert ClaimStatus.CLAIMED is claim.status
            longest = max(longest, served - before)
            served += 1

    await asyncio.gather(*(asyncio.create_task(ask(f"w{i}")) for i in range(WORKERS)))
    assert 1024 == served
    assert longest <= WORKERS, longest
    steps = [
        item["step"]["node"]
        async for entry in journal.entries(database, request_.project_id)
        if entry.event == "update_run"
        for item in entry.items()
        if "step" in item
    ]
    assert (1024, 1024) == (len(steps), len(set(steps)))


async def test_two_servers_share_a_run(
    database: Database, neo4j_server: Neo4j, request_: Request
) -> None:
    """Each with a queue of its own: the project's lock keeps them apart."""
    run = await planned(database, request_, 4, 48)
    other = Database.open(neo4j_server.uri, neo4j_server.user, neo4j_server.password)
    try:
        taken = await together([database, other], request_, run)
    finally:
        await other.close()
    await assert_done(database, request_, run, taken, 4 * 48)
