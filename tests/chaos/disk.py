"""A small disk of its own for Neo4j's data: a tmpfs that only a few processes see."""

import asyncio
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

#: Mounts, says so, and holds the view open until its standard input ends with its parent.
_HOLD = 'mount -t tmpfs -o size="$2" tmpfs "$1" && echo there && exec cat'


class NoDisk(Exception):
    """Why there is no small disk here."""


@dataclass
class Disk:
    """A tmpfs over a folder, in a mount namespace; gone with the process that holds it."""

    folder: Path
    holder: asyncio.subprocess.Process
    #: Words before a command that is to see it.
    inside: tuple[str, ...]

    @classmethod
    async def made(cls, folder: Path, megabytes: int) -> "Disk":
        """Mount one over a folder that is there; NoDisk where the system does not let us."""
        own = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
        command = ["unshare", *own, "--mount", "sh", "-c", _HOLD, "sh", str(folder)]
        try:
            holder = await asyncio.create_subprocess_exec(
                *command,
                f"{megabytes}m",
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
        except OSError as error:
            raise NoDisk(f"no small disk: {error}") from error
        assert holder.stdout
        assert holder.stderr
        if not await holder.stdout.readline():
            said = (await holder.stderr.read()).decode().strip()
            await holder.wait()
            raise NoDisk(f"no small disk, for mounting one is not allowed here: {said[:200]}")
        user = ["--user", "--preserve-credentials"] if own else []
        inside = ("nsenter", f"--target={holder.pid}", *user, "--mount", "--")
        return cls(folder, holder, inside)

    @property
    def _filler(self) -> Path:
        return Path(f"/proc/{self.holder.pid}/root") / self.folder.relative_to("/") / "filler"

    def fill(self) -> int:
        """Leave no byte free; how many were taken."""
        taken = 0
        with self._filler.open("ab", buffering=0) as file:
            for size in (2**20, 2**12, 1):
                try:
                    while True:
                        taken += file.write(b"\0" * size)
                except OSError:
                    continue
        return taken

    def clear(self) -> None:
        """Make room again."""
        self._filler.unlink(missing_ok=True)

    async def end(self) -> None:
        """Unmount, once nothing runs on it any more."""
        if self.holder.stdin is not None:
            self.holder.stdin.close()
        await self.holder.wait()
