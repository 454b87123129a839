"""The generated password: made once, before the first start, and never guessed again."""

import contextlib
import secrets
from pathlib import Path

from gotn.errors import SetupFailed
from gotn.provision.paths import Paths, write_private

_BYTES = 18


def read_password(home: Path) -> str:
    """Read the managed server's password. Raises SetupFailed where there is none."""
    path = Paths(home).password
    try:
        password = path.read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        password = ""
    if not password:
        raise SetupFailed(
            f"No password is stored in {path}: run `gotn up` to set up the managed Neo4j.",
            file=str(path),
        )
    return password


def ensure_password(paths: Paths) -> str:
    """Answer the stored password; make one where no database exists yet."""
    if paths.password.is_file() and paths.password.stat().st_size:
        with contextlib.suppress(OSError):
            paths.password.chmod(0o600)
        return read_password(paths.home)
    if has_database(paths):
        raise SetupFailed(
            f"The password file {paths.password} is missing, but there is data in {paths.data}. "
            "Put the password into that file (one line), or move the data away and run "
            "`gotn up` again to start empty.",
            file=str(paths.password),
        )
    password = secrets.token_hex(_BYTES)  # only letters and digits: no option, no quoting
    write_private(paths.password, password + "\n")
    return password


def has_database(paths: Paths) -> bool:
    """Tell whether a server has started on this data before, and so keeps its own password."""
    return (paths.data / "databases" / "system").exists()
