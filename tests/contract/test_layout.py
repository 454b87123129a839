"""The tree explains the system: the same five names in every context, short modules, no attic."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SERVICE = ROOT / "service" / "gotn"
PACKAGES = (SERVICE, ROOT / "embeddings" / "gotn_embeddings")
CONTEXTS = [name for name in ("work", "goals", "loops", "trees") if (SERVICE / name).is_dir()]
NAMES = ("records", "rules", "store", "usecases", "exchange")
ATTIC = {"utils", "util", "common", "helpers", "helper", "manager", "misc", "base"}
MODULES = sorted(
    path
    for folder in ("service", "embeddings", "tests")
    for path in (ROOT / folder).rglob("*.py")
    if "__pycache__" not in path.parts
)
OURS = [path for path in MODULES if not set(PACKAGES).isdisjoint(path.parents)]
#: Lines at which a module is split, and those that may be longer.
LONGEST = 400
LONGER = {"service/gotn/work/records.py": "every shape of the context, declared once"}


def _id(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("context", CONTEXTS)
def test_context_has_its_five_names(context: str) -> None:
    """Whoever has read one context finds everything in the next."""
    folder = SERVICE / context
    found = {
        path.stem
        for path in folder.iterdir()
        if path.suffix == ".py" or (path.is_dir() and path.name != "__pycache__")
    }
    assert found - {"__init__"} == set(NAMES)
    assert (folder / "__init__.py").read_text(encoding="utf-8").strip() == ""


def test_top_level_is_as_given() -> None:
    """The folders of the tree, and none that would shadow a package."""
    for name in ("service", "graphql", "cypher", "embeddings", "tests", "docker"):
        assert (ROOT / name).is_dir(), name
    for name in ("graphql", "docker"):
        assert not (ROOT / name / "__init__.py").exists()


def test_nothing_is_called_after_its_maker() -> None:
    """No utils, common, helpers: a module is called after what it knows."""
    assert [_id(path) for path in MODULES if path.stem in ATTIC] == []
    assert [_id(p) for p in SERVICE.rglob("*") if p.is_dir() and p.name in ATTIC] == []


@pytest.mark.parametrize("path", OURS, ids=_id)
def test_module_is_short(path: Path) -> None:
    """At 400 lines a module is split, unless a reason says why not."""
    long = len(path.read_text(encoding="utf-8").splitlines()) > LONGEST
    assert long == (_id(path) in LONGER)


@pytest.mark.parametrize("path", OURS, ids=_id)
def test_public_names_are_explained(path: Path) -> None:
    """Every module, public class and public function says what it means."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    if path.name != "__init__.py" or tree.body:
        assert ast.get_docstring(tree), "the module"
    silent = [
        node.name
        for node in tree.body
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and not node.name.startswith("_")
        and not ast.get_docstring(node)
    ]
    assert silent == []


@pytest.mark.parametrize("path", [p for p in MODULES if p.name.startswith("test_")], ids=_id)
def test_tests_say_what_they_prove(path: Path) -> None:
    """Every test has a docstring."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    silent = [
        node.name
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.name.startswith("test_")
        and not ast.get_docstring(node)
    ]
    assert silent == []


def test_no_future_annotations_where_records_are() -> None:
    """Strings for annotations would be looked up in the wrong module by Strawberry."""
    words = "from __future__ import annotations"
    found = [
        _id(path)
        for path in MODULES
        if path.name == "records.py" or path.is_relative_to(SERVICE / "api")
        if words in path.read_text(encoding="utf-8")
    ]
    assert found == []
