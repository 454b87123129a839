"""What executing a run answers: its steps, claims of them, and plans made anew."""

from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import Any

from gotn.work.records.entities import Run, StepStatus, WorkNode


class ClaimStatus(Enum):
    """What a claim came to."""

    CLAIMED = "claimed"
    NOTHING_READY = "nothing_ready"
    RUN_ENDED = "run_ended"


@dataclass(kw_only=True)
class StepOfRun:
    """A node's place in a run, and what became of it there."""

    run_id: str
    node_id: str
    project_id: str
    position: int = 0
    layer: int | None = None
    status: StepStatus = StepStatus.READY
    #: Who has it, or had it last.
    worker: str | None = None
    #: How often it was claimed; 1 is the first.
    attempt: int = 0
    started_at: datetime | None = None
    finished_at: datetime | None = None
    #: Why it failed, is blocked or was skipped.
    reason: str | None = None
    #: Not claimable before this moment: a retry waits.
    not_before: datetime | None = None
    lease_until: datetime | None = None
    heartbeat_at: datetime | None = None
    #: Length of the longest chain from it to the end, in steps or minutes as the plan counts; the
    #: longest is claimed first. None before the run's first claim.
    priority: float | None = None
    outputs: Any = None
    #: Paths that its last attempt made.
    artifacts: tuple[str, ...] = ()
    duration_ms: float | None = None
    #: Attempts that ended: {number, worker, started_at, finished_at, outcome, reason, outputs,
    #: artifacts, duration_ms}; the last 100.
    attempts: Any = None


@dataclass(kw_only=True)
class Claim:
    """What a worker is given: a step with everything it needs, or why there is none."""

    status: ClaimStatus
    run: Run
    step: StepOfRun | None = None
    node: WorkNode | None = None
    attempt: int | None = None
    lease_until: datetime | None = None
    #: What the worker must show to renew the lease and to end the step.
    token: str | None = None
    #: Milliseconds this attempt may take, by the node's retry policy.
    time_limit_ms: int | None = None
    #: Milliseconds after which something may become ready, where time alone brings it about.
    retry_after_ms: int | None = None
    #: What is wrong with the node's retry policy.
    warnings: tuple[str, ...] = ()


@dataclass(kw_only=True)
class Moved:
    """A step that stands in another layer now; None: it is in the run only before or after."""

    id: str
    from_layer: int | None = None
    to_layer: int | None = None


@dataclass(kw_only=True)
class Replanned:
    """What planning the rest of a run anew changes."""

    run: Run
    #: Ids of nodes that come into the run, and that leave it, in order.
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    moved: tuple[Moved, ...] = ()
    #: Ids of nodes whose steps are kept as they are: ended or running.
    kept: tuple[str, ...] = ()
    #: The rest by the run's layers, from its first on; one that has nothing of it is empty.
    layers: tuple[tuple[str, ...], ...] = ()


@dataclass(kw_only=True)
class NextStep:
    """A step that is not begun, and what stands against beginning it."""

    step: StepOfRun
    ready: bool
    #: None of what is ready.
    reason: str | None = None
