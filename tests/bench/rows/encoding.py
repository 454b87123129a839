"""Texts to vectors: every engine against sentence-transformers in float32, and the first one."""

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator

from bench import texts
from bench.timing import Result, Run, race
from bench.world import World
from gotn_embeddings import choice, models
from gotn_embeddings.encoder import Engine, TextEncoder
from gotn_embeddings.identity import AGREEMENT
from gotn_embeddings.sentence import SentenceEngine

#: Texts of one round; of fewer, batches would not be full.
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
    exact = SentenceEngine(files, device="cpu", arithmetic="float32")
    expected = TextEncoder(exact).encode(many).vectors
    for name, load in choice.LOADERS.items():
        if not choice.installed(name):
            world.say(f"No row encode {name}: it is not installed")
            continue
        engine = load(files)
        found = TextEncoder(engine).encode(many).vectors
        agreement = float((expected * found).sum(axis=1).min())
        assert agreement >= AGREEMENT, (name, agreement)
        series = await race(_encoding(exact, many), _encoding(engine, many), world.options.rounds)
        case = f"{name}, {engine.arithmetic}"
        yield Result("encode", case, *series, things=len(many), note=f"cosine ≥ {agreement:.5f}")


def _encoding(engine: Engine, many: list[str]) -> Run:
    async def run() -> None:
        TextEncoder(engine).encode(many)

    return run


async def _process(program: str) -> None:
    command = [sys.executable, "-c", program]
    await asyncio.to_thread(subprocess.run, command, check=True, timeout=60)
