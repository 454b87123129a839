"""`gotn serve` as people run it: killed, started again, always on the same port."""

import asyncio
import os
import socket
import subprocess
import sys
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
        """Lines of its log that no fault around it explains: mistakes of its own."""
        if not self.log.exists():
            return []
        lines = self.log.read_text(errors="replace").splitlines()
        return [line[:500] for line in lines if "unexpected error" in line or "Traceback" in line]


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port
