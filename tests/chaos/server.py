"""A managed Neo4j that scenarios may kill, whose disk they may fill and whose clock they set."""

import asyncio
import json
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from chaos.process import killed
from gotn import provision
from gotn.provision import Paths, default_home, down, watchdog

#: `gotn up` for tests, as a process, so that it can have another view of disk and clock.
_UP = """
import json, sys
from pathlib import Path
from gotn.provision import up
from gotn.provision.memory import SMALL
port = int(sys.argv[3]) or None
server = up(Path(sys.argv[1]), downloads=Path(sys.argv[2]), profile=SMALL, bolt_port=port)
print(json.dumps([server.pid, server.bolt_uri, server.user, server.password]))
"""


#: Java that compiles little starts a third sooner.
_JAVA = {"JAVA_TOOL_OPTIONS": "-XX:TieredStopAtLevel=1"}


@dataclass
class Neo4j:
    """One throw-away server; its home is gone when `end` was called, or this process died."""

    home: Path
    #: Words before the command that starts it: another view of the disk.
    inside: tuple[str, ...] = ()
    environment: dict[str, str] = field(default_factory=dict)
    pid: int = 0
    port: int = 0
    user: str = ""
    password: str = ""

    @classmethod
    def made(cls) -> Self:
        """A home for one; nothing runs yet but the process that clears up after us."""
        home = Path(tempfile.mkdtemp(prefix="gotn-chaos-"))
        Paths(home).data.mkdir(parents=True)
        watchdog.start(Paths(home), os.getpid(), throw_away=True)
        return cls(home)

    @property
    def data(self) -> Path:
        """Where its databases are."""
        return Paths(self.home).data

    @property
    def uri(self) -> str:
        """Its own address, past every proxy."""
        return f"bolt://127.0.0.1:{self.port}"

    async def start(self) -> None:
        """Start it, or again, on the port it had; raises RuntimeError with what was said."""
        downloads = Paths(default_home()).downloads
        command = [*self.inside, sys.executable, "-c", _UP, str(self.home), str(downloads)]
        process = await asyncio.create_subprocess_exec(
            *command,
            str(self.port),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=os.environ | _JAVA | self.environment,
        )
        out, err = await process.communicate()
        if process.returncode:
            raise RuntimeError(f"Neo4j did not start: {err.decode()[-1500:]}")
        self.pid, uri, self.user, self.password = json.loads(out)
        self.port = int(uri.rpartition(":")[2])

    async def kill(self) -> None:
        """Kill -9."""
        await killed(self.pid)

    @property
    def runs(self) -> bool:
        """Whether its process is there."""
        return provision.status(self.home).running

    async def end(self) -> None:
        """Kill it and remove everything."""
        await asyncio.to_thread(down, self.home, grace=0)
        shutil.rmtree(self.home, ignore_errors=True)
