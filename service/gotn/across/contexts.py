"""The contexts beside the work graph, made known to fold, digest and replay (`parts`).

Importing this registers them; whatever opens a database or builds the API imports it.
"""

from gotn import parts
from gotn.trees.rules.fold import TreesState
from gotn.trees.store import digest
from gotn.trees.usecases import rebuilding

TREES = parts.Part(
    name="trees",
    items=frozenset(("tree", "task", "executes", "state")),
    empty=TreesState,
    live=digest.live,
    write=rebuilding.write,
    stage=rebuilding.stage,
    large=rebuilding.large,
)

parts.register(TREES)
