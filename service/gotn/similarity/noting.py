"""What changed since a project was linked, kept beside its vectors for the next process.

Without it a process would know the vectors and not which of them are new, nor those that went:
it would have to compare all again.
"""

import base64
from typing import TYPE_CHECKING

from gotn import shapes
from gotn.similarity.engine import Known

if TYPE_CHECKING:
    from gotn_embeddings import VectorStore

#: Changes that are kept; of more, the next process compares all.
MOST = 500


async def keep(project_id: str, known: Known, kept: "VectorStore") -> None:
    """Leave for others what is known, if it is worth it."""
    if known.since is None or len(known.old) + len(known.nodes) + len(known.ends) > MOST:
        return
    told = {
        "seq": known.since.seq,
        "hash": known.since.hash,
        "nodes": sorted(known.nodes),
        "ends": sorted(known.ends),
        "old": [base64.b64encode(one.astype("<f4").tobytes()).decode() for one in known.old],
    }
    await kept.set_note(project_id, shapes.dumps(told), known.at())


def recall(known: Known, note: str | None) -> None:
    """Know what another process left; nothing where it left nothing."""
    if note is None:
        return
    import numpy as np  # noqa: PLC0415  # only where it is used

    from gotn_embeddings import Position  # noqa: PLC0415  # the same

    told = shapes.loads(note)
    known.forget(Position(told["seq"], told["hash"]))
    known.nodes.update(told["nodes"])
    known.ends.update(told["ends"])
    known.old += [np.frombuffer(base64.b64decode(one), "<f4").copy() for one in told["old"]]
