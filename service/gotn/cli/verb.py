"""How a verb is declared: its help, its examples, the options every verb has, its errors."""

import functools
import inspect
from collections.abc import Callable
from typing import Annotated, Any, TypeVar

import typer

from gotn.cli import failing
from gotn.cli.call import Call

F = TypeVar("F", bound=Callable[..., int | None])

_PANEL = "Everywhere"

Project = Annotated[
    str | None,
    typer.Option("--project", "-p", help="Project to work in.", rich_help_panel=_PANEL),
]
Json = Annotated[
    bool, typer.Option("--json", help="Answer in JSON, for programs.", rich_help_panel=_PANEL)
]
Actor = Annotated[str | None, typer.Option("--actor", help="Who acts.", rich_help_panel=_PANEL)]
Debug = Annotated[
    bool, typer.Option("--debug", help="Show tracebacks of errors.", rich_help_panel=_PANEL)
]

#: Options that verbs share: name -> (annotation, default).
Options = dict[str, tuple[Any, Any]]
#: The options of every verb.
COMMON: Options = {
    "project": (Project, None),
    "as_json": (Json, False),
    "actor": (Actor, None),
    "debug": (Debug, False),
}


def group(name: str, text: str) -> typer.Typer:
    """A verb with verbs below it, such as `node`."""
    return typer.Typer(name=name, help=text, no_args_is_help=True)


def verb(
    app: typer.Typer, name: str, *examples: str, options: Options | None = None
) -> Callable[[F], F]:
    """Add a function as a verb; its docstring is the help, `examples` stand below it.

    The function is given a Call and its own arguments; `options` that several verbs share
    reach it as `**fields`. An integer it returns is the exit code.
    """

    def add(function: F) -> F:
        epilog = "\n\n".join(f"Example: {example}" for example in examples)
        app.command(name, epilog=epilog)(_wrapped(function, options or {}))
        return function

    return add


def _wrapped(function: Callable[..., int | None], options: Options) -> Callable[..., None]:
    """The function as Typer sees it: with a context and the common options."""

    @functools.wraps(function)
    def wrapper(ctx: typer.Context, **given: Any) -> None:
        call = _call(ctx, {name: given.pop(name) for name in COMMON})
        raise typer.Exit(_carried_out(function, call, given) or 0)

    own = list(inspect.signature(function).parameters.values())[1:]
    keyword, rest = inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.VAR_KEYWORD
    parameters = [
        inspect.Parameter("ctx", keyword, annotation=typer.Context),
        *(parameter.replace(kind=keyword) for parameter in own if parameter.kind != rest),
        *(
            inspect.Parameter(n, keyword, annotation=annotation, default=default)
            for n, (annotation, default) in (options | COMMON).items()
        ),
    ]
    wrapper.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # inspect reads it
    wrapper.__annotations__ = {p.name: p.annotation for p in parameters}
    return wrapper


def _call(ctx: typer.Context, given: dict[str, Any]) -> Call:
    """The options of the verb over those before it (`gotn -p demo ready`)."""
    before = ctx.obj or {}
    return Call(
        command=ctx.command_path.removeprefix("gotn").strip(),
        as_json=given["as_json"] or before.get("as_json", False),
        debug=given["debug"] or before.get("debug", False),
        options={name: given[name] or before.get(name) for name in ("project", "actor")},
        root=ctx.find_root().command,
    )


def _carried_out(
    function: Callable[..., int | None], call: Call, given: dict[str, Any]
) -> int | None:
    try:
        return function(call, **given)
    except (typer.Exit, typer.Abort, typer.BadParameter):
        raise
    except BrokenPipeError:
        return failing.nobody_reads()
    except Exception as error:  # noqa: BLE001  # no traceback ever reaches a user
        return failing.report(error, call.command, as_json=call.as_json, debug=call.debug)
