"""The extensions that hold an operation within its limits."""

from collections.abc import Callable, Iterator
from functools import cache

from graphql import (
    ASTValidationRule,
    DocumentNode,
    ExecutionResult,
    GraphQLError,
    GraphQLSchema,
    OperationDefinitionNode,
)
from strawberry.extensions import (
    AddValidationRules,
    MaxTokensLimiter,
    SchemaExtension,
)

from gotn.api.complexity import Meter
from gotn.api.limits import Limits, facts
from gotn.api.rules import rule


class Complexity(SchemaExtension):
    """Refuses an operation whose answer could have too many values, before it runs.

    At execution and not as a rule: the number depends on the variables, and a validated
    document may be kept for other ones. So does which operation is meant: where a document has
    several, Strawberry would run the first.
    """

    def __init__(self, limit: int, meter: Callable[[GraphQLSchema], Meter]) -> None:
        self._limit = limit
        self._meter = meter

    def on_execute(self) -> Iterator[None]:
        """Put the refusal where the result would be."""
        if (document := self.execution_context.graphql_document) is not None:
            error = self._unnamed(document) or self._large(document)
            if error is not None:
                self.execution_context.result = ExecutionResult(data=None, errors=[error])
        yield

    def _unnamed(self, document: DocumentNode) -> GraphQLError | None:
        named = self.execution_context._provided_operation_name  # noqa: SLF001  # as it was sent
        operations = (d for d in document.definitions if isinstance(d, OperationDefinitionNode))
        if named is None and len(list(operations)) > 1:
            return GraphQLError("operationName: this document has several operations; name one.")
        return None

    def _large(self, document: DocumentNode) -> GraphQLError | None:
        asked = self.execution_context
        meter = self._meter(asked.schema._schema)  # noqa: SLF001  # graphql-core's own
        found = meter.of(asked.query or "", document, asked.operation_name, asked.variables)
        if found <= self._limit:
            return None
        return GraphQLError(
            f"This operation may give {found} values, and may give {self._limit}; "
            "ask for fewer rows (`first`) or fewer fields.",
            extensions=facts("complexity", self._limit, found),
        )


def extensions(limits: Limits) -> list[Callable[[], SchemaExtension]]:
    """What keeps an operation within its limits; made anew for each operation."""
    rules: list[type[ASTValidationRule]] = [rule(limits)]
    meter = cache(Meter)

    return [
        lambda: MaxTokensLimiter(max_token_count=limits.tokens),
        lambda: AddValidationRules(rules),
        lambda: Complexity(limits.complexity, meter),
    ]
