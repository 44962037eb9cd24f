"""Work on a Dask cluster: rows go out in blocks, and a lost worker costs only the one it had.

The answers are those of one machine. A table may be in `Parts` that no machine could hold together
(Parquet files, or a Dask DataFrame): workers read them, encode them and ask the model. What comes
back are points, which must fit into memory here and on every worker. Needs the extra `dask`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, partial, reduce
from itertools import pairwise
from pathlib import Path
from typing import Any, Protocol, cast

import numpy as np
import pandas as pd

from facelift._arrays import Bools, Floats, Ints
from facelift._progress import tracked
from facelift.errors import InvalidData, InvalidInput, optional
from facelift.explainer import FACElift
from facelift.graph.graph import Attached, Graph
from facelift.graph.nearest import (
    EXTRA,
    WIDEST,
    Search,
    found_by,
    is_large,
    nearest_admissible,
    nearest_prepared,
    shares,
    weighed,
)
from facelift.graph.nearest.shares import Found, Share
from facelift.graph.nearest.tiles import Prepared
from facelift.models.asking import answers
from facelift.multiverse.multiverse import Multiverse, Question
from facelift.steps.base import Request
from facelift.terrain import tables
from facelift.terrain.preparing import prepare
from facelift.terrain.prices import Prices
from facelift.terrain.tables import Schema
from facelift.terrain.terrain import Terrain

ROWS = 50_000
"""Rows of a file that are read at once, where its groups of rows are not larger."""


class Parts(Protocol):
    """A table whose rows, and whose columns, can be read apart from each other."""

    @property
    def names(self) -> list[Hashable]:
        """The columns."""

    def __len__(self) -> int:
        """The number of parts."""

    def read(self, part: int, names: Sequence[Hashable] | None = None) -> pd.DataFrame:
        """Some columns of the rows of one part; all columns if None."""


@dataclass(frozen=True)
class ParquetParts:
    """Parquet files with rows of one table, made ready by a file of rules if there is one."""

    pieces: tuple[tuple[str, tuple[int, ...]], ...]
    """A file, and some of its groups of rows."""
    sizes: tuple[int, ...]
    names: list[Hashable]
    rules: str | None = None

    @classmethod
    def of(cls, paths: Sequence[str | Path]) -> ParquetParts:
        """Files with the same columns; what is in them is looked at only to count rows."""
        parquet = optional("pyarrow.parquet", extra="files", what="A Parquet file")
        pieces: list[tuple[str, tuple[int, ...]]] = []
        sizes: list[int] = []
        names: list[Hashable] = []
        for path in map(str, paths):
            try:
                file = parquet.ParquetFile(path)
            except (OSError, ValueError) as fault:
                message = " ".join(str(fault).split())
                raise InvalidData(f"Cannot read {path} as a table: {message}") from None
            own = [name for name in file.schema_arrow.names if not name.startswith("__index")]
            names = names or own
            if odd := sorted(set(own) ^ set(map(str, names))):
                raise InvalidData(f"{paths[0]} and {path} are no parts of one table: {odd[0]!r}.")
            lengths = [file.metadata.row_group(i).num_rows for i in range(file.num_row_groups)]
            for groups in _gathered(lengths):
                pieces.append((path, groups))
                sizes.append(sum(lengths[i] for i in groups))
        return cls(tuple(pieces), tuple(sizes), names)

    def __len__(self) -> int:
        return len(self.pieces)

    def without(self, names: Sequence[Hashable], rules: Path | None) -> ParquetParts:
        """The table without some columns, made ready by rules."""
        kept = [name for name in self.names if name not in names]
        return replace(self, names=kept, rules=None if rules is None else str(rules))

    def read(self, part: int, names: Sequence[Hashable] | None = None) -> pd.DataFrame:
        """Some columns of one part; those that the rules leave out are not among them."""
        parquet = optional("pyarrow.parquet", extra="files", what="A Parquet file")
        path, groups = self.pieces[part]
        wanted = list(self.names if names is None else names)
        with parquet.ParquetFile(path) as file:
            whole: pd.DataFrame = file.read_row_groups(groups, columns=wanted).to_pandas()
        frame = whole[wanted].reset_index(drop=True)
        if self.rules is not None:
            frame = prepare(frame, self.rules)
        return frame

    def rows(self, places: Ints) -> pd.DataFrame:
        """Some rows of the table, by their place in it, which ascend."""
        firsts = np.cumsum([0, *self.sizes])
        found: list[pd.DataFrame] = []
        for part, (first, last) in enumerate(pairwise(firsts.tolist())):
            own = places[(places >= first) & (places < last)] - first
            if len(own):
                found.append(self.read(part).iloc[own])
        return pd.concat(found, ignore_index=True)


@dataclass(frozen=True, eq=False)
class DaskParts:
    """The partitions of a Dask DataFrame, computed where they are needed."""

    frame: Any

    @cached_property
    def names(self) -> list[Hashable]:
        """The columns."""
        return list(self.frame.columns)

    def __len__(self) -> int:
        return int(self.frame.npartitions)

    def read(self, part: int, names: Sequence[Hashable] | None = None) -> pd.DataFrame:
        """Some columns of one partition."""
        frame = self.frame if names is None else self.frame[list(names)]
        found: pd.DataFrame = frame.get_partition(part).compute(scheduler="synchronous")
        return found.reset_index(drop=True)


def parts_of(X: Any) -> Parts | None:
    """A table in parts, from paths of Parquet files or a Dask DataFrame; None if it is neither."""
    if isinstance(X, ParquetParts | DaskParts):
        return X
    if isinstance(X, str | Path):
        return ParquetParts.of([X])
    if isinstance(X, list | tuple) and X and all(isinstance(each, str | Path) for each in X):
        return ParquetParts.of(X)
    return DaskParts(X) if hasattr(X, "npartitions") and hasattr(X, "get_partition") else None


def column_terrain(parts: Parts, name: Hashable, codes: Sequence[float] | None) -> Terrain | None:
    """The terrain of one column of all rows; None where rules leave it out."""
    column = pd.concat([parts.read(i, [name]) for i in range(len(parts))], ignore_index=True)
    if not column.shape[1]:
        return None
    return Terrain.infer(column, missing=None if codes is None else {name: codes})


def joined_terrain(terrains: Sequence[Terrain | None]) -> Terrain:
    """The terrain of a table, from those of its columns."""
    known = [each for each in terrains if each is not None]
    features = tuple(each.features[0] for each in known)
    columns = tuple(each.schema.columns[0] for each in known)
    labels = pd.Index([column.name for column in columns])
    return Terrain(features, Schema("pandas", columns, labels))


def _gathered(lengths: Sequence[int]) -> list[tuple[int, ...]]:
    """Groups of rows that are read at once.

    >>> _gathered([ROWS // 2, ROWS // 2, 7])
    [(0, 1), (2,)]
    """
    found: list[list[int]] = []
    room = 0
    for group, length in enumerate(lengths):
        if length > room or not found:
            found.append([])
            room = ROWS
        found[-1].append(group)
        room -= length
    return [tuple(each) for each in found]


ROWS_TO_FIT, ROWS_TO_EXPLAIN = 20_000, 500
"""Rows of a block, at most: what is lost with a worker, and sent back at once."""

BLOCKS_EACH = 4
"""Blocks that a worker has at least, so that none waits long for another."""

RETRIES = 3
"""How often a block is tried again when a worker dies over it."""

PATIENCE = 10
"""Seconds to wait for a scheduler."""

STALLED = 30
"""Seconds after which to see whether any worker can go on."""

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

    X is a table; or one in parts, a Dask DataFrame or paths of Parquet files that every worker can
    read: workers then read, encode and ask the model about them, too. Each worker receives the
    points once, and so the model.
    """
    parts = parts_of(X)
    if parts is None:
        return explainer.fit(X, nearest=partial(_nearest, client))
    given = explainer.terrain
    terrain = infer(parts, client) if given is None else given
    shared = explainer.model, terrain, parts
    work = partial(_encoded, seen=given is not None)
    found = tracked(_results(client, work, shared, range(len(parts))), len(parts), "parts")
    rows, known, terrains = zip(*found, strict=True)
    if given is not None:
        terrain = _seeing_all(terrain, terrains)
    return explainer.fit_points(
        terrain, np.vstack(rows), np.vstack(known), nearest=partial(_nearest, client)
    )


def infer(
    X: Any, client: Any, *, missing: Mapping[Hashable, Sequence[float]] | None = None
) -> Terrain:
    """What `Terrain.infer` says of a table in parts; each column is looked at by one worker."""
    parts = parts_of(X)
    if parts is None:
        return Terrain.infer(X, missing=missing)
    work = partial(_inferred, dict(missing or {}))
    found = tracked(_results(client, work, parts, parts.names), len(parts.names), "columns")
    return joined_terrain(list(found))


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
    size = _block_size(client, len(frame), ROWS_TO_EXPLAIN)
    blocks = [frame.iloc[i : i + size] for i in range(0, len(frame), size)]
    work = partial(_explained, path, target)
    results = (packed for block in _results(client, work, model, blocks) for packed in block)
    found = list(tracked(results, len(frame), "people", show=progress))
    ways = [i for i, (each, _) in enumerate(found) if len(each)]
    terrains = explainer.terrain_.keeping_each(frame.iloc[ways])
    unpacked = {
        i: _unpacked(found[i][0], found[i][1], explainer, terrain)
        for i, terrain in zip(ways, terrains, strict=True)
    }
    return [unpacked.get(i, each) for i, (each, _) in enumerate(found)]


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
    shared = Ends.of(starts, ends, prices, itself)
    size = _block_size(client, len(starts), ROWS_TO_FIT)
    sent = Sent(client, shared)
    wide = n_neighbors + EXTRA > min(WIDEST, len(ends))
    if starts is ends and shared.prepared is not None and not wide:
        search = Search(starts, ends, prices, n_neighbors, itself=itself)
        n_parts = -(-len(starts) // size)
        places = shared.prepared, itself, n_parts, partial(_searched_in_shares, sent)
        search = replace(search, elsewhere=shares.InShares(*places))
        near, beyond = found_by(search, shared.prepared, n_neighbors + EXTRA)
        parts = [np.arange(i, min(i + size, len(near))) for i in range(0, len(near), size)]
        blocks = [(part, near[part], beyond[part]) for part in parts]
        results = sent.results(partial(_block_weighed, n_neighbors), blocks)
        best, moves, certain = (np.concatenate(each) for each in zip(*results, strict=True))
        return nearest_prepared(search, shared.prepared, (best, moves, certain))
    rows = [np.arange(i, min(i + size, len(starts))) for i in range(0, len(starts), size)]
    given = [
        (part if starts is ends else starts[part], None if itself is None else itself[part])
        for part in rows
    ]
    work = partial(_block_nearest, n_neighbors)
    found = tracked(sent.results(work, given), len(given), "blocks")
    indices, costs = (np.concatenate(each) for each in zip(*found, strict=True))
    return indices, costs


def _searched_in_shares(sent: Sent, names: Sequence[str], dealt: list[Share]) -> Iterator[Found]:
    return tracked(sent.results(partial(_searched, names), dealt), len(dealt), "blocks")


def _block_size(client: Any, n_rows: int, most: int) -> int:
    n_workers = max(1, len(client.nthreads()))
    return max(1, min(most, -(-n_rows // (BLOCKS_EACH * n_workers))))


@dataclass(frozen=True, eq=False)
class Ends:
    """Where starts may lead to, laid out once for all workers."""

    points: Floats
    prepared: Prepared | None
    """The points in blocks; None where there are too few, or narrow floats will not do."""
    prices: Prices
    itself: Ints | None
    """The end that each start is, where the ends are the starts."""

    @classmethod
    def of(cls, starts: Floats, ends: Floats, prices: Prices, itself: Ints | None = None) -> Ends:
        """The ends of a search, in blocks if it is large."""
        known = Prepared.of(ends, prices, starts) if is_large(starts, ends, prices) else None
        itself = itself if starts is ends else None
        return cls(ends, None if known is None else known.laid_out(), prices, itself)


def _searched(names: Sequence[str], ends: Ends, share: Share) -> Found:
    prepared = reduce(getattr, names, cast("Prepared", ends.prepared))
    return shares.searched(prepared, ends.itself, share)


def _block_weighed(
    n_neighbors: int, ends: Ends, block: tuple[Ints, Ints, Floats]
) -> tuple[Ints, Floats, Bools]:
    rows, near, beyond = block
    search = Search(ends.points[rows], ends.points, ends.prices, n_neighbors)
    return weighed(search, cast("Prepared", ends.prepared), near, beyond)


def _block_nearest(
    n_neighbors: int, ends: Ends, block: tuple[Floats | Ints, Ints | None]
) -> tuple[Ints, Floats]:
    given, itself = block
    starts = np.asarray(ends.points[given] if given.ndim == 1 else given)
    if ends.prepared is None:
        return nearest_admissible(starts, ends.points, ends.prices, n_neighbors, itself=itself)
    search = Search(starts, ends.points, ends.prices, n_neighbors, itself=itself)
    return nearest_prepared(search, ends.prepared)


def _inferred(
    missing: Mapping[Hashable, Sequence[float]], parts: Parts, name: Hashable
) -> Terrain | None:
    return column_terrain(parts, name, missing.get(name))


def _encoded(
    shared: tuple[Any, Terrain, Parts], part: int, *, seen: bool
) -> tuple[Floats, Floats, Terrain | None]:
    """The points of a part, what the model says of them, and what of its numbers must be kept."""
    model, terrain, parts = shared
    names = terrain.schema.names
    frame = parts.read(part, [name for name in parts.names if name in names])
    points = np.asarray(terrain.encode(frame))
    kept = terrain.seeing(frame) if seen else None
    decoding = terrain if kept is None else kept
    return points, answers(model, decoding.decode(points), len(points)), kept


def _seeing_all(terrain: Terrain, others: Sequence[Terrain]) -> Terrain:
    """The terrain that gives back what each of some gives back of its own part."""
    features = []
    for i, feature in enumerate(terrain.features):
        seen = [other.features[i].seen for other in others]
        known = [numbers for numbers in seen if numbers is not None and numbers is not feature.seen]
        every = np.unique(np.concatenate(known)) if known else feature.seen
        features.append(replace(feature, seen=every) if known else feature)
    return replace(terrain, features=tuple(features))


def _results(
    client: Any, work: Callable[[Any, Any], Any], shared: Any, blocks: Sequence[Any]
) -> Iterator[Any]:
    """What `work(shared, block)` gives, block by block, whatever becomes of single workers."""
    return Sent(client, shared).results(work, blocks)


@dataclass(eq=False)
class Sent:
    """What workers share: every worker receives it once, for all that is asked of it."""

    client: Any
    shared: Any
    there: Any = None

    def results(self, work: Callable[[Any, Any], Any], blocks: Sequence[Any]) -> Iterator[Any]:
        """What `work(shared, block)` gives, block by block, whatever becomes of single workers.

        Results are fetched as soon as they are there, so a lost worker takes only what it was
        working on. If all that had what is shared are lost, it is sent again, and so are the blocks
        not done yet.
        """
        distributed = optional("distributed", extra="dask", what="A cluster")
        client = self.client
        lost = (distributed.client.CancelledError, OSError, KeyError)  # KeyError: died receiving
        options = {"retries": RETRIES, "pure": False}
        done: dict[int, Any] = {}
        left, given, failures = set(range(len(blocks))), 0, 0
        while left:
            n_left = len(left)
            try:
                if self.there is None:
                    self.there = client.scatter(self.shared, broadcast=True, hash=False)
                there = self.there
                places = {client.submit(work, there, blocks[i], **options): i for i in sorted(left)}
                for future, result in _completed(client, distributed.as_completed, places):
                    if isinstance(result, lost):
                        raise result
                    done[places[future]] = result
                    left.remove(places[future])
                    future.release()
                    while given in done:
                        yield done.pop(given)
                        given += 1
            except lost:
                self.there = None
                failures = failures + 1 if n_left == len(left) else 0
                if failures > RETRIES:
                    raise


def _completed(
    client: Any, as_completed: Callable[..., Any], futures: Iterable[Any]
) -> Iterator[tuple[Any, Any]]:
    """Futures and their results as they come; `Stalled` where no worker works on any of them.

    A worker whose memory is full pauses with the blocks it was given, and what it holds may never
    become less. So one looks twice, with time between, and nothing must be finished meanwhile.
    """
    left, idle = set(futures), False
    while left:
        n_left = len(left)
        try:
            for future, result in as_completed(list(left), with_results=True, timeout=STALLED):
                left.remove(future)
                yield future, result
        except TimeoutError:
            was_idle, idle = idle, not _worked_on(client, left)
            if was_idle and idle and n_left == len(left):
                raise Stalled(
                    "No worker of the cluster works; those whose memory is full pause: give them "
                    "more (memory_limit)."
                ) from None


class Stalled(OSError, InvalidInput):
    """The workers that are left do nothing; sending their blocks again may help."""


def _worked_on(client: Any, futures: Iterable[Any]) -> bool:
    """Whether a worker that does not pause has one of the futures."""
    given, keys = client.processing(), {future.key for future in futures}
    workers = client.scheduler_info(n_workers=-1)["workers"]
    return any(
        each["status"] == "running" and not keys.isdisjoint(given.get(address, ()))
        for address, each in workers.items()
    )


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
    found: Multiverse, start: Start | None, explainer: FACElift, terrain: Terrain
) -> Multiverse:
    """The multiverse of a row, kept by a terrain, as its explainer here would have made it."""
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
