"""GraphiQL as a person sees it: a served process, a real browser, no network but this machine."""

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from browser.chromium import Page
from command import Command
from meaning import needs_encoder

from gotn import __version__

Serve = Callable[..., str]
#: A key with characters that are more than one byte.
KEY = "s3cret-käy"
DOCS, EDITOR, RESULT = ".graphiql-doc-explorer", ".graphiql-query-editor", ".result-window"


@pytest.fixture
def gotn(neo4j_environment: dict[str, str], tmp_path: Path, project: str) -> Command:
    """The command with the sample in a project of this test's own."""
    found = Command(neo4j_environment, tmp_path, project)
    sample = files("gotn.demo").joinpath("sample.json").read_text(encoding="utf-8")
    found.data("import", "-", "--format", "gotn", given=sample)
    found.data("link")
    return found


@pytest.fixture
def serve(gotn: Command) -> Iterator[Serve]:
    """Starts `gotn serve` with these settings, on any port; gives the address of GraphiQL."""
    with ExitStack() as stack:

        def start(**settings: str) -> str:
            process = stack.enter_context(
                subprocess.Popen(
                    [sys.executable, "-m", "gotn", "serve", "--port", "0"],
                    env=gotn.variables() | settings | {"PYTHONUNBUFFERED": "1"},
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    text=True,
                )
            )
            stack.callback(process.terminate)
            assert process.stdout
            return next(line for line in process.stdout if line.startswith("GraphiQL")).split()[1]

        yield start


def _shown(page: Page, selector: str, text: str) -> None:
    """Wait until the page says this there."""
    page.wait(f"document.querySelector({selector!r})?.innerText.includes({text!r})")


def _write(page: Page, editor: str, text: str) -> None:
    """Replace what stands in an editor."""
    page.click(f"{editor} .monaco-editor:visible")
    page.press("Control+a")
    page.type(text)
    # The editor closed the brackets by itself.
    page.press("Control+Shift+End")
    page.press("Delete")


def _run(page: Page, name: str, selection: str) -> None:
    """Run a query as a person would, by the keyboard."""
    _write(page, EDITOR, f"query {name} {{ {selection} }}")
    # The page reads what was written a moment later, and then knows the operation's new name.
    _shown(page, ".graphiql-tab", name)
    page.press("Control+Enter")


def _tab(page: Page, title: str, project: str) -> Any:
    """Open a tab, name this test's project and run what is in it; the data of the answer."""
    page.click(f".graphiql-tab >> text={title}")
    page.click("button >> text=Variables")
    _write(page, "[aria-label=Variables]", f'{{"project": "{project}"}}')
    page.click("[aria-label^='Execute query']")
    _shown(page, RESULT, '"data"')
    # The editor shows what is in sight only; its text is the whole answer.
    whole = "__MONACO.editor.getModels().find(one => /response/.test(one.uri.path)).getValue()"
    answer = json.loads(page.evaluate(whole))
    assert answer.keys() == {"data"}
    return answer["data"]


def _quiet(page: Page) -> None:
    """Nothing was asked of another machine, and nothing went wrong unseen."""
    log = page.log()
    assert (log.outside, log.errors) == ([], [])
    assert any(address.endswith("/graphql") for address in log.requests)


def test_a_query_is_run_and_the_schema_explained(page: Page, serve: Serve, project: str) -> None:
    """The page opens with our example, shows what a query finds, and has our descriptions."""
    assert page.open(serve()) == 200
    _shown(page, EDITOR, "planPreview")
    _run(page, "Why", f'why(project: "{project}", id: "release") {{ cause hops {{ dst }} }}')
    _shown(page, RESULT, '"release"')
    page.click(f"{DOCS} >> a:text-is('Query')")
    _shown(page, DOCS, "Why a node cannot start: a path from each cause")
    page.click(f"{DOCS} >> a:text-is('unmet')")
    _shown(page, DOCS, "Id of the project to read.")
    _quiet(page)


def test_the_example_runs(page: Page, serve: Serve, project: str) -> None:
    """What a newcomer gets by pressing one button, here on the sample in another project."""
    page.open(serve())
    _shown(page, EDITOR, "planPreview")
    answer = _tab(page, "Overview", project)
    assert answer["planPreview"]["layers"][-1] == ["build_gotn"]
    _quiet(page)


def test_what_is_alike_is_shown_with_its_evidence(
    page: Page, gotn: Command, serve: Serve, project: str
) -> None:
    """Two more tabs: what the plan puts together, and the soft edges that are the reason."""
    needs_encoder()
    gotn.data("link", "--soft")
    page.open(serve())
    _shown(page, EDITOR, "planPreview")
    plan = _tab(page, "GroupedPlan", project)["planPreview"]
    said = re.search(r"alike: (\w+), (\w+) \((0\.\d\d), layer (\d+)\)", plan["orderingReason"])
    assert said
    at = {step["id"]: (place, step["layer"]) for place, step in enumerate(plan["steps"])}
    first, second = sorted(at[said[number]] for number in (1, 2))
    assert (first[0] + 1, first[1], int(said[4])) == (second[0], second[1], first[1] + 1)
    alike = _tab(page, "SoftEdges", project)["workEdges"]["nodes"]
    (edge,) = (one for one in alike if {one["src"], one["dst"]} == {said[1], said[2]})
    assert f"{edge['score']:.2f}" == said[3]
    assert edge["evidence"]
    assert edge["srcNode"]["summary"]
    derived = [one for one in alike if one["model"]]
    assert len(derived) > 10
    for one in derived:
        assert one["evidence"] == f"cosine {one['score']:.4f} ({one['model']})"
    _quiet(page)


def test_the_page_asks_for_the_key(page: Page, serve: Serve) -> None:
    """A wrong key is refused in words, the right one opens the page and goes with each query."""
    address = serve(GOTN_API_KEY=KEY)
    page.open(address)
    for given, seen in (("wrong", "That is not the key."), (KEY, "")):
        page.fill("#given", given)
        page.press("Enter")
        if seen:
            _shown(page, "#key", seen)
    _shown(page, DOCS, "WorkNode")
    _run(page, "Which", "version")
    _shown(page, RESULT, __version__)
    page.open(address)  # again: the tab has kept it
    _shown(page, DOCS, "WorkNode")
    assert page.evaluate("localStorage.length && JSON.stringify(localStorage)").count("cret") == 0
    log = page.log()
    assert log.outside == []
    # What a browser says of an answer 401, for no key and for the wrong one.
    assert len(log.errors) == 2
    assert all("401" in error for error in log.errors)
