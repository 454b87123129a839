"""Operations over WebSocket: graphql-transport-ws, its states kept by Strawberry's handler.

https://github.com/enisdenjo/graphql-ws/blob/master/PROTOCOL.md
"""

from contextlib import aclosing
from dataclasses import replace
from typing import Any

import orjson
from starlette.websockets import WebSocketDisconnect
from strawberry.http.exceptions import WebSocketDisconnected
from strawberry.subscriptions.protocols.graphql_transport_ws.handlers import (
    BaseGraphQLTransportWSHandler,
    Operation,
)

from gotn.api.context import Context
from gotn.api.live import Asked, Live, Refused


class Socket(BaseGraphQLTransportWSHandler[Context, None]):
    """One connection: subscriptions are rendered once for all, the rest is executed as ever."""

    async def run_operation(self, operation: Operation[Context, None]) -> None:
        """Send every answer of one operation."""
        live: Live = self.view.live  # type: ignore[attr-defined]  # our endpoint
        asked = _asked(operation)
        if asked is None:
            await self.websocket.close(code=4400, reason="Invalid subscribe payload")
            return
        context = replace(self.context, loaders={}, refused=[])
        try:
            if live.is_subscription(asked):
                await self._follow(live, asked, context, operation)
            else:
                result = await self.schema.execute(
                    asked.query, asked.variables, context, operation_name=asked.operation_name
                )
                if result.data is None and result.errors:
                    await operation.send_initial_errors(list(result.errors))
                    return
                await operation.send_next(result)
            await operation.send_operation_message({"id": operation.id, "type": "complete"})
        except Refused as refusal:
            await operation.send_initial_errors(refusal.errors)
        except WebSocketDisconnected:
            pass

    async def _follow(
        self, live: Live, asked: Asked, context: Context, operation: Operation[Context, None]
    ) -> None:
        start = f'{{"id":{orjson.dumps(operation.id).decode()},"type":"next","payload":'
        async with aclosing(live.run(asked, context)) as messages:
            async for message in messages:
                if operation.completed:
                    return
                await self._send(f"{start}{message.text}}}")
                del message  # not while the next one is waited for

    async def send_message(self, message: Any) -> None:
        """One message of the protocol, as text."""
        await self._send(orjson.dumps(message).decode())

    async def _send(self, text: str) -> None:
        try:
            await self.websocket.ws.send_text(text)  # type: ignore[attr-defined]  # Starlette's
        except (WebSocketDisconnect, RuntimeError) as error:  # RuntimeError: closed meanwhile
            raise WebSocketDisconnected from error


def _asked(operation: Operation[Context, None]) -> Asked | None:
    """The operation, if its members are what they must be."""
    query: Any = operation.query
    variables: Any = operation.variables
    name: Any = operation.operation_name
    if not isinstance(query, str) or not isinstance(variables, dict | None):
        return None
    return Asked(query, variables, name) if isinstance(name, str | None) else None
