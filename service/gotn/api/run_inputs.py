"""What the mutations that execute runs take."""

import strawberry
from strawberry.scalars import JSON

from gotn.api import enums  # noqa: F401  # the records' enums must be GraphQL's before this
from gotn.api.inputs import key_member, project_member
from gotn.work.records import OnFailure
from gotn.work.usecases.claiming import LONGEST, SHORTEST, USUAL

LEASE = f"How long the step is the worker's, in milliseconds: {SHORTEST} to {LONGEST}."


def run_member() -> str:
    """`runId` of an input."""
    found: str = strawberry.field(description="Id of the run in its project.")
    return found


def node_member() -> str:
    """`nodeId` of an input."""
    found: str = strawberry.field(description="Id of the step's node.")
    return found


def token_member() -> str:
    """`token` of an input."""
    found: str = strawberry.field(description="What the claim gave.")
    return found


def revision_member() -> int | None:
    """`expectedRevision` of an input."""
    found: int | None = strawberry.field(
        default=None, description="Refuse it if the run has another revision."
    )
    return found


def lease_member() -> int:
    """`leaseMs` of an input."""
    found: int = strawberry.field(default=USUAL, description=LEASE)
    return found


@strawberry.input(description="What startRun takes.")
class StartRunInput:
    """What startRun takes."""

    run_id: str = run_member()
    on_failure: OnFailure = strawberry.field(
        default=OnFailure.GO_ON, description="What it does when a step failed for good."
    )
    expected_revision: int | None = revision_member()
    project: str = project_member()
    idempotency_key: str | None = key_member()


@strawberry.input(description="What claimStep takes.")
class ClaimStepInput:
    """What claimStep takes."""

    run_id: str = run_member()
    worker: str = strawberry.field(description="Who claims: a name of 1 to 1,000 bytes.")
    node_id: str | None = strawberry.field(
        default=None, description="Only this node's step; null: the first that is ready."
    )
    kinds: list[str] = strawberry.field(
        default_factory=list, description="Only nodes of one of these kinds; none: of any."
    )
    tags: list[str] = strawberry.field(
        default_factory=list, description="Only nodes with one of these keywords; none: any."
    )
    lease_ms: int = lease_member()
    expected_revision: int | None = revision_member()
    project: str = project_member()
    idempotency_key: str | None = key_member()


@strawberry.input(description="What heartbeatStep takes.")
class HeartbeatStepInput:
    """What heartbeatStep takes."""

    run_id: str = run_member()
    node_id: str = node_member()
    token: str = token_member()
    lease_ms: int = lease_member()
    expected_revision: int | None = revision_member()
    project: str = project_member()
    idempotency_key: str | None = key_member()


@strawberry.input(description="What completeStep takes.")
class CompleteStepInput:
    """What completeStep takes."""

    run_id: str = run_member()
    node_id: str = node_member()
    token: str = token_member()
    outputs: JSON | None = strawberry.field(
        default=None, description="What it brought: any JSON of at most 64 KiB."
    )
    artifacts: list[str] = strawberry.field(default_factory=list, description="Paths that it made.")
    duration_ms: float | None = strawberry.field(default=None, description="How long it took.")
    expected_revision: int | None = revision_member()
    project: str = project_member()
    idempotency_key: str | None = key_member()


@strawberry.input(description="What failStep takes.")
class FailStepInput:
    """What failStep takes."""

    run_id: str = run_member()
    node_id: str = node_member()
    token: str = token_member()
    reason: str = strawberry.field(description="What went wrong, for people.")
    outputs: JSON | None = strawberry.field(
        default=None, description="What it brought: any JSON of at most 64 KiB."
    )
    artifacts: list[str] = strawberry.field(default_factory=list, description="Paths that it made.")
    duration_ms: float | None = strawberry.field(default=None, description="How long it took.")
    final: bool = strawberry.field(
        default=False, description="Do not try it again, whatever the node's policy says."
    )
    expected_revision: int | None = revision_member()
    project: str = project_member()
    idempotency_key: str | None = key_member()


@strawberry.input(description="What releaseStep takes.")
class ReleaseStepInput:
    """What releaseStep takes."""

    run_id: str = run_member()
    node_id: str = node_member()
    token: str = token_member()
    reason: str = strawberry.field(description="Why it is given back, for people.")
    expected_revision: int | None = revision_member()
    project: str = project_member()
    idempotency_key: str | None = key_member()


@strawberry.input(description="What skipStep takes.")
class SkipStepInput:
    """What skipStep takes."""

    run_id: str = run_member()
    node_id: str = node_member()
    reason: str = strawberry.field(description="Why it is left out, for people.")
    token: str | None = strawberry.field(
        default=None, description="What the claim gave; needed for a running step."
    )
    expected_revision: int | None = revision_member()
    project: str = project_member()
    idempotency_key: str | None = key_member()


@strawberry.input(description="What cancelRun takes.")
class CancelRunInput:
    """What cancelRun takes."""

    run_id: str = run_member()
    reason: str = strawberry.field(description="Why it is given up, for people.")
    expected_revision: int | None = revision_member()
    project: str = project_member()
    idempotency_key: str | None = key_member()


@strawberry.input(description="What resumeRun takes.")
class ResumeRunInput:
    """What resumeRun takes."""

    run_id: str = run_member()
    expected_revision: int | None = revision_member()
    project: str = project_member()
    idempotency_key: str | None = key_member()


@strawberry.input(description="What replanRun takes.")
class ReplanRunInput:
    """What replanRun takes."""

    run_id: str = run_member()
    dry_run: bool = strawberry.field(
        default=False, description="Say what would change; change nothing."
    )
    expected_revision: int | None = revision_member()
    project: str = project_member()
    idempotency_key: str | None = key_member()
