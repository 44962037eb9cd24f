"""Pockets: groups of people for whom the same few ways exist, or none."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd

from facelift._arrays import Floats, Ints, slices
from facelift.errors import check_number
from facelift.multiverse.families import average_linkage
from facelift.multiverse.frames import coordinate_rows
from facelift.multiverse.multiverse import Multiverse

NEAR = 0.15
"""Pockets whose people's ways differ by less, on average, are one; 0 is alike, 1 opposite."""

N_TOLD = 3
"""So many columns say what the ways of a pocket change."""

COLUMNS = ["pocket", "people", "share", "ways", "cost", "changes", "members"]


def pockets(
    multiverses: Sequence[Multiverse], names: Sequence[Hashable] | None = None, near: float = NEAR
) -> pd.DataFrame:
    """People whose ways lead in the same directions, the largest pocket first; then those without.

    A way's direction is that from where it starts to where it ends. Two people differ by how far,
    on average, each way of one is from the nearest way of the other: (1 − cosine) / 2, from 0 for
    alike to 1 for opposite. Pockets are joined, nearest first (average linkage), up to `near`.

    One row each: `people` and their `share`, how many `ways` they have on average and what the
    cheapest `cost`, what these ways most often `changes` (the share of ways, and which way numbers
    go), and the `members`, by number or by the `names` given. Who has no way is in the last row.

    Examples
    --------
    >>> from facelift import FACElift
    >>> points = np.array([[x, y] for x in range(5) for y in range(5)], dtype=float)
    >>> corner = lambda points: (abs(points - 2).sum(axis=1) >= 3.5)[:, np.newaxis]
    >>> model = lambda points: np.hstack([~corner(points), corner(points)]).astype(float)
    >>> explainer = FACElift(model, n_neighbors=4, n_counterfactuals=1).fit(points)
    >>> people = [[1.0, 0.0], [0.0, 1.0], [3.0, 4.0]]
    >>> pockets(explainer.explain_many(people, target=1))[["people", "changes", "members"]]
       people             changes members
    0       1  x0 falls 100%             (0,)
    1       1  x1 falls 100%             (1,)
    2       1  x0 rises 100%             (2,)
    """
    check_number("near", near, Real, "in [0, 1]", lambda value: 0 <= value <= 1)
    called = list(range(len(multiverses)) if names is None else names)
    some = [i for i, each in enumerate(multiverses) if len(each)]
    labels = _labels([multiverses[i] for i in some], near)
    groups = [[some[i] for i in np.flatnonzero(labels == each)] for each in np.unique(labels)]
    groups.sort(key=lambda group: (-len(group), group[0]))
    none = [i for i, each in enumerate(multiverses) if not len(each)]
    rows = [
        [number, *_means([multiverses[i] for i in group], len(multiverses)), _named(called, group)]
        for number, group in enumerate([*groups, *([none] if none else [])])
    ]
    return pd.DataFrame(rows, columns=COLUMNS)


def _named(called: list[Any], group: list[int]) -> tuple[Any, ...]:
    return tuple(called[i] for i in group)


def _directions(multiverse: Multiverse) -> Floats:
    """Where each way leads, as a direction of length 1; (c, m)."""
    moves = np.array([way.waypoints[-1] - way.waypoints[0] for way in multiverse])
    lengths = np.sqrt((moves**2).sum(axis=1, keepdims=True))
    return np.asarray(np.divide(moves, lengths, out=np.zeros_like(moves), where=lengths > 0))


def _labels(multiverses: Sequence[Multiverse], near: float) -> Ints:
    """The pocket of each of some people with ways."""
    if not multiverses:
        return np.empty(0, dtype=np.int64)
    return average_linkage(differences(multiverses), threshold=near)


def differences(multiverses: Sequence[Multiverse]) -> Floats:
    """How far the ways of any two people lead in other directions; (p, p), 0 to 1, symmetric."""
    directions = np.concatenate([_directions(each) for each in multiverses])
    apart = (1.0 - np.clip(directions @ directions.T, -1.0, 1.0)) / 2
    parts = slices([len(each) for each in multiverses])
    firsts = [part.start for part in parts]
    nearest = np.minimum.reduceat(apart, firsts, axis=1)  # of each way, to each person's ways
    sizes = np.array([part.stop - part.start for part in parts], dtype=np.float64)
    one_way = np.add.reduceat(nearest, firsts, axis=0) / sizes[:, np.newaxis]
    found = np.asarray((one_way + one_way.T) / 2)
    np.fill_diagonal(found, 0.0)
    return found


def _means(group: Sequence[Multiverse], n_people: int) -> list[Any]:
    """People, their share, ways on average, cost of the cheapest, and what ways change."""
    n_ways = float(np.mean([len(each) for each in group]))
    costs = [each.costs.min() for each in group if len(each)]
    cost = float(np.mean(costs)) if costs else np.nan
    return [len(group), len(group) / n_people, n_ways, cost, _changes(group)]


def _changes(group: Sequence[Multiverse]) -> str:
    """The columns that most of a pocket's ways change, and which way numbers go."""
    ways = [way for each in group for way in each]
    if not ways:
        return "no way"
    decode = ways[0].decode or coordinate_rows
    before, after = (decode(np.array([way.waypoints[end] for way in ways])) for end in (0, -1))
    told: list[tuple[float, str]] = []
    for name in before.columns:
        start, end = before[name], after[name]
        changed = (start.astype(object) != end.astype(object)) & ~(start.isna() & end.isna())
        if pd.api.types.is_numeric_dtype(start) and not pd.api.types.is_bool_dtype(start):
            told.append((float((end > start).mean()), f"{name} rises"))
            told.append((float((end < start).mean()), f"{name} falls"))
        else:
            told.append((float(changed.mean()), f"{name} changes"))
    often = sorted((each for each in told if each[0] > 0), key=lambda each: -each[0])[:N_TOLD]
    return ", ".join(f"{words} {share:.0%}" for share, words in often)
