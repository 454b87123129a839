"""The browser of the tests itself: what it can do, and that nothing leaves this machine."""

from pathlib import Path

import pytest
from browser import chromium
from browser.chromium import BrowserFailed, BrowserMissing, Page, launched


def test_a_page_runs_javascript_and_libraries(page: Page) -> None:
    """HTML is shown, an expression answered, a library of node_modules loaded."""
    page.content("<main>Hallo <b>Łucja</b></main>")
    assert page.text("main") == "Hallo Łucja"
    assert page.evaluate("Promise.resolve([1, {a: null}])") == [1, {"a": None}]
    page.script("mermaid/dist/mermaid.min.js")
    svg = page.evaluate("mermaid.render('g', 'graph TD; a-->b').then(done => done.svg)")
    assert svg.startswith("<svg")
    assert page.log().outside == []


def test_a_page_reaches_no_other_machine(page: Page) -> None:
    """Whatever it asks of one is cut off, and written down."""
    page.content("<img src='https://gotn.example/a.png'>")
    page.evaluate("fetch('https://gotn.example/b').catch(() => null)")
    assert sorted(page.log().outside) == ["https://gotn.example/a.png", "https://gotn.example/b"]


def test_errors_of_a_page_are_kept_and_told(page: Page) -> None:
    """What a script throws ends the test's request, what the console shows is in the log."""
    page.content("<script>console.error('of the console'); throw new Error('uncaught')</script>")
    assert page.log().errors == ["of the console", "Error: uncaught"]
    with pytest.raises(BrowserFailed, match="not defined"):
        page.evaluate("nowhere")


def test_what_is_missing_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No browser, no npm or no network: each in words, and an unfinished folder is never kept."""
    monkeypatch.setattr(chromium, "CACHE", tmp_path / "cache")
    monkeypatch.setenv("PATH", str(tmp_path))
    for name, expected in (
        ("chromium", "no chromium here; on Debian: apt-get install"),
        ("node", "no node here"),
        ("npm", "no npm here"),
    ):
        with pytest.raises(BrowserMissing, match=expected), launched():
            pass
        (tmp_path / name).write_text("#!/bin/sh\necho ENOTFOUND >&2; exit 1\n")
        (tmp_path / name).chmod(0o755)
    with (
        pytest.raises(BrowserMissing, match=r"is there a network\? It said: ENOTFOUND"),
        launched(),
    ):
        pass
    assert list((tmp_path / "cache").iterdir()) == []
