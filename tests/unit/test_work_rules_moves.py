import pytest

from gotn.errors import IllegalMove
from gotn.work.records import NodeStatus
from gotn.work.rules import moves


@pytest.mark.parametrize("status", NodeStatus)
def test_every_status_has_its_row_and_may_stay(status: NodeStatus) -> None:
    """The table is complete, and staying is no move."""
    moves.check_move(status, status)
    assert status not in moves.NODE_MOVES[status]


@pytest.mark.parametrize(
    ("before", "after"),
    [(b, a) for b in NodeStatus for a in NodeStatus if a is not b and a not in moves.NODE_MOVES[b]],
)
def test_an_illegal_move_names_both_and_what_is_allowed(
    before: NodeStatus, after: NodeStatus
) -> None:
    """The error carries both statuses and lists the way out."""
    with pytest.raises(IllegalMove) as caught:
        moves.check_move(before, after)
    assert {"before": before.value, "after": after.value} == caught.value.facts
    assert "ready" in caught.value.message


def test_done_work_is_only_reopened() -> None:
    """Completed and skipped go back to ready and nowhere else."""
    for status in moves.SATISFIED:
        assert {NodeStatus.READY} == moves.NODE_MOVES[status]
