"""The loader of Cypher files: what it reads, what it refuses."""

from pathlib import Path

import pytest

from gotn.database import queries
from gotn.errors import UnknownQuery, WrongParameters

HEADER = "// Does something.\n// params: {}\n// returns: n\n"


def make_file(folder: Path, params: str, statement: str) -> Path:
    """A query's file."""
    path = folder / "q.cypher"
    path.write_text(HEADER.format(params) + statement, encoding="utf-8")
    return path


def test_query_is_read(tmp_path: Path) -> None:
    """Name, parameters and summary come from the header; the text is the whole file."""
    found = queries.read(make_file(tmp_path, "a, b", "RETURN $a + $b AS n"), "x/q")
    assert (found.name, found.summary) == ("x/q", "Does something.")
    assert found.parameters == {"a", "b"}
    assert found.text.endswith("RETURN $a + $b AS n")


@pytest.mark.parametrize(
    "text",
    [
        "RETURN '$no' AS n, $a",
        'RETURN "$no" AS n, $a',
        "RETURN 'it\\'s $no' AS n, $a",
        "RETURN `$no` AS n, $a",
        "RETURN $a // $no",
        "RETURN $a /* $no\n $no */",
    ],
)
def test_scanner_sees_only_code(tmp_path: Path, text: str) -> None:
    """A dollar in a string, a quoted name or a comment is no parameter."""
    assert queries.read(make_file(tmp_path, "a", text), "q").parameters == {"a"}


@pytest.mark.parametrize(
    ("params", "statement"),
    [("none", "RETURN $a AS n"), ("a", "RETURN 1 AS n"), ("a", "RETURN $a + $b AS n")],
)
def test_header_must_agree(tmp_path: Path, params: str, statement: str) -> None:
    """Parameters declared and used are the same."""
    with pytest.raises(WrongParameters, match="declares"):
        queries.read(make_file(tmp_path, params, statement), "q")


@pytest.mark.parametrize(
    "text", ["RETURN 1", "// Does.\nRETURN 1", "// Does.\n// params: none\nRETURN 1"]
)
def test_header_must_be_there(tmp_path: Path, text: str) -> None:
    """A file without its sentence, params or returns is refused."""
    path = tmp_path / "q.cypher"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(WrongParameters, match="the header needs"):
        queries.read(path, "q")


def test_call_needs_exactly_its_parameters(tmp_path: Path) -> None:
    """A missing and an unknown argument are both named before the database sees them."""
    found = queries.read(make_file(tmp_path, "a", "RETURN $a AS n"), "q")
    found.check({"a": 1})
    with pytest.raises(WrongParameters, match=r"missing \['a'\], unknown \['b'\]"):
        found.check({"b": 1})


def test_unknown_query_is_named() -> None:
    """A name without a file is a mistake of ours."""
    with pytest.raises(UnknownQuery, match=r"cypher/work/none\.cypher"):
        queries.named("work/none")


def test_table_is_sorted_and_has_no_fragments() -> None:
    """Migrations and snippets of fields are not queries."""
    names = list(queries.table())
    assert names == sorted(names)
    assert "journal/append_entries" in names
    assert not [name for name in names if name.startswith(("fields/", "migrations/"))]
