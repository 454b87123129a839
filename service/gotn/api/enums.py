"""The records' enums as GraphQL enums."""

from gotn.api.describing import choices
from gotn.work import records

choices(
    records.NodeStatus,
    READY="Not started.",
    RUNNING="Somebody works on it.",
    BLOCKED="A node that it needs failed, or an import said so.",
    COMPLETED="Done; satisfies those that need it.",
    SKIPPED="Left out; satisfies those that need it.",
    FAILED="Tried without success.",
)
choices(
    records.EdgeType,
    HARD_REQUIRES="src must be done before dst.",
    SOFT_SEMANTIC="The two are about the same; without direction.",
    DERIVED_FROM="dst was broken out of src.",
    RELATED="Any other tool's relation, named by kind.",
)
choices(
    records.EdgeOrigin,
    EXPLICIT="Somebody said so.",
    DERIVED="Required and produced tags say so.",
    BOTH="Somebody and the tags say so.",
)
choices(
    records.RunStatus,
    PLANNED="Made, not begun.",
    RUNNING="Under way.",
    COMPLETED="Every step ended well.",
    FAILED="Ended with failures.",
    CANCELLED="Given up.",
)
choices(
    records.StepStatus,
    READY="Not started.",
    RUNNING="Claimed by a worker.",
    COMPLETED="Done.",
    SKIPPED="Left out.",
    FAILED="Tried without success.",
    BLOCKED="A step that it needs failed.",
)
choices(
    records.OnFailure,
    GO_ON="Whatever does not need the failed step is still executed.",
    FAIL_FAST="No more steps are given out; the run fails when the running ones have ended.",
)
choices(
    records.ClaimStatus,
    CLAIMED="The step is the worker's.",
    NOTHING_READY="Nothing can be claimed now; something else must end first, or time pass.",
    RUN_ENDED="The run is over.",
)
