"""The arguments that lists share, described once."""

from typing import Annotated

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


#: `filter` of a list, as Annotated[SomeFilter | None, FILTER].
FILTER = strawberry.argument(
    name="filter", description="Which rows; members are joined by AND, null asks nothing."
)
#: `orderBy` of a list, as Annotated[SomeOrder, ORDER].
ORDER = strawberry.argument(description="In which order.")
