"""What one request carries."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from gotn.database.connection import Database
from gotn.errors import GotnError
from gotn.feed import Feed
from gotn.similarity.engine import Engine
from gotn.work.store.mirror import Mirror
from gotn.work.usecases.queue import WriteQueue
from gotn.work.usecases.writing import Request


@dataclass
class Context:
    """What one request carries: the database, who asks, and what it has gathered."""

    database: Database
    actor: str = "unknown"
    request_id: str = ""
    #: Whether the key came with the request, where there is one.
    authorized: bool = False
    #: Where small writes wait for others; None: each has a transaction of its own.
    queue: WriteQueue | None = None
    #: Open work in memory, for previews of plans; None: read each time.
    mirror: Mirror | None = None
    #: What compares texts; None where nothing does.
    similarity: Engine | None = None
    #: What happens in projects; None where nothing can be followed.
    feed: Feed | None = None
    #: Where subscriptions note what they follow instead of following it; None: they follow it.
    followed: list[Any] | None = None
    #: What a WebSocket's client sent as it connected.
    connection_params: dict[str, Any] = field(default_factory=dict)
    #: DataLoaders by what they load; they live as long as the request.
    loaders: dict[Any, Any] = field(default_factory=dict)
    #: Errors that became members of a result, in order; for metrics and the command line.
    refused: list[GotnError] = field(default_factory=list)

    #: Called for each root field of a query: how it was answered (`compiled`, `normal`, `refused`,
    #: `surprise`; see graph.hook), and why not from a compiled plan.
    on_field: Callable[[str, str], None] = lambda way, reason: None

    def request(self, project: str, idempotency_key: str | None) -> Request:
        """Who asks for a write, where."""
        return Request(
            project_id=project,
            actor=self.actor,
            idempotency_key=idempotency_key,
            queue=self.queue,
        )
