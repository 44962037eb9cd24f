"""Work on a Dask cluster: rows go out in blocks, and a lost worker costs only the one it had.

The answers are those of one machine. Needs the extra `dask`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from facelift._arrays import Floats, Ints
from facelift._checks import optional
from facelift._progress import tracked
from facelift.errors import InvalidInput
from facelift.explainer import FACElift
from facelift.graph.graph import Attached, Graph
from facelift.graph.nearest.exact import nearest_admissible
from facelift.multiverse.multiverse import Multiverse, Question
from facelift.steps.base import Request
from facelift.terrain import tables
from facelift.terrain.prices import Prices

ROWS_TO_FIT, ROWS_TO_EXPLAIN = 5_000, 50
"""Rows of a block: what is lost with a worker, and sent back at once."""

RETRIES = 3
"""How often a block is tried again when a worker dies over it."""

PATIENCE = 10
"""Seconds to wait for a scheduler."""

Start = tuple[Floats, Ints, Floats]
"""Where a case that is no record joins the graph: its point, where it leads, at what cost."""


@contextmanager
def connected(address: str) -> Iterator[Any]:
    """A client of the scheduler at an address such as tcp://10.0.0.7:8786, closed at the end."""
    distributed = optional("distributed", extra="dask", what="A cluster")
    try:
        client = distributed.Client(address, timeout=PATIENCE)
    except (OSError, ValueError) as fault:
        raise InvalidInput(f"There is no Dask scheduler at {address!r}: {fault}") from None
    with client:
        yield client


def fit(explainer: FACElift, X: Any, client: Any) -> FACElift:
    """Fit an explainer while the workers of `client` look for the neighbours, block by block.

    Each worker receives the points once.
    """
    return explainer.fit(X, nearest=partial(_nearest, client))


def explain_many(
    folder: str | Path,
    X: Any,
    client: Any,
    *,
    model: Any,
    target: Any = None,
    progress: bool | None = None,
) -> list[Multiverse]:
    """The multiverses of all rows, as `FACElift.explain_many` gives them.

    `folder` holds a saved explainer, which each worker memory-maps: all must be able to read it
    under that name.
    """
    path = str(Path(folder).resolve())
    explainer = FACElift.load(path, model=model)
    frame = tables.conform(X, explainer.terrain_.schema)
    blocks = [frame.iloc[i : i + ROWS_TO_EXPLAIN] for i in range(0, len(frame), ROWS_TO_EXPLAIN)]
    work = partial(_explained, path, target)
    results = (packed for block in _results(client, work, model, blocks) for packed in block)
    found = tracked(results, len(frame), "people", show=progress)
    return [
        _unpacked(each, start, explainer, frame.iloc[[i]]) for i, (each, start) in enumerate(found)
    ]


def _nearest(
    client: Any,
    starts: Floats,
    ends: Floats,
    prices: Prices,
    n_neighbors: int,
    *,
    itself: Ints | None = None,
) -> tuple[Ints, Floats]:
    """`nearest_admissible`, on the workers."""
    parts = [slice(i, i + ROWS_TO_FIT) for i in range(0, len(starts), ROWS_TO_FIT)]
    blocks = [(starts[part], None if itself is None else itself[part]) for part in parts]
    work = partial(_block_nearest, prices, n_neighbors)
    found = tracked(_results(client, work, ends, blocks), len(blocks), "blocks")
    indices, costs = zip(*found, strict=True)
    return np.concatenate(indices), np.concatenate(costs)


def _results(
    client: Any, work: Callable[[Any, Any], Any], shared: Any, blocks: Sequence[Any]
) -> Iterator[Any]:
    """What `work(shared, block)` gives, block by block, whatever becomes of single workers.

    Every worker receives what is shared once. If all that had it are lost, it is sent again, and
    so are the blocks not done yet.
    """
    lost = optional("distributed", extra="dask", what="A cluster").client.CancelledError
    futures: list[Any] = []
    for i in range(len(blocks)):
        for attempt in range(1 + RETRIES):
            try:
                if not futures:
                    there = client.scatter(shared, broadcast=True, hash=False)
                    options = {"retries": RETRIES, "pure": False}
                    futures = [client.submit(work, there, block, **options) for block in blocks[i:]]
                yield futures.pop(0).result()
                break
            except (lost, OSError):  # a worker that dies while it receives closes the connection
                futures = []
                if attempt == RETRIES:
                    raise


def _block_nearest(
    prices: Prices, n_neighbors: int, ends: Floats, block: tuple[Floats, Ints | None]
) -> tuple[Ints, Floats]:
    starts, itself = block
    return nearest_admissible(starts, ends, prices, n_neighbors, itself=itself)


_loaded: dict[str, tuple[Any, FACElift]] = {}
"""On a worker: the explainer of each folder, and the model it was loaded with."""


def _explained(
    path: str, target: Any, model: Any, frame: Any
) -> list[tuple[Multiverse, Start | None]]:
    """A block of multiverses, packed for the way back."""
    if path not in _loaded or _loaded[path][0] is not model:
        _loaded[path] = model, FACElift.load(path, model=model)
    explainer = _loaded[path][1]
    return [
        _packed(found, explainer) for found in explainer.explain_many(frame, target, progress=False)
    ]


def _packed(found: Multiverse, explainer: FACElift) -> tuple[Multiverse, Start | None]:
    """A multiverse without what all share: the table's ways of speaking, and the graph of records.

    With how the case joins that graph, where it is no record of it.
    """
    light = replace(found.in_rows(None, {}), question=None)
    if _shared_graph(explainer, found) is None:
        return light, None
    graph = found.graph
    start = (graph.point, graph.ends, graph.end_costs) if isinstance(graph, Attached) else None
    return replace(light, graph=None), start


def _unpacked(
    found: Multiverse, start: Start | None, explainer: FACElift, row: pd.DataFrame
) -> Multiverse:
    """The multiverse of a row as its explainer here would have made it."""
    if not len(found):
        return found
    (terrain,) = explainer.terrain_.keeping_each(row)
    whole = found.in_rows(terrain.to_pandas, terrain.by_name)
    question = Question(explainer.keeping(terrain), found[0].waypoints[0])
    whole = replace(whole, question=question)
    graph = _shared_graph(explainer, found)
    if graph is None or found.factual is None:
        return whole
    return replace(whole, graph=graph if start is None else graph.attach(*start))


def _shared_graph(explainer: FACElift, found: Multiverse) -> Graph | None:
    """The graph that a multiverse shares with all others towards its goal, if they share one."""
    if found.goal is None:
        return None
    return explainer.steps_.shared_graph(found.goal, Request.of(explainer))
