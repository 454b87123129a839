"""What one operation may ask for: depth, aliases, tokens, time."""

from collections.abc import Callable
from dataclasses import dataclass

from graphql.validation import ASTValidationRule
from strawberry.extensions import (
    AddValidationRules,
    MaxTokensLimiter,
    SchemaExtension,
)

from gotn.api.rules import rule


@dataclass(frozen=True)
class Limits:
    """What one operation may ask for."""

    #: Fields below each other.
    depth: int = 12
    #: Aliases, each use of a fragment counted.
    aliases: int = 30
    tokens: int = 5000
    #: Fields that the document selects, each use of a fragment counted.
    fields: int = 2000
    #: Seconds from the first byte parsed to the last value read.
    seconds: float = 30.0


def extensions(limits: Limits) -> list[Callable[[], SchemaExtension]]:
    """What keeps an operation within its limits; made anew for each operation."""
    rules: list[type[ASTValidationRule]] = [rule(limits.depth, limits.aliases, limits.fields)]
    return [
        lambda: MaxTokensLimiter(max_token_count=limits.tokens),
        lambda: AddValidationRules(rules),
    ]
