"""The arguments that lists share, described once."""

from typing import Annotated, Any

import strawberry

#: How many rows: `first`.
First = Annotated[int, strawberry.argument(description="Rows of the page, 0 to 500.")]
#: Where to go on: `after`.
After = Annotated[
    str | None,
    strawberry.argument(description="Cursor of the row after which to go on, from this list."),
]
#: `project` of a root field.
ProjectId = Annotated[str, strawberry.argument(description="Id of the project to read.")]


def filtered(kind: Any) -> Any:
    """`filter` of this input type."""
    return Annotated[
        kind | None, strawberry.argument(description="Which rows; members are joined by AND.")
    ]


def ordered(kind: Any) -> Any:
    """`orderBy` of this enum."""
    return Annotated[kind, strawberry.argument(description="In which order.")]
