"""The judge of the faults, on histories that are right and on ones that are wrong on purpose."""

from copy import deepcopy

import pytest
from chaos.history import Deed, History
from chaos.judge import Seen, judged


def deed(token: str, kind: str, node: str, sent: float, answered: float | None) -> Deed:
    """A deed with the answer that its token says."""
    answers = [] if answered is None else [{"summary": token}]
    return Deed(token, kind, node, sent, answered, answers)


def history() -> History:
    """Two nodes, an edge, a plan; a last update that nobody was answered."""
    return History(
        [
            deed("a", "add", "a", 1, 2),
            deed("b", "add", "b", 1.5, 2.5),
            deed("a2", "update", "a", 3, 4),
            deed("a>b", "edge", "", 5, 6),
            deed("goal", "plan", "", 7, 8),
            deed("a3", "update", "a", 9, None),
        ]
    )


def stored() -> Seen:
    """What is stored of it, the unanswered update included."""
    found = Seen(
        journal={"a": [2], "b": [3], "a2": [4], "a>b": [5], "goal": [6], "a3": [7]},
        nodes={"a": "a3", "b": "b"},
    )
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
    ],
)
def test_every_kind_of_wrong_history_is_found(wrong: object, said: str) -> None:
    """One thing wrong, one sentence that says it: the judge can fail."""
    told, found = deepcopy(history()), deepcopy(stored())
    assert callable(wrong)
    wrong(told, found)
    assert any(one.startswith(said) for one in judged(told, found)), judged(told, found)
