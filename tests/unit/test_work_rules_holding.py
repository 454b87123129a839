"""Who holds whom back."""

from gotn.work.rules.holding import holders


def test_the_nearest_failed_node_holds() -> None:
    """Along a chain each node is held by the last failed one before it."""
    ids = ["a", "b", "c", "d", "e"]
    statuses = ["failed", "ready", "failed", "ready", "running"]
    edges = [(0, 1), (1, 2), (2, 3), (3, 4)]
    assert holders(ids, statuses, edges) == {1: "a", 3: "c", 4: "c"}


def test_the_smaller_name_where_two_are_as_near() -> None:
    """The answer does not depend on the order of nodes or edges."""
    statuses = ["ready", "failed", "failed"]
    assert holders(["n", "y", "x"], statuses, [(1, 0), (2, 0)]) == {0: "x"}
    assert holders(["n", "x", "y"], statuses, [(2, 0), (1, 0)]) == {0: "x"}


def test_a_ring_ends() -> None:
    """A cycle of derived edges behind a failed node is gone round once."""
    assert holders(["f", "a", "b"], ["failed", "ready", "ready"], [(0, 1), (1, 2), (2, 1)]) == {
        1: "f",
        2: "f",
    }
