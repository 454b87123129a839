"""Errors as members of a mutation's result: one type a class of gotn.errors, with its facts."""

from enum import Enum
from typing import Any

import strawberry
from strawberry.scalars import JSON

from gotn import errors
from gotn.work import exchange


@strawberry.enum(description="What was refused; stable, for programs.")
class ErrorCode(Enum):
    """What was refused; stable, for programs."""

    NOT_FOUND = strawberry.enum_value("NOT_FOUND", description="Nothing has this name here.")
    INVALID = strawberry.enum_value("INVALID", description="The input cannot be taken as it is.")
    BAD_DOCUMENT = strawberry.enum_value("BAD_DOCUMENT", description="A document cannot be read.")
    CYCLE = strawberry.enum_value("CYCLE", description="A hard edge would close a cycle.")
    ILLEGAL_MOVE = strawberry.enum_value(
        "ILLEGAL_MOVE", description="A status may not move that way."
    )
    LIMIT = strawberry.enum_value("LIMIT", description="This is more than is allowed.")
    CONFLICT = strawberry.enum_value("CONFLICT", description="It clashes with what is stored.")
    STALE_REVISION = strawberry.enum_value(
        "STALE_REVISION", description="Somebody changed it first."
    )
    LEASE_LOST = strawberry.enum_value(
        "LEASE_LOST", description="The step is not the caller's any more."
    )


@strawberry.interface(description="Something that was refused.")
class Error:
    """Something that was refused."""

    code: ErrorCode = strawberry.field(description="What was refused, for programs.")
    message: str = strawberry.field(description="What was refused, for people.")
    facts: JSON = strawberry.field(description="Everything that is known about it.")


@strawberry.type(description="Nothing has this name in this project.")
class NotFound(Error):
    """Nothing has this name in this project."""

    id: str | None = strawberry.field(default=None, description="The name that was looked for.")


@strawberry.type(description="The input cannot be taken as it is.")
class InvalidInput(Error):
    """The input cannot be taken as it is."""

    field: str | None = strawberry.field(default=None, description="Which member is wrong.")
    violations: list[str] = strawberry.field(
        default_factory=list,
        description="Everything that is wrong, a text each; of a document as "
        "`line 4: the id: what is wrong`. `facts` has {line, id, reason} of each.",
    )


@strawberry.type(description="It clashes with what is stored.")
class Conflict(Error):
    """It clashes with what is stored."""

    id: str | None = strawberry.field(default=None, description="What it clashes with.")
    fields: list[str] = strawberry.field(
        default_factory=list, description="The fields that differ from what is stored."
    )
    holder: str | None = strawberry.field(default=None, description="The worker who has it now.")
    lease_until: str | None = strawberry.field(
        default=None, description="Until when that worker has it, or had it."
    )
    attempt: int | None = strawberry.field(
        default=None, description="The number of that worker's attempt."
    )


@strawberry.type(description="Somebody changed it since it was read.")
class StaleRevision(Error):
    """Somebody changed it since it was read."""

    expected: int | None = strawberry.field(default=None, description="The revision expected.")
    current: int | None = strawberry.field(default=None, description="The revision stored.")


@strawberry.type(description="A hard edge would close a cycle.")
class CycleRefused(Error):
    """A hard edge would close a cycle."""

    path: list[str] = strawberry.field(
        default_factory=list, description="Ids along the cycle, the first again at the end."
    )
    tags: list[str] = strawberry.field(
        default_factory=list, description="For each hop the tags it rests on, or `explicit`."
    )


@strawberry.type(description="The status may not move that way.")
class IllegalMove(Error):
    """The status may not move that way."""

    before: str | None = strawberry.field(default=None, description="The status it has.")
    after: str | None = strawberry.field(default=None, description="The status it was to have.")


@strawberry.type(description="This is more than is allowed.")
class LimitExceeded(Error):
    """This is more than is allowed."""

    limit: float | None = strawberry.field(default=None, description="What is allowed.")


#: Ours -> GraphQL's, most specific first: the one table of what a mutation may answer.
TABLE: tuple[tuple[type[errors.GotnError], type[Error]], ...] = (
    (errors.StaleRevision, StaleRevision),
    (errors.LeaseLost, Conflict),
    (errors.Conflict, Conflict),
    (errors.CycleRefused, CycleRefused),
    (errors.IllegalMove, IllegalMove),
    (errors.LimitExceeded, LimitExceeded),
    (errors.Invalid, InvalidInput),
    (errors.NotFound, NotFound),
)


class Refusal:
    """Turns one class of our errors into its GraphQL type, where a field's result has it."""

    def __init__(self, raised: type[errors.GotnError], shown: type[Error]) -> None:
        self.exception_type = raised
        self.error_type = shown

    def handle(self, exception: errors.GotnError, *, field: Any, info: strawberry.Info) -> Error:  # noqa: ARG002  # Strawberry's signature
        """The member of the result that says what was refused."""
        info.context.refused.append(exception)
        known = self.error_type.__dataclass_fields__.keys()
        facts = {name: value for name, value in exception.facts.items() if name in known}
        if "violations" in facts:
            facts["violations"] = [_line(one) for one in facts["violations"]]
        return self.error_type(
            code=ErrorCode(exception.code),
            message=exception.message,
            **{"facts": exception.facts, **facts},
        )


def _line(violation: Any) -> str:
    """A violation as one line; those of a document have a place of their own."""
    if not isinstance(violation, dict):
        return str(violation)
    place = f"line {violation['line']}: " if violation.get("line") else ""
    name = f"{violation['id']}: " if violation.get("id") else ""
    reason = str(violation.get("reason"))
    way_out = "; flagCycles keeps them, flagged" if exchange.is_cycle(reason) else ""
    return f"{place}{name}{reason}{way_out}"


HANDLERS = tuple(Refusal(raised, shown) for raised, shown in TABLE)
