"""`gotn serve` as people run it: killed, started again, always on the same port."""

import asyncio
import json
import os
import socket
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import httpx2

from chaos.process import killed

#: Seconds that a service gets to answer.
PATIENCE = 60.0


class Service:
    """One port, and whichever process serves it now."""

    def __init__(self, folder: Path, environment: Mapping[str, str]) -> None:
        self._folder = folder
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("GOTN_", "NEO4J_"))}
        self._environment = kept | {"GOTN_HOME": str(folder)} | dict(environment)
        self.port = _free_port()
        self.log = folder / "service.log"
        self._process: subprocess.Popen[bytes] | None = None
        #: How far its log was read.
        self._read = 0

    def start(self) -> None:
        """Begin; it answers some seconds later."""
        command = [sys.executable, "-m", "gotn", "serve", "--port", str(self.port)]
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                command,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=log,
            )

    async def ready(self) -> None:
        """Wait until /readyz says so."""
        async with asyncio.timeout(PATIENCE), httpx2.AsyncClient() as http:
            while True:
                with suppress(httpx2.HTTPError):
                    if (await http.get(f"http://127.0.0.1:{self.port}/readyz")).is_success:
                        return
                await asyncio.sleep(0.05)

    async def kill(self) -> None:
        """Kill -9; RuntimeError where it had ended by itself."""
        process = self._process
        if process is None:
            return
        self._process = None
        if process.poll() is not None:
            raise RuntimeError(f"the service ended by itself with {process.returncode}")
        await killed(process.pid)
        process.wait()

    def complaints(self) -> list[str]:
        """What its log has, since this was last asked, of mistakes that it owns up to."""
        found: Counter[str] = Counter()
        with self.log.open("rb") as log:
            log.seek(self._read)
            for line in log:
                if b"unexpected error" in line or b"Traceback" in line:
                    found[_cause(line)] += 1
            self._read = log.tell()
        return [f"a mistake of the service, {times} times: {said}" for said, times in found.items()]


def _cause(line: bytes) -> str:
    """The last line of a logged traceback."""
    with suppress(ValueError, KeyError, IndexError):
        return str(json.loads(line)["trace"].strip().splitlines()[-1])[:300]
    return line.decode(errors="replace")[:300]


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port
