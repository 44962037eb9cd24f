"""GrowingSpheres (Laugel and others 2018): the nearest state that the model sees otherwise.

Inverse Classification for Comparison-based Interpretability in Machine Learning: states are drawn
in layers around the factual, first inward and then outward, until one has the outcome; then as few
changes as possible are kept.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import partial
from hashlib import sha256
from numbers import Integral, Real

import numpy as np

from facelift._arrays import Floats
from facelift.baselines.base import Attempt, Inquiry, Reach, Synthetic, reach
from facelift.errors import check_number
from facelift.multiverse.goal import Goal

MAX_HALVINGS = 40
"""How often the first sphere is halved: with more, coordinates would not change any more."""

FIRST_ASKED = 32
"""States asked about at once while changes are taken back; then twice as many, and so on."""


@dataclass(eq=False, repr=False)
class GrowingSpheres(Synthetic):
    """The nearest state with the outcome, found by drawing in growing layers, with few changes.

    A first sphere around the factual is halved until no state drawn in it has the outcome; then
    layers of its width are drawn outward until one has. The nearest of these (Euclidean) is made
    sparse: the smallest changes are taken back one by one, as long as the outcome stays.

    Unlike the authors', states are rows the table could have: what is drawn is put on the nearest
    levels and whole numbers, stays within the range seen, and keeps the rules of the terrain.

    Parameters
    ----------
    model
        As in `FACElift`.
    terrain
        What may change; inferred from the table when None. Prices do not matter but where they
        forbid: nearness is Euclidean, on points.
    n_samples
        How many states are drawn per layer.
    first_radius
        Radius of the first sphere.
    max_radius
        Where to give up; the farthest state there can be if None.
    sparse
        Whether to take changes back.
    threshold
        Probability of the target that counts as reaching it.
    random_state
        Seed. A case is drawn for by its own stream, so its answer depends on no other case.

    Examples
    --------
    >>> from facelift.toys import moons
    >>> world = moons(200)
    >>> model = lambda points: np.column_stack([points[:, 1] > 0.25, points[:, 1] <= 0.25])
    >>> explainer = GrowingSpheres(model).fit(world.points)
    >>> journey = explainer.explain(world.points[0])[0]
    >>> changed = journey.rows.iloc[0] != journey.rows.iloc[-1]
    >>> changed[changed].index.to_list()
    ['x1']
    """

    _: KW_ONLY
    n_samples: int = 1000
    first_radius: float = 0.1
    max_radius: float | None = None
    sparse: bool = True

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_number("n_samples", self.n_samples, Integral, "1 or more", lambda v: v >= 1)
        check_number("first_radius", self.first_radius, Real, "above 0", lambda v: v > 0)
        if self.max_radius is not None:
            check_number("max_radius", self.max_radius, Real, "above 0", lambda v: v > 0)

    def _search(self, factuals: Floats, goal: Goal) -> list[Attempt]:
        return [self._grow(factual, goal) for factual in factuals]

    def _grow(self, factual: Floats, goal: Goal) -> Attempt:
        box, inquiry = reach(self.terrain_, factual), self._inquiry(factual, goal)
        limit = self.max_radius or box.radius
        state = None
        if box.free.any():
            draw = partial(
                _drawn, inquiry, box, self.n_samples, own_stream(self.random_state, factual)
            )
            state = nearest_enemy(draw, factual, self.first_radius, limit)
        if state is not None and self.sparse:
            state = sparsest(inquiry, self.terrain_.slices, factual, state)
        return Attempt(state, inquiry.n_states, inquiry.best_chance)


Draw = Callable[[float, float], Floats]
"""States drawn between two radii that have the outcome; shape (n, m)."""


def nearest_enemy(draw: Draw, factual: Floats, radius: float, limit: float) -> Floats | None:
    """The nearest state with the outcome: inward while there are any, then outward until there are.

    As in the authors' first algorithm: the sphere is halved until it has none; then layers as wide
    as the sphere are drawn outward.
    """
    known = np.empty((0, len(factual)))
    for _ in range(MAX_HALVINGS):
        found = draw(0.0, radius)
        if not len(found):
            break
        known, radius, limit = found, radius / 2, radius
    inner = radius
    while inner < limit:
        found = draw(inner, inner + radius)
        if len(found):
            return _closest(found, factual)
        inner += radius
    return _closest(known, factual) if len(known) else None


def sparsest(inquiry: Inquiry, slices: Sequence[slice], factual: Floats, state: Floats) -> Floats:
    """The state with its smallest changes taken back one by one, until the outcome would be lost.

    As in the authors' second algorithm, by features: a level is taken back as a whole.
    """
    sizes = [float(np.abs(state - factual)[place].max()) for place in slices]
    order = [i for i in np.argsort(sizes, kind="stable").tolist() if sizes[i] > 0]
    fewer = np.repeat(state[np.newaxis, :], len(order), axis=0)
    for row, i in enumerate(order):
        fewer[row:, slices[i]] = factual[slices[i]]
    n_taken_back, size = 0, FIRST_ASKED
    while n_taken_back < len(fewer):
        kept = inquiry.successes(fewer[n_taken_back : n_taken_back + size])
        n_taken_back += int(np.argmin(np.append(kept, False)))
        if not kept.all():
            break
        size *= 2
    return fewer[n_taken_back - 1] if n_taken_back else state


def _drawn(
    inquiry: Inquiry,
    box: Reach,
    n_samples: int,
    rng: np.random.Generator,
    inner: float,
    outer: float,
) -> Floats:
    states = inquiry.rounded(in_layer(box, inner, outer, n_samples, rng), box)
    return states[inquiry.successes(states)]


def _closest(states: Floats, factual: Floats) -> Floats:
    return np.asarray(states[((states - factual) ** 2).sum(axis=1).argmin()])


def in_layer(
    box: Reach, inner: float, outer: float, n_samples: int, rng: np.random.Generator
) -> Floats:
    """Points drawn evenly between two radii around the factual, along what can change; (n, m).

    Directions that are ruled out are turned round, so that nothing is drawn in vain.
    """
    free = np.flatnonzero(box.free)
    towards = rng.normal(size=(n_samples, len(free)))
    factual, low, high = box.factual[free], box.low[free], box.high[free]
    towards = np.where(factual <= low, np.abs(towards), towards)
    towards = np.where(factual >= high, -np.abs(towards), towards)
    towards /= np.sqrt((towards**2).sum(axis=1, keepdims=True))
    share = rng.random((n_samples, 1))
    ratio = inner / outer  # the volume within a radius grows with its power; ratios do not overflow
    power = len(free)
    radii = outer * (ratio**power + share * (1 - ratio**power)) ** (1 / power)
    points = np.repeat(box.factual[np.newaxis, :], n_samples, axis=0)
    points[:, free] += radii * towards
    return points


def own_stream(seed: int, factual: Floats) -> np.random.Generator:
    """A stream of random numbers that belongs to one case."""
    digest = sha256(np.ascontiguousarray(factual).tobytes()).digest()
    return np.random.default_rng([seed, int.from_bytes(digest[:8], "little")])
