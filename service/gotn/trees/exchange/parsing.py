"""Text into plain values: JSON or YAML, decimals exact, nothing unpredictable taken.

Numbers with a point become Decimal, so that no money passes through a float. A key that
stands twice, NaN, half a file and a YAML alias are refused with the line.
"""

import json
import re
from collections.abc import Callable, Iterator
from decimal import Decimal, InvalidOperation
from json.decoder import JSONDecodeError
from typing import Any

import yaml

from gotn import shapes
from gotn.trees.exchange import deep
from gotn.trees.exchange.report import Report


def parsed(text: str, report: Report) -> Any:
    """The value of a document: JSON where it begins like that, else YAML; None where it is none."""
    begins = text.lstrip("\ufeff \t\r\n")
    if begins[:1] in ("{", "["):
        return _json(text.removeprefix("\ufeff"), report)
    return _yaml(text, report)


def _json(text: str, report: Report) -> Any:
    places = _constants(text)

    def constant(found: str) -> None:
        report.wrong(f"expected a JSON number, found {found}", line=next(places, None))

    pairs = _once(report)
    try:
        try:
            return json.loads(
                text, parse_float=Decimal, parse_constant=constant, object_pairs_hook=pairs
            )
        except RecursionError:
            return deep.loads(text, pairs)
    except JSONDecodeError as error:
        report.wrong(_reason(error), line=error.lineno)
    except ValueError as error:  # an integer of more digits than Python reads
        report.wrong(str(error).split(";")[0])
    return None


_CONSTANT = re.compile(r'"(?:[^"\\]|\\.)*"|(-?Infinity|NaN)')


def _constants(text: str) -> Iterator[int]:
    """The lines of a text in which words stand that are no JSON numbers, one after the other."""
    for found in _CONSTANT.finditer(text):
        if found[1]:
            yield text.count("\n", 0, found.start()) + 1


def _once(report: Report) -> Callable[[list[tuple[str, Any]]], dict[str, Any]]:
    def made(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            names = [name for name, _ in pairs]
            twice = next(name for i, name in enumerate(names) if name in names[:i])
            name = found.get("node_id")
            place = f"task {shapes.shown(name)}: " if isinstance(name, str) else ""
            report.wrong(f"{place}expected each key once, found {shapes.shown(twice)} twice")
        return found

    return made


def _reason(error: JSONDecodeError) -> str:
    rest = error.doc[error.pos : error.pos + 20]
    ended = error.msg.startswith("Unterminated string") or not rest.strip()
    found = "the end of the file" if ended else shapes.shown(rest)
    return f"expected JSON, found {found} at column {error.colno} ({error.msg})"


class _Loader(yaml.SafeLoader):
    """YAML's plain values; times stay text, decimals exact, aliases are refused."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        """No node that stands elsewhere: a few lines of aliases can be gigabytes."""
        if self.check_event(yaml.AliasEvent):
            mark = self.peek_event().start_mark  # type: ignore[no-untyped-call]
            raise yaml.composer.ComposerError(None, None, "aliases are not read", mark)
        return super().compose_node(parent, index)

    def construct_mapping(self, node: Any, deep: bool = False) -> Any:  # PyYAML's signature
        """An object whose keys are texts, each once."""
        found: dict[str, Any] = {}
        for key_node, value_node in node.value:
            key = str(key_node.value)
            if key in found:
                raise yaml.constructor.ConstructorError(
                    None, None, f"found the key {key!r} twice", key_node.start_mark
                )
            found[key] = self.construct_object(value_node, deep=deep)
        return found


def _decimal(_: Any, node: Any) -> Any:
    try:
        found = Decimal(node.value.replace("_", ""))
    except InvalidOperation:
        found = Decimal("NaN")
    if not found.is_finite():
        raise yaml.constructor.ConstructorError(
            None, None, f"expected a number, found {node.value}", node.start_mark
        )
    return found


def _integer(_: Any, node: Any) -> Any:
    try:
        return int(node.value)
    except ValueError:
        return node.value


_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in known if not tag.endswith(":timestamp")]
    for first, known in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
_Loader.add_constructor("tag:yaml.org,2002:float", _decimal)
_Loader.add_constructor("tag:yaml.org,2002:int", _integer)


def _yaml(text: str, report: Report) -> Any:
    try:
        return yaml.load(text, Loader=_Loader)  # noqa: S506  # a subclass of SafeLoader
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        line = mark.line + 1 if mark else None
        report.wrong(f"expected YAML: {error.problem or error.context}", line=line)
    except yaml.YAMLError as error:
        report.wrong(f"expected JSON or YAML: {str(error).splitlines()[0]}")
    except RecursionError:
        report.wrong("nested too deeply for YAML; write it as JSON")
    return None
