"""Opportunity potential: how far one journey can be walked while still approaching another's end.

Matrices read `[taken, compared with]`. All three measures share one meaning, the share of the
journey taken before the cost left to the other destination first stops falling; they differ in
where that cost comes from: a graph, a straight line, or a straight line beside a bent journey.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from facelift._arrays import Bools, Floats, as_floats, finite_floats
from facelift.errors import InvalidInput
from facelift.geometry.curves import TOLERANCE


def opportunity_potential(step_costs: npt.ArrayLike, remaining: npt.ArrayLike) -> Floats:
    """Share of a journey walked before the cost left to each destination stops falling; (c,).

    Algorithm 5. `remaining[i, b]` is the least cost from waypoint i to destination b (k, c),
    infinite when out of reach. A destination that was never in reach scores 0.

    >>> opportunity_potential([8, 6], [[14, 16], [6, 8], [0, 9]])  # the paper's loan, x0 → x4 → x2
    array([1.        , 0.57142857])
    """
    left = as_remaining(remaining)
    costs = _as_step_costs(step_costs, len(left) - 1)
    return np.asarray(_potentials(left[np.newaxis], costs[np.newaxis])[0])


def opportunity_matrix(step_costs: Sequence[Floats], remaining: Sequence[Floats]) -> Floats:
    """Opportunity potential of several journeys towards the same destinations at once; (a, c).

    >>> opportunity_matrix([np.array([8.0, 6.0])], [np.array([[14, 16], [6, 8], [0, 9]])])
    array([[1.        , 0.57142857]])
    """
    return _potentials(*stacked(step_costs, remaining))


def stacked(step_costs: Sequence[Floats], remaining: Sequence[Floats]) -> tuple[Floats, Floats]:
    """Remaining costs and steps of journeys made equally long: (a, k, c) and (a, k - 1)."""
    longest = max(map(len, step_costs))
    costs = np.zeros((len(step_costs), longest))
    left = np.empty((len(step_costs), longest + 1, remaining[0].shape[1]))
    for journey, (steps, rest) in enumerate(zip(step_costs, remaining, strict=True)):
        # Steps that cost nothing neither open nor close anything: shorter journeys wait at the end.
        costs[journey, : len(steps)] = steps
        left[journey, : len(rest)], left[journey, len(rest) :] = rest, rest[-1]
    return left, costs


def _potentials(left: Floats, costs: Floats) -> Floats:
    """The share walked, for journeys of equally many steps: (a, k, c) and (a, k - 1) to (a, c)."""
    kept = np.logical_and.accumulate(kept_open(left, costs), axis=1)
    in_reach = np.isfinite(left[:, 0])
    totals = np.cumsum(costs, axis=1)[:, -1:] if costs.shape[1] else np.zeros((len(costs), 1))
    shares = costs / np.where(totals > 0, totals, 1.0)
    walked = (shares[:, :, np.newaxis] * (kept & in_reach[:, np.newaxis])).sum(axis=1)
    never_left = kept.all(axis=1)
    return np.where(never_left, in_reach.astype(np.float64), np.minimum(walked, 1.0))


def steps_kept_open(remaining: Floats, step_costs: npt.ArrayLike | None = None) -> Bools:
    """Whether each step brings each destination nearer; shape (k - 1, c).

    The strict fall `ρ(v_i, b) < ρ(v_{i−1}, b)` of Algorithm 5, up to `TOLERANCE`. A step that
    costs nothing neither opens nor closes anything, so it counts as keeping open, unless nothing
    leads there any more (SPEC 5 forgets that one); so does one that costs next to nothing beside
    what is left to go, unless it throws one back. Without `step_costs` every step counts as costing
    something.

    >>> steps_kept_open(np.array([[3.0, 2.0], [1.0, 2.0], [0.0, np.inf]]))
    array([[ True, False],
           [ True, False]])
    """
    left = as_remaining(remaining)
    if step_costs is None:
        return _falls(left)
    return kept_open(left, _as_step_costs(step_costs, len(left) - 1))


def _falls(left: Floats) -> Bools:
    before, after = left[..., :-1, :], left[..., 1:, :]
    return np.asarray(np.isfinite(after) & (after < before * (1 - TOLERANCE)))


def kept_open(left: Floats, costs: Floats) -> Bools:
    """The same of journeys of equally many steps, unchecked; (a, k, c) to (a, k - 1, c).

    >>> kept_open(np.array([[[3.0, 2.0], [1.0, 2.0]]]), np.array([[2.0]]))
    array([[[ True, False]]])
    """
    before, after = left[..., :-1, :], left[..., 1:, :]
    # Twice the tolerance, so that a step along one's own journey either falls or is free.
    finite = np.where(np.isfinite(before), before, 0.0)
    spent = costs[..., np.newaxis]
    stays = (spent <= 2 * TOLERANCE * finite) & (after * (1 - TOLERANCE) <= before)
    gone = np.isfinite(before) & np.isinf(after)
    return np.asarray(_falls(left) | stays | ((spent == 0) & ~gone))


def _as_step_costs(step_costs: npt.ArrayLike, n_steps: int) -> Floats:
    costs = as_floats(step_costs, "step_costs", ndim=1)
    if len(costs) != n_steps or (costs < 0).any() or not np.isfinite(costs).all():
        raise InvalidInput(
            f"step_costs must be {n_steps} finite costs of zero or more, one fewer than "
            f"the rows of remaining; got {costs}."
        )
    return costs


def as_remaining(remaining: npt.ArrayLike) -> Floats:
    """Remaining costs as a float array of shape (k, c), checked."""
    left = as_floats(remaining, "remaining", ndim=2)
    if not len(left):
        raise InvalidInput("remaining must have a row for at least one waypoint, got none.")
    if (left < 0).any() or np.isnan(left).any():
        raise InvalidInput("remaining costs must be zero or more (infinite when out of reach).")
    return left


def direct_opportunity(
    factual: npt.ArrayLike, taken: npt.ArrayLike, compared: npt.ArrayLike
) -> Floats:
    """Share of the straight way to `taken` that also approaches `compared`, in [0, 1].

    Algorithm 3, `clip(z_a·z_b / z_a·z_a, 0, 1)` with z = counterfactual − factual. The paper
    prints a minus; its own appendix and table need the plus. Broadcasts over leading axes.

    >>> ends = np.array([[1, 0], [0.88, 0.65], [0.37, 1.31]])
    >>> direct_opportunity([0, 0], ends[:, None], ends).round(4)
    array([[1.    , 0.88  , 0.37  ],
           [0.7352, 1.    , 0.9835],
           [0.1997, 0.6352, 1.    ]])
    """
    return np.clip(unclipped_opportunity(factual, taken, compared), 0.0, 1.0)


def unclipped_opportunity(
    factual: npt.ArrayLike, taken: npt.ArrayLike, compared: npt.ArrayLike
) -> Floats:
    """Where the projection of `compared` falls on the straight way to `taken`; 1 is its end.

    Obeys `l12·l23·l31 = l21·l32·l13` for any three counterfactuals.

    >>> float(unclipped_opportunity([0, 0], [1, 0], [2, 5]))
    2.0
    """
    start, *ends = _points(factual=factual, taken=taken, compared=compared)
    a, b = (end - start for end in ends)
    squares = (a * a).sum(axis=-1)
    if (squares == 0).any():
        raise InvalidInput("The counterfactual taken is the factual: there is no way to walk.")
    return np.asarray((a * b).sum(axis=-1) / squares)


def polyline_opportunity(waypoints: npt.ArrayLike, destination: npt.ArrayLike) -> float:
    """Share of a bent journey's length walked before the straight distance left stops falling.

    Inside a segment, up to the projection of the destination. For one straight segment this is
    Algorithm 3; Algorithm 5 tends to it as steps get finer.

    >>> polyline_opportunity([[0, 0], [1, 0], [2, 0]], [1.5, 1])
    0.75
    """
    corners = finite_floats(waypoints, "waypoints", ndim=2)
    goal = finite_floats(destination, "destination", ndim=1)
    if len(goal) != corners.shape[1]:
        raise InvalidInput(
            f"destination must have {corners.shape[1]} coordinates like the waypoints, "
            f"got {len(goal)}."
        )
    steps = np.diff(corners, axis=0)
    squares = (steps**2).sum(axis=1)
    moves = squares > 0
    if not moves.any():
        raise InvalidInput("The journey has no length: there is no way to walk.")
    steps, squares, starts = steps[moves], squares[moves], corners[:-1][moves]
    lengths = np.sqrt(squares)
    walked = np.clip(((goal - starts) * steps).sum(axis=1) / squares, 0.0, 1.0)
    stops = np.append(walked < 1 - TOLERANCE, True)
    first = int(np.argmax(stops))
    if first == len(lengths):
        return 1.0
    return float((lengths[:first].sum() + walked[first] * lengths[first]) / lengths.sum())


def _points(**given: npt.ArrayLike) -> list[Floats]:
    """Finite points of equally many coordinates, broadcast against each other."""
    points = [finite_floats(each, name, ndim=max(np.ndim(each), 1)) for name, each in given.items()]
    shapes = ", ".join(f"{name} {array.shape}" for name, array in zip(given, points, strict=True))
    if len({array.shape[-1] for array in points}) > 1:
        raise InvalidInput(f"Points must have equally many coordinates, got shapes {shapes}.")
    try:
        return list(np.broadcast_arrays(*points))
    except ValueError:
        raise InvalidInput(f"Points must be one or equally many points, got {shapes}.") from None
