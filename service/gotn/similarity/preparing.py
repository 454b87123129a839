"""What an agent needs for a node: its task, what came before, and what solved the like of it."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from gotn import shapes
from gotn.database.connection import Tx
from gotn.errors import EncoderUnavailable, Invalid
from gotn.similarity import finding, store
from gotn.similarity.engine import Engine
from gotn.similarity.records import ContextPart, NodeContext, PartKind, SearchWay
from gotn.similarity.store import Which
from gotn.work.records import NodeStatus, WorkNode
from gotn.work.store import asking, nodes
from gotn.work.usecases.writing import check_project

#: Tokens that can be asked for.
LEAST, MOST = 50, 1_000_000
#: Prerequisites, the nearest, and solved nodes that are looked at.
BEFORE, SOLVED = 200, 10
#: Cosine from which on a solved node is worth reading.
ALIKE = 0.3
#: Bytes of a token, about.
BYTES = 4
#: Where a text goes on that is cut.
CUT = " … (cut to fit)"


@dataclass(frozen=True)
class _Known:
    """A node that may help."""

    kind: PartKind
    node: WorkNode
    usefulness: float
    reason: str


async def context(engine: Engine, project_id: str, id_: str, budget: int) -> NodeContext:
    """The most useful parts within a budget of tokens; the node's own task always comes first.

    NotFound where there is no such node. Without an encoder what is about the same is left
    out, and `note` says how to install one.
    """
    check_project(project_id)
    if not LEAST <= budget <= MOST:
        raise Invalid(f"tokenBudget: expected {LEAST} to {MOST:,}, found {budget}")
    notes: list[str] = []
    alike: dict[str, float] = {}
    try:
        alike = await _alike(engine, project_id, id_)
    except EncoderUnavailable as error:
        notes.append(error.message)

    async def read(tx: Tx) -> tuple[WorkNode, list[_Known], dict[str, tuple[Any, Any]], bool]:
        before = await asking.prerequisites(tx, project_id, id_, BEFORE)
        found = await nodes.get(tx, project_id, [id_, *alike])
        known = [_before(one.node, one.distance) for one in before if _finished(one.node)]
        seen = {one.node.id for one in before}
        known += [
            _solved(_record(project_id, found[other]), cosine)
            for other, cosine in alike.items()
            if other in found and other not in seen
        ]
        brought = await store.outcomes(tx, project_id, [one.node.id for one in known])
        return _record(project_id, found[id_]), known, brought, len(before) == BEFORE

    node, known, brought, limited = await engine.database.read(read)
    if limited:
        notes.append(f"Of what comes before, the nearest {BEFORE} nodes were looked at.")
    return _fitted(_task(node, budget), _parts(known, brought), budget, " ".join(notes) or None)


async def _alike(engine: Engine, project_id: str, id_: str) -> dict[str, float]:
    """Finished nodes that are about the same, with their cosines."""
    which = Which(statuses=(NodeStatus.COMPLETED.value,))
    hits = await finding.similar(
        engine, project_id, node=id_, which=which, first=SOLVED, way=SearchWay.MEANING
    )
    return {hit.id: hit.cosine for hit in hits if hit.cosine is not None and hit.cosine >= ALIKE}


def _record(project_id: str, row: dict[str, Any]) -> WorkNode:
    return nodes.record(row | {"project_id": project_id})


def _finished(node: WorkNode) -> bool:
    return node.status is NodeStatus.COMPLETED


def _before(node: WorkNode, distance: int) -> _Known:
    said = "directly" if distance == 1 else f"{distance} steps before"
    return _Known(PartKind.PREREQUISITE, node, 1 / distance, f"Done before this ({said})")


def _solved(node: WorkNode, cosine: float) -> _Known:
    return _Known(PartKind.SOLVED, node, cosine, f"Solved already and alike (cosine {cosine:.2f})")


def _parts(
    known: Iterable[_Known], brought: dict[str, tuple[Any, Any]]
) -> list[tuple[ContextPart, ContextPart]]:
    """Parts, whole and shortened, the most useful first; equal ones as they came."""
    parts = []
    for one in sorted(known, key=lambda k: -k.usefulness):
        artifacts, outputs = brought.get(one.node.id, (None, None))
        artifacts = artifacts or one.node.artifacts
        short = _short(one, artifacts, outputs)
        whole = ContextPart(
            kind=one.kind,
            id=one.node.id,
            text=(text := f"{short}{one.node.prompt_text}\n\n"),
            tokens=tokens(text),
            usefulness=round(one.usefulness, 4),
            artifacts=artifacts,
            outputs=outputs,
        )
        parts.append((whole, replace(whole, text=short, tokens=tokens(short), shortened=True)))
    return parts


def _short(one: _Known, artifacts: Any, outputs: Any) -> str:
    lines = [f"## {one.reason}: {one.node.id}", one.node.summary]
    if artifacts:
        lines.append(f"Artifacts: {shapes.dumps(artifacts)}")
    if outputs is not None:
        lines.append(f"Outputs: {shapes.dumps(outputs)}")
    return "\n".join(lines) + "\n\n"


def _task(node: WorkNode, budget: int) -> ContextPart:
    """The node's own task; its prompt is cut to fit, not what says when it is done."""
    details = [
        f"{name}: {value if isinstance(value, str) else shapes.dumps(value)}"
        for name, value in (
            ("Works on", node.exec_target),
            ("Before it starts", node.guards),
            ("Done when", node.success_criteria),
            ("Artifacts", node.artifacts),
        )
        if value
    ]
    whole = _joined(node, node.prompt_text, details)
    text, room = whole, budget * BYTES
    if (over := len(whole.encode()) - room) > 0:
        prompt = _begun(node.prompt_text, len(node.prompt_text.encode()) - over)
        text = _joined(node, prompt, details) if prompt else _begun(whole, room - 2) + "\n\n"
    return ContextPart(
        kind=PartKind.TASK,
        id=node.id,
        text=text,
        tokens=tokens(text),
        usefulness=1.0,
        shortened=text != whole,
    )


def _joined(node: WorkNode, prompt: str, details: list[str]) -> str:
    said = [f"# {node.id}: {node.summary}", prompt, "\n".join(details)]
    return "\n\n".join(said).rstrip() + "\n\n"


def _begun(text: str, size: int) -> str:
    """The first words of a text within so many bytes, and a mark that it goes on; else nothing."""
    kept = text.encode()[: max(0, size - len(CUT.encode()))].decode(errors="ignore")
    ended = kept[: max(kept.rfind(" "), kept.rfind("\n"), 0)]
    return f"{ended if 2 * len(ended) > len(kept) else kept}{CUT}" if kept else ""


def _fitted(
    task: ContextPart,
    parts: list[tuple[ContextPart, ContextPart]],
    budget: int,
    note: str | None,
) -> NodeContext:
    """As much as fits, the most useful first: whole, else what it brought, else left out."""
    taken = [task]
    left = budget - task.tokens
    left_out = []
    for forms in parts:
        fit = next((one for one in forms if one.tokens <= left), None)
        if fit is None:
            left_out.append(forms[0].id)
        else:
            taken.append(fit)
            left -= fit.tokens
    return NodeContext(
        id=task.id,
        budget=budget,
        tokens=budget - left,
        text="".join(part.text for part in taken),
        parts=tuple(taken),
        left_out=tuple(left_out),
        note=note,
    )


def tokens(text: str) -> int:
    """About how many tokens a text has; the model that will read it is not known."""
    return -(-len(text.encode()) // BYTES)
