"""The flow of a field: from every place of a plane, the steepest way to each destination."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from scipy import sparse
from scipy.sparse.csgraph import dijkstra

from facelift._arrays import Bools, Floats, Ints
from facelift.errors import InvalidInput
from facelift.multiverse.multiverse import Multiverse
from facelift.multiverse.words import letter
from facelift.steps.field import Field

if TYPE_CHECKING:
    from facelift.terrain.prices import Prices
    from facelift.terrain.terrain import Terrain

OFFSETS = [
    (i, j) for i in range(-3, 4) for j in range(-3, 4) if np.gcd(i, j) == 1
]  # a turn of at most 18 degrees between two of them
"""Moves on the grid: with these 32, ways are at most 1.4 % longer than straight ones."""

NEARBY = 2.5
"""Destinations are joined to the places of the grid within so many of its spacings."""


def flow(multiverse: Multiverse, *, n_points: int = 40) -> pd.DataFrame:
    """Where the field leads from everywhere: one row per place of a grid and destination.

    The remaining cost to each destination is found on a fine grid, with stretches as long as the
    field says (SPEC 16); the steepest way is where it falls most for the effort of a step. Basins,
    the places nearest to one destination, meet where ways part.

    Parameters
    ----------
    multiverse
        Of `steps="field"` and a table of exactly two columns.
    n_points
        Places of the grid per axis.

    Returns
    -------
    pandas.DataFrame
        The place, in the table's two columns; `way`, the letter of the destination; `remaining`,
        the least length to it, infinite where the rules allow none; `dx` and `dy`, the direction of
        the steepest way in units of the table (0 where there is none); `nearest`, whether no other
        destination is nearer; `parts`, whether a neighbouring place is nearer to another; and
        `divergence` of the steepest ways to the nearest, per unit of the terrain: above 0 where
        they part, below 0 where they run together.

    Examples
    --------
    >>> from facelift import FACElift
    >>> from facelift.toys import moons
    >>> points = moons(200).points
    >>> model = lambda points: np.column_stack([points[:, 0] < 0.9, points[:, 0] >= 0.9]) * 1.0
    >>> explainer = FACElift(model, steps="field", n_counterfactuals=2)
    >>> found = flow(explainer.fit(points).explain(points[0]), n_points=20)
    >>> len(found), found.columns.tolist()[2:]
    (800, ['way', 'remaining', 'dx', 'dy', 'nearest', 'parts', 'divergence'])
    """
    field, terrain = _field(multiverse)
    if n_points < 5:
        raise InvalidInput(f"n_points must be 5 or more, got {n_points}.")
    ends = np.array([journey.counterfactual for journey in multiverse])
    low, high = _box(field.oracle.points, multiverse)
    axes = [np.linspace(a, b, n_points) for a, b in zip(low, high, strict=True)]
    places = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)
    left = _remaining(field, places, ends)
    directions = _steepest(left, axes, terrain.prices)
    nearest = left.argmin(axis=-1)
    leading = np.take_along_axis(directions, nearest[..., np.newaxis, np.newaxis], axis=2)[:, :, 0]
    spread = np.gradient(leading[..., 0], axes[0], axis=0)
    spread = spread + np.gradient(leading[..., 1], axes[1], axis=1)
    parts = _parting(np.where(np.isfinite(left.min(axis=-1)), nearest, -1))
    corners = terrain.to_pandas(np.array([low, high])).to_numpy(dtype=np.float64)
    units = (corners[1] - corners[0]) / (high - low)
    raw = corners[0] + (places - low) * units
    numbers = np.arange(len(ends))
    first, second = (str(feature.name) for feature in terrain.features)
    shape = left.shape
    return pd.DataFrame(
        {
            first: np.repeat(raw[..., 0].ravel(), len(ends)),
            second: np.repeat(raw[..., 1].ravel(), len(ends)),
            "way": np.tile([letter(number) for number in range(len(ends))], n_points**2),
            "remaining": left.ravel(),
            "dx": (directions[..., 0] * units[0]).ravel(),
            "dy": (directions[..., 1] * units[1]).ravel(),
            "nearest": (numbers == nearest[..., np.newaxis]).ravel() & np.isfinite(left).ravel(),
            "parts": np.broadcast_to(parts[..., np.newaxis], shape).ravel(),
            "divergence": np.broadcast_to(spread[..., np.newaxis], shape).ravel(),
        }
    )


def _field(multiverse: Multiverse) -> tuple[Field, Terrain]:
    """The field that the ways were found in, and its terrain of two columns."""
    if multiverse.question is None or not isinstance(multiverse.question.explainer.steps_, Field):
        raise InvalidInput("A flow needs ways of steps='field'; explain with that first.")
    field = multiverse.question.explainer.steps_
    if len(field.terrain.features) != 2:
        raise InvalidInput(
            f"A flow is drawn in a plane: it needs two columns, got {len(field.terrain.features)}."
        )
    if not len(multiverse):
        raise InvalidInput("There is no way, so nothing flows; multiverse.why_not says why.")
    return field, field.terrain


def _box(points: Floats, multiverse: Multiverse) -> tuple[Floats, Floats]:
    """The corners of what is looked at: all records and ways."""
    every = np.vstack([points, *(journey.waypoints for journey in multiverse)])
    low, high = every.min(axis=0), every.max(axis=0)
    return low, np.where(high > low, high, low + 1.0)


def _remaining(field: Field, places: Floats, ends: Floats) -> Floats:
    """The least length from every place of a grid to each end; shape (n, n, c)."""
    n = places.shape[0]
    points = np.vstack([places.reshape(-1, 2), ends])
    starts, stops = _moves(n)
    spacing = places[1, 1] - places[0, 0]
    for number, end in enumerate(ends):
        near = np.flatnonzero((np.abs(points[: n * n] - end) <= NEARBY * spacing).all(axis=1))
        starts = np.concatenate([starts, near])
        stops = np.concatenate([stops, np.full(len(near), n * n + number)])
    lengths = field.lengths(points[starts], points[stops])
    kept = np.isfinite(lengths) & field.terrain.admissible(points[stops])
    shape = (len(points), len(points))
    # Of a place and an end that are the same, the length is 0; a graph needs more to know the edge.
    costs = sparse.csr_array(
        (np.maximum(lengths[kept], 1e-12), (stops[kept], starts[kept])), shape=shape
    )
    left = dijkstra(costs, indices=np.arange(n * n, len(points)))
    return np.asarray(left[:, : n * n].T.reshape(n, n, len(ends)))


def _moves(n: int) -> tuple[Ints, Ints]:
    """Starts and stops of all moves on a grid of n × n places."""
    numbers = np.arange(n * n).reshape(n, n)
    starts, stops = [], []
    for i, j in OFFSETS:
        here = numbers[max(0, -i) : n - max(0, i), max(0, -j) : n - max(0, j)]
        starts.append(here.ravel())
        stops.append(here.ravel() + i * n + j)
    return np.concatenate(starts), np.concatenate(stops)


def _steepest(left: Floats, axes: list[Floats], prices: Prices) -> Floats:
    """Directions of length 1 in which what is left falls most for its effort; (n, n, c, 2).

    That is down the slope, each coordinate divided by the square of its price; 0 where none is.
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        down = -np.stack([np.gradient(left, axes[i], axis=i) for i in (0, 1)], axis=-1)
        paid = np.where(down > 0, prices.increase, prices.decrease)
        moves = down / np.where(paid > 0, paid, np.inf) ** 2  # along what is free nothing falls
        found = moves / np.sqrt((moves**2).sum(axis=-1, keepdims=True))
    return np.where(np.isfinite(found), found, 0.0)


def _parting(nearest: Ints) -> Bools:
    """Whether a place next to each, up or down, left or right, is nearest to another end."""
    found = np.zeros(nearest.shape, dtype=bool)
    known = nearest >= 0
    across = (nearest[1:] != nearest[:-1]) & known[1:] & known[:-1]
    up = (nearest[:, 1:] != nearest[:, :-1]) & known[:, 1:] & known[:, :-1]
    found[1:] |= across
    found[:-1] |= across
    found[:, 1:] |= up
    found[:, :-1] |= up
    return found
