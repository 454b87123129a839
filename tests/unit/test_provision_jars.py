"""Installing by the lock: checksums, resuming and the messages of failures."""

import errno
import hashlib
from pathlib import Path

import pytest

from gotn.errors import SetupFailed
from gotn.provision import Paths, faults, jars
from gotn.provision.jars import Jar


def make_jar(name: str) -> Jar:
    """A locked file whose content is its own name."""
    return Jar(f"org.example:{name}:1", hashlib.sha256(name.encode()).hexdigest())


def bring(jar: Jar, into: Path) -> Path:
    """A registry that answers every file right."""
    path = into / "fetched"
    path.write_text(jar.coordinate.split(":")[1])
    return path


JARS = [make_jar(name) for name in ("a", "b", "c")]


def test_the_lock_is_sorted_and_whole() -> None:
    """Every line is a coordinate with a SHA-256, and the version is a line of it."""
    lines = jars.LOCK.read_text().splitlines()
    assert sorted(lines) == lines
    assert len({jar.file_name for jar in jars.locked()}) == len(lines) == 214
    assert all(len(jar.sha256) == 64 for jar in jars.locked())
    assert jars.neo4j_version().startswith("5.26.")


def test_a_classifier_is_part_of_the_name() -> None:
    """group:artifact:version:classifier becomes artifact-version-classifier.jar."""
    assert Jar("g:a:1:linux", "").file_name == "a-1-linux.jar"


def test_everything_is_fetched_and_nothing_twice(tmp_path: Path) -> None:
    """A file that is there with the right checksum is kept; no staging is left."""
    place, fetched = tmp_path / "jars", []

    def fetch(jar: Jar, into: Path) -> Path:
        fetched.append(jar.coordinate)
        return bring(jar, into)

    jars.install(place, JARS[:2], fetch)
    told: list[tuple[int, int, str]] = []
    jars.install(place, JARS, fetch, lambda done, total, name: told.append((done, total, name)))
    assert sorted(fetched) == ["org.example:a:1", "org.example:b:1", "org.example:c:1"]
    assert told == [(1, 1, "c-1.jar")]
    assert [path.name for path in tmp_path.iterdir()] == ["jars"]


def test_a_damaged_file_is_fetched_again(tmp_path: Path) -> None:
    """What lies there with a wrong checksum is no file of ours."""
    jars.install(tmp_path / "jars", JARS, bring)
    (tmp_path / "jars" / "b-1.jar").write_text("half")
    jars.install(tmp_path / "jars", JARS, bring)
    assert (tmp_path / "jars" / "b-1.jar").read_text() == "b"


def test_a_wrong_checksum_is_named_and_nothing_wrong_stays(tmp_path: Path) -> None:
    """The file is named, removed, and the rest is kept for the next run."""

    def fetch(jar: Jar, into: Path) -> Path:
        path = bring(jar, into)
        if ":b:" in jar.coordinate:
            path.write_text("forged")
        return path

    with pytest.raises(SetupFailed, match=r"b-1\.jar came with a wrong checksum.*resume"):
        jars.install(tmp_path / "jars", JARS, fetch)
    assert not (tmp_path / "jars" / "b-1.jar").exists()
    assert not list(tmp_path.rglob("*forged*"))
    jars.install(tmp_path / "jars", JARS, bring)
    assert not jars.missing(tmp_path / "jars", JARS)


def test_no_network_says_how_much_is_missing(tmp_path: Path) -> None:
    """Without a network the message counts what is missing and says that a repeat resumes."""

    def fetch(jar: Jar, into: Path) -> Path:
        raise RuntimeError("the package registry cannot be reached")

    with pytest.raises(SetupFailed, match=r"cannot be reached\. 3 of 214 files.*resume") as caught:
        jars.install(tmp_path / "jars", JARS, fetch)
    assert caught.value.facts["missing"] == 3


def test_one_failure_in_between_is_tried_again(tmp_path: Path) -> None:
    """A connection that breaks once costs a second try, not the installation."""
    broken = {jar.coordinate for jar in JARS[:1]}

    def fetch(jar: Jar, into: Path) -> Path:
        if jar.coordinate in broken:
            broken.discard(jar.coordinate)
            raise OSError("connection reset")
        return bring(jar, into)

    jars.install(tmp_path / "jars", JARS, fetch)
    assert not jars.missing(tmp_path / "jars", JARS)


def test_a_full_disk_is_not_tried_again(tmp_path: Path) -> None:
    """No space is said at once and in words."""
    tries = []

    def fetch(jar: Jar, into: Path) -> Path:
        tries.append(jar)
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(SetupFailed, match="the disk is full"):
        jars.install(tmp_path / "jars", JARS[:1], fetch)
    assert len(tries) == 1


@pytest.mark.parametrize(
    ("log", "reason", "words"),
    [
        ("java.io.IOException: No space left on device", "disk_full", "disk is full"),
        ("Caused by: java.net.BindException: Address already in use", "port_taken", "GOTN_BOLT"),
        ("ERROR [x] Failed to start DatabaseId{1d29[neo4j]}", "damaged", "gotn journal replay"),
        ("Could not reserve enough space for object heap", "memory", "memory"),
        ("FileLockException: Lock file has been locked by another process", "in_use", "Another"),
        ("Caused by: org.neo4j.UnsupportedLogVersionException: 99", "newer_data", "newer"),
        ("Caused by: java.nio.file.AccessDeniedException: /x", "rights", "chown"),
        ("", "unknown", "ended while it was starting"),
    ],
)
def test_logs_become_a_sentence(log: str, reason: str, words: str, tmp_path: Path) -> None:
    """Each fault says what to do and where the log is, and shows no stack trace."""
    trace = "\tat org.neo4j.Kernel.start(Kernel.java:1)\n"
    error = faults.explain(Paths(tmp_path), f"{log}\n{trace * 3}")
    assert reason == error.facts["reason"]
    assert words in error.message
    assert str(Paths(tmp_path).log) in error.message
    assert "\n" not in error.message
    assert "Kernel.java" not in error.message


def test_only_what_this_start_wrote_counts(tmp_path: Path) -> None:
    """Yesterday's failure in the same log is not today's; a rotated log is read whole."""
    paths = Paths(tmp_path)
    paths.logs.mkdir(parents=True)
    paths.log.write_text("ERROR [x] Failed to start DatabaseId{1[neo4j]}\n")
    marks = faults.marks(paths)
    assert not faults.has_given_up(faults.written_since(paths, marks))
    paths.log.write_text("ERROR [x] Failed to start\n")
    assert not faults.has_given_up(faults.written_since(paths, marks))
    paths.log.write_text("ERROR [x] Failed to start DatabaseId{2[neo4j]}\n" * 9)
    assert faults.has_given_up(faults.written_since(paths, marks))
