"""Make `.venv` from the lock, before anything is installed: `make` calls this first, always.

Standard library only, and in the words of an old Python, which must at least be able to read
it to be told that it is too old. Run again with nothing changed it looks at one file and ends;
interrupted, it starts over with what is already downloaded.
"""

from __future__ import annotations

import argparse
import fcntl
import hashlib
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
LOG = VENV / "setup.log"
#: Written once the packages are in: where it is missing, .venv cannot be trusted.
STAMP = VENV / "gotn-environment.json"
REQUIREMENTS = ROOT / "requirements.lock"
#: The same and sentence-transformers with torch: only where it is asked for.
FULL = ROOT / "embeddings" / "requirements.lock"
OLDEST = (3, 11)
#: Back to the start of a terminal's line, and empty it.
ERASE = "\r\033[K" if sys.stdout.isatty() else ""
KNOWN = ("3.14", "3.13", "3.12", "3.11")
#: Settings that would put packages outside .venv, or load them from there.
MISLEADING = (
    "PIP_PREFIX",
    "PIP_REQUIRE_HASHES",
    "PIP_TARGET",
    "PIP_USER",
    "PYTHONHOME",
    "PYTHONPATH",
)
#: Installs in a tenth of pip's time; the lock has it.
UV = VENV / "bin" / "uv"
#: Settings of pip's that say where packages come from: who has them is served by pip alone.
PLACES = ("client-cert", "index-url", "no-index", "proxy", "trusted-host")
#: What would have uv install other versions than those of the lock.
OTHERS = (
    "UV_BUILD_CONSTRAINT",
    "UV_CONSTRAINT",
    "UV_EXCLUDE_NEWER",
    "UV_OVERRIDE",
    "UV_TORCH_BACKEND",
)
#: What pip says when it cannot get to its index.
UNREACHABLE = re.compile(
    "NewConnectionError|ConnectTimeout|NameResolution|Max retries|SSLError|ProxyError|No matching"
)


class Stop(Exception):
    """Setting up cannot go on; the message is for the person at the terminal."""


def main() -> int:
    """Set up, or say in one paragraph why not."""
    parser = argparse.ArgumentParser(description="Make .venv from requirements.lock.")
    parser.add_argument("--exactly", action="store_true", help="this interpreter and no other")
    parser.add_argument("--full", action="store_true", help="sentence-transformers, too")
    options = parser.parse_args()
    try:
        use_new_enough_python(exactly=options.exactly)
        with Path(__file__).open(encoding="utf-8") as file:
            one_at_a_time(file.fileno())
            set_up(exactly=options.exactly, full=options.full)
    except Stop as stop:
        print(f"\n{stop}", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"\nCould not make {VENV}: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nInterrupted. Run it again: what is downloaded is kept.", file=sys.stderr)
        return 130
    return 0


def use_new_enough_python(*, exactly: bool) -> None:
    """Go on in a newer Python of the PATH where this one is too old."""
    if sys.version_info >= OLDEST:
        return
    found = None if exactly else next(filter(runs, map("python{}".format, KNOWN)), None)
    if found is None:
        raise Stop(
            f"GoTN needs Python 3.11 or newer; {sys.executable} is {sys.version.split()[0]}.\n"
            "Install one, or name one that you have: make … PYTHON=/path/to/python3.12"
        )
    os.execvp(found, [found, *sys.argv])  # noqa: S606 - the same script, in a newer Python


def runs(name: str) -> bool:
    """Whether this program is there and is a Python that starts (a pyenv shim may not)."""
    return shutil.which(name) is not None and not subprocess.call(
        [name, "-c", ""], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )


def one_at_a_time(descriptor: int) -> None:
    """Wait for another `make` that is setting up this checkout; its end frees us."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        say("Another make is setting up .venv; waiting for it.")
        fcntl.flock(descriptor, fcntl.LOCK_EX)


def set_up(*, exactly: bool, full: bool) -> None:
    """Do what is missing of: the folder, the locked packages, this project."""
    done, wanted = read_stamp(), fingerprint(full=full)
    if exactly and done and done["python"] != wanted["python"]:
        done = {}
    if done.get("root") != wanted["root"] or not PYTHON.exists():
        make_folder()
        done = {"python": wanted["python"], "version": wanted["version"]}
    wanted.update(python=done["python"], version=done["version"])  # .venv's own, not this one's
    if not full:
        wanted["full"] = done.get("full", "")  # installed before, it stays
    if done == wanted:
        return
    if done.get("lock") != wanted["lock"]:
        STAMP.unlink(missing_ok=True)
        install_locked()
        write_stamp({**wanted, "project": "", "full": done.get("full", "")})
    if done.get("full", "") != wanted["full"]:
        install_full()
        write_stamp({**wanted, "project": ""})
    install_project()
    write_stamp(wanted)
    say(f"Environment ready in .venv (Python {wanted['version']}).")


def fingerprint(*, full: bool) -> dict[str, str]:
    """What .venv depends on: where it lies, on which Python, from which lock and project."""
    return {
        "root": str(ROOT),  # a copied or moved .venv points at the old place
        "python": os.path.realpath(sys.executable),
        "version": sys.version.split()[0],
        "lock": digest(REQUIREMENTS),
        "full": digest(FULL) if full else "",
        "project": digest(ROOT / "pyproject.toml"),
    }


def digest(path: Path) -> str:
    """A file's SHA-256, so that a checkout that only touches it changes nothing."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def read_stamp() -> dict[str, str]:
    """What the finished environment was made from; empty where it is not finished."""
    try:
        stamp = json.loads(STAMP.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return stamp if isinstance(stamp, dict) and {"python", "version"} <= stamp.keys() else {}


def write_stamp(stamp: dict[str, str]) -> None:
    """Say what is finished, in one step: half a stamp would be none."""
    new = STAMP.with_suffix(".new")
    new.write_text(json.dumps(stamp, indent=1) + "\n", encoding="utf-8")
    new.replace(STAMP)


def make_folder() -> None:
    """Put an empty .venv with pip in it in place of any unfinished one."""
    need_venv_and_pip()
    if VENV.exists():
        say("Removing the unfinished or outdated .venv.")
        shutil.rmtree(VENV)
    say(f"Making .venv with {sys.executable} (Python {sys.version.split()[0]}).")
    made = subprocess.run(
        [sys.executable, "-m", "venv", str(VENV)],
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if made.returncode:
        raise Stop(f"{sys.executable} could not make a virtual environment:\n{made.stdout.strip()}")


def need_venv_and_pip() -> None:
    """See that this Python can make environments; Debian keeps that in a package of its own."""
    if has_venv_and_pip():
        return
    if not (shutil.which("apt-get") and sys.base_prefix == "/usr"):
        raise Stop(
            f"{sys.executable} has no venv or no ensurepip, which make environments and pip.\n"
            "Install them for it, or name another Python: make … PYTHON=/path/to/python3.12"
        )
    package = "python{}.{}-venv".format(*sys.version_info[:2])
    by_hand = f"apt-get update && apt-get install {package}"
    if os.geteuid() != 0:
        raise Stop(
            f"Python's venv is missing: it is in the package {package}. Install it with\n\n"
            f"    sudo sh -c '{by_hand}'"
        )
    say(f"Python's venv is missing: installing the package {package}.")
    install_package(package, by_hand)


def install_package(package: str, by_hand: str) -> None:
    """Have Debian's own tool install what is missing; it shows its own errors."""
    settings = dict(os.environ, DEBIAN_FRONTEND="noninteractive")
    for arguments in (["update"], ["install", "-y", "--no-install-recommends", package]):
        say(f"  apt-get {' '.join(arguments)}")
        command = ["apt-get", "-qq", *arguments]
        if subprocess.call(command, env=settings, stdout=subprocess.DEVNULL):
            raise Stop(
                f"That failed. Mend what it says above, or install it yourself:\n\n    {by_hand}"
            )
    importlib.invalidate_caches()
    if not has_venv_and_pip():
        raise Stop(f"{package} is installed, yet {sys.executable} finds no venv and ensurepip.")


def has_venv_and_pip() -> bool:
    """Whether this Python brings what makes environments, and pip to put into them."""
    return all(importlib.util.find_spec(name) for name in ("venv", "ensurepip"))


def environment() -> dict[str, str]:
    """The caller's settings (index, proxy, certificates), less what leads out of .venv."""
    kept = {name: value for name, value in os.environ.items() if name not in MISLEADING}
    certificates = kept.get("REQUESTS_CA_BUNDLE")
    if certificates:
        kept.setdefault("PIP_CERT", certificates)
    kept.setdefault("PIP_RESUME_RETRIES", "5")  # newer pips go on in the middle of a file
    kept["PIP_DISABLE_PIP_VERSION_CHECK"] = "1"
    kept["PYTHONUNBUFFERED"] = "1"
    return kept


def install_locked() -> None:
    """Every package of the lock, each checked against its hash."""
    total = len(locked(REQUIREMENTS))
    say(f"Installing {total} locked packages; the first time downloads about 260 MB.")
    install(REQUIREMENTS)


def install_full() -> None:
    """sentence-transformers and torch, which brings its GPU libraries along on Linux."""
    say("Installing sentence-transformers and torch; the first time downloads about 3 GB.")
    install(FULL)


def install(lock: Path) -> None:
    """A lock's packages: by uv where it can get them, else by pip, which knows more settings."""
    arguments = ("--require-hashes", "--no-deps", "-r", str(lock))
    if has_uv():
        given = ("--system-certs", "--python", str(PYTHON))  # a company may have a CA of its own
        command = [str(UV), "pip", "install", *given, *arguments]
        if not watched(command, for_uv())[0]:
            return
        say(f"  uv could not install them ({LOG} says why); trying pip.")
    pip(*arguments, total=len(locked(lock)))


def has_uv() -> bool:
    """Get the lock's uv, unless packages come from a place that pip alone was told of."""
    entry = re.search(r"^uv==(?:.*\\\n)*.*$", REQUIREMENTS.read_text("utf-8"), flags=re.MULTILINE)
    listed = [str(PYTHON), "-m", "pip", "config", "list"]
    told = subprocess.run(listed, env=environment(), stdout=subprocess.PIPE, text=True, check=False)
    if not entry or any(place in told.stdout for place in PLACES):
        return False
    alone = VENV / "uv.lock"
    alone.write_text(entry[0] + "\n", encoding="utf-8")
    return not watched(
        pip_install("--require-hashes", "--no-deps", "-r", str(alone)), environment()
    )[0]


def for_uv() -> dict[str, str]:
    """The caller's settings in uv's words."""
    kept = {name: value for name, value in environment().items() if name not in OTHERS}
    kept.setdefault("UV_HTTP_TIMEOUT", kept.get("PIP_DEFAULT_TIMEOUT", "60"))
    kept.setdefault("UV_HTTP_RETRIES", "5")
    if "PIP_CERT" in kept:
        kept.setdefault("SSL_CERT_FILE", kept["PIP_CERT"])
    return kept


def locked(lock: Path) -> set[str]:
    """The names in a lock that are for Linux and macOS; one may stand there for each Python."""
    text = lock.read_text(encoding="utf-8")
    return {
        name
        for name, marker in re.findall(r"^([\w.-]+)==(.*)", text, flags=re.MULTILINE)
        if not re.search("== '(nt|win32|emscripten)'", marker)
    }


def install_project() -> None:
    """This checkout itself, editable, with the build tools the lock brought."""
    say("Installing gotn itself from this checkout.")
    pip("--no-build-isolation", "--no-deps", "-e", str(ROOT), total=0)


def pip_install(*arguments: str) -> list[str]:
    """The command, of the pip in .venv."""
    return [str(PYTHON), "-m", "pip", "install", "--no-input", *arguments]


def pip(*arguments: str, total: int = 0) -> None:
    """Run `pip install`; Stop with what it found wrong."""
    code, lines = watched(pip_install(*arguments), environment(), total)
    if code:
        raise Stop(explain(lines))


def watched(command: list[str], settings: dict[str, str], total: int = 0) -> tuple[int, list[str]]:
    """Run an installer, show how far it is, and keep all it says in a log: its status and lines."""
    process = subprocess.Popen(
        command,
        cwd=ROOT,
        env=settings,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    lines = []
    with LOG.open("a", encoding="utf-8") as log, process:
        for line in process.stdout or ():
            log.write(line)
            lines.append(line.strip())
            seen = sum(map(begins_a_package, lines))
            show(f"[{seen}/{total}] " if total else "", lines[-1])
    if sys.stdout.isatty():
        print(ERASE, end="", flush=True)
    return process.returncode, lines


def begins_a_package(line: str) -> bool:
    """Whether pip turns to the next package of the lock."""
    return line.startswith(("Collecting ", "Requirement already satisfied"))


def show(progress: str, line: str) -> None:
    """A line of pip or uv as progress: in place on a terminal; in a log, what takes long."""
    big = re.match(r"Downloading (\S+?)(?:-\d\S*)? \((\d{2,}\.\d ?Mi?B)\)", line)
    if big:
        what = f"downloading {big[1]}, {big[2]}"
    elif re.match("Installing collected.*,|Prepared", line):
        what = "all downloaded; unpacking them"
    elif progress and begins_a_package(line) and sys.stdout.isatty():
        what = line.partition("==")[0].rpartition(" ")[2]
    else:
        return
    print(f"{ERASE}  {progress}{what}", end="" if sys.stdout.isatty() else "\n", flush=True)


def explain(lines: list[str]) -> str:
    """What pip found wrong, and what is usually the cause."""
    wrong = [line for line in lines if line.startswith(("ERROR", "error:"))] or lines[-5:]
    shown = "\n    ".join(wrong[-5:])
    text = f"pip could not install the packages:\n\n    {shown}\n\nAll that it said: {LOG}"
    if any(map(UNREACHABLE.search, lines)):
        text += (
            "\nIs there a network? Behind a proxy set HTTPS_PROXY, with certificates of your own"
            "\nREQUESTS_CA_BUNDLE, for a package mirror PIP_INDEX_URL. Then run it again."
        )
    if any("DO NOT MATCH THE HASHES" in line for line in lines):
        text += "\nA package is not the one that was locked: it was not installed. Please tell us."
    return text


def say(text: str) -> None:
    """A line to the person watching, at once."""
    print(text, flush=True)


if __name__ == "__main__":
    sys.exit(main())
