"""Where compiled plans enter Strawberry: the executor's root fields, and the cache of documents.

A root field of a query that has a plan is answered by its statement, and graphql-core never
walks that data; everything else is executed as ever. So is whatever is out of the ordinary:
reads have no effects, a second run is only slower, and errors, paths and nulls are right.
"""

import logging
import warnings
from collections.abc import Callable, Iterator
from typing import Any

from graphql import DocumentNode, GraphQLError
from strawberry.extensions import SchemaExtension
from strawberry.schema.schema import StrawberryGraphQLCoreExecutionContext

from gotn.database.connection import Tx
from gotn.errors import DatabaseUnavailable, GotnError, NotFound, ProgrammingError
from gotn.graph.compiler import compiled
from gotn.graph.kept import Recent, extent, form
from gotn.graph.leaves import NotCompilable, Surprise
from gotn.graph.plans import Parameters, Plan
from gotn.graph.scope import require_project

log = logging.getLogger("gotn.graph")

#: Plans and documents that are kept at most.
PLANS, DOCUMENTS = 2048, 512
#: Characters of all kept statements and documents, of which each takes some 25 and 75 bytes.
PLANS_ROOM, DOCUMENTS_ROOM = 4_000_000, 1_000_000
#: Of coroutines that the executor made and dropped, see `quieten`.
ABANDONED = r"coroutine '(GraphQLCoreConverter|CompilingExecutor|Executor)\.\S+' was never awaited"
#: Reasons to execute a field normally that are no flaw of ours or of the data.
ORDINARY = frozenset(("argument", "size", "database"))


def quieten() -> None:
    """Keep what an operation that failed leaves behind out of the service's log.

    graphql-core cancels a field's siblings where it fails and may not be null; one that had not
    begun drops what it would have awaited, and Python warns of that. None of it ran.
    """
    warnings.filterwarnings("ignore", ABANDONED, RuntimeWarning)


class Documents(SchemaExtension):
    """Parses and validates each document once; what depends on variables is looked at each time."""

    def __init__(self, known: Recent[DocumentNode]) -> None:
        self._known = known
        self._found: DocumentNode | None = None

    def on_parse(self) -> Iterator[None]:
        """Take the document that this text gave before."""
        context = self.execution_context
        self._found = self._known.get(context.query)
        if self._found is not None:
            context.graphql_document = self._found
        yield

    def on_validate(self) -> Iterator[None]:
        """Keep what passed; the limits that are rules are the schema's own."""
        context = self.execution_context
        if self._found is not None:
            context.pre_execution_errors = []
        yield
        text, document = context.query, context.graphql_document
        if self._found or document is None or context.pre_execution_errors:
            return
        if text is not None:
            self._known.put(text, document, len(text))


class CompilingExecutor(StrawberryGraphQLCoreExecutionContext):
    """Answers a query's root fields from compiled plans, and executes the others normally."""

    #: The plans of this schema, or None for a root field that has none; with the nodes that name
    #: them, so that no other node gets their place in memory.
    plans: Recent[tuple[list[Any], Plan | None]]

    def execute_field(
        self, parent_type: Any, source: Any, field_details_list: Any, path: Any, position: Any
    ) -> Any:
        """One field; graphql-core calls this for every field that it executes."""

        def normally() -> Any:
            return super(CompilingExecutor, self).execute_field(
                parent_type, source, field_details_list, path, position
            )

        if path.prev is not None or parent_type is not self.schema.query_type:
            return normally()
        if field_details_list[0].node.name.value.startswith("__"):
            return normally()
        plan = self._plan(parent_type, field_details_list)
        if plan is None:
            return normally()
        return self._answer(plan, normally, parent_type, field_details_list, path)

    def _plan(self, parent: Any, details: Any) -> Plan | None:
        """The root field's plan, compiled when it is first seen with variables of this form."""
        if self.middleware_manager and self.middleware_manager.middlewares:
            self.context_value.on_field("normal", "middleware")
            return None
        nodes = [one.node for one in details]
        place = (*map(id, nodes), form(self.variable_values.coerced))
        known = self.plans.get(place)
        if known is None:
            try:
                known = nodes, compiled(self, parent, details)
            except NotCompilable:
                known = nodes, None
            except Exception as error:  # noqa: BLE001  # normal execution says what is wrong
                self._surprised(_reason(error), error)
                return None
            self.plans.put(place, known, _weight(place[-1], *known))
        if known[1] is None:
            self.context_value.on_field("normal", "undeclared")
        return known[1]

    async def _answer(
        self, plan: Plan, normally: Callable[[], Any], parent: Any, details: Any, path: Any
    ) -> Any:
        """The compiled answer, or the normal one where anything is out of the ordinary."""
        try:
            given = plan.parameters(self)
            found = plan.answer(await self._read(plan, given), given)
        except NotFound as error:  # a second run would find the same
            kind = parent.fields[details[0].node.name.value].type
            self.context_value.on_field("compiled", "")
            self.handle_field_error(error, kind, details, path)
            return None
        except Exception as error:  # noqa: BLE001  # normal execution says what is wrong
            self._surprised(_reason(error), error)
            result = normally()
            return await result if self.is_awaitable(result) else result
        self.context_value.on_field("compiled", "")
        return found

    async def _read(self, plan: Plan, given: Parameters) -> Any:
        """The statement's value; NotFound where nothing is found for want of a project."""

        async def read(tx: Tx) -> Any:
            value = (await tx.composed(plan.text, given, name=plan.name))[0]["value"]
            if plan.scoped and value in ([], [[], 0]):
                await require_project(tx, given["project"])
            return value

        return await self.context_value.database.ask(read)

    def _surprised(self, reason: str, error: Exception | None) -> None:
        """Count why a field with a plan is executed normally; log what should not happen."""
        ordinary = reason in ORDINARY
        self.context_value.on_field("refused" if ordinary else "surprise", reason)
        if not ordinary:
            unknown = error if reason == "error" else None
            log.warning("executed normally", exc_info=unknown, extra={"reason": reason})


def _weight(form_: Any, nodes: list[Any], plan: Plan | None) -> int:
    """What keeping a plan takes: its nodes hold the whole document."""
    text = plan.text if plan else ""
    return extent(form_) + len(text) + max(len(node.loc.source.body) for node in nodes if node.loc)


def _reason(error: Exception) -> str:
    """One of a few words for metrics."""
    if isinstance(error, Surprise):
        return str(error)
    if isinstance(error, ProgrammingError):
        return "statement"
    if isinstance(error, DatabaseUnavailable):
        return "database"  # which normal execution tries again
    return "argument" if isinstance(error, GotnError | GraphQLError) else "error"


def compiling() -> tuple[type[CompilingExecutor], Callable[[], Documents]]:
    """An executor and an extension with caches of their own: one pair for each schema."""
    documents: Recent[DocumentNode] = Recent(DOCUMENTS, DOCUMENTS_ROOM)

    class Executor(CompilingExecutor):
        """The executor of one schema."""

        plans: Recent[tuple[list[Any], Plan | None]] = Recent(PLANS, PLANS_ROOM)

    return Executor, lambda: Documents(documents)
