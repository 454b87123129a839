"""The demonstration's tree: a node of the plan executed by the agent protocol (004).

A rehearsal, too: what agents would answer and use is written down here. What is real are the
claims, the retry, the merged result and every sum.
"""

import asyncio
from decimal import Decimal
from operator import mul
from typing import TYPE_CHECKING, Any

from gotn import shapes
from gotn.cli.call import Call
from gotn.cli.connecting import Target
from gotn.cli.connecting import run as run_on
from gotn.cli.costing import plain, short
from gotn.cli.show import parts
from gotn.cli.views import tasks as views
from gotn.database.connection import Database
from gotn.trees import exchange
from gotn.trees.records import Claimed, Grouping
from gotn.trees.rules import totals
from gotn.trees.usecases import claiming, costing, executing, exporting, planting
from gotn.work.usecases.writing import Request

if TYPE_CHECKING:
    from rich.console import Console

Row = dict[str, Any]
TREE = "tree-00000001"
_SMALL, _LARGE = "small-model", "large-model"
#: USD of a million tokens in and out.
_PRICES = {_SMALL: (1, 5), _LARGE: (3, 15)}
ROOT: Row = {
    "node_id": "task-00000001",
    "prompt": "Serve a first GraphQL schema over HTTP",
    "status": "pending",
    "decomposition_strategy": "map-reduce",
    "merge_strategy": "concatenate",
    "execution_config": {"model": _LARGE},
}
#: What the root splits into: the prompt, its model, and of each try the tokens in and out.
PARTS: tuple[tuple[str, str, tuple[tuple[int, int], ...]], ...] = (
    ("Map the records to GraphQL types", _SMALL, ((5200, 1430),)),
    ("Route /graphql on Starlette", _SMALL, ((3100, 610), (3400, 880))),
    ("Mask errors and give them ids", _SMALL, ((2700, 540),)),
    ("Put the parts together and check them", _LARGE, ((6100, 1270),)),
)
SPLIT = (4200, 350)


def split(call: Call, target: Target, project: str, node: str) -> Row:
    """Execute a tree for a node; what came of it and what it cost."""
    return run_on(target, lambda database: _split(call, database, project, node))


async def _split(call: Call, database: Database, project: str, node: str) -> Row:
    request = Request(project_id=project, actor=call.settings.actor)
    metadata = {"tree_id": TREE, "root_prompt": ROOT["prompt"], "session_id": "demo"}
    document = {"version": "1.0.0", "root_task": ROOT, "metadata": metadata}
    draft = exchange.read(shapes.dumps(document))
    await planting.plant(database, request, draft, executes=node)
    await _executed(database, request)
    found = await exporting.whole(database, project, TREE)
    sums = totals.inclusive(found.tasks)
    spent = await costing.show(database, project, costing.Scope(node=node), Grouping.MODEL)
    return {
        "tree_id": TREE,
        "node": node,
        "project": project,
        "drawn": views.ascii_tree(found.tasks, sums).splitlines(),
        "cost": plain(spent.inclusive),
        "by_model": [{"model": one.name} | plain(one.total) for one in spent.groups],
        "tries": sum(row.get("attempt", 0) for row in found.tasks),
    }


async def _executed(database: Database, request: Request) -> None:
    """Claim and finish until nothing is left; the root is split as it is finished."""
    retry = {"retry_policy": {"max_retries": 1, "backoff_ms": 0}}
    children = [
        {"prompt": prompt, "execution_config": {"model": model} | retry}
        for prompt, model, _ in PARTS
    ]
    root = await claiming.claim(database, request, TREE, "ann")
    await _finish(database, request, root, SPLIT, children=tuple(children))
    tries = {prompt: list(used) for prompt, _, used in PARTS}
    while True:
        workers = ("ann", "ben", "cleo")
        claims = [claiming.claim(database, request, TREE, worker) for worker in workers]
        taken = [one for one in await asyncio.gather(*claims) if one.task_id is not None]
        if not taken:
            return
        for one in taken:
            left = tries[str(one.prompt).rpartition("\n\n")[2]]
            await _finish(database, request, one, left.pop(0), failed=bool(left))


async def _finish(
    database: Database,
    request: Request,
    one: Claimed,
    tokens: tuple[int, int],
    *,
    failed: bool = False,
    children: tuple[Row, ...] = (),
) -> None:
    """End a claim with an answer, and with tokens and money by the model's price."""
    asked = str(one.prompt).rpartition("\n\n")[2]
    result = {"status": "failed" if failed else "success", "output": f"Done: {asked}"}
    prices = _PRICES[(one.execution_config or {})["model"]]
    await executing.finish(
        *(database, request, TREE, str(one.task_id), str(one.token)),
        status="failed" if failed else "completed",
        result=result | ({} if failed else {"confidence": 0.9}),
        cost=dict(zip(("input_tokens", "output_tokens"), tokens, strict=True))
        | {"total_cost_usd": _price(tokens, prices)},
        children=children,
    )


def _price(tokens: tuple[int, int], prices: tuple[int, int]) -> Decimal:
    return Decimal(sum(map(mul, tokens, prices))) / 1_000_000


def show(found: Row, console: "Console") -> None:
    """The tree, and what its node cost through it."""
    note = "a rehearsal, too: answers, tokens and prices are made up, the sums are not"
    parts.heading(console, f"A tree of tasks executed {found['node']}", note)
    for line in found["drawn"]:
        console.print(f"  {line}", markup=False, soft_wrap=True)
    total = found["cost"]
    models = ", ".join(
        f"{one['model']} {short(one['total_cost_usd'])}" for one in found["by_model"]
    )
    parts.facts(
        console,
        {
            f"Cost of {found['node']}": f"{short(total['total_cost_usd'])} USD, "
            f"{total['total_tokens']:,} tokens, {parts.count(total['tasks'], 'task')}, "
            f"{found['tries']} tries, the failed one counted",
            "By model": f"{models} USD",
        },
    )
