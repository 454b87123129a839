"""The rest of a run planned anew: what comes, what goes, what stands elsewhere."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from gotn.work.records import Moved

Row = dict[str, Any]


@dataclass
class Rest:
    """The steps of a run that are not begun, before and after."""

    #: Whole rows of steps to be taken away and to be put in.
    gone: list[Row] = field(default_factory=list)
    new: list[Row] = field(default_factory=list)
    added: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    moved: list[Moved] = field(default_factory=list)
    #: The run's layers and order as a whole.
    layers: list[list[str]] = field(default_factory=list)
    order: list[str] = field(default_factory=list)
    #: The first position that is not used now.
    position: int = 0

    def __bool__(self) -> bool:
        """Whether anything is otherwise than before."""
        return bool(self.added or self.removed or self.moved)

    def layers_without(self, kept: Iterable[str]) -> tuple[tuple[str, ...], ...]:
        """The run's layers with what is not begun alone, up to the last that has any of it."""
        left_out = frozenset(kept)
        found = [tuple(id_ for id_ in layer if id_ not in left_out) for layer in self.layers]
        while found and not found[-1]:
            found.pop()
        return tuple(found)


def rest(
    run_id: str,
    kept: Sequence[Row],
    old: Sequence[Row],
    order: Iterable[str],
    edges: Iterable[tuple[str, str]],
    position: int,
) -> Rest:
    """What makes of the old rest the new one: the nodes of `order` that are not kept.

    A step stands in the layer after the last of those it needs, kept ones among them, so what
    did not change stays where it was. One that lives on keeps what is known of it; `position`
    is the first that was never used, and none is used twice.
    """
    layer_of = {step["node"]: step.get("layer") or 0 for step in kept}
    wanted = [id_ for id_ in order if id_ not in layer_of]
    needs: dict[str, list[str]] = {}
    for src, dst in edges:
        needs.setdefault(dst, []).append(src)
    before = {step["node"]: step for step in old}
    found = Rest(gone=list(old), order=[*(step["node"] for step in kept), *wanted])
    for id_ in wanted:
        layer = max((layer_of[n] + 1 for n in needs.get(id_, ()) if n in layer_of), default=0)
        layer_of[id_] = layer
        known = before.pop(id_, None)
        found.new.append(
            {**(known or {}), "run": run_id, "node": id_, "position": position, "layer": layer}
        )
        position += 1
        if known is None:
            found.added.append(id_)
        elif known.get("layer") not in (None, layer):
            found.moved.append(Moved(id=id_, from_layer=known["layer"], to_layer=layer))
    found.removed = list(before)
    found.position = position
    found.layers = [[] for _ in range(max(layer_of.values(), default=-1) + 1)]
    for id_ in found.order:
        found.layers[layer_of[id_]].append(id_)
    return found
