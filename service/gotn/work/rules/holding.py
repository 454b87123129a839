"""Which open nodes a failed one holds back, each by the nearest (decisions, Status)."""

from collections.abc import Iterable, Sequence

from gotn.work.records import NodeStatus


def holders(
    ids: Sequence[str], statuses: Sequence[str], edges: Iterable[tuple[int, int]]
) -> dict[int, str]:
    """For each position behind a failed node, the nearest failed id; the smaller where two are.

    One search from all failed nodes at once, so the cost does not depend on how many failed.
    `edges` are (src, dst) positions of hard edges between open nodes.
    """
    after: dict[int, list[int]] = {}
    for src, dst in edges:
        after.setdefault(src, []).append(dst)
    failed = [i for i, status in enumerate(statuses) if status == NodeStatus.FAILED.value]
    cause = {i: ids[i] for i in failed}
    held: dict[int, str] = {}
    rim = failed
    while rim:
        beyond: list[int] = []
        for at in sorted(rim, key=cause.__getitem__):
            for then in after.get(at, ()):
                if then not in cause:
                    cause[then] = held[then] = cause[at]
                    beyond.append(then)
        rim = beyond
    return held
