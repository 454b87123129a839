"""Texts to vectors: every engine against sentence-transformers as it comes, and the first one."""

import asyncio
import os
import subprocess
import sys
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from bench import texts
from bench.timing import Result, Run, race
from bench.world import World
from gotn_embeddings import choice, models, processor
from gotn_embeddings.encoder import Engine, TextEncoder
from gotn_embeddings.identity import AGREEMENT, Vectors, agreement
from gotn_embeddings.models import ModelFiles

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

#: Texts of one round; of fewer, batches would not be full. All are shorter than a window.
COUNT = 512
FIRST = "import gotn_embeddings; gotn_embeddings.encoder('onnx').encode(['Users cannot sign in'])"


async def encodes(world: World) -> AsyncIterator[Result]:
    """`encode` and `first`, of what is installed."""
    if world.options.wanted("encode"):
        async for result in _engines(world):
            yield result
    if world.options.wanted("first"):
        found = await race(
            lambda: _process("import numpy"), lambda: _process(FIRST), world.options.rounds
        )
        yield Result("first", "onnxruntime", *found)


async def _engines(world: World) -> AsyncIterator[Result]:
    files, many = models.find(), texts.real(COUNT if world.options.rounds > 1 else 32)
    bare = _bare(files)
    expected = _vectors(bare, many)
    for name, load in choice.LOADERS.items():
        if not choice.installed(name):
            world.say(f"No row encode {name}: it is not installed")
            continue
        engine = load(files)
        found = TextEncoder(engine).encode(many).vectors
        least = agreement(expected, found)
        assert least >= AGREEMENT, (name, least)
        # Products of bfloat16 may move twofold from minute to minute: few rounds tell of that.
        rounds = 3 * world.options.rounds
        series = await race(_floor(bare, many), _encoding(engine, many), rounds)
        case = f"{name}, {engine.arithmetic}"
        yield Result("encode", case, *series, things=len(many), note=f"cosine ≥ {least:.5f}")


def _bare(files: ModelFiles) -> "SentenceTransformer":
    """The library's own model in float32, as its users load it."""
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    # Both sides in one process wait alike; the floor is as fast with either way of waiting.
    processor.wait_quietly()
    from sentence_transformers import SentenceTransformer  # noqa: PLC0415

    return SentenceTransformer(str(files.folder), device="cpu")


def _vectors(bare: "SentenceTransformer", many: list[str]) -> Vectors:
    found: Vectors = bare.encode(many, normalize_embeddings=True)
    return found


def _floor(bare: "SentenceTransformer", many: list[str]) -> Run:
    async def run() -> None:
        _vectors(bare, many)

    return run


def _encoding(engine: Engine, many: list[str]) -> Run:
    async def run() -> None:
        TextEncoder(engine).encode(many)

    return run


async def _process(program: str) -> None:
    command = [sys.executable, "-c", program]
    await asyncio.to_thread(subprocess.run, command, check=True, timeout=60)
