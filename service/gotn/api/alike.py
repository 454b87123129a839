"""What is about the same, as root fields."""

from typing import Annotated, Any

import strawberry

from gotn.api.context import Context
from gotn.api.describing import value
from gotn.api.errors import Conflict, InvalidInput, LimitExceeded, NotFound
from gotn.api.inputs import key_member, project_member
from gotn.errors import EncoderUnavailable
from gotn.similarity import linking, records
from gotn.similarity.engine import Engine

value(
    records.SoftLinked,
    added="Edges that are new.",
    removed="Edges that the texts do not give any more.",
    updated="Edges whose score changed, or the model that it comes from.",
    stated="Soft edges that somebody else stated; they are left as they are.",
    vectors="Nodes that have a vector.",
    encoded="Texts that were encoded for this.",
    whole="Whether all nodes were compared, or those alone that changed.",
    k="How many neighbours of each node were looked at.",
    threshold="The least cosine of an edge.",
    model="The model that the vectors are of.",
)


def engine(info: strawberry.Info[Context, None]) -> Engine:
    """What compares texts; EncoderUnavailable where nothing does."""
    if info.context.similarity is None:
        raise EncoderUnavailable
    return info.context.similarity


@strawberry.input(description="What `linkSoft` takes.")
class LinkSoftInput:
    """What linkSoft takes."""

    project: str = project_member()
    whole: bool = strawberry.field(
        default=False, description="Compare all nodes, not only those that changed."
    )
    idempotency_key: str | None = key_member()


GIVEN = strawberry.argument(name="input", description="What is asked for.")
SoftLinkedResult = Annotated[
    records.SoftLinked | NotFound | InvalidInput | Conflict | LimitExceeded,
    strawberry.union("SoftLinkedResult", description="What deriving changed, or why not."),
]


def _changes(result: Any, description: str) -> Any:
    return strawberry.mutation(graphql_type=result, description=description)


@strawberry.type(description="Changes that follow from what texts mean.")
class SimilarityMutations:
    """Changes that follow from what texts mean; part of Mutation."""

    @_changes(
        SoftLinkedResult,
        "Derive soft edges from what nodes say: mutual nearest neighbours over a threshold. "
        "The same again changes nothing.",
    )
    async def link_soft(
        self,
        info: strawberry.Info[Context, None],
        given: Annotated[LinkSoftInput, GIVEN],
    ) -> records.SoftLinked:
        """Derive soft edges from what nodes say."""
        request = info.context.request(given.project, given.idempotency_key)
        return await linking.link(engine(info), request, whole=given.whole)
