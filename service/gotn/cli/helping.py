"""`gotn help`: one verb explained, or the whole tree of commands for programs."""

from typing import Any

from gotn.cli.call import Call
from gotn.errors import NotFound


def tree(command: Any, name: str = "gotn") -> dict[str, Any]:
    """A command with its help, examples, parameters and the commands below it."""
    found: dict[str, Any] = {
        "name": name,
        "help": " ".join((command.help or "").split()),
        "examples": _examples(command),
        "parameters": [_parameter(one) for one in command.params],
    }
    below = getattr(command, "commands", None)
    if below:
        found["commands"] = [tree(below[word], word) for word in sorted(below)]
    return found


def _examples(command: Any) -> list[str]:
    lines = (command.epilog or "").splitlines()
    return [line.removeprefix("Example: ") for line in lines if line.startswith("Example: ")]


def _parameter(one: Any) -> dict[str, Any]:
    return {
        "name": one.name,
        "kind": one.param_type_name,
        "names": list(one.opts) + list(one.secondary_opts),
        "required": bool(one.required),
        "repeatable": bool(getattr(one, "multiple", False) or one.nargs == -1),
        "help": getattr(one, "help", None),
    }


def explain(call: Call, words: list[str]) -> None:
    """Print a verb's help, or with --json its part of the tree."""
    command: Any = call.root
    context: Any = command.make_context("gotn", [], resilient_parsing=True)
    for depth, word in enumerate(words, 1):
        command = getattr(command, "commands", {}).get(word)
        if command is None:
            raise NotFound(f"There is no verb `{' '.join(words[:depth])}`; see `gotn help`.")
        context = command.make_context(word, [], parent=context, resilient_parsing=True)
    if call.as_json:
        print(call.envelope(tree(command, words[-1] if words else "gotn")))
        return
    if text := command.get_help(context):  # Rich prints by itself and gives nothing
        print(text)
