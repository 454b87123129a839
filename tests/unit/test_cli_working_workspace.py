import asyncio
from pathlib import Path
from typing import Any

import pytest

from gotn.cli.working import conditions, workspace
from gotn.cli.working.commanding import Commander, Outcome
from gotn.cli.working.conditions import Answer, Condition, Kind
from gotn.cli.working.groups import Groups
from gotn.cli.working.workspace import Outside, Workspace
from gotn.errors import Invalid, NotFound


@pytest.fixture
def place(tmp_path: Path) -> Workspace:
    """A workspace with files, links in and out, and a list."""
    root = tmp_path / "place"
    (root / "src").mkdir(parents=True)
    (tmp_path / "secret").write_text("outside")
    (root / "src" / "a.py").write_text("a")
    (root / "in").symlink_to("src/a.py")
    (root / "out").symlink_to(tmp_path / "secret")
    (root / "up").symlink_to("..")
    (root / "ring").symlink_to("ring")
    (root / "gone").symlink_to("nowhere")
    (root / "gotn.toml").write_text("[run]\nallow = ['true', 'false', 'sleep *', 'nothing; x']")
    return Workspace.at(root)


@pytest.mark.parametrize(
    ("path", "there"),
    [
        ("src/a.py", True),
        ("./src//a.py", True),
        ("src", True),
        ("in", True),
        ("b.py", False),
        ("gone", False),
        ("x" * 5000, False),
        ("/etc/passwd", None),
        ("../secret", None),
        ("src/../src/a.py", None),
        ("out", None),
        ("up/secret", None),
        ("up/place/src/a.py", True),
        ("", None),
        ("a\0b", None),
    ],
)
def test_paths_stay_inside(place: Workspace, path: str, there: bool | None) -> None:
    """No absolute path, no .., no link that leads out; a link inside is followed."""
    if there is None:
        with pytest.raises(Outside):
            place.has(path)
    else:
        assert there == place.has(path)


def test_a_ring_of_links_is_not_there(place: Workspace) -> None:
    """Pythons differ in whether it cannot be followed, or nothing is there."""
    assert workspace.present(place, ("ring",)) == ()


@pytest.mark.parametrize(
    ("given", "kind", "value"),
    [
        ("command: make test", Kind.COMMAND, "make test"),
        ("file:a:b", Kind.FILE, "a:b"),
        ("not_command:x", Kind.NOT_COMMAND, "x"),
        ("not_file:x", Kind.NOT_FILE, "x"),
        ("assertion:It works", Kind.ASSERTION, "It works"),
        ("package.json exists", Kind.ASSERTION, "package.json exists"),
        ("Note: read this", Kind.ASSERTION, "Note: read this"),
        ("Command:x", Kind.ASSERTION, "Command:x"),
        ({"type": "file", "value": "x"}, Kind.FILE, "x"),
        ({"type": "judge", "value": "x"}, Kind.ASSERTION, '{"type": "judge", "value": "x"}'),
        ({"type": "file", "value": 3}, Kind.ASSERTION, '{"type": "file", "value": 3}'),
        (17, Kind.ASSERTION, "17"),
    ],
)
def test_types_of_conditions(given: Any, kind: Kind, value: str) -> None:
    """Prefixes and objects name a type, anything else is an assertion."""
    assert (Condition(kind, value),) == conditions.read([given])
    assert (Condition(kind, value),) == conditions.read(given)
    assert conditions.read(None) == ()


@pytest.mark.parametrize(
    ("given", "answer", "said"),
    [
        ("file:src/a.py", Answer.MET, ""),
        ("file:b.py", Answer.NOT_MET, "not there"),
        ("not_file:b.py", Answer.MET, ""),
        ("not_file:src/a.py", Answer.NOT_MET, "is there"),
        ("file:../secret", Answer.NOT_MET, "not looked at"),
        ("not_file:../nothing", Answer.NOT_MET, "not looked at"),
        ("not_file:out", Answer.NOT_MET, "leads out"),
        ("command:true", Answer.MET, "exit code 0"),
        ("command:false", Answer.NOT_MET, "exit code 1"),
        ("not_command:false", Answer.MET, "exit code 1"),
        ("not_command:true", Answer.NOT_MET, "exit code 0"),
        ("not_command:nothing; x", Answer.NOT_MET, "exit code 127"),
        ("not_command:sleep 60", Answer.NOT_MET, "time limit"),
        ("command:touch x", Answer.UNANSWERED, "gotn.toml does not list it"),
        ("not_command:touch x", Answer.UNANSWERED, "not run"),
        ("It works", Answer.UNANSWERED, ""),
    ],
)
def test_answers_of_the_workspace(place: Workspace, given: str, answer: Answer, said: str) -> None:
    """Files and allowed commands are looked at; everything else waits for an answer."""

    async def evaluated() -> conditions.Finding:
        with Groups() as groups:
            commander = Commander(
                folder=place.root, variables={}, groups=groups, stop=asyncio.Event(),
                heard=lambda _: None,
            )  # fmt: skip

            async def run(argv: tuple[str, ...]) -> Outcome:
                return await commander.run(argv, 300)

            (condition,) = conditions.read(given)
            return await conditions.evaluate(condition, place, run)

    found = asyncio.run(evaluated())
    assert answer is found.answer
    assert said in found.message
    assert not (place.root / "x").exists()


@pytest.mark.parametrize(
    ("artifacts", "files"),
    [
        ({"files": ["a", "b"], "outputs": ["c"], "dependencies": ["d"]}, ("a", "b")),
        (["a"], ("a",)),
        ({"files": "a"}, ()),
        ({"files": ["", 3, "a"]}, ("a",)),
        (None, ()),
        ("a", ()),
    ],
)
def test_artifact_files(artifacts: Any, files: tuple[str, ...]) -> None:
    """`artifacts.files` names them, or a bare list."""
    assert files == workspace.files(artifacts)


def test_artifacts_that_are_there(place: Workspace) -> None:
    """What leads out counts as absent."""
    named = ("src/a.py", "../secret", "out", "b.py", "in")
    assert workspace.present(place, named) == ("src/a.py", "in")


def test_which_workspace(place: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder given, else the current one, and never another than the run's by accident."""
    monkeypatch.chdir(place.root)
    assert workspace.chosen(None, None) == place
    assert workspace.chosen(None, str(tmp_path / "place" / "up" / "place")) == place
    assert workspace.chosen(str(tmp_path), str(place.root)).root == tmp_path.resolve()
    with pytest.raises(Invalid, match=r"planned for .*--workspace"):
        workspace.chosen(None, str(tmp_path))
    with pytest.raises(NotFound, match="no such folder"):
        workspace.chosen(str(tmp_path / "nowhere"), None)
