"""The folder that steps are executed in, and paths that cannot lead out of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any

from gotn.cli.working import allowing
from gotn.errors import Invalid, NotFound


class Outside(ValueError):
    """A path leads out of the workspace; the message says how."""


@dataclass(frozen=True)
class Workspace:
    """A folder, made absolute, links in its own path followed."""

    root: Path

    @classmethod
    def at(cls, given: str | Path) -> "Workspace":
        """The workspace at a path; NotFound where there is no folder."""
        root = Path(given).expanduser().resolve()
        if not root.is_dir():
            raise NotFound(f"{given}: there is no such folder to work in.", workspace=str(given))
        return cls(root)

    @cached_property
    def allowed(self) -> allowing.Allowed:
        """The list of commands that may run here, read once."""
        return allowing.read(self.root)

    def inside(self, given: str) -> Path:
        """Where a path of a node stands; Outside where it leads out, links followed."""
        path = PurePosixPath(given)
        if not given.strip() or "\0" in given:
            raise Outside("it names no file")
        if path.is_absolute():
            raise Outside("it is absolute; paths are relative to the workspace")
        if ".." in path.parts:
            raise Outside("it has .. in it")
        try:
            found = (self.root / path).resolve()
        except (OSError, RuntimeError) as error:  # a ring of links
            raise Outside(f"it cannot be followed ({error})") from None
        if not found.is_relative_to(self.root):
            raise Outside("a link leads out of the workspace")
        return found

    def has(self, given: str) -> bool:
        """Whether a path is there; Outside where it leads out."""
        found = self.inside(given)
        try:
            return found.exists()
        except OSError:  # a name too long for any file system, or a folder nobody may read
            return False


def files(artifacts: Any) -> tuple[str, ...]:
    """The artifact files of a node (001, Node Fields): `artifacts.files`, or a bare list.

    Its outputs and dependencies are not looked at: they need not be files.
    """
    named = artifacts.get("files") if isinstance(artifacts, Mapping) else artifacts
    if not isinstance(named, list | tuple):
        return ()
    return tuple(one for one in named if isinstance(one, str) and one)


def present(workspace: Workspace, named: tuple[str, ...]) -> tuple[str, ...]:
    """Those that are there; one that leads out counts as absent."""
    found = []
    for one in named:
        try:
            if workspace.has(one):
                found.append(one)
        except Outside:
            continue
    return tuple(found)


def chosen(given: str | None, of_run: str | None) -> Workspace:
    """The folder given, else the current one; Invalid where the run was planned for another."""
    found = Workspace.at(given if given is not None else Path.cwd())
    if given is None and of_run is not None and Path(of_run).expanduser().resolve() != found.root:
        raise Invalid(
            f"This run was planned for {of_run}, and this is {found.root}: "
            "go there, or name the folder to work in with --workspace DIR.",
            workspace=of_run,
        )
    return found
