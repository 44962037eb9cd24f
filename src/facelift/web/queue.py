"""The queue of requests: so many are answered at once, some wait, the rest is sent away."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, TypeVar

from anyio import CapacityLimiter, to_thread

MOST_AT_ONCE = 4
"""Answers worked out at the same time; more threads would only wait for each other."""

MOST_WAITING = 200
"""Requests that may wait for their turn; a page has one or two under way."""

MOST_SECONDS = 120.0
"""How long an answer may take, waiting included."""


T = TypeVar("T")


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
