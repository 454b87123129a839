"""Questions about runs under way."""

from typing import Annotated

import strawberry

from gotn.api.claims import NextStep, StepOfRun
from gotn.api.context import Context
from gotn.api.questions import field
from gotn.graph.arguments import First, ProjectId
from gotn.graph.forms import adopt
from gotn.graph.paging import USUAL, checked
from gotn.work.usecases import looking

Info = strawberry.Info[Context, None]
RunId = Annotated[str, strawberry.argument(description="Id of the run in its project.")]


@strawberry.type
class Looking:
    """Questions about runs under way; part of Query."""

    @field("The steps of a run that can be claimed now, in the order of claims.")
    async def ready_steps(
        self, info: Info, run_id: RunId, project: ProjectId = "default", first: First = USUAL
    ) -> list[StepOfRun]:
        """The steps of a run that can be claimed now."""
        found = await looking.ready(info.context.database, project, run_id, checked(first))
        return [adopt(StepOfRun, step) for step in found]

    @field("The steps of a run that are not begun: the ready ones, then the others with why not.")
    async def next_steps(
        self, info: Info, run_id: RunId, project: ProjectId = "default", first: First = USUAL
    ) -> list[NextStep]:
        """The steps of a run that are not begun."""
        found = await looking.upcoming(info.context.database, project, run_id, checked(first))
        return [NextStep.of(step) for step in found]
