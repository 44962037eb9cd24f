"""The application behind the page: stateless, every walk comes with its request.

A random token is part of every address. Requests for another host, from another page, larger or
slower than any honest one or without the token are turned away, and so is what comes while too much
is under way; errors are one line, never a traceback.
"""

from __future__ import annotations

import asyncio
import json
import logging
from asyncio import timeout
from collections.abc import Awaitable, Callable
from functools import partial
from hmac import compare_digest
from typing import Any, TypeVar

from anyio import CapacityLimiter, to_thread
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from facelift.errors import FaceliftError
from facelift.views.script import looks, parts, static
from facelift.walking.guide import Guide
from facelift.web.messages import JSON, description
from facelift.web.site import Question, Site, most_bytes, questions_of, site_of

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
