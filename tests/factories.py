"""Drafts for tests: valid, with what matters to the test overridden."""

from typing import Any

from gotn.work.records import EdgeType, WorkEdgeDraft, WorkNodeDraft


def make_node(id_: str = "a", **overrides: Any) -> WorkNodeDraft:
    """A node that can be added."""
    given = {"kind": "micro_prompt", "summary": f"Do {id_}", "prompt_text": f"Please do {id_}."}
    return WorkNodeDraft(id=id_, **(given | overrides))


def make_edge(src: str = "a", dst: str = "b", **overrides: Any) -> WorkEdgeDraft:
    """A hard edge that can be added."""
    return WorkEdgeDraft(src=src, dst=dst, **({"type": EdgeType.HARD_REQUIRES} | overrides))
