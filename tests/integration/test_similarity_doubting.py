"""Where edges and texts disagree, on a real Neo4j, by the real model."""

from pathlib import Path
from typing import Any

import pytest
from factories import make_edge
from graphs import seq_of
from meaning import drafts, engine

from gotn.database.connection import Database
from gotn.errors import Invalid, NotFound
from gotn.similarity import doubting
from gotn.similarity.records import DoubtKind
from gotn.work.usecases import bulk
from gotn.work.usecases.writing import Request


async def test_both_kinds_with_their_evidence(
    database: Database, request_: Request, tmp_path: Path
) -> None:
    """A tag under another name is told, and an edge between strangers; what agrees is not."""
    tagged: dict[str, Any] = {
        "backup": {"produces": ("database_dumps",)},
        "restore": {"requires": ("dumpsOfDatabase",)},
        "login": {"produces": ("login_page", "logo")},
        "logo": {"requires": ("something_else",)},
    }
    joined = [make_edge("login", "signin"), make_edge("lunch", "restore")]
    await bulk.add_graph(database, request_, drafts(**tagged), joined)
    seq = await seq_of(database, request_.project_id)
    missing, edge = await doubting.doubts(engine(database, tmp_path), request_.project_id)
    assert (DoubtKind.MISSING_DEPENDENCY, "backup", "restore") == (
        missing.kind, missing.src, missing.dst,
    )  # fmt: skip
    assert ("database_dumps", "dumpsOfDatabase") == (missing.produces, missing.requires)
    assert missing.cosine > 0.7
    assert missing.evidence.startswith(
        "restore requires 'dumpsOfDatabase', which nobody produces; "
        f"backup produces 'database_dumps' (cosine {missing.cosine:.4f}, "
    )
    assert (DoubtKind.SUSPICIOUS_EDGE, "lunch", "restore") == (edge.kind, edge.src, edge.dst)
    assert edge.cosine < 0.1
    assert "restore needs lunch, which was stated, but" in edge.evidence
    for first in (1, 2, 100):
        found = await doubting.doubts(engine(database, tmp_path), request_.project_id, first)
        assert [missing, edge][:first] == found
    assert seq == await seq_of(database, request_.project_id)


async def test_what_is_joined_already_is_not_missing(
    database: Database, request_: Request, tmp_path: Path
) -> None:
    """An edge between the two, or a producer of the very tag, settles it."""
    tagged: dict[str, Any] = {
        "backup": {"produces": ("database_dumps",)},
        "restore": {"requires": ("dumpsOfDatabase",)},
    }
    await bulk.add_graph(database, request_, drafts(**tagged), [make_edge("backup", "restore")])
    assert [] == await doubting.doubts(engine(database, tmp_path), request_.project_id)


async def test_what_cannot_be_asked(database: Database, request_: Request, tmp_path: Path) -> None:
    """A project that is not there, and too many rows."""
    compared = engine(database, tmp_path)
    with pytest.raises(NotFound):
        await doubting.doubts(compared, request_.project_id)
    with pytest.raises(Invalid, match="first"):
        await doubting.doubts(compared, request_.project_id, 101)


@pytest.mark.parametrize(
    ("tag", "said"),
    [
        ("userTables_v2", "user tables v 2"),
        ("HTTPServer", "http server"),
        ("db.schema-ready", "db schema ready"),
        ("größe", "größe"),
        ("---", "---"),
    ],
)
def test_words_of_a_tag(tag: str, said: str) -> None:
    """Humps, marks and digits part words."""
    assert said == doubting.words(tag)
