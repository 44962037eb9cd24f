"""The shortcut past a pipeline's first steps: every value of a column is transformed only once.

Where those steps treat columns one by one, what they make of a row is put together from what they
made of its values before, and only the last estimator is asked, histogram gradient boosting in one
compiled loop. For tables of numbers it also spares the frame that an estimator without a pipeline
would get.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import expit

from facelift._arrays import Floats, Ints
from facelift.graph.kernels import can_compile
from facelift.models.asking import answers
from facelift.models.proving.reading import split_steps
from facelift.models.proving.search import kernels
from facelift.models.proving.trees import histogram_trees
from facelift.terrain.feature import Feature
from facelift.terrain.terrain import Terrain

N_CHECKED = 128
"""Rows put together of values of the records, for which the whole model must say the same."""

SAME = 1e-12
"""How far the answers may be apart, as a share of the largest."""

MOST_VALUES = 5_000
"""Values of a column that are kept; a batch with more new ones goes to the whole model."""

N_SAMPLED, FEW_VALUES = 10_000, 1_000
"""Records whose values are transformed ahead, of features that have no more different ones."""

LARGE = 50_000
"""Numbers in a table from which it pays to load a compiler."""

Block = Floats
"""Coordinates of one feature, one row per value."""


class Shortcut:
    """A quick way to a model's answers, which are the same; none where it could not be shown.

    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> X = np.arange(20.0).reshape(-1, 2)
    >>> model = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, X[:, 0] > 9)
    >>> terrain = Terrain.infer(X)
    >>> points = terrain.encode(X)
    >>> found = Shortcut(model, terrain, points).answers(points[:3])
    >>> np.abs(found - model.predict_proba(X[:3])).max() < 1e-12
    np.True_
    """

    def __init__(self, model: Any, terrain: Terrain, records: Floats) -> None:
        self.model, self.terrain, self.records = model, terrain, records
        self._tried = False
        self._known: _Known | None = None

    def under(self, terrain: Terrain) -> Shortcut:
        """The same where a terrain decodes to other numbers: what is still right is kept."""
        if terrain is self.terrain:
            return self
        other = Shortcut(self.model, terrain, self.records)
        if self._known is None or not terrain.encodes_like(self.terrain):
            return other
        pairs = zip(self.terrain.features, terrain.features, self._known.values, strict=True)
        values = tuple(each if _decode_alike(old, new) else each.none() for old, new, each in pairs)
        other._tried, other._known = True, replace(self._known, values=values)
        return other

    def answers(self, points: Floats) -> Floats | None:
        """What the model says of points; None where only the whole of it can tell."""
        if len(points) < 2:
            return None  # looking for a shortcut would take longer
        if not self._tried:
            self._known, self._tried = self._found(), True
        try:
            return None if self._known is None else self._asked(points)
        except _MixedColumns:
            self._known = None
            return None

    def _found(self) -> _Known | None:
        """What the first rows become, if answers by the shortcut are those of the whole model."""
        try:
            steps, last = split_steps(self.model)
            if steps is None and type(last).__module__.split(".")[0] not in ESTIMATORS:
                return None
            last = quicker(last) if self.records.size > LARGE else last
            self._known = _Known.of(steps, last, self._table(self.records[:1]), self.terrain)
            self._known = self._learnt(self._known, self._usual())
            points = self._combinations()
            own, whole = self._asked(points), answers(self.model, self._table(points), len(points))
        except Exception:  # whatever is in the way, the whole model can still be asked
            return None
        close = own is not None and (np.abs(own - whole) <= SAME * np.abs(whole).max()).all()
        return self._known if close else None

    def _table(self, points: Floats) -> Any:
        return self.terrain.decode(points)

    def _usual(self) -> list[Block]:
        """Values that records have, of features that have few."""
        some = self.records[:: len(self.records) // N_SAMPLED + 1]
        blocks = [_distinct(some[:, part]) for _, part in self.terrain.parts]
        return [block[: len(block) if len(block) <= FEW_VALUES else 0] for block in blocks]

    def _combinations(self) -> Floats:
        """Points of which each feature is that of a record drawn for it."""
        draw = np.random.default_rng(0).integers
        points = np.repeat(self.records[:1], N_CHECKED, axis=0)
        for _, part in self.terrain.parts:
            points[:, part] = self.records[draw(len(self.records), size=N_CHECKED), part]
        return points

    def _asked(self, points: Floats) -> Floats | None:
        """What the last estimator says of points; None if they hold too many new values."""
        known = self._known
        if known is None:
            return None
        rows, new = known.places(points, self.terrain)
        if any(map(len, new)):
            if known.overflows(new):
                known = known.emptied()
                new = known.places(points, self.terrain)[1]
            if known.overflows(new):
                return None
            known = self._known = self._learnt(known, new)  # whole, for other threads
            rows, new = known.places(points, self.terrain)
            if any(map(len, new)):
                raise _MixedColumns  # values that cannot be told apart
        return answers(known.last, known.form(known.assembled(rows, len(points))), len(points))

    def _learnt(self, known: _Known, new: list[Block]) -> _Known:
        """The same with more values, each transformed in a row that is otherwise the first."""
        ends = np.cumsum([len(block) for block in new])
        points = np.repeat(self.records[:1], ends[-1], axis=0)
        for (_, part), block, end in zip(self.terrain.parts, new, ends, strict=True):
            points[end - len(block) : end, part] = block
        outputs = known.transformed(self._table(points))
        return known.with_values(new, np.split(outputs, ends[:-1]))


def _decode_alike(one: Feature, other: Feature) -> bool:
    same = one.own == other.own and one.decimals == other.decimals
    return same and one.seen is other.seen


class _MixedColumns(Exception):
    """What a column becomes depends on another one."""


ESTIMATORS = {"sklearn", "xgboost", "lightgbm"}
"""Where estimators come from that take numbers for what they are, in a frame or not."""


@dataclass(frozen=True, eq=False)
class _Values:
    """Values of one feature that were met, in order of their keys, and the rows they led to."""

    keys: Floats
    block: Block
    outputs: Floats

    def none(self) -> _Values:
        """As if no value had been met."""
        return _Values(self.keys[:0], self.block[:0], self.outputs[:0])

    def places(self, block: Block) -> Ints:
        """Where values stand, -1 if they have not been met."""
        if not len(self.keys):
            return np.full(len(block), -1)
        places = np.minimum(np.searchsorted(self.keys, _keys(block)), len(self.keys) - 1)
        return np.where((self.block[places] == block).all(axis=1), places, -1)

    def joined(self, block: Block, outputs: Floats) -> _Values:
        """With more values."""
        block = np.concatenate([self.block, block])
        outputs = np.concatenate([self.outputs, outputs])
        keys = _keys(block)
        order = np.argsort(keys, kind="stable")
        return _Values(keys[order], block[order], outputs[order])


@dataclass(frozen=True, eq=False)
class _Known:
    """What a pipeline's first steps make of a first row, and of each value in its place."""

    steps: Any
    last: Any
    first: Any
    """The first row transformed, in the form that the last estimator takes."""
    base: Floats
    owners: Ints
    """Which feature an output depends on; -1 while none is known to."""
    values: tuple[_Values, ...]

    @classmethod
    def of(cls, steps: Any, last: Any, table: Any, terrain: Terrain) -> _Known:
        """Of one row, no other value known."""
        first = table if steps is None else steps.transform(table)
        base = _numbers(first)[0]
        values = tuple(
            _Values(np.empty(0), np.empty((0, feature.width)), np.empty((0, len(base))))
            for feature in terrain.features
        )
        return cls(steps, last, first, base, np.full(len(base), -1), values)

    def transformed(self, table: Any) -> Floats:
        """What the first steps make of a table."""
        return _numbers(table if self.steps is None else self.steps.transform(table))

    def places(self, points: Floats, terrain: Terrain) -> tuple[list[Ints], list[Block]]:
        """Where the values of points stand, feature by feature, and those not met before.

        A feature that is the same in all points has one place.
        """
        places, new, stays = [], [], (points == points[0]).all(axis=0)
        for (_, part), values in zip(terrain.parts, self.values, strict=True):
            block = points[: 1 if stays[part].all() else None, part]
            places.append(values.places(block))
            missed = places[-1] < 0
            new.append(_distinct(block[missed]) if missed.any() else block[:0])
        return places, new

    def overflows(self, new: list[Block]) -> bool:
        """Whether more values would be too many of a feature."""
        sizes = zip(self.values, new, strict=True)
        return any(len(values.keys) + len(block) > MOST_VALUES for values, block in sizes)

    def emptied(self) -> _Known:
        """As if no value had been met."""
        return replace(self, values=tuple(values.none() for values in self.values))

    def with_values(self, new: list[Block], outputs: list[Floats]) -> _Known:
        """The same with more values; an error if an output depends on two features."""
        owners, values = self.owners.copy(), list(self.values)
        for i, (block, rows) in enumerate(zip(new, outputs, strict=True)):
            changed = ~((rows == self.base) | (np.isnan(rows) & np.isnan(self.base))).all(axis=0)
            if not np.isin(owners[changed], (-1, i)).all():
                raise _MixedColumns
            owners[changed] = i
            values[i] = values[i].joined(block, rows)
        return replace(self, owners=owners, values=tuple(values))

    def assembled(self, places: list[Ints], n: int) -> Floats:
        """Transformed rows, each output from the feature it depends on."""
        matrix = np.repeat(self.base[np.newaxis, :], n, axis=0)
        for i, (values, rows) in enumerate(zip(self.values, places, strict=True)):
            own = np.flatnonzero(self.owners == i)
            matrix[:, own] = values.outputs[:, own][rows]
        return matrix

    def form(self, matrix: Floats) -> Any:
        """Numbers in the form that the last estimator was fitted with: array, sparse or frame."""
        if isinstance(self.first, pd.DataFrame):
            return pd.DataFrame(matrix, columns=self.first.columns)
        if hasattr(self.first, "toarray"):  # sparse
            return type(self.first)(matrix)
        return matrix.astype(self.first.dtype, copy=False)


def _numbers(table: Any) -> Floats:
    """A table as an array; an error if it holds anything else than numbers."""
    dense = table.toarray() if hasattr(table, "toarray") else np.asarray(table)
    if dense.dtype.kind not in "fiub":
        raise TypeError("no numbers")
    return dense.astype(np.float64)


def _keys(block: Block) -> Floats:
    """One number per value that tells it from others."""
    return np.asarray(block @ np.sqrt(np.arange(1.0, block.shape[1] + 1)))


def _distinct(block: Block) -> Block:
    """Every value once."""
    return block[np.unique(_keys(block), return_index=True)[1]]


class Boosted:
    """The answers of a fitted HistGradientBoostingClassifier of two classes, added up as it does.

    The estimator calls each tree by itself, which takes milliseconds however few the rows are; a
    search asks about a few hundred rows a dozen times. Here one compiled loop asks all trees.

    >>> from sklearn.ensemble import HistGradientBoostingClassifier
    >>> X = np.random.default_rng(0).normal(size=(200, 3))
    >>> model = HistGradientBoostingClassifier(max_iter=5).fit(X, X[:, 0] > X[:, 1])
    >>> np.array_equal(Boosted(model).predict_proba(X), model.predict_proba(X))
    True
    """

    def __init__(self, model: Any) -> None:
        trees = histogram_trees(model)
        self.classes_, self.base = model.classes_, float(model._baseline_prediction.ravel()[0])
        self.trees = (
            trees.roots,
            trees.columns,
            trees.thresholds,
            trees.left,
            trees.right,
            np.ascontiguousarray(trees.values[:, 0]),
            trees.missing_left,
        )

    def predict_proba(self, rows: Any) -> Floats:
        """Chances of both classes; (n, 2)."""
        raw = np.full(len(rows), self.base)
        kernels().add_leaves(*self.trees, np.ascontiguousarray(rows, dtype=np.float64), raw)
        second = expit(raw)
        return np.column_stack([1 - second, second])


def quicker(model: Any) -> Any:
    """The same model in one loop, where it is such a one; itself otherwise."""
    if type(model).__name__ != "HistGradientBoostingClassifier" or not can_compile():
        return model
    if len(model.classes_) != 2 or np.any(model.is_categorical_):
        return model
    return Boosted(model)
