"""What is there twice, and merging it, as root fields."""

from typing import Annotated, Any

import strawberry

from gotn.api.alike import engine
from gotn.api.changing import GIVEN
from gotn.api.context import Context
from gotn.api.describing import choices, value
from gotn.api.errors import Conflict, CycleRefused, InvalidInput, LimitExceeded, NotFound
from gotn.api.inputs import key_member, project_member
from gotn.similarity import duplicates, records
from gotn.similarity.records import DuplicateKind
from gotn.work.records import Merged
from gotn.work.usecases import merging

choices(
    DuplicateKind,
    EXACT="They say the same but for case and space.",
    FUZZY="They differ in slips of the pen and small words.",
    MEANING="They mean the same.",
)
value(
    records.Duplicate,
    keep="Id of the node that stays.",
    keep_summary="What it is about.",
    keep_status="Where it stands.",
    gone="Id of the node that is merged into it.",
    gone_summary="What that is about.",
    gone_status="Where that stands.",
    kind="Why they seem to be one.",
    score="1 for the same words, their share, or the cosine.",
    reason="The same, for people.",
    stays="Why the one stays that does: it is completed, running, older.",
    refused="Why the two are not merged; null where they can be, or were.",
    merge="The journal entry of the merge, by which it can be undone; null where there is none.",
)
value(
    records.Deduped,
    duplicates="Pairs, the surest first, at most 500.",
    merged="How many were merged.",
    more="Whether there are more than are listed.",
    notes="What was not looked at and why.",
)
value(
    Merged,
    merge="The journal entry of the merge, by which it can be undone.",
    keep="Id of the node that stays.",
    gone="Id of the node that went, or that is back.",
    edges="Edges that moved from one to the other.",
    steps="Steps in runs that wait for the node that is gone.",
)


@strawberry.input(description="What `dedupe` takes.")
class DedupeInput:
    """What dedupe takes."""

    project: str = project_member()
    kinds: list[DuplicateKind] | None = strawberry.field(
        default=None,
        description="What is looked for and merged; null: every kind, of which EXACT is merged.",
    )
    threshold: float = strawberry.field(
        default=duplicates.THRESHOLD, description="The least cosine of what means the same."
    )
    only: str | None = strawberry.field(
        default=None, description="Id of a node: only what doubles it."
    )
    apply: bool = strawberry.field(
        default=False, description="Merge them; without it they are only told."
    )
    idempotency_key: str | None = key_member()


@strawberry.input(description="What `undoMerge` takes.")
class UndoMergeInput:
    """What undoMerge takes."""

    merge: int = strawberry.field(description="The number that the merge was told with.")
    project: str = project_member()
    idempotency_key: str | None = key_member()


DedupedResult = Annotated[
    records.Deduped | NotFound | InvalidInput | Conflict | LimitExceeded,
    strawberry.union("DedupedResult", description="What is there twice, or why not."),
]
MergedResult = Annotated[
    Merged | NotFound | InvalidInput | Conflict | CycleRefused | LimitExceeded,
    strawberry.union("MergedResult", description="What became two again, or why not."),
]


def _changes(result: Any, description: str) -> Any:
    return strawberry.mutation(graphql_type=result, description=description)


@strawberry.type(description="Merging what is there twice.")
class DedupeMutations:
    """Merging what is there twice; part of Mutation."""

    @_changes(
        DedupedResult,
        "Tell which nodes seem to be there twice, each with its reason; with `apply` merge them.",
    )
    async def dedupe(
        self,
        info: strawberry.Info[Context, None],
        given: Annotated[DedupeInput, GIVEN],
    ) -> records.Deduped:
        """Tell which nodes seem to be there twice, or merge them."""
        return await duplicates.dedupe(
            engine(info),
            info.context.request(given.project, given.idempotency_key),
            kinds=None if given.kinds is None else tuple(given.kinds),
            threshold=given.threshold,
            only=given.only,
            apply=given.apply,
        )

    @_changes(MergedResult, "Take a merge back: the node that went returns with its edges.")
    async def undo_merge(
        self,
        info: strawberry.Info[Context, None],
        given: Annotated[UndoMergeInput, GIVEN],
    ) -> Merged:
        """Take a merge back."""
        request = info.context.request(given.project, given.idempotency_key)
        return await merging.undo(info.context.database, request, given.merge)
