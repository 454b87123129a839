"""A wall clock that can be turned back under a running process: clock.c, preloaded."""

import shutil
import struct
import subprocess
from dataclasses import dataclass
from pathlib import Path

SOURCE = Path(__file__).with_name("clock.c")


class NoClock(Exception):
    """Why clocks cannot be turned back here."""


@dataclass
class Clock:
    """The clock of the processes that are started with its environment."""

    library: Path
    file: Path
    #: Seconds that it is ahead of the true one; below 0: behind.
    ahead: float = 0.0

    @classmethod
    def made(cls, folder: Path, name: str) -> "Clock":
        """A clock that is right so far; NoClock where there is no C compiler."""
        compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
        if compiler is None:
            raise NoClock("no C compiler (cc) here, which makes the clock that goes back")
        library = folder / "clock.so"
        if not library.exists():
            command = [compiler, "-shared", "-fPIC", "-O1", "-o", str(library), str(SOURCE)]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                raise NoClock(f"clock.c could not be compiled: {done.stderr[:300]}")
        clock = cls(library, folder / name)
        clock.set(0.0)
        return clock

    @property
    def environment(self) -> dict[str, str]:
        """What a process needs to go by this clock."""
        return {"LD_PRELOAD": str(self.library), "CHAOS_CLOCK": str(self.file)}

    def set(self, ahead: float) -> None:
        """Move it, at once; written in place, for the file is mapped."""
        self.ahead = ahead
        with self.file.open("r+b" if self.file.exists() else "wb") as file:
            file.write(struct.pack("=q", round(ahead * 1e9)))
