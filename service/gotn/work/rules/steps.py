"""The steps of a plan, each made when somebody asks for it."""

from collections.abc import Sequence
from typing import overload

import numpy as np

from gotn.work.records import PlannedStep
from gotn.work.rules.plans import Layout, Timing


class Steps(Sequence[PlannedStep]):
    """The steps in their order; like a tuple of them, without holding any."""

    def __init__(
        self, ids: Sequence[str], summaries: Sequence[str], result: Layout, timing: Timing
    ) -> None:
        self._ids, self._timing = ids, timing
        #: What each is; empty where nobody wants to see it.
        self.summaries = summaries
        self._layers = np.repeat(np.arange(len(result.bounds) - 1), np.diff(result.bounds))
        first = result.order[: result.bounds[1] if len(ids) else 0].tolist()
        self._ready = [i not in result.waiting for i in first]

    def __len__(self) -> int:
        return len(self._ids)

    @overload
    def __getitem__(self, at: int) -> PlannedStep: ...

    @overload
    def __getitem__(self, at: slice) -> tuple[PlannedStep, ...]: ...

    def __getitem__(self, at: int | slice) -> PlannedStep | tuple[PlannedStep, ...]:
        places = range(len(self))[at]
        if isinstance(places, range):
            return tuple(self._made(place) for place in places)
        return self._made(places)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and tuple(self) == tuple(other)

    __hash__ = None  # type: ignore[assignment]  # like a list

    def _made(self, place: int) -> PlannedStep:
        return PlannedStep(
            id=self._ids[place],
            summary=self.summaries[place] if self.summaries else "",
            position=place,
            layer=int(self._layers[place]),
            slack=self._timing.slack[place],
            weight=self._timing.weights[place],
            ready=place < len(self._ready) and self._ready[place],
        )
