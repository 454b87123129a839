"""Whether the service can work: Neo4j answers, and every migration is applied.

Neo4j may be away at the start and come later, so nothing is decided once: until the
schema is known to be current, each request that needs it tries again.
"""

import asyncio
import logging

from gotn.database import schema
from gotn.database.connection import Database
from gotn.errors import DatabaseUnavailable, GotnError

log = logging.getLogger("gotn.server")


class Readiness:
    """Applies the migrations when Neo4j is first reached, and remembers that."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lock = asyncio.Lock()
        self._migrated = False

    async def ensure(self) -> None:
        """Migrate unless that is done; DatabaseUnavailable or SchemaPending where it cannot be."""
        if not self._migrated:
            async with self._lock:
                await self._migrate()

    async def _migrate(self) -> None:
        if self._migrated:  # by whoever had the lock before
            return
        if not await self._database.answers():
            raise DatabaseUnavailable
        names = await schema.migrate(self._database)
        self._migrated = True
        log.info("the schema is current", extra={"reason": f"{len(names)} migrations applied"})

    async def reason(self) -> GotnError | None:
        """Why the service cannot work now, or None."""
        try:
            await self.ensure()
            if not await self._database.answers():
                return DatabaseUnavailable()
            await schema.require_current(self._database)
        except GotnError as error:
            return error
        return None
