"""Telling a waiting person what is going on: a line or a bar, only when something takes long."""

from __future__ import annotations

import logging
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext
from typing import TypeVar

Item = TypeVar("Item")

PATIENCE = 1.0
"""Seconds after which a person wants to know what they are waiting for."""

_log = logging.getLogger("facelift")


@contextmanager
def announced(message: str, *, after: float = PATIENCE) -> Iterator[None]:
    """Log a message (on stderr, unless logging says otherwise) if the block takes long.

    >>> with announced("Thinking"):
    ...     quick = 1 + 1
    """
    timer = threading.Timer(after, _log.warning, [message])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def tracked(
    items: Iterable[Item], total: int, what: str, *, show: bool | None = None
) -> Iterator[Item]:
    """The items, with a bar on stderr once they take long; None shows it on terminals only.

    >>> list(tracked("ab", 2, "letters", show=False))
    ['a', 'b']
    """
    wanted = sys.stderr.isatty() if show is None else show
    bar = _Bar(total, what) if wanted else None
    with bar or nullcontext():
        for item in items:
            yield item
            if bar is not None:
                bar.advance()


def transferred(
    pieces: Iterable[bytes], what: str, done: int, total: int | None, *, show: bool | None = None
) -> Iterator[bytes]:
    """The pieces of a file, with a bar in bytes; `done` of `total` (if known) came before.

    >>> list(transferred([b"ab", b"c"], "letters", 0, 3, show=False))
    [b'ab', b'c']
    """
    wanted = sys.stderr.isatty() if show is None else show
    bar = _Bar(total, what, done, in_bytes=True) if wanted else None
    with bar or nullcontext():
        for piece in pieces:
            yield piece
            if bar is not None:
                bar.advance(len(piece))


class _Bar:
    """A progress bar that appears when the work has taken longer than `PATIENCE`."""

    def __init__(
        self, total: int | None, what: str, done: int = 0, *, in_bytes: bool = False
    ) -> None:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            DownloadColumn,
            MofNCompleteColumn,
            Progress,
            TextColumn,
        )
        from rich.progress import TimeRemainingColumn as TimeLeft

        counter = DownloadColumn() if in_bytes else MofNCompleteColumn()
        columns = (TextColumn("{task.description}"), BarColumn(), counter, TimeLeft())
        console = Console(stderr=True)
        self._progress = Progress(*columns, console=console, transient=console.is_terminal)
        self._task = self._progress.add_task(what, total=total, completed=done)
        self._shown_from = time.monotonic() + PATIENCE

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        if self._progress.live.is_started:
            self._progress.stop()

    def advance(self, amount: int = 1) -> None:
        self._progress.advance(self._task, amount)
        if time.monotonic() >= self._shown_from:
            self._progress.start()
