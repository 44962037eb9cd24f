"""Tables in parts that need not fit into memory together: Parquet files, or a Dask DataFrame."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import pandas as pd

from facelift._arrays import Ints
from facelift.errors import InvalidData, optional
from facelift.terrain.preparing import prepare
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
