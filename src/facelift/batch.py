"""Many pieces of work side by side, their results one by one and in order."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from time import perf_counter
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

BLOCK = 16
"""Pieces of work handed to a thread at once."""


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
            if perf_counter() - since >= seconds:
                yield some
                some, since = [], perf_counter()
    except KeyboardInterrupt:
        yield some
        raise
    yield some


def _block(work: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
    return list(map(work, items))
