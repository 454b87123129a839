"""What is about the same, as root fields."""

from dataclasses import replace
from typing import Annotated, Any

import strawberry
from strawberry.scalars import JSON

from gotn.api.changing import GIVEN
from gotn.api.context import Context
from gotn.api.describing import choices, described, value
from gotn.api.errors import Conflict, InvalidInput, LimitExceeded, NotFound
from gotn.api.inputs import key_member, project_member
from gotn.api.nodes import WorkNode
from gotn.api.questions import NodeId, field
from gotn.errors import EncoderUnavailable
from gotn.graph.arguments import FILTER, ProjectId
from gotn.graph.forms import adopt
from gotn.graph.resolvers import found_by_key
from gotn.keys import key
from gotn.similarity import doubting, finding, linking, preparing, records
from gotn.similarity.engine import Engine
from gotn.similarity.store import Which
from gotn.work.records import NodeStatus

choices(
    records.SearchWay,
    HYBRID="By meaning and by words, put together by rank.",
    MEANING="By meaning alone.",
    WORDS="By words alone, which needs no encoder.",
)
choices(
    records.PartKind,
    TASK="The node itself: what is to be done.",
    PREREQUISITE="A finished prerequisite, and what it brought.",
    SOLVED="A finished node that is about the same.",
)
choices(
    records.DoubtKind,
    MISSING_DEPENDENCY="What one node produces resembles what another requires; no tag joins them.",
    SUSPICIOUS_EDGE="A hard edge joins nodes that are about different things.",
)
value(
    records.Doubt,
    kind="What edges and texts disagree about.",
    src="Id of the node that is, or would be, done first.",
    dst="Id of the node that needs it, or would.",
    cosine="The cosine of the two tags, or of the two nodes.",
    evidence="Why, for people.",
    produces="The produced tag, where a dependency is missing.",
    requires="The required tag, where a dependency is missing.",
)
value(
    records.SoftLinked,
    added="Edges that are new.",
    removed="Edges that the texts do not give any more.",
    updated="Edges whose score changed, or the model that it comes from.",
    stated="Soft edges that somebody else stated; they are left as they are.",
    vectors="Nodes that have a vector.",
    encoded="Texts that were encoded for this.",
    compared="Nodes whose neighbours were looked for.",
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


def about(description: str) -> Any:
    """An argument with its description."""
    return strawberry.argument(description=description)


@strawberry.input(description="Which nodes are looked for; members are joined by AND.")
class SimilarFilter:
    """Which nodes are looked for; members are joined by AND, null asks nothing."""

    status: list[NodeStatus] | None = strawberry.field(
        default=None, description="In one of these statuses."
    )
    kind: str | None = strawberry.field(default=None, description="Of this kind.")
    tag: str | None = strawberry.field(default=None, description="With this keyword.")

    def which(self) -> Which:
        """As the search takes it."""
        statuses = None if self.status is None else tuple(one.value for one in self.status)
        return Which(statuses=statuses, kind=self.kind, tag=self.tag)


@strawberry.type(description="A node that is similar to what was asked for.")
class SimilarNode:
    """A node that is similar to what was asked for."""

    project_id: strawberry.Private[str]
    id: str = strawberry.field(description="Id of the node in its project.")
    fused: float = strawberry.field(
        description="What it is ordered by: the sum of 1 / (60 + rank) over both ways."
    )
    cosine: float | None = strawberry.field(
        description="Cosine of the two texts, -1 to 1; null where nothing was encoded."
    )
    by_meaning: int | None = strawberry.field(
        description="Its rank by meaning, from 1; null where it was not found so."
    )
    by_words: int | None = strawberry.field(
        description="Its rank by words, from 1; null where it was not found so."
    )

    @strawberry.field(description="The node.", graphql_type=WorkNode | None)
    async def node(self, info: strawberry.Info) -> Any:
        """The node; null where it was removed meanwhile."""
        return await node_of(info, self.project_id, self.id)


async def node_of(info: strawberry.Info, project_id: str, id_: str) -> Any:
    """A node by its id, with what the document selects of it, in one statement for all."""
    return await found_by_key(info, WorkNode, project_id, key(project_id, id_))


@strawberry.type(description="A part of what an agent needs for a node.")
class ContextPart(records.ContextPart):
    """A part of what an agent needs for a node."""

    artifacts: JSON | None = strawberry.field(
        default=None, description="What it made, by its last step or by its own word."
    )
    outputs: JSON | None = strawberry.field(
        default=None, description="What its last completed step brought."
    )


@strawberry.type(description="What an agent needs for a node, within a number of tokens.")
class NodeContext(records.NodeContext):
    """What an agent needs for a node, within a number of tokens."""

    parts: tuple[ContextPart, ...] = strawberry.field(
        default=(), description="The parts, the node's own task first, then the most useful."
    )


described(
    ContextPart,
    kind="What it is.",
    id="Id of the node that it is about.",
    text="The part itself, in Markdown.",
    tokens="About how many tokens it has: a fourth of its bytes, rounded up.",
    usefulness="What parts are ordered by: 1 for the node, 1 / distance of a prerequisite, "
    "else the cosine.",
    shortened="It was cut to fit: the node's own task in its prompt, others to what they brought.",
)
described(
    NodeContext,
    id="Id of the node.",
    budget="The tokens that were allowed.",
    tokens="About how many it has.",
    text="All parts, one after the other, in Markdown.",
    left_out="Ids of what would have been useful and did not fit.",
    note="What is missing and why; null where nothing is.",
)


@strawberry.type(description="Questions about what texts mean.")
class SimilarityQueries:
    """Questions about what texts mean; part of Query."""

    @field(
        "The nodes most similar to a text or to a node, best first. A narrow filter leaves out; "
        "it does not cut short."
    )
    async def similar(
        self,
        info: strawberry.Info[Context, None],
        project: ProjectId = "default",
        text: Annotated[str | None, about("A text; or give `node`.")] = None,
        node: Annotated[str | None, about("Id of a node; or give `text`.")] = None,
        filter_: Annotated[SimilarFilter | None, FILTER] = None,
        first: Annotated[int, about("How many, 1 to 100.")] = 10,
        way: Annotated[
            records.SearchWay, about("How they are looked for.")
        ] = records.SearchWay.HYBRID,
    ) -> list[SimilarNode]:
        """The nodes most similar to a text or to a node."""
        which = Which() if filter_ is None else filter_.which()
        found = await finding.similar(
            engine(info), project, text=text, node=node, which=which, first=first, way=way
        )
        return [SimilarNode(project_id=project, **vars(one)) for one in found]

    @field(
        "Where edges and texts disagree: dependencies that are likely missing, then hard edges "
        "that join what is about different things; the strongest first."
    )
    async def disagreements(
        self,
        info: strawberry.Info[Context, None],
        project: ProjectId = "default",
        first: Annotated[int, about("How many, 1 to 100; half of them of each kind.")] = 50,
    ) -> list[records.Doubt]:
        """Where edges and texts disagree."""
        return await doubting.doubts(engine(info), project, first)

    @field("What an agent needs for a node, the most useful first, within a number of tokens.")
    async def context(
        self,
        info: strawberry.Info[Context, None],
        id_: NodeId,
        project: ProjectId = "default",
        token_budget: Annotated[int, about("Tokens at most, 50 to 1,000,000.")] = 8000,
    ) -> NodeContext:
        """What an agent needs for a node."""
        found = await preparing.context(engine(info), project, id_, token_budget)
        parts = tuple(adopt(ContextPart, part) for part in found.parts)
        return adopt(NodeContext, replace(found, parts=parts))


@strawberry.input(description="What `linkSoft` takes.")
class LinkSoftInput:
    """What linkSoft takes."""

    project: str = project_member()
    whole: bool = strawberry.field(
        default=False, description="Compare all nodes, not only those that changed."
    )
    idempotency_key: str | None = key_member()


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
