"""The committed page at /graphiql: what it was built from, what is in it, under which licences."""

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILT = ROOT / "service/gotn/server/graphiql"
SOURCES = ROOT / "graphql/graphiql"
#: Bytes that the page may have; a page that grows does so knowingly.
LARGEST = 7_000_000
PERMISSIVE = {"MIT", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "0BSD"}


def versions() -> Any:
    """What the build wrote down."""
    return json.loads((BUILT / "versions.json").read_text(encoding="utf-8"))


def checksums(folder: Path) -> dict[str, str]:
    """The SHA-256 of every file of a folder."""
    return {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.iterdir()
        if path.is_file()
    }


def test_files_are_what_was_built() -> None:
    """No file was changed, added or lost by hand since `make graphiql`."""
    found = checksums(BUILT)
    del found["versions.json"]
    assert versions()["files"] == found
    assert sum(path.stat().st_size for path in BUILT.iterdir()) < LARGEST


def test_page_is_built_from_the_sources_here() -> None:
    """A source or a lock that was changed without `make graphiql` is found here."""
    assert versions()["sources"] == checksums(SOURCES)


def test_every_package_has_its_licence() -> None:
    """Each bundled package is permissive, and its licence's text travels with the page."""
    text = (BUILT / "LICENSES.txt").read_text(encoding="utf-8")
    rule = "-" * 80
    rest, packages = text, list(reversed(versions()["packages"].items()))
    for title, licence in packages:
        assert licence in PERMISSIVE, title
        rest, head, told = rest.rpartition(f"{rule}\n{title} ({licence})\n{rule}\n")
        assert head, title
        assert re.search(r"permission|Apache License|Redistribution", told, re.IGNORECASE), title
    assert not rest
    assert "codicon (@vscode/codicons)" in text


def test_bundled_versions_are_the_locked_ones() -> None:
    """What is in the page is what the lock names."""
    lock = json.loads((SOURCES / "package-lock.json").read_text(encoding="utf-8"))
    locked = {
        f"{place.rpartition('node_modules/')[2]} {package['version']}"
        for place, package in lock["packages"].items()
        if place
    }
    assert versions()["packages"].keys() <= locked
    assert {"graphiql", "monaco-editor", "react"} <= {t.split()[0] for t in versions()["packages"]}


def test_page_loads_nothing_from_elsewhere() -> None:
    """No address in what a browser loads by itself: the page, its styles, what scripts import."""
    assert "//" not in (BUILT / "index.html").read_text(encoding="utf-8")
    for path in BUILT.glob("*.css"):
        assert not re.search(r"url\(\s*['\"]?(?:https?:)?//", path.read_text(encoding="utf-8"))
    for path in BUILT.glob("*.js"):
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"(?:\bfrom|\bimport)\s*\(?\s*[\"'`](?:https?:)?//", text), path.name
        assert "sourceMappingURL" not in text


@pytest.mark.parametrize("folder", [SOURCES, ROOT / "tests/browser"], ids=["graphiql", "tests"])
def test_npm_locks_name_no_place(folder: Path) -> None:
    """Every package is pinned by its hash; where it comes from is npm's own setting."""
    lock = json.loads((folder / "package-lock.json").read_text(encoding="utf-8"))
    wanted = json.loads((folder / "package.json").read_text(encoding="utf-8"))
    packages = {place: package for place, package in lock["packages"].items() if place}
    for place, package in packages.items():
        assert package["integrity"].startswith("sha512-"), place
        assert not {"resolved", "link"} & package.keys(), place
    for kind in ("dependencies", "devDependencies"):
        for name, version in wanted.get(kind, {}).items():
            assert packages[f"node_modules/{name}"]["version"] == version
