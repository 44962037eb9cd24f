"""What stays open along a journey: agency, loss of opportunity, choice complexity, branching.

All are short folds of the remaining costs `ρ`, shape (k, c): from each waypoint to each
alternative, infinite when out of reach. The journey's own destination is no alternative: leave
its column out.
"""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real

import numpy as np
import numpy.typing as npt

from facelift._arrays import Bools, Floats, as_floats, finite_floats
from facelift.errors import InvalidInput
from facelift.geometry.curves import TOLERANCE
from facelift.geometry.opportunity import (
    as_remaining,
    kept_open,
    opportunity_potential,
    stacked,
    steps_kept_open,
)


def keeps_open(remaining: npt.ArrayLike, step_costs: npt.ArrayLike | None = None) -> Bools:
    """Whether each alternative was kept open by every step so far; shape (k, c).

    >>> keeps_open([[4, 4], [3, 5], [2, 1]])
    array([[ True,  True],
           [ True, False],
           [ True, False]])
    """
    left = as_floats(remaining, "remaining", ndim=2)
    return _so_far(left, steps_kept_open(left, step_costs))


def all_keep_open(remaining: Sequence[Floats], step_costs: Sequence[Floats]) -> Bools:
    """The same of several journeys towards the same destinations, unchecked; (a, k, c).

    Shorter journeys wait at the end.

    >>> left = np.array([[4.0, 4.0], [3.0, 5.0], [2.0, 1.0]])
    >>> all_keep_open([left, left[1:]], [np.ones(2), np.ones(1)]).tolist()[1]
    [[True, True], [True, True], [True, True]]
    """
    left, costs = stacked(step_costs, remaining)
    return _so_far(left, kept_open(left, costs))


def _so_far(left: Floats, steps: Bools) -> Bools:
    kept = np.empty(left.shape, dtype=bool)
    kept[..., 1:, :], kept[..., :1, :] = steps, np.isfinite(left[..., :1, :])
    return np.logical_and.accumulate(kept, axis=-2, out=kept)


def effects(remaining: npt.ArrayLike, step_costs: npt.ArrayLike) -> npt.NDArray[np.str_]:
    """What each step does to each destination: "nearer", "open" or "closed"; shape (k - 1, c).

    Nearer: the cost left falls (a free step that leads nowhere farther counts too). Open: still
    in reach, but the step is no help. Closed: out of reach for good.

    >>> effects([[4, 4, 1], [3, 5, np.inf]], [1.0]).tolist()
    [['nearer', 'open', 'closed']]
    """
    left = as_remaining(remaining)
    helps = steps_kept_open(left, as_floats(step_costs, "step_costs", ndim=1))
    in_reach = np.isfinite(left[1:])
    # A free step keeps everything open, but one that leads away is no help.
    helps &= left[1:] <= left[:-1] * (1 + TOLERANCE)
    return np.where(helps & in_reach, "nearer", np.where(in_reach, "open", "closed"))


def closes(remaining: npt.ArrayLike) -> Bools:
    """Whether each step puts each destination out of reach for good; shape (k - 1, c).

    The hard loss of SPEC 6: in reach before the step, not after it, by reverse reachability (a
    remaining cost is infinite exactly where no route is left). One that only gets dearer is not
    closed, and one that was out of reach before is not closed again.

    >>> closes([[4, 4, np.inf], [9, np.inf, np.inf]]).tolist()
    [[False, True, False]]
    """
    in_reach = np.isfinite(as_remaining(remaining))
    return np.asarray(in_reach[:-1] & ~in_reach[1:])


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
    return _share(np.isfinite(as_remaining(remaining)))


def loss_of_opportunity(shares: npt.ArrayLike) -> Floats:
    """Drop caused by each step in the shares of `open_share` or `reachable_share`; (k - 1,).

    A drop of the open share is soft (the step came no nearer to an alternative), a drop of the
    reachable share is hard (a point of no return).

    >>> loss_of_opportunity(open_share([[4, 4], [3, 5], [2, 1]]))
    array([0.5, 0. ])
    """
    given = finite_floats(shares, "shares", ndim=1)
    return given[:-1] - given[1:]


def open_area(step_costs: npt.ArrayLike, remaining: npt.ArrayLike) -> float:
    """Area under the open share over the share of cost travelled, in [0, 1].

    Each step keeps the value it ends with. Equals the mean opportunity potential over the same
    alternatives; NaN when there are none.

    >>> open_area([3, 1], [[4, 4], [3, 1], [2, 2]])
    0.875
    """
    costs = as_floats(step_costs, "step_costs", ndim=1)
    left = as_remaining(remaining)
    shares = open_share(left, costs)
    if left.shape[1] == 0:
        return float("nan")
    if costs.sum() == 0:
        return float(shares[-1])
    return min(float((costs / costs.sum() * shares[1:]).sum()), 1.0)  # rounding may exceed 1


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
    left = as_remaining(remaining)
    in_reach = left[:, np.isfinite(left[0])]
    return float(opportunity_potential(step_costs, in_reach).min(initial=1.0))


def vertex_branching(remaining: npt.ArrayLike, scale: float = 1.0) -> Floats:
    """How easy it is to switch to the alternatives from each waypoint; shape (k,).

    `r(v) = −log(mean over alternatives of ρ(v, b) ÷ scale)`; alternatives out of reach are left
    out of the mean, and with none in reach the value is −inf; where the mean equals the scale it
    is 0, also when both are 0. The paper's formula has scale 1.

    >>> vertex_branching([[2, 2], [1, np.inf], [np.inf, np.inf]], scale=2).round(4)
    array([0.    , 0.6931,   -inf])
    """
    means = _means_in_reach(as_remaining(remaining))
    if not (isinstance(scale, Real) and 0 <= scale < np.inf):
        raise InvalidInput(f"scale must be a finite cost, got {scale}.")
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(means == scale, 0.0, np.log(scale) - np.log(means))


def branching_factor(
    remaining: npt.ArrayLike, discount: float = 1.0, scale: float | None = None
) -> float:
    """Branching factor of a journey: `Σ_{i=2}^{k−1} γ^{i−1} r(v_i) / (k−2)`.

    The mean over the waypoints strictly between factual and counterfactual (the paper prints a
    sum from 1, its text excludes first and last). `scale` defaults to the mean at the factual, so
    that 0 means as easy to switch as at the start. A discount below 1 weighs early waypoints
    more. Where no alternative is in reach any more, the whole journey has −inf. A direct journey
    has nothing in between: NaN.

    >>> branching_factor([[4, 4], [2, 2], [1, 1], [0.5, 0.5]])
    1.0397207708399179
    """
    left = as_remaining(remaining)
    if not (isinstance(discount, Real) and 0 < discount < np.inf):
        raise InvalidInput(f"discount must be a positive number, got {discount}.")
    if len(left) < 3:
        return float("nan")
    start = float(_means_in_reach(left)[0]) if scale is None else scale
    if start == np.inf and scale is None:
        return float("-inf")
    between = vertex_branching(left[1:-1], scale=start)
    if np.isneginf(between).any():
        return float("-inf")
    return float((discount ** np.arange(1, len(left) - 1) * between).mean())


def _means_in_reach(left: Floats) -> Floats:
    """Mean remaining cost to the alternatives in reach, infinite when there are none; (k,)."""
    in_reach = np.isfinite(left)
    counts = in_reach.sum(axis=1)
    totals = np.where(in_reach, left, 0.0).sum(axis=1)
    return np.asarray(np.divide(totals, counts, out=np.full(len(left), np.inf), where=counts > 0))


def _share(mask: Bools) -> Floats:
    return mask.mean(axis=1) if mask.shape[1] else np.zeros(len(mask))
