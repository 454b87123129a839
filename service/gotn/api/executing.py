"""The mutations that execute runs: one call of a use case each."""

from typing import Annotated

import strawberry

from gotn.api import run_inputs as inputs
from gotn.api.changing import GIVEN, mutation, union
from gotn.api.claims import Claim, Replanned, StepOfRun, whole_run
from gotn.api.context import Context
from gotn.api.errors import (
    Conflict,
    CycleRefused,
    IllegalMove,
    InvalidInput,
    LimitExceeded,
    NotFound,
    StaleRevision,
)
from gotn.api.runs import Run
from gotn.errors import Invalid
from gotn.graph.forms import adopt
from gotn.work.usecases import claiming, controlling, ending, replanning

Info = strawberry.Info[Context, None]
RunResult = Annotated[
    Run | NotFound | InvalidInput | Conflict | StaleRevision | IllegalMove | LimitExceeded,
    union("RunResult", "A run, or why it was refused."),
]
ClaimResult = Annotated[
    Claim | NotFound | InvalidInput | Conflict | StaleRevision | IllegalMove | LimitExceeded,
    union("ClaimResult", "A claim, or why it was refused."),
]
StepResult = Annotated[
    StepOfRun | NotFound | InvalidInput | Conflict | StaleRevision | IllegalMove | LimitExceeded,
    union("StepResult", "A step, or why it was refused."),
]

ReplannedResult = Annotated[
    Replanned
    | NotFound
    | InvalidInput
    | Conflict
    | StaleRevision
    | CycleRefused
    | IllegalMove
    | LimitExceeded,
    union("ReplannedResult", "What planning anew changes, or why it was refused."),
]


def _whole(duration_ms: float | None) -> int | None:
    """Whole milliseconds; GraphQL's Int would end after 24 days."""
    if duration_ms is None:
        return None
    if not 0 <= duration_ms < 2**53:
        raise Invalid(f"durationMs: expected 0 or more, found {duration_ms}", field="durationMs")
    return round(duration_ms)


@strawberry.type
class Executing:
    """What executes runs."""

    @mutation(RunResult, "Start a planned run; the first claim does that too, and goes on.")
    async def start_run(self, info: Info, given: Annotated[inputs.StartRunInput, GIVEN]) -> Run:
        """Start a planned run."""
        request = info.context.request(given.project, given.idempotency_key)
        found = await controlling.start(
            info.context.database, request, given.run_id, given.on_failure, given.expected_revision
        )
        return await whole_run(info, found)

    @mutation(
        ClaimResult,
        "Give a worker the next ready step, or the one that is named, for as long as its lease.",
    )
    async def claim_step(self, info: Info, given: Annotated[inputs.ClaimStepInput, GIVEN]) -> Claim:
        """Give a worker the next ready step, or the one that is named."""
        found = await claiming.claim(
            info.context.database,
            info.context.request(given.project, given.idempotency_key),
            given.run_id,
            given.worker,
            node_id=given.node_id,
            kinds=given.kinds,
            tags=given.tags,
            lease_ms=given.lease_ms,
            expected_revision=given.expected_revision,
        )
        return Claim.of(found)

    @mutation(ClaimResult, "Renew a lease, from now; it never becomes shorter by that.")
    async def heartbeat_step(
        self, info: Info, given: Annotated[inputs.HeartbeatStepInput, GIVEN]
    ) -> Claim:
        """Renew a lease."""
        found = await claiming.renew(
            info.context.database,
            info.context.request(given.project, given.idempotency_key),
            given.run_id,
            given.node_id,
            given.token,
            lease_ms=given.lease_ms,
            expected_revision=given.expected_revision,
        )
        return Claim.of(found)

    @mutation(StepResult, "End a step well; its node is completed with it.")
    async def complete_step(
        self, info: Info, given: Annotated[inputs.CompleteStepInput, GIVEN]
    ) -> StepOfRun:
        """End a step well."""
        found = await ending.complete(
            info.context.database,
            info.context.request(given.project, given.idempotency_key),
            given.run_id,
            given.node_id,
            given.token,
            outputs=given.outputs,
            artifacts=given.artifacts,
            duration_ms=_whole(given.duration_ms),
            expected_revision=given.expected_revision,
        )
        return adopt(StepOfRun, found)

    @mutation(
        StepResult,
        "End an attempt badly: the step is tried again where its node's retry policy says so; "
        "otherwise what needs it is blocked.",
    )
    async def fail_step(
        self, info: Info, given: Annotated[inputs.FailStepInput, GIVEN]
    ) -> StepOfRun:
        """End an attempt badly."""
        found = await ending.fail(
            info.context.database,
            info.context.request(given.project, given.idempotency_key),
            given.run_id,
            given.node_id,
            given.token,
            given.reason,
            outputs=given.outputs,
            artifacts=given.artifacts,
            duration_ms=_whole(given.duration_ms),
            final=given.final,
            expected_revision=given.expected_revision,
        )
        return adopt(StepOfRun, found)

    @mutation(StepResult, "Give a claimed step back: it is ready at once, and that is no failure.")
    async def release_step(
        self, info: Info, given: Annotated[inputs.ReleaseStepInput, GIVEN]
    ) -> StepOfRun:
        """Give a claimed step back."""
        found = await ending.release(
            info.context.database,
            info.context.request(given.project, given.idempotency_key),
            given.run_id,
            given.node_id,
            given.token,
            given.reason,
            expected_revision=given.expected_revision,
        )
        return adopt(StepOfRun, found)

    @mutation(StepResult, "Leave a step out; its node is skipped with it.")
    async def skip_step(
        self, info: Info, given: Annotated[inputs.SkipStepInput, GIVEN]
    ) -> StepOfRun:
        """Leave a step out."""
        found = await ending.skip(
            info.context.database,
            info.context.request(given.project, given.idempotency_key),
            given.run_id,
            given.node_id,
            given.reason,
            token=given.token,
            expected_revision=given.expected_revision,
        )
        return adopt(StepOfRun, found)

    @mutation(
        RunResult,
        "Give a run up: its open steps are skipped with the reason, its nodes stay open.",
    )
    async def cancel_run(self, info: Info, given: Annotated[inputs.CancelRunInput, GIVEN]) -> Run:
        """Give a run up."""
        found = await controlling.cancel(
            info.context.database,
            info.context.request(given.project, given.idempotency_key),
            given.run_id,
            given.reason,
            given.expected_revision,
        )
        return await whole_run(info, found)

    @mutation(RunResult, "Go on with a run that failed or was cancelled.")
    async def resume_run(self, info: Info, given: Annotated[inputs.ResumeRunInput, GIVEN]) -> Run:
        """Go on with a run that failed or was cancelled."""
        found = await controlling.resume(
            info.context.database,
            info.context.request(given.project, given.idempotency_key),
            given.run_id,
            given.expected_revision,
        )
        return await whole_run(info, found)

    @mutation(ReplannedResult, "Plan what is not begun of a run anew; tells what that changes.")
    async def replan_run(
        self, info: Info, given: Annotated[inputs.ReplanRunInput, GIVEN]
    ) -> Replanned:
        """Plan what is not begun of a run anew."""
        found = await replanning.replan(
            info.context.database,
            info.context.request(given.project, given.idempotency_key),
            given.run_id,
            dry_run=given.dry_run,
            expected_revision=given.expected_revision,
        )
        return Replanned.of(found)
