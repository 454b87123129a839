"""The verbs are a promise to scripts (interfaces, Command line): all there, all explained."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer.main

import gotn
from gotn.cli.app import app
from gotn.cli.helping import tree

VERBS = """
up | down | status | doctor | serve | demo | config show | migrate | browser
project list | project show | project settings | project remove
import | export
node add | node update | node remove | node show | node list
edge add | edge update | edge remove | edge show | edge list | edge check
link | plan | ready | cycles | why | impact | prerequisites | dependants | unmet | orphans
tree-of | graph | run list | run show | run steps | run ready | run start | run cancel | run resume
run replan | run claim | run heartbeat | run complete | run fail | run release | run skip
run work | run watch
tree new | tree import | tree show | tree report | tree export | cost show | cost record
tree ready | tree link | tree spawn | tree claim | tree finish | tree merge | tree cancel
tree retry
journal tail | journal export | journal verify | journal replay
similar | context | dedupe | disagreements
help | completion
"""
OPTIONS = {
    "status": ["--show-password"],
    "demo": ["--once"],
    "import": ["--format", "--dry-run", "--flag-cycles", "--link"],
    "export": ["--format", "-o"],
    "node remove": ["--cascade"],
    "link": ["--hard", "--soft", "--all"],
    "plan": ["--goal", "--target", "--leaves", "--workspace", "--dry-run", "--format", "-o"],
    "cycles": ["--check"],
    "run ready": ["--all", "--limit"],
    "journal tail": ["--limit", "--follow"],
    "tree import": ["--executes", "--as", "--dry-run"],
    "tree show": ["--format", "--limit", "-o", "--follow"],
    "cost record": ["--tokens", "--cost", "--add"],
    "tree export": ["--layout", "--strict", "--format", "-o"],
    "cost show": ["--tree", "--task", "--node", "--run", "--by"],
    "graph": ["--format", "--around", "--depth", "--status", "--limit", "-o"],
    "similar": ["--status", "--kind", "--tag", "--by", "--text", "--limit"],
    "context": ["--budget"],
    "dedupe": ["--by", "--threshold", "--only", "--apply", "--undo"],
    "tree-of": ["--format", "-o"],
}
EVERYWHERE = ["--project", "-p", "--json", "--actor", "--debug"]


def _leaves(command: dict[str, Any], path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    for below in command.get("commands", ()):
        name = f"{path} {below['name']}".strip()
        if "commands" in below:
            yield from _leaves(below, name)
        else:
            yield name, below


FOUND = dict(_leaves(tree(typer.main.get_command(app))))
EXPECTED = sorted(verb.strip() for line in VERBS.splitlines() for verb in line.split("|") if verb)


def test_verbs_are_those_that_are_promised() -> None:
    """No verb is missing, and none is there that nobody wrote down."""
    assert sorted(FOUND) == EXPECTED


def test_verbs_that_messages_name_are_there() -> None:
    """What a message tells people to run can be run."""
    package = Path(gotn.__file__).parent
    texts = "\n".join(path.read_text("utf-8") for path in package.rglob("*.py"))
    named = set(re.findall(r"`gotn ([a-z][a-z-]*)", texts))
    assert {"up", "doctor", "journal"} <= named
    assert named <= {verb.split()[0] for verb in EXPECTED}


@pytest.mark.parametrize("name", EXPECTED)
def test_verb_is_explained(name: str) -> None:
    """Every verb has help, an example of itself, and explained parameters."""
    verb = FOUND[name]
    assert verb["help"]
    assert verb["examples"]
    assert all(example.startswith(f"gotn {name}") for example in verb["examples"])
    assert not [one["name"] for one in verb["parameters"] if not one["help"]]


@pytest.mark.parametrize("name", EXPECTED)
def test_common_options_are_everywhere(name: str) -> None:
    """-p, --json, --actor and --debug work on every verb."""
    names = [option for one in FOUND[name]["parameters"] for option in one["names"]]
    assert set(EVERYWHERE + OPTIONS.get(name, [])) <= set(names)
