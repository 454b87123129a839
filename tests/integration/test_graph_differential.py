"""Compiled answers against normal execution, which is the oracle: random documents, real rows.

Fixed seeds here; GOTN_TEST_PROFILE=fuzz (`make fuzz`) takes many random ones.
"""

import os
import random
import re
from base64 import urlsafe_b64decode
from collections import Counter
from typing import Any

import orjson
import pytest
from documents import make_edge as document_edge
from documents import take
from factories import make_edge, make_node
from random_documents import Document, Pool

from gotn.api.context import Context
from gotn.api.limits import Limits
from gotn.api.schema import Schema
from gotn.database.connection import Database
from gotn.work.records import EdgeType, NodeStatus
from gotn.work.usecases import bulk, link, nodes, planning
from gotn.work.usecases.writing import Request

#: Where one of several fields fails, graphql-core cancels the others, some before they began.
pytestmark = pytest.mark.filterwarnings(
    "ignore:coroutine .* was never awaited:RuntimeWarning",
    "ignore::pytest.PytestUnraisableExceptionWarning",
)
FUZZ = os.environ.get("GOTN_TEST_PROFILE") == "fuzz"
COUNT, GROUP = (20_000, 100) if FUZZ else (60, 30)
FIRST = random.SystemRandom().randrange(10**9) if FUZZ else 1
LIMITS = Limits(complexity=10_000_000, aliases=1000)
NASTY = ("a/b%", "ünï \" ' ` \\ {x}", "$project", "n'); MATCH (x) //", "\u2028é\x01", "Z" * 300)


@pytest.fixture(scope="module")
async def filled(database: Database) -> str:
    """A project with a bit of everything, and every kind of value that is hard to carry."""
    project = f"t-differential-{random.SystemRandom().randrange(10**9)}"
    request = Request(project_id=project, actor="tester")
    ids = [*NASTY, *(f"n{i:02}" for i in range(24))]
    made = [
        make_node(
            id_,
            kind=("micro_prompt", "code_symbol", NASTY[1])[i % 3],
            summary=f"{id_} {i}",
            parent=ids[i // 3] if i % 4 and i > 3 else None,
            requires=tuple(f"t{n}" for n in range(i % 3 if i > 5 else 0)),
            produces=(f"t{i % 5}", NASTY[0]) if i < 5 else (),
            tags=("x", NASTY[1]) if i % 2 else (),
            guards=["file: x", {"type": "assertion", "value": {"deep": [1, None, 1e300]}}],
            extra={"estimate_minutes": i, "ä": [1.5, True, None, {"b": "\u2028"}]}
            if i % 2
            else None,
            exec_target=NASTY[2] if i % 5 == 0 else None,
            status=list(NodeStatus)[i % 6],
            created_at=f"2025-01-{i % 7 + 1:02}T10:30:00{('', '.5', '.123456')[i % 3]}Z",
        )
        for i, id_ in enumerate(ids)
    ]
    joined = [make_edge(ids[i], ids[i + step]) for step in (1, 5) for i in range(len(ids) - 5)]
    for i in range(0, 20, 2):
        soft = {"type": EdgeType.SOFT_SEMANTIC, "score": i / 20, "evidence": NASTY[1]}
        joined.append(make_edge(ids[i], ids[i + 3], **soft))
        joined.append(make_edge(ids[i + 1], ids[i], type=EdgeType.RELATED, kind=f"k{i % 3}"))
    await bulk.add_graph(database, request, made, joined, link=True)
    waiting = [
        document_edge("n01", "not there yet", "related", kind="k", evidence="e"),
        document_edge("nor this", "n02", provenance={"x": [1]}, extra={"y": 1}),
    ]
    await bulk.import_graph(database, request, take(orjson.dumps({"edges": waiting})))
    for goal in ("one", NASTY[1]):
        await planning.plan(database, request, goal=goal)
    await nodes.update(database, request, "n03", {"summary": "changed"})
    await link.link(database, request)
    return project


@pytest.fixture(scope="module")
async def pool(database: Database, filled: str) -> Pool:
    """What arguments are chosen from in this project."""
    schema = Schema(LIMITS)
    answer = await schema.execute(
        "query Q($p: String!) { workNodes(project: $p) { nodes { id nodeId tags produces } } "
        "runs(project: $p) { nodes { id runId } } journal(project: $p, first: 9) { nodes { id } } "
        "project(project: $p) { id } }",
        {"p": filled},
        Context(database),
    )
    found: Any = answer.data
    rows = found["workNodes"]["nodes"]
    ids = [*(row["nodeId"] for row in rows), "not there yet", "", "\x00"]
    every = [*rows, *found["runs"]["nodes"], *found["journal"]["nodes"], found["project"]]
    globals_ = [*(row["id"] for row in every), "WorkNode:x/y", "Run:", "junk", "Nothing:x"]
    runs = [row["runId"] for row in found["runs"]["nodes"]]
    return Pool(
        filled,
        {
            "id": [*ids, *runs],
            "globalId": globals_,
            **dict.fromkeys(("src", "dst", "parent"), ids),
            **{name: ["t0", "t1", "t4", NASTY[0], "x"] for name in ("requires", "produces")},
            "tag": ["x", NASTY[1], "none"],
            "kind": ["micro_prompt", NASTY[1], "k0"],
            "text": ["n0", "please do", '"', "+ -", "", NASTY[3]],
            "event": ["add_graph", "update_node", "link"],
            "actor": ["tester", "nobody"],
            "moment": [
                "2025-01-03T10:30:00.5Z",
                "2026-01-01T00:00:00+02:00",
                "1900-01-01T00:00:00Z",
            ],
        },
    )


class Duel:
    """Asks both and compares."""

    def __init__(self, database: Database, pool: Pool) -> None:
        self._database, self._pool = database, pool
        self.compiled, self.normal = Schema(LIMITS), Schema(LIMITS, compiled=False)
        self.ways: Counter[str] = Counter()
        self.values = 0

    async def ask(self, text: str, values: dict[str, Any]) -> None:
        """The compiled answer, fresh and from the kept plan, must be the normal one."""
        for _ in range(3):  # projects come and go beside this test
            answers, ways = await self._answers(text, values)
            data = [orjson.dumps(answer.data) for answer in answers]
            if data[0] == data[1] == data[2]:
                break
        errors = [sorted(map(_said, answer.errors or ())) for answer in answers]
        asked = f"\n{text}\n{orjson.dumps(values).decode()}\n{data[0][:3000]!r}\n{data[1][:3000]!r}"
        assert data[0] == data[1] == data[2], asked
        assert bool(errors[0]) == bool(errors[1]) == bool(errors[2]), f"{errors} {asked}"
        if len(errors[0]) == 1:  # of several errors below one null, which is told is chance
            assert len(errors[1]) > 1 or errors[0] == errors[1], f"{errors} {asked}"
        assert not [way for way in ways if way[0] == "surprise"], f"{ways} {asked}"
        assert "INTERNAL" not in str(errors), f"{errors} {asked}"
        self.ways.update(f"{way} {why}".strip() for way, why in ways)
        self.values += data[0].count(b":")
        self._keep(answers[0].data)

    async def _answers(self, text: str, values: dict[str, Any]) -> tuple[list[Any], list[Any]]:
        """The normal answer and two compiled ones; and how their root fields were answered."""
        ways: list[tuple[str, str]] = []
        context = Context(self._database, on_field=lambda way, why: ways.append((way, why)))
        answers = [
            await self.normal.execute(text, values, Context(self._database)),
            await self.compiled.execute(text, values, context),
            await self.compiled.execute(text, values, context),
        ]
        return answers, ways

    def _keep(self, value: Any) -> None:
        """Remember cursors by their order."""
        if isinstance(value, dict | list):
            for one in value.values() if isinstance(value, dict) else value:
                self._keep(one)
        elif isinstance(value, str) and value.startswith("WyJ"):
            order = orjson.loads(urlsafe_b64decode(value))[0]
            known = self._pool.cursors.setdefault(order, [])
            known.append(value)
            del known[:-50]


def _said(error: Any) -> str:
    text = orjson.dumps([error.message, error.path, error.extensions], default=str).decode()
    return re.sub(r"[0-9a-f]{12}", "…", text)


@pytest.mark.parametrize("group", range(COUNT // GROUP))
async def test_compiled_answers_are_the_normal_ones(
    database: Database, pool: Pool, group: int
) -> None:
    """Byte for byte, key order, errors and nulls included; and nothing is a surprise."""
    duel = Duel(database, pool)
    core = duel.normal._schema
    for seed in range(FIRST + group * GROUP, FIRST + (group + 1) * GROUP):
        document = Document(core, pool, seed)
        await duel.ask(document.text, document.values)
    print(duel.values, dict(duel.ways))
    assert duel.ways["compiled"] > duel.ways.total() / 2
    assert duel.values > 20 * GROUP
