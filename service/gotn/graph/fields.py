"""Fields that a record's own members answer, declared in one call each."""

import inspect
from collections.abc import Callable
from typing import Any

import strawberry

from gotn.graph import faces
from gotn.graph.reads import KEY, Computed, Expression, GlobalId, Property


def global_id() -> Any:
    """Relay's id of an entity: its label and key."""

    def resolver(self: Any) -> strawberry.ID:
        found = faces.entity_of(self)
        return strawberry.ID(f"{found.label}:{found.key(self)}")

    return strawberry.field(
        resolver=resolver,
        name="id",
        metadata={KEY: GlobalId()},
        description="Global id: the type's name and the key, `WorkNode:demo/n1`.",
    )


def member(name: str, result: Any, description: str) -> Any:
    """A record's member under another name than its own."""

    def resolver(self: Any) -> Any:
        return getattr(self, name)

    return strawberry.field(
        resolver=signed(resolver, result, {}),
        metadata={KEY: Property(name)},
        description=description,
    )


def stored(description: str, read: Property | Expression | None = None, default: Any = None) -> Any:
    """A record's member, described; read as its own property or as declared."""
    return strawberry.field(
        default=default, description=description, metadata={KEY: read} if read else {}
    )


def computed(*needs: str, description: str) -> Callable[[Callable[[Any], Any]], Any]:
    """A field computed in Python from members of the record; `self` has those only."""
    return lambda function: strawberry.field(
        resolver=function, metadata={KEY: Computed(needs)}, description=description
    )


def signed(resolver: Any, result: Any, options: dict[str, Any]) -> Any:
    """Annotate a generic resolver with a field's own types."""
    known = inspect.signature(resolver).parameters
    parameters = [p for p in known.values() if p.name in ("self", "info")]
    parameters += [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            annotation=kind,
            default=known[name].default,
        )
        for name, kind in options.items()
    ]
    resolver.__annotations__ = {"info": strawberry.Info, **options, "return": result}
    resolver.__signature__ = inspect.Signature(parameters, return_annotation=result)
    return resolver
