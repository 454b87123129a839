"""gotn run: claim, heartbeat, complete, fail, release, skip."""

from typing import Annotated, Any

import typer

from gotn.cli import lengths
from gotn.cli.call import Call
from gotn.cli.verb import verb
from gotn.cli.verbs.run import Run, app, chosen

Which = Annotated[str, typer.Argument(metavar="RUN", help="Id of the run.")]
Node = Annotated[str, typer.Argument(metavar="NODE", help="Id of the step's node.")]
Token = Annotated[str, typer.Option("--token", help="What the claim gave.")]
Lease = Annotated[
    str, typer.Option("--lease", help="How long the step is yours: 30s, 5m, 1h (1s to 1h).")
]
Reason = Annotated[str, typer.Option("--reason", help="Why, for people.")]
Output = Annotated[
    str | None,
    typer.Option("--output", help="What it brought, as JSON; @FILE reads it, other text is text."),
]
Artifact = Annotated[
    list[str] | None, typer.Option("--artifact", help="A path that it made; repeatable.")
]
Took = Annotated[str | None, typer.Option("--took", help="How long it took: 850ms, 3s, 2m.")]


def output(text: str | None) -> Any:
    """What `--output` says: JSON, the JSON or text of a file, or plain text."""
    import json  # noqa: PLC0415
    from pathlib import Path  # noqa: PLC0415

    if text is None:
        return None
    if text.startswith("@"):
        text = Path(text[1:]).read_text(encoding="utf-8", errors="replace")
    try:
        return json.loads(text)
    except ValueError:
        return text


@verb(
    app,
    "claim",
    "gotn run claim --worker agent-1",
    "gotn run claim run-20250901-083000 --worker agent-1 --kind micro_prompt --lease 5m --json",
)
def claim(
    call: Call,
    worker: Annotated[str, typer.Option("--worker", help="Who claims.")],
    id: Run = None,
    node: Annotated[str | None, typer.Option("--node", help="Only this node's step.")] = None,
    kind: Annotated[
        list[str] | None, typer.Option("--kind", help="Only nodes of this kind; repeatable.")
    ] = None,
    tag: Annotated[
        list[str] | None, typer.Option("--tag", help="Only nodes with this keyword; repeatable.")
    ] = None,
    lease: Lease = "60s",
) -> None:
    """Take the next ready step of a run, or the one that is named; the answer has its prompt."""
    from gotn.cli.show import runs  # noqa: PLC0415

    data = call.change(
        "RunClaim",
        runId=chosen(call, id),
        worker=worker,
        nodeId=node,
        kinds=kind,
        tags=tag,
        leaseMs=lengths.lease(lease),
    )
    call.answer(data, runs.show_claim)


@verb(app, "heartbeat", "gotn run heartbeat run-20250901-083000 write_api --token 5f3a --lease 5m")
def heartbeat(call: Call, id: Which, node: Node, token: Token, lease: Lease = "60s") -> None:
    """Say that the work goes on: the lease lasts from now."""
    from gotn.cli.show import runs  # noqa: PLC0415

    data = call.change(
        "RunHeartbeat", runId=id, nodeId=node, token=token, leaseMs=lengths.lease(lease)
    )
    call.answer(data, runs.show_heartbeat)


def _brought(given: str | None, artifact: list[str] | None, took: str | None) -> dict[str, Any]:
    """What an attempt brought, as members of an input."""
    found = {"outputs": output(given), "artifacts": artifact}
    return found | {"durationMs": None if took is None else lengths.milliseconds(took, "--took")}


@verb(
    app,
    "complete",
    "gotn run complete run-20250901-083000 write_api --token 5f3a",
    "gotn run complete run-20250901-083000 write_api --token 5f3a --output @result.json",
)
def complete(
    call: Call,
    id: Which,
    node: Node,
    token: Token,
    output: Output = None,
    artifact: Artifact = None,
    took: Took = None,
) -> None:
    """End a step well; its node is completed with it."""
    from gotn.cli.show import runs  # noqa: PLC0415

    brought = _brought(output, artifact, took)
    data = call.change("RunComplete", runId=id, nodeId=node, token=token, **brought)
    call.answer(data, runs.show_step)


@verb(app, "fail", "gotn run fail run-20250901-083000 write_api --token 5f3a --reason 'no network'")
def fail(
    call: Call,
    id: Which,
    node: Node,
    token: Token,
    reason: Reason,
    output: Output = None,
    artifact: Artifact = None,
    took: Took = None,
    final: Annotated[
        bool, typer.Option("--final", help="Do not try it again, whatever its policy says.")
    ] = False,
) -> None:
    """End an attempt badly: it is tried again where the node's retry policy says so."""
    from gotn.cli.show import runs  # noqa: PLC0415

    brought = _brought(output, artifact, took)
    given = {"runId": id, "nodeId": node, "token": token, "reason": reason, "final": final}
    call.answer(call.change("RunFail", **given, **brought), runs.show_step)


@verb(app, "release", "gotn run release run-20250901-083000 write_api --token 5f3a")
def release(
    call: Call,
    id: Which,
    node: Node,
    token: Token,
    reason: Annotated[
        str, typer.Option("--reason", help="Why it is given back.")
    ] = "given back by its worker",
) -> None:
    """Give a step back: it is ready for others at once, and counts as no failure."""
    from gotn.cli.show import runs  # noqa: PLC0415

    data = call.change("RunRelease", runId=id, nodeId=node, token=token, reason=reason)
    call.answer(data, runs.show_step)


@verb(app, "skip", "gotn run skip run-20250901-083000 write_docs --reason 'not needed'")
def skip(
    call: Call,
    id: Which,
    node: Node,
    reason: Reason,
    token: Annotated[
        str | None, typer.Option("--token", help="What the claim gave; for a running step.")
    ] = None,
) -> None:
    """Leave a step out; its node is skipped with it."""
    from gotn.cli.show import runs  # noqa: PLC0415

    data = call.change("RunSkip", runId=id, nodeId=node, reason=reason, token=token)
    call.answer(data, runs.show_step)
