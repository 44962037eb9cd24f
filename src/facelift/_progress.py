"""Long work: run in several threads, with a progress bar where it takes long."""

from __future__ import annotations

import logging
import math
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext, suppress
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

BLOCK = 16
"""Pieces of work handed to a thread at once."""

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
    with suppress(RuntimeError):  # a browser's Python has no threads
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


def streamed(
    work: Callable[[Item], Result], items: Sequence[Item], n_jobs: int | None
) -> Iterator[Result]:
    """What `work` makes of each item, in order and as soon as it is known; `n_jobs` as in joblib.

    Threads, because compiled searches release the interpreter's lock; with joblib's
    `parallel_config`, whatever it names. Closing the iterator stops the work.

    >>> list(streamed(abs, [-1, 2], None))
    [1, 2]
    """
    from joblib import Parallel, delayed, effective_n_jobs

    if effective_n_jobs(n_jobs) == 1:
        yield from map(work, items)
        return
    blocks = (items[i : i + BLOCK] for i in range(0, len(items), BLOCK))
    parallel = Parallel(n_jobs=n_jobs, prefer="threads", return_as="generator")
    with closing(parallel(delayed(_block)(work, block) for block in blocks)) as results:
        for block in results:
            yield from block


def gathered(results: Iterator[Result], seconds: float) -> Iterator[list[Result]]:
    """The first result, then lists of what came within some time; also when interrupted.

    >>> list(gathered(iter([1, 2, 3]), 60.0))
    [[1], [2, 3]]
    """
    some: list[Result] = []
    since = -math.inf
    try:
        for result in results:
            some.append(result)
            if time.perf_counter() - since >= seconds:
                yield some
                some, since = [], time.perf_counter()
    except KeyboardInterrupt:
        yield some
        raise
    yield some


def _block(work: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
    return list(map(work, items))
