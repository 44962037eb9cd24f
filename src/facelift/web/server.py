"""Serving the page on this machine: a loopback address with a token, until it is stopped.

uvicorn waits for the rest of a header for ever and answers bad ones in plain text; our `Connection`
gives headers a deadline and answers in JSON, as the page does.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import secrets
import socket
import sys
import threading
import time
import webbrowser
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from http import HTTPStatus
from pathlib import Path
from typing import Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from facelift.errors import FaceliftError, InvalidInput
from facelift.walking.guide import Guide
from facelift.web.application import HEADERS, application
from facelift.web.site import Site, site_of

MOST_CONNECTIONS = 500
"""Connections held at the same time; a browser holds up to six."""

MOST_HEADER_SECONDS = 10.0
"""How long a header may take to arrive; it comes from this machine."""

LOOPBACK = "127.0.0.1"

MOST_HEADER_BYTES = 16_384
"""What comes before a body; no browser sends more to a page that sets no cookies."""

_TOKEN = re.compile(r"[\w-]{22,64}")


@dataclass(frozen=True, eq=False)
class Served:
    """A page that is being served: its address, and how to end it."""

    url: str
    _server: uvicorn.Server
    _thread: threading.Thread

    def wait(self) -> None:
        """Wait until the page is no longer served (or the program is interrupted)."""
        while self._thread.is_alive():
            self._thread.join(0.2)

    def stop(self) -> None:
        """Stop serving."""
        self._server.should_exit = True
        self._thread.join(5)

    def __repr__(self) -> str:
        return f"Served({self.url})"


def serve(
    shown: Guide | Site, *, port: int = 0, browser: bool = True, bookmarks: bool = False
) -> Served:
    """Serve a guide's page, or a site, on loopback in the background; port 0 takes a free one.

    With `bookmarks` it is served where it was last time, if that port is free: old links work.
    """
    site = site_of(shown)
    listener, token = _lasting_place(port) if bookmarks else _new_place(port)
    port = listener.getsockname()[1]
    hosts = frozenset({f"{LOOPBACK}:{port}", f"localhost:{port}"})
    config = uvicorn.Config(
        application(site, token, hosts),
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=1,
        http=connection_type(HEADERS),
        timeout_keep_alive=60,  # longer than people think between two steps
        h11_max_incomplete_event_size=MOST_HEADER_BYTES,
        lifespan="off",
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
    thread.start()
    _wait_for(server, thread)
    threading.Thread(target=site.warm, daemon=True).start()  # while somebody reads the page
    served = Served(f"http://{LOOPBACK}:{port}/{token}/", server, thread)
    if browser:
        webbrowser.open(served.url)
    return served


def _new_place(port: int) -> tuple[socket.socket, str]:
    return _listener(port), secrets.token_urlsafe(16)


def _lasting_place(port: int) -> tuple[socket.socket, str]:
    """Where the page was last time, and its token."""
    known = lasting_address()
    try:
        listener = _listener(port or known.port)
    except InvalidInput:
        if port:
            raise
        return _new_place(0)  # another page is served there: its links stay its own
    write_address(replace(known, port=listener.getsockname()[1]))
    return listener, known.token


def _listener(port: int) -> socket.socket:
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((LOOPBACK, port))
    except OSError as fault:
        listener.close()
        raise InvalidInput(
            f"Port {port} cannot be used ({fault.strerror}); choose another, or 0 for a free one."
        ) from None
    return listener


def _wait_for(server: uvicorn.Server, thread: threading.Thread) -> None:
    while not server.started and thread.is_alive():
        time.sleep(0.01)
    if not server.started:
        raise FaceliftError("The server did not start; its messages above say why.")


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


def connection_type(headers: dict[str, str]) -> type[Connection]:
    """The kind of connection whose own answers have some headers."""
    return type("PageConnection", (Connection,), {"answer_headers": headers})


@dataclass(frozen=True)
class Address:
    """A token, and the port that was last used with it (0: any)."""

    token: str
    port: int = 0


def lasting_address(folder: Path | None = None) -> Address:
    """The address of this person's pages, so that old links work; a new one where none is known.

    It stands in a file that only its owner can read; whoever can could read the page as well.

    >>> from tempfile import mkdtemp
    >>> folder = Path(mkdtemp())
    >>> write_address(Address(lasting_address(folder).token, 8765), folder)
    >>> lasting_address(folder).port
    8765
    """
    with suppress(OSError, ValueError, KeyError, TypeError):
        told = json.loads((_file(folder)).read_text(encoding="utf-8"))
        token, port = told["token"], told["port"]
        if _TOKEN.fullmatch(token) and isinstance(port, int) and 0 <= port < 65536:
            return Address(token, port)
    return Address(secrets.token_urlsafe(16))


def write_address(address: Address, folder: Path | None = None) -> None:
    """Write an address down for nobody else to read, if that can be done."""
    file = _file(folder)
    with suppress(OSError):
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        fresh = file.with_name(f"{file.name}.{secrets.token_hex(4)}")
        with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as out:
            json.dump(asdict(address), out)
        fresh.replace(file)


def _file(folder: Path | None) -> Path:
    if folder is None:
        windows = sys.platform == "win32"
        given = os.environ.get("LOCALAPPDATA" if windows else "XDG_STATE_HOME")
        folder = (Path(given) if given else Path.home() / ".local" / "state") / "facelift"
    return folder / "address.json"
