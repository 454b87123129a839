"""Which status may follow which (decisions, Status)."""

from gotn.errors import IllegalMove
from gotn.work.records import NodeStatus

S = NodeStatus

#: From -> to. Staying where it is, is always allowed.
NODE_MOVES: dict[NodeStatus, frozenset[NodeStatus]] = {
    S.READY: frozenset({S.RUNNING, S.BLOCKED, S.COMPLETED, S.SKIPPED, S.FAILED}),
    S.RUNNING: frozenset({S.READY, S.BLOCKED, S.COMPLETED, S.SKIPPED, S.FAILED}),
    S.BLOCKED: frozenset({S.READY, S.COMPLETED, S.SKIPPED, S.FAILED}),
    S.COMPLETED: frozenset({S.READY}),
    S.SKIPPED: frozenset({S.READY}),
    S.FAILED: frozenset({S.READY, S.COMPLETED, S.SKIPPED}),
}
#: What counts as done for those that wait for it.
SATISFIED = frozenset({S.COMPLETED, S.SKIPPED})


def check_move(before: NodeStatus, after: NodeStatus) -> None:
    """Raise IllegalMove where a node may not go from one status to the other."""
    if before is after or after in NODE_MOVES[before]:
        return
    allowed = ", ".join(sorted(s.value for s in NODE_MOVES[before]))
    raise IllegalMove(
        f"status: a {before.value} node cannot become {after.value}, only {allowed}.",
        before=before.value,
        after=after.value,
    )
