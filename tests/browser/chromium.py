"""A headless Chromium for tests: one a session, a page of its own for each test.

A test takes the fixture `page` and opens an address, or sets some HTML and loads a script of
`node_modules` into it, which is how a library of `package.json` is tried in a real browser::

    page.content("<body></body>")
    page.script("mermaid/dist/mermaid.min.js")
    svg = page.evaluate("mermaid.render('g', 'graph TD; a-->b').then(done => done.svg)")

A page reaches this machine only; what it asked of any other is in `page.log().outside`.
Add a library: write it into package.json, then `npm install --package-lock-only
--omit-lockfile-registry-resolved` here; the lock must not say where a package comes from.
"""

import contextlib
import hashlib
import json
import os
import queue
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
#: Ignored by git, removed by `make clean`.
CACHE = HERE.parents[1] / "build" / "browser"
#: Seconds that one request may take; the driver gives up on a page after 30.
PATIENCE = 90
INSTALLING = 600


class BrowserMissing(Exception):
    """There is no browser here, and what to install."""


class BrowserFailed(Exception):
    """The page could not do what the test asked of it."""


@dataclass(frozen=True)
class Log:
    """What a page did behind its own back."""

    #: Every address it asked for.
    requests: list[str]
    #: The addresses that are not this machine; none was reached.
    outside: list[str]
    #: Errors on its console, and exceptions that nothing caught.
    errors: list[str]


class Browser:
    """The driver's process, asked one thing at a time."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self._asked = 0
        self._lines: queue.Queue[str | None] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self._process.stdout
        for line in self._process.stdout:
            self._lines.put(line)
        self._lines.put(None)

    def ask(self, what: str, *args: Any, page: str | None = None) -> Any:
        """The answer of driver.mjs; BrowserFailed in the browser's words."""
        assert self._process.stdin
        self._asked += 1
        asked = {"id": self._asked, "do": what, "page": page, "args": args}
        with contextlib.suppress(BrokenPipeError):  # then there is no answer either
            self._process.stdin.write(json.dumps(asked) + "\n")
            self._process.stdin.flush()
        try:
            line = self._lines.get(timeout=PATIENCE)
        except queue.Empty:
            line = None
        if line is None:
            raise BrowserFailed(f"{what}: the browser ended, or has hung for {PATIENCE} s")
        answer = json.loads(line)
        assert answer["id"] == self._asked
        if "error" in answer:
            raise BrowserFailed(f"{what}: {answer['error']}")
        return answer["value"]

    @contextlib.contextmanager
    def page(self) -> Iterator["Page"]:
        """A page with a profile of its own, closed afterwards."""
        found = Page(self, self.ask("page"))
        try:
            yield found
        finally:
            self.ask("close", page=found.id)


class Page:
    """One page; selectors are Playwright's (CSS, or text=…)."""

    def __init__(self, browser: Browser, id_: str) -> None:
        self._browser = browser
        self.id = id_

    def _ask(self, what: str, *args: Any) -> Any:
        return self._browser.ask(what, *args, page=self.id)

    def open(self, url: str) -> int:
        """Go to an address; its HTTP status."""
        status: int = self._ask("open", url)
        return status

    def content(self, html: str) -> None:
        """Show this HTML."""
        self._ask("content", html)

    def script(self, path: str) -> None:
        """Load a file of node_modules ("mermaid/dist/mermaid.min.js") as a script of the page."""
        self._ask("script", path)

    def evaluate(self, code: str) -> Any:
        """The value of a JavaScript expression, waited for where it is a promise."""
        return self._ask("evaluate", code)

    def wait(self, code: str) -> None:
        """Until a JavaScript expression is true."""
        self._ask("wait", code)

    def click(self, selector: str) -> None:
        """Click what can be seen there."""
        self._ask("click", selector)

    def fill(self, selector: str, text: str) -> None:
        """Write into an input."""
        self._ask("fill", selector, text)

    def press(self, keys: str) -> None:
        """Press keys ("Control+Enter")."""
        self._ask("press", keys)

    def type(self, text: str) -> None:
        """Write where the focus is, as pasting does."""
        self._ask("type", text)

    def text(self, selector: str) -> str:
        """The visible text."""
        found: str = self._ask("text", selector)
        return found

    def screenshot(self, path: Path) -> None:
        """A picture, for whoever looks for the reason of a failure."""
        self._ask("screenshot", str(path))

    def log(self) -> Log:
        """What was asked, cut off and complained of until now."""
        return Log(**self._ask("log"))


@contextlib.contextmanager
def launched() -> Iterator[Browser]:
    """A browser until the block ends; BrowserMissing says what is not here."""
    executable, node = _program("chromium", "chromium-browser"), _program("node")
    folder = _installed()
    process = subprocess.Popen(
        [node, str(HERE / "driver.mjs"), str(folder), executable],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )
    with process:
        try:
            yield Browser(process)
        finally:
            assert process.stdin
            with contextlib.suppress(BrokenPipeError):
                process.stdin.close()
            try:
                process.wait(timeout=30)
            except subprocess.TimeoutExpired:
                process.kill()


def _program(*names: str) -> str:
    found = next(filter(None, map(shutil.which, names)), None)
    if found is None:
        raise BrowserMissing(
            f"no {names[0]} here; on Debian: apt-get install chromium nodejs npm (as root)"
        )
    return found


def _installed() -> Path:
    """The folder with this lock's node_modules, installed by npm when it is first asked for."""
    lock = (HERE / "package-lock.json").read_bytes()
    folder = CACHE / hashlib.sha256(lock).hexdigest()[:16]
    if folder.is_dir():
        return folder
    npm = _program("npm")
    CACHE.mkdir(parents=True, exist_ok=True)
    print("installing the libraries of the browser tests …")
    # Beside its place and renamed at the end: an interrupted installation is never used.
    with tempfile.TemporaryDirectory(dir=CACHE) as name:
        made = Path(name) / "made"
        made.mkdir()
        for file in ("package.json", "package-lock.json"):
            shutil.copy(HERE / file, made)
        _run_npm(npm, made)
        with contextlib.suppress(OSError):  # another session was as fast
            made.rename(folder)
    return folder


def _run_npm(npm: str, folder: Path) -> None:
    command = [npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            env=os.environ | {"PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD": "1"},
            capture_output=True,
            text=True,
            timeout=INSTALLING,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise BrowserMissing(f"npm ci did not end in {INSTALLING} s; is there a network?") from None
    if done.returncode:
        said = done.stderr.strip().splitlines() or ["nothing"]
        raise BrowserMissing(f"npm ci failed; is there a network? It said: {said[0][:200]}")
