"""Serving the page on this machine: a loopback address with a token, until it is stopped."""

from __future__ import annotations

import secrets
import socket
import threading
import time
import webbrowser
from dataclasses import dataclass
from typing import TYPE_CHECKING

from facelift.errors import FaceliftError, InvalidInput
from facelift.walking.guide import Guide

if TYPE_CHECKING:
    import uvicorn

LOOPBACK = "127.0.0.1"

MOST_HEADER_BYTES = 16_384
"""What comes before a body; no browser sends more to a page that sets no cookies."""


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


def serve(guide: Guide, *, port: int = 0, browser: bool = True) -> Served:
    """Serve the page of a guide on loopback, in the background; port 0 takes a free one."""
    import uvicorn

    from facelift.web.application import HEADERS, application
    from facelift.web.connections import connections

    listener = _listener(port)
    port = listener.getsockname()[1]
    token = secrets.token_urlsafe(16)
    hosts = frozenset({f"{LOOPBACK}:{port}", f"localhost:{port}"})
    config = uvicorn.Config(
        application(guide, token, hosts),
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=1,
        http=connections(HEADERS),
        timeout_keep_alive=60,  # longer than people think between two steps
        h11_max_incomplete_event_size=MOST_HEADER_BYTES,
        lifespan="off",
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
    thread.start()
    _wait_for(server, thread)
    threading.Thread(target=guide.warm, daemon=True).start()  # while somebody reads the page
    served = Served(f"http://{LOOPBACK}:{port}/{token}/", server, thread)
    if browser:
        webbrowser.open(served.url)
    return served


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
