"""Documents of the work graph in and out: GoTN's own (001), beads' and Taskmaster's.

`read` makes a `GraphDraft` from a file, a `.gotn` folder or standard input and lists every
violation; `write` and the `…_document` functions print rows as 001 does, an untouched import
as it came. Nothing here knows a database.
"""

from gotn.work.exchange.history import fold_original
from gotn.work.exchange.reading import FORMATS, read, recover
from gotn.work.exchange.rings import closed, is_cycle
from gotn.work.exchange.writing import (
    documents,
    edge_document,
    journal_documents,
    node_document,
    run_document,
    write,
)

__all__ = [
    "FORMATS",
    "closed",
    "documents",
    "edge_document",
    "fold_original",
    "is_cycle",
    "journal_documents",
    "node_document",
    "read",
    "recover",
    "run_document",
    "write",
]
