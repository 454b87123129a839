"""The judge of the faults, on histories that are right and on ones that are wrong on purpose."""

from copy import deepcopy

import pytest
from chaos.history import Deed, History, Lease
from chaos.judge import Seen, judged


def deed(token: str, kind: str, node: str, sent: float, answered: float | None) -> Deed:
    """A deed with the answer that its token says."""
    answers = [] if answered is None else [{"summary": token}]
    return Deed(token, kind, node, sent, answered, answers)


def history() -> History:
    """Two nodes, an edge, a plan, a run; a last update that nobody was answered.

    The step's first worker fails it, the second falls silent, the third completes it after the
    second's lease.
    """
    refused = deed("y-1", "complete", "r/a", 22, None)
    refused.refused = True
    return History(
        [
            deed("a", "add", "a", 1, 2),
            deed("b", "add", "b", 1.5, 2.5),
            deed("a2", "update", "a", 3, 4),
            deed("a>b", "edge", "", 5, 6),
            deed("goal", "plan", "", 7, 8),
            deed("a3", "update", "a", 9, None),
            deed("r/a@1", "claim", "", 10, 11),
            deed("x-1", "fail", "", 11, 12),
            deed("r/a@2", "claim", "", 13, 14),
            deed("r/a@3", "claim", "", 15, 19),
            deed("z-1", "complete", "r/a", 20, 21),
            refused,
        ],
        [
            Lease("r/a", 1, "x", 10, 11, 20, ended=11),
            Lease("r/a", 2, "y", 13, 14, 18, ended=22),
            Lease("r/a", 3, "z", 15, 19, 25, ended=20),
        ],
        {"r": "COMPLETED"},
    )


def stored() -> Seen:
    """What is stored of it, the unanswered update included."""
    found = Seen(
        journal={"a": [2], "b": [3], "a2": [4], "a>b": [5], "goal": [6], "a3": [7]},
        nodes={"a": "a3", "b": "b"},
        steps={"r/a": ("completed", "z-1")},
        ends={"r": "completed"},
    )
    run = ("r/a@1", "x-1", "r/a@2", "r/a@3", "z-1")
    found.journal |= {token: [seq] for seq, token in enumerate(run, 8)}
    found.edges["a>b"] += 1
    found.runs["goal"] += 1
    return found


def test_a_right_history_passes_with_and_without_what_nobody_was_told() -> None:
    """An unanswered write may be there once, or not at all."""
    assert judged(history(), stored()) == []
    without = stored()
    del without.journal["a3"]
    without.nodes["a"] = "a2"
    assert judged(history(), without) == []


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda h, s: s.journal.pop("a2"), "lost: update a2"),
        (lambda h, s: s.journal["a2"].append(9), "done twice: update a2"),
        (lambda h, s: s.journal["a3"].append(9), "done twice: update a3"),
        (lambda h, s: s.nodes.pop("b"), "lost: node b"),
        (lambda h, s: s.nodes.update(a="a"), "lost: a says 'a'"),
        (lambda h, s: s.edges.clear(), "edge a>b was acknowledged and is stored 0 times"),
        (lambda h, s: s.runs.update(["goal"]), "plan goal was acknowledged and is stored 2 times"),
        (lambda h, s: h.deeds[0].answers.append({"summary": "x"}), "two answers to one key: add a"),
        (lambda h, s: s.journal.update({"a": [9]}), "out of order: "),
        (lambda h, s: h.wrong.append("old read: a"), "old read: a"),
        (lambda h, s: s.broken.append("doctor: 3 journal"), "doctor: 3 journal"),
        (lambda h, s: s.journal.pop("z-1"), "lost: complete z-1"),
        (lambda h, s: s.journal["z-1"].append(20), "done twice: complete z-1"),
        (lambda h, s: s.journal.update({"y-1": [20]}), "completed twice: r/a by z-1, y-1"),
        (lambda h, s: s.journal.update({"y-1": [20]}), "refused and done: complete y-1"),
        (lambda h, s: s.steps.update({"r/a": ("ready", "")}), "completed by z-1, stored otherwise"),
        (lambda h, s: s.steps.update({"r/b": ("ready", "")}), "run r is completed, but ['r/b']"),
        (lambda h, s: s.ends.update(r="running"), "run r ended COMPLETED and is running"),
        (lambda h, s: setattr(h.leases[2], "attempt", 2), "handed out twice: r/a attempt 2: y, z"),
        (lambda h, s: setattr(h.leases[1], "until", 30), "two live leases: r/a: z got attempt 3"),
        (lambda h, s: setattr(h.leases[0], "ended", None), "two live leases: r/a: y got attempt 2"),
    ],
)
def test_every_kind_of_wrong_history_is_found(wrong: object, said: str) -> None:
    """One thing wrong, one sentence that says it: the judge can fail."""
    told, found = deepcopy(history()), deepcopy(stored())
    assert callable(wrong)
    wrong(told, found)
    assert any(one.startswith(said) for one in judged(told, found)), judged(told, found)
