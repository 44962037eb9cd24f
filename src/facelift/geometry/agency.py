"""What stays open along a journey: agency, loss of opportunity, choice complexity, branching.

All are short folds of the remaining costs `ρ`, shape (k, c): from each waypoint to each
alternative, infinite when out of reach. The journey's own destination is no alternative: leave
its column out.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from facelift.arrays import Bools, Floats, as_floats
from facelift.geometry.opportunity import opportunity_potential, steps_kept_open


def keeps_open(remaining: npt.ArrayLike, step_costs: npt.ArrayLike | None = None) -> Bools:
    """Whether each alternative was kept open by every step so far; shape (k, c).

    >>> keeps_open([[4, 4], [3, 5], [2, 1]])
    array([[ True,  True],
           [ True, False],
           [ True, False]])
    """
    left = as_floats(remaining, "remaining", ndim=2)
    costs = None if step_costs is None else as_floats(step_costs, "step_costs", ndim=1)
    steps = np.vstack([np.isfinite(left[:1]), steps_kept_open(left, costs)])
    return np.asarray(np.logical_and.accumulate(steps, axis=0))


def open_share(remaining: npt.ArrayLike, step_costs: npt.ArrayLike | None = None) -> Floats:
    """Share of alternatives kept open by every step so far; shape (k,), never rises.

    With `step_costs`, steps that cost nothing neither open nor close anything. Without any
    alternative the share is 0.

    >>> open_share([[4, 4], [3, 5], [2, 1]])
    array([1. , 0.5, 0.5])
    """
    return _share(keeps_open(remaining, step_costs))


def reachable_share(remaining: npt.ArrayLike) -> Floats:
    """Share of alternatives still within reach at all; shape (k,).

    >>> reachable_share([[4, 4], [3, 5], [2, np.inf]])
    array([1. , 1. , 0.5])
    """
    return _share(np.isfinite(as_floats(remaining, "remaining", ndim=2)))


def loss_of_opportunity(shares: npt.ArrayLike) -> Floats:
    """Drop caused by each step in the shares of `open_share` or `reachable_share`; (k - 1,).

    A drop of the open share is soft (the alternative became dearer), a drop of the reachable
    share is hard (a point of no return).

    >>> loss_of_opportunity(open_share([[4, 4], [3, 5], [2, 1]]))
    array([0.5, 0. ])
    """
    given = as_floats(shares, "shares", ndim=1)
    return given[:-1] - given[1:]


def open_area(step_costs: npt.ArrayLike, remaining: npt.ArrayLike) -> float:
    """Area under the open share over the share of cost travelled, in [0, 1].

    Each step keeps the value it ends with. Equals the mean opportunity potential over the same
    alternatives; NaN when there are none.

    >>> open_area([3, 1], [[4, 4], [3, 1], [2, 2]])
    0.875
    """
    costs = as_floats(step_costs, "step_costs", ndim=1)
    if np.shape(remaining)[1] == 0:
        return float("nan")
    shares = open_share(remaining, costs)
    if costs.sum() == 0:
        return float(shares[-1])
    return float((costs / costs.sum()) @ shares[1:])


def choice_complexity(step_costs: npt.ArrayLike, remaining: npt.ArrayLike) -> float:
    """Loss of opportunity accumulated along the way: 1 − the area under the open share.

    >>> choice_complexity([3, 1], [[4, 4], [3, 1], [2, 2]])
    0.125
    """
    return 1.0 - open_area(step_costs, remaining)


def branching_delay(step_costs: npt.ArrayLike, remaining: npt.ArrayLike) -> float:
    """Share of the journey's cost travelled before its first loss of opportunity.

    >>> branching_delay([3, 1], [[4, 4], [3, 1], [2, 2]])
    0.75
    """
    left = as_floats(remaining, "remaining", ndim=2)
    in_reach = left[:, np.isfinite(left[0])]
    return float(opportunity_potential(step_costs, in_reach).min(initial=1.0))


def vertex_branching(remaining: npt.ArrayLike, scale: float | Floats = 1.0) -> Floats:
    """How easy it is to switch to the alternatives from each waypoint; shape (k,).

    `r(v) = −log(mean over alternatives of ρ(v, b) ÷ scale)`; alternatives out of reach are left
    out of the mean, and with none in reach the value is −inf. The paper's formula has scale 1.

    >>> vertex_branching([[2, 2], [1, np.inf], [np.inf, np.inf]], scale=2).round(4)
    array([0.    , 0.6931,   -inf])
    """
    left = as_floats(remaining, "remaining", ndim=2)
    in_reach = np.isfinite(left)
    counts = in_reach.sum(axis=1)
    totals = np.where(in_reach, left, 0.0).sum(axis=1)
    means = np.divide(totals, counts, out=np.full(len(left), np.inf), where=counts > 0)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(scale) - np.log(means))


def branching_factor(
    remaining: npt.ArrayLike, discount: float = 1.0, scale: float | None = None
) -> float:
    """Branching factor of a journey: `Σ_{i=2}^{k−1} γ^{i−1} r(v_i) / (k−2)`.

    The mean over the waypoints strictly between factual and counterfactual (the paper prints a
    sum from 1, its text excludes first and last). `scale` defaults to the mean at the factual, so
    that 0 means as easy to switch as at the start. A discount below 1 weighs early waypoints
    more. A direct journey has nothing in between: NaN.

    >>> branching_factor([[4, 4], [2, 2], [1, 1], [0.5, 0.5]])
    1.0397207708399179
    """
    left = as_floats(remaining, "remaining", ndim=2)
    if len(left) < 3:
        return float("nan")
    start = np.exp(-vertex_branching(left[:1]))[0] if scale is None else scale
    if not np.isfinite(start):
        return float("-inf")
    between = vertex_branching(left[1:-1], scale=start)
    return float((discount ** np.arange(1, len(left) - 1) * between).mean())


def _share(mask: Bools) -> Floats:
    return mask.mean(axis=1) if mask.shape[1] else np.zeros(len(mask))
