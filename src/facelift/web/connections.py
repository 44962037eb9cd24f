"""Connections of the server: headers have a deadline, and its own answers are JSON like the page's.

uvicorn waits for the rest of a header for ever, and answers bad ones in plain text of its own.
"""

from __future__ import annotations

import asyncio
import json
from http import HTTPStatus
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

MOST_CONNECTIONS = 500
"""Connections held at the same time; a browser holds up to six."""

MOST_HEADER_SECONDS = 10.0
"""How long a header may take to arrive; it comes from this machine."""


class Connection(H11Protocol):
    """One connection; `headers` are those of every answer that no application gives."""

    answer_headers: dict[str, str]

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a header; where too many are held, one that asks for nothing goes."""
        super().connection_made(transport)
        self.deadline: asyncio.TimerHandle | None = None
        self._expect_header()
        if len(self.connections) > MOST_CONNECTIONS:
            most_idle: Any = min(self.connections, key=_busyness)
            most_idle.refuse(HTTPStatus.SERVICE_UNAVAILABLE, "There are too many connections.")

    def data_received(self, data: bytes) -> None:
        """Read on; a header that is whole waits no longer."""
        super().data_received(data)
        if self.conn.their_state is h11.IDLE:
            self._expect_header()
        else:
            self._settle()

    def on_response_complete(self) -> None:
        """Go on with what came meanwhile; the beginning of a header is given its time."""
        super().on_response_complete()
        if self.conn.their_state is h11.IDLE and self.conn.trailing_data[0]:
            self._expect_header()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the deadline."""
        self._settle()
        super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:
        """Say that what came is no request; uvicorn calls this."""
        self.refuse(HTTPStatus.BAD_REQUEST, msg)

    def refuse(self, status: HTTPStatus, message: str) -> None:
        """One line of JSON, and the end of the connection."""
        self._settle()
        body = json.dumps({"error": message}).encode()
        lines = [f"HTTP/1.1 {status.value} {status.phrase}", "Connection: close"]
        lines += [f"Content-Type: application/json\r\nContent-Length: {len(body)}"]
        lines += [f"{name}: {value}" for name, value in self.answer_headers.items()]
        self.transport.write("\r\n".join([*lines, "", ""]).encode() + body)
        self.transport.close()

    def _expect_header(self) -> None:
        if self.deadline is None:
            too_late = HTTPStatus.REQUEST_TIMEOUT, "The request came too slowly."
            self.deadline = self.loop.call_later(MOST_HEADER_SECONDS, self.refuse, *too_late)

    def _settle(self) -> None:
        if self.deadline is not None:
            self.deadline.cancel()
            self.deadline = None


def _busyness(connection: Any) -> tuple[int, float]:
    """Who sends a header goes first, the longest wait first; then who has nothing to ask."""
    if connection.deadline is not None:
        return 0, connection.deadline.when()
    if connection.timeout_keep_alive_task is not None:
        return 1, connection.timeout_keep_alive_task.when()
    return 2, 0.0


def connections(headers: dict[str, str]) -> type[Connection]:
    """The kind of connection whose own answers have some headers."""
    return type("PageConnection", (Connection,), {"answer_headers": headers})
