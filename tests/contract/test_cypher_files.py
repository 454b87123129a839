"""Cypher stands in cypher/, one statement a file, under a header that tells the truth."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from gotn import resources
from gotn.database import queries

ROOT = Path(__file__).resolve().parents[2]
SERVICE = ROOT / "service" / "gotn"
FILES = sorted(p for p in resources.cypher().rglob("*.cypher") if p.parent.name != "migrations")
QUERIES = [p for p in FILES if p.parent.name != "fields"]
_CYPHER = re.compile(
    r"\bMATCH\s*\(|\bMERGE\s*\(|\bUNWIND\s+[$\[(]|\bDETACH\s+DELETE\b|\bCREATE\s*\((?!\?)|\bCALL\s*\(\w*\)\s*\{"
)


def _name(path: Path) -> str:
    return path.relative_to(resources.cypher()).with_suffix("").as_posix()


@pytest.mark.parametrize("path", QUERIES, ids=_name)
def test_header_is_whole(path: Path) -> None:
    """A sentence, params, returns, and values to paste where there are params; then the rest."""
    lines = path.read_text(encoding="utf-8").splitlines()
    count = next(i for i, line in enumerate(lines) if not line.startswith("//"))
    header = lines[:count]
    assert not [line for line in lines[count:] if line.lstrip().startswith("//")]
    assert re.fullmatch(r"// [A-Z].*[.:?]?.+\.", header[0]), header[0]
    assert re.fullmatch(r"// params: (none|\w+(, \w+)*)", header[1]), header[1]
    assert re.fullmatch(r"// returns: \w+(, \w+)*", header[2]), header[2]
    assert len(header) == (3 if header[1].endswith(" none") else 4)
    if len(header) == 4:
        assert re.fullmatch(r"// :param \{.*\}", header[3]), header[3]


@pytest.mark.parametrize("path", QUERIES, ids=_name)
def test_one_statement(path: Path) -> None:
    """A semicolon would make it two."""
    assert ";" not in queries.code(path.read_text(encoding="utf-8"))


def _literals(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Every string that is not a docstring, f-strings with their holes as `{}`."""
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    inside = {
        id(part)
        for node in ast.walk(tree)
        if isinstance(node, ast.JoinedStr)
        for part in node.values
    }
    silent = docstrings | inside
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            parts = [p.value if isinstance(p, ast.Constant) else "{}" for p in node.values]
            yield node.lineno, "".join(str(part) for part in parts)
        elif id(node) in silent or not isinstance(node, ast.Constant):
            continue
        elif isinstance(node.value, str):
            yield node.lineno, node.value


def _modules() -> list[Path]:
    return sorted(SERVICE.rglob("*.py"))


def _strings(path: Path) -> list[tuple[int, str]]:
    return list(_literals(ast.parse(path.read_text(encoding="utf-8"))))


def test_every_query_is_called_by_name() -> None:
    """A file that nobody names is dead; a name without a file does not start."""
    said = [text for path in _modules() for _, text in _strings(path)]
    exact = {text for text in said if "{}" not in text}
    patterns = [
        re.compile(re.escape(text).replace(r"\{\}", r"\w+"))
        for text in said
        if re.fullmatch(r"[a-z]+/[a-z_{}]+", text) and "{}" in text
    ]
    unused = [
        name
        for name in queries.table()
        if name not in exact and not any(pattern.fullmatch(name) for pattern in patterns)
    ]
    assert unused == []


def test_every_field_snippet_is_named() -> None:
    """A snippet that no declaration names is dead."""
    said = {text for path in _modules() for _, text in _strings(path)}
    snippets = [_name(path) for path in FILES if path.parent.name == "fields"]
    bare = {text.removeprefix("fields/") for text in said}
    assert [name for name in snippets if name.removeprefix("fields/") not in bare] == []


@pytest.mark.parametrize(
    "path",
    [p for p in _modules() if p.relative_to(SERVICE).parts[0] != "graph"],
    ids=lambda p: p.relative_to(SERVICE).as_posix(),
)
def test_no_cypher_in_python(path: Path) -> None:
    """A statement in a string literal could be composed; only gotn/graph composes."""
    assert [(line, text[:60]) for line, text in _strings(path) if _CYPHER.search(text)] == []


def test_the_scan_sees_cypher() -> None:
    """The scan above finds what it is there for."""
    tree = ast.parse("x = 'MATCH (n) RETURN n'\ny = f'UNWIND ${1} AS n'\nz = 'a match (b)'")
    assert [bool(_CYPHER.search(text)) for _, text in _literals(tree)] == [True, True, False]


def test_folders_are_known() -> None:
    """cypher/ has a folder a context and a shared module, and nothing loose."""
    assert {path.parent.name for path in FILES} <= {
        "digest",
        "doctor",
        "fields",
        "journal",
        "project",
        "request",
        "run",
        "schema",
        "similarity",
        "staging",
        "trees",
        "work",
    }
    assert not list(resources.cypher().glob("*.cypher"))
