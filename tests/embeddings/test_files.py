"""Index files: whole or not at all, believed only if every byte is right."""

import random
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from conformance.vector_store import FIRST, IDENTITY, SECOND, vectors

from gotn_embeddings import IndexUnusable, Position, files
from gotn_embeddings.index import FaissIndex

TESTS = Path(__file__).resolve().parents[1]


def index(count: int, *, switch: int = 1000, seed: int = 0) -> FaissIndex:
    """An index of so many vectors."""
    made = FaissIndex(IDENTITY, switch=switch)
    made.put(vectors(count, seed))
    assert made.grow() == (count > switch)
    return made


@pytest.fixture(params=[1000, 10], ids=["exact", "hnsw"])
def saved(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A file of 40 vectors with an empty place, of either kind."""
    made = index(40, switch=request.param)
    made.remove(["node-0005"])
    assert files.save(made, tmp_path / "shop.vectors", FIRST)
    return tmp_path / "shop.vectors"


def reason(path: Path) -> str:
    """Why a file is refused."""
    with pytest.raises(IndexUnusable) as refused:
        files.load(path, IDENTITY)
    return refused.value.reason


def test_what_is_saved_comes_back(saved: Path) -> None:
    """The same ids, vectors, kind and position."""
    found, position, note = files.load(saved, IDENTITY)
    held = vectors(40)
    assert (39, FIRST, None) == (len(found), position, note)
    assert [found.search(held[id_][None], 1)[0][0].id for id_ in found.ids()] == list(found.ids())
    assert {"node-0005"} == set(held) - found.ids()


def test_any_flipped_bit_is_noticed(saved: Path) -> None:
    """In the header, the vectors, the graph or the checksum."""
    whole = saved.read_bytes()
    chance = random.Random(1)
    places = [0, 7, 8, 20, len(whole) - 1, *(chance.randrange(len(whole)) for _ in range(150))]
    for place in places:
        torn = bytearray(whole)
        torn[place] ^= 1 << chance.randrange(8)
        saved.write_bytes(torn)
        assert reason(saved) == "damaged", place


def test_any_cut_is_noticed(saved: Path) -> None:
    """Wherever the file ends too early, or goes on too long."""
    whole = saved.read_bytes()
    for length in (0, 4, 8, 15, 16, 100, len(whole) // 2, len(whole) - 32, len(whole) - 1):
        saved.write_bytes(whole[:length])
        assert reason(saved) == "damaged", length
    saved.write_bytes(whole + b"\0")
    assert reason(saved) == "damaged"
    saved.unlink()
    assert reason(saved) == "missing"


@pytest.mark.parametrize(
    "change", [{"model": "x"}, {"revision": "1" * 16}, {"pooling": "cls"}, {"dimension": 9}]
)
def test_another_models_file_is_foreign(saved: Path, change: dict[str, object]) -> None:
    """Whichever of the four differs, its vectors are not compared with ours."""
    with pytest.raises(IndexUnusable) as refused:
        files.load(saved, replace(IDENTITY, **change))  # type: ignore[arg-type]  # one at a time
    assert refused.value.reason == "foreign"


def test_one_behind_never_replaces_one_ahead(saved: Path) -> None:
    """Of two processes the one that follows the journal further wins, whichever saves last."""
    assert files.save(index(50), saved, SECOND)
    assert not files.save(index(10), saved, FIRST)
    assert 50 == len(files.load(saved, IDENTITY)[0])


def test_damage_is_no_reason_to_keep_a_file(saved: Path) -> None:
    """A file that says it is ahead, but is not whole, is replaced."""
    files.save(index(50), saved, SECOND)
    torn = bytearray(saved.read_bytes())
    torn[-1] ^= 1
    saved.write_bytes(torn)
    assert files.save(index(10), saved, FIRST)
    assert 10 == len(files.load(saved, IDENTITY)[0])


WITH_LITTLE_ROOM = """
import asyncio, resource, signal, sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from conformance.vector_store import IDENTITY, SECOND, vectors
from gotn_embeddings import FaissStore, IndexNotSaved, files
from gotn_embeddings.index import FaissIndex

path, how = Path(sys.argv[1]), sys.argv[3]
made = FaissIndex(IDENTITY)
made.put(vectors(2000))
store = FaissStore(path.parent, IDENTITY)
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
try:
    if how == "save":
        files.save(made, path, SECOND)
    else:
        asyncio.run(store.replace("shop", vectors(2000), SECOND))
except IndexNotSaved as error:
    print(error.message)
"""


@pytest.mark.parametrize("how", ["save", "replace"])
def test_full_disk_leaves_the_old_file(saved: Path, how: str) -> None:
    """What cannot be written is an error; the old file is there, no half one beside it."""
    command = [sys.executable, "-c", WITH_LITTLE_ROOM, str(saved), str(TESTS), how]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    assert f"{saved} could not be written: File too large" == done.stdout.strip()
    assert FIRST == files.load(saved, IDENTITY)[1]
    assert {"shop.vectors", "shop.vectors.lock"} == {path.name for path in saved.parent.iterdir()}


WRITER = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[3])
from conformance.vector_store import IDENTITY, vectors
from gotn_embeddings import Position, files
from gotn_embeddings.index import FaissIndex

made, path = FaissIndex(IDENTITY), Path(sys.argv[1])
made.put(vectors(2000, int(sys.argv[2])))
print("ready", flush=True)
for seq in range(1, int(sys.argv[4])):
    files.save(made, path, Position(seq, "x"))
    print(seq, flush=True)
"""


def writer(path: Path, seed: int, until: int) -> "subprocess.Popen[str]":
    """A process that saves again and again."""
    command = [sys.executable, "-c", WRITER, str(path), str(seed), str(TESTS), str(until)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def test_killed_while_saving(tmp_path: Path) -> None:
    """A kill -9 at any moment: the file is whole, and as new as the last one that was reported."""
    path = tmp_path / "shop.vectors"
    for after in (1, 3, 8):
        path.unlink(missing_ok=True)
        with writer(path, 1, 10_000) as process:
            assert process.stdout
            said = [process.stdout.readline().strip() for _ in range(after + 1)]
            process.kill()
        found, position, _ = files.load(path, IDENTITY)
        assert 2000 == len(found)
        assert int(said[-1]) <= position.seq
    assert files.save(found, path, Position(99_999, "x"))
    assert not path.with_name("shop.vectors.new").exists()


def test_two_processes_saving_at_once(tmp_path: Path) -> None:
    """Whoever reads meanwhile sees one's whole file or the other's; the last one stays."""
    path = tmp_path / "shop.vectors"
    with writer(path, 1, 30) as one, writer(path, 2, 40) as two:
        for process in (one, two, one):  # both are ready, and a file is there
            assert process.stdout
            process.stdout.readline()
        seen = 0
        while one.poll() is None or two.poll() is None:
            assert 2000 == len(files.load(path, IDENTITY)[0])
            seen += 1
    assert (0, 0) == (one.returncode, two.returncode)
    assert seen
    assert 39 == files.load(path, IDENTITY)[1].seq
