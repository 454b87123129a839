"""The program's files: which they are (neo4j.lock), which are missing, how they get here."""

import errno
import hashlib
import shutil
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from gotn.errors import SetupFailed

#: The one place where Neo4j's version stands: the locked coordinates themselves.
LOCK = Path(__file__).with_name("neo4j.lock")
_THREADS = 8
_TRIES = 3


@dataclass(frozen=True)
class Jar:
    """One locked file of the program."""

    #: group:artifact:version, or group:artifact:version:classifier.
    coordinate: str
    #: Its SHA-256, hexadecimal.
    sha256: str

    @property
    def file_name(self) -> str:
        """The name the file has in a repository."""
        _, artifact, version, *classifier = self.coordinate.split(":")
        return "-".join([artifact, version, *classifier]) + ".jar"


#: Brings one file into an empty folder of its own, anywhere below it, and answers its path.
Fetch = Callable[[Jar, Path], Path]
#: Told after every file: how many are done, of how many, and the file's name.
Progress = Callable[[int, int, str], None]


@cache
def locked(lock: Path = LOCK) -> tuple[Jar, ...]:
    """Read the lock: every file of the program with its checksum."""
    lines = lock.read_text(encoding="utf-8").splitlines()
    pairs = (line.split(" sha256:") for line in lines if line.strip())
    return tuple(Jar(coordinate, digest) for coordinate, digest in pairs)


@cache
def neo4j_version() -> str:
    """Answer the locked version of Neo4j, such as 5.26.30."""
    prefix = "org.neo4j:neo4j:"
    return next(
        j.coordinate.removeprefix(prefix) for j in locked() if j.coordinate.startswith(prefix)
    )


def folder(downloads: Path) -> Path:
    """Answer where this lock's files lie; another lock has another folder."""
    digest = hashlib.sha256(LOCK.read_bytes()).hexdigest()[:8]
    return downloads / f"neo4j-{neo4j_version()}-{digest}"


def is_installed(downloads: Path) -> bool:
    """Tell, by names alone, whether all files are there."""
    place = folder(downloads)
    return all((place / jar.file_name).is_file() for jar in locked())


def missing(place: Path, jars: Sequence[Jar]) -> list[Jar]:
    """Answer the files that are not there; one with a wrong checksum is removed first."""
    with ThreadPoolExecutor(_THREADS) as pool:
        good = pool.map(lambda jar: _verified(place / jar.file_name, jar), jars)
        return [jar for jar, present in zip(jars, good, strict=True) if not present]


def install(
    place: Path, jars: Sequence[Jar], fetch: Fetch, progress: Progress | None = None
) -> None:
    """Bring every missing file; what is there with the right checksum is kept.

    Files are fetched beside the folder and moved in once their checksum is right, so an
    interrupted installation goes on where it was. Raises SetupFailed.
    """
    wanted = missing(place, jars)
    if not wanted:
        return
    place.mkdir(parents=True, exist_ok=True)
    staging = place.with_name(place.name + ".part")
    shutil.rmtree(staging, ignore_errors=True)  # halves that an interrupted run left
    staging.mkdir()
    try:
        _fetch_all(wanted, place, staging, fetch, progress)
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _fetch_all(
    wanted: list[Jar], place: Path, staging: Path, fetch: Fetch, progress: Progress | None
) -> None:
    failed = threading.Event()
    pool = ThreadPoolExecutor(_THREADS)
    tasks = {pool.submit(_one, jar, place, staging, fetch, failed): jar for jar in wanted}
    try:
        for done, task in enumerate(as_completed(tasks), 1):
            task.result()
            if progress is not None:
                progress(done, len(wanted), tasks[task].file_name)
    except (OSError, RuntimeError, SetupFailed) as error:
        failed.set()
        pool.shutdown(wait=True, cancel_futures=True)
        raise _explain(error, place, wanted) from error
    finally:
        failed.set()
        pool.shutdown(wait=True, cancel_futures=True)


def _one(jar: Jar, place: Path, staging: Path, fetch: Fetch, failed: threading.Event) -> None:
    """Fetch one file; a failure is tried again unless another file has given up already."""
    own = staging / jar.file_name
    for left in reversed(range(_TRIES)):
        if failed.is_set():
            return
        shutil.rmtree(own, ignore_errors=True)
        own.mkdir()
        try:
            _check(fetch(jar, own), jar).replace(place / jar.file_name)
        except (OSError, RuntimeError, SetupFailed) as error:
            if not left or getattr(error, "errno", None) in (errno.ENOSPC, errno.EDQUOT):
                failed.set()
                raise
            failed.wait(0.5)
        else:
            return


def _check(path: Path, jar: Jar) -> Path:
    if not _verified(path, jar):
        raise SetupFailed(f"{jar.file_name} came with a wrong checksum and was removed")
    return path


def _verified(path: Path, jar: Jar) -> bool:
    try:
        with path.open("rb") as file:
            right = hashlib.file_digest(file, "sha256").hexdigest() == jar.sha256
    except FileNotFoundError:
        return False
    if not right:
        path.unlink(missing_ok=True)
    return right


def _explain(error: Exception, place: Path, wanted: list[Jar]) -> SetupFailed:
    lack = sum(not (place / jar.file_name).is_file() for jar in wanted)
    if getattr(error, "errno", None) in (errno.ENOSPC, errno.EDQUOT):
        reason = f"the disk is full (free 1 GB where {place.parent} is, or set GOTN_HOME)"
    elif isinstance(error, SetupFailed):
        reason = error.message
    else:
        reason = str(error).strip().splitlines()[0][:300] if str(error).strip() else repr(error)
    return SetupFailed(
        f"Neo4j could not be downloaded: {reason}. {lack} of {len(locked())} files are missing; "
        f"what is there is kept: run the same command again to resume. Files: {place}",
        missing=lack,
        folder=str(place),
    )
