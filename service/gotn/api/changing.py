"""How mutations are declared: their one argument, their result, what may stand in it."""

from typing import Any

import strawberry

#: The one argument of every mutation.
GIVEN = strawberry.argument(name="input", description="What is asked for.")


def union(name: str, description: str) -> Any:
    """What a mutation gives, or the errors it is refused with."""
    return strawberry.union(name, description=description)


def mutation(result: Any, description: str) -> Any:
    """A mutation that gives one of a union's members."""
    return strawberry.mutation(graphql_type=result, description=description)
