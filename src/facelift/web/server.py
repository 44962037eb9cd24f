"""Serving the page on this machine: a loopback address with a token, until it is stopped.

uvicorn waits for the rest of a header for ever and answers bad ones in plain text; our `Connection`
gives headers a deadline and answers in JSON, as the page does.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import re
import secrets
import socket
import sys
import threading
import time
import webbrowser
from asyncio import timeout
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import partial
from hmac import compare_digest
from http import HTTPStatus
from pathlib import Path
from typing import Any, TypeVar

import h11
import uvicorn
from anyio import CapacityLimiter, to_thread
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route
from uvicorn.protocols.http.h11_impl import H11Protocol

from facelift.errors import FaceliftError, InvalidInput
from facelift.views.inline import looks, parts, static
from facelift.walking.guide import Guide
from facelift.web.messages import (
    JSON,
    Question,
    Site,
    description,
    most_bytes,
    questions_of,
    site_of,
)

MOST_CONNECTIONS = 500
"""Connections held at the same time; a browser holds up to six."""

MOST_HEADER_SECONDS = 10.0
"""How long a header may take to arrive; it comes from this machine."""

LOOPBACK = "127.0.0.1"

MOST_HEADER_BYTES = 16_384
"""What comes before a body; no browser sends more to a page that sets no cookies."""

_TOKEN = re.compile(r"[\w-]{22,64}")

MOST_AT_ONCE = 4
"""Answers worked out at the same time; more threads would only wait for each other."""

MOST_WAITING = 200
"""Requests that may wait for their turn; a page has one or two under way."""

MOST_SECONDS = 120.0
"""How long an answer may take, waiting included."""


T = TypeVar("T")


POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
STATIC: dict[str, tuple[Callable[[], str], str]] = {
    "walk.html": (partial(static, "index.html"), "text/html"),
    "walk": (partial(static, "index.html"), "text/html"),  # as older links say
    "page.js": (partial(static, "page.js"), "text/javascript"),
    "navigator.css": (looks, "text/css"),
    "people.css": (partial(static, "people.css"), "text/css"),
    **{name: (partial(static, name), JSON) for name in parts("json", "words")},
    **{name: (partial(static, name), "text/javascript") for name in parts("js")},
    **{name: (partial(static, name), "text/javascript") for name in parts("js", "people")},
}
"""The page's files: how to read them, and what they are."""

DESCRIBED = "api/openapi.json"
"""Where the server says what it can be asked."""

MOST_BODY_SECONDS = 10.0
"""How long a request may take to arrive; it comes from this machine."""

NO_METHOD = "Pages are read and requests are posted; no other method is known."

_log = logging.getLogger("facelift")


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


def application(shown: Guide | Site, token: str, hosts: frozenset[str]) -> Starlette:
    """The pages of a site, for requests that name one of the hosts and know the token."""
    queue, site = Queue(), site_of(shown)
    files: dict[str, tuple[Callable[[], str], str]] = {
        **STATIC,
        "": (partial(static, site.home), "text/html"),
    }
    questions = questions_of(site)
    asked = {f"api/{name}" for name in questions}

    async def page(request: Request) -> Response:
        _check(request, token, hosts)
        name = request.path_params["name"]
        if name in asked:
            raise Refused(405, NO_METHOD)
        if name == DESCRIBED:
            return Response(json.dumps(description()), media_type=JSON, headers=HEADERS)
        if name not in files:
            raise Refused(404, "There is no such page.")
        return _static(*files[name])

    def posted(work: Question, most: int) -> Callable[[Request], Awaitable[Response]]:
        async def endpoint(request: Request) -> Response:
            _check(request, token, hosts)
            _check_origin(request)
            body = await _body(request, most)
            content, kind = await queue.take(partial(work, request.query_params, body))
            return Response(content, media_type=kind, headers=HEADERS)

        return endpoint

    posts = [
        Route(f"/{{token}}/api/{name}", _guarded(posted(work, most_bytes(name))), methods=["POST"])
        for name, work in questions.items()
    ]
    pages = Route("/{token}/{name:path}", _guarded(page), methods=["GET"])
    return Starlette(routes=[*posts, pages], exception_handlers={404: _unknown, 405: _no_method})


def _check(request: Request, token: str, hosts: frozenset[str]) -> None:
    if request.headers.get("host", "") not in hosts:
        raise Refused(400, "This server answers on its own address only.")
    given = request.path_params["token"].encode("utf-8", "replace")
    if not compare_digest(given, token.encode()):
        raise Refused(403, "The address is not complete: open the one that facelift printed.")


def _check_origin(request: Request) -> None:
    """Only the page itself may post: the same origin, and a type that other pages cannot send."""
    origin = request.headers.get("origin")
    if origin is not None and origin != f"http://{request.headers['host']}":
        raise Refused(403, "Only the page itself may ask.")
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != JSON:
        raise Refused(415, "Requests are JSON.")


async def _body(request: Request, most: int) -> bytes:
    """The body, read no further and no longer than is allowed."""
    parts, size = [], 0
    try:
        async with timeout(MOST_BODY_SECONDS):
            async for part in request.stream():
                size += len(part)
                if size > most:
                    raise Refused(413, "The request is too large.")
                parts.append(part)
    except TimeoutError:
        raise Refused(408, "The request came too slowly.") from None
    return b"".join(parts)


def _guarded(endpoint: Callable[[Request], Awaitable[Response]]) -> Callable[..., object]:
    """Turn whatever goes wrong into one line."""

    async def answer(request: Request) -> Response:
        try:
            return await endpoint(request)
        except Refused as fault:
            return _error(fault.status, str(fault))
        except ClientDisconnect:  # nobody is there to be told
            return _error(400, "The request was broken off.")
        except FaceliftError as fault:
            return _error(422, " ".join(str(fault).split()))
        except Exception:
            _log.exception("A request failed")
            return _error(500, "Something went wrong; facelift's own output says more.")

    return answer


async def _unknown(request: Request, fault: Exception) -> Response:  # noqa: ARG001
    return _error(404, "There is no such page.")


async def _no_method(request: Request, fault: Exception) -> Response:  # noqa: ARG001
    return _error(405, NO_METHOD)


def _static(read: Callable[[], str], kind: str) -> Response:
    return Response(read(), media_type=kind, headers=HEADERS)


def _error(status: int, message: str) -> Response:
    content = json.dumps({"error": message}).encode()
    more = {405: {"Allow": "GET, POST"}, 503: {"Retry-After": "1"}}.get(status, {})
    return Response(content, status, media_type=JSON, headers=HEADERS | more)


class Refused(Exception):
    """A request that is turned away, with its status."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status


class Queue:
    """The requests of one server. What takes too long keeps its place until it ends."""

    def __init__(self) -> None:
        self._places = CapacityLimiter(MOST_AT_ONCE)
        self._under_way: set[asyncio.Future[Any]] = set()

    async def take(self, work: Callable[[], T]) -> T:
        """What the work gives, in its turn and in time, else an error."""
        if len(self._under_way) >= MOST_AT_ONCE + MOST_WAITING:
            raise Refused(503, "Too much is asked at once; try again in a moment.")
        task = asyncio.ensure_future(to_thread.run_sync(work, limiter=self._places))
        self._under_way.add(task)
        task.add_done_callback(self._ended)
        try:
            return await asyncio.wait_for(asyncio.shield(task), MOST_SECONDS)
        except TimeoutError:
            raise Refused(
                503, f"No answer within {MOST_SECONDS:g} seconds; ask for fewer ways or steps."
            ) from None

    def _ended(self, task: asyncio.Future[Any]) -> None:
        self._under_way.discard(task)
        if not task.cancelled():
            task.exception()  # looked at, also where nobody waits for it any more
