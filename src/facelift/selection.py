"""Choosing among journeys: criteria are functions from a multiverse to one score per journey.

Higher is better for every criterion. Ties go to the cheaper journey.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from numbers import Real

import numpy as np

from facelift._arrays import Bools, Floats, Ints
from facelift._checks import check_number
from facelift.errors import InvalidInput
from facelift.geometry import TOLERANCE, tied_ranks
from facelift.multiverse.frames import waypoint_rows
from facelift.multiverse.journey import Journey
from facelift.multiverse.multiverse import Multiverse

SLACK = 0.1
"""Journeys that cost up to so much more than the cheapest cost about the same."""

Criterion = Callable[[Multiverse], Floats]


def opportunity(multiverse: Multiverse) -> Floats:
    """Mean opportunity potential over the alternatives: FACElift's criterion.

    >>> from facelift.toys import loan
    >>> opportunity(loan().multiverse()).round(2).tolist()
    [0.0, 0.29, 0.44]
    """
    return multiverse.scores


def proximity(multiverse: Multiverse) -> Floats:
    """Cheapness of the journey: FACE's criterion.

    >>> from facelift.toys import loan
    >>> proximity(loan().multiverse()).tolist()
    [-3.0, -14.0, -16.0]
    """
    return -multiverse.costs


def confidence(multiverse: Multiverse) -> Floats:
    """The model's probability of the target at the end of the journey.

    >>> from facelift import FACElift
    >>> line = np.arange(11.0)[:, np.newaxis]
    >>> explainer = FACElift(lambda x: np.hstack([10 - x, x]) / 10, n_counterfactuals=3).fit(line)
    >>> confidence(explainer.explain([2.0])).tolist()
    [0.6, 0.7, 0.8]
    """
    return np.array([np.nan if j.chances is None else j.chances[-1] for j in multiverse])


def lasting(multiverse: Multiverse) -> Floats:
    """Mean share of the committee that agrees, over the waypoints after the factual.

    >>> from facelift import FACElift
    >>> line = np.arange(11.0)[:, np.newaxis]
    >>> model = lambda x: np.hstack([x < 5, x >= 5])
    >>> stricter = lambda x: np.hstack([x < 6, x >= 6])
    >>> explainer = FACElift(model, committee=[model, stricter], n_counterfactuals=3).fit(line)
    >>> lasting(explainer.explain([2.0])).tolist()
    [0.5, 1.0, 1.0]
    """
    return np.array([np.nan if j.agreement is None else j.agreement[1:].mean() for j in multiverse])


def brevity(multiverse: Multiverse) -> Floats:
    """Fewness of steps.

    >>> from facelift.toys import loan
    >>> brevity(loan().multiverse()).tolist()
    [-1.0, -2.0, -4.0]
    """
    return -np.array([journey.n_steps for journey in multiverse], dtype=np.float64)


def sparsity(multiverse: Multiverse) -> Floats:
    """Fewness of features that differ between the factual and the counterfactual.

    >>> from facelift.toys import loan
    >>> sparsity(loan().multiverse()).tolist()
    [-1.0, -2.0, -1.0]
    """
    return -np.array([_n_changed(journey) for journey in multiverse], dtype=np.float64)


def steadiness(multiverse: Multiverse) -> Floats:
    """Smallness of the effort to expect if one step in ten falls through (SPEC 14).

    >>> from facelift.toys import loan
    >>> steadiness(loan().multiverse()).round(2).tolist()
    [-4.57, -14.58, -18.57]
    """
    return -multiverse.expected_effort()


def recommend(multiverse: Multiverse, slack: float = SLACK) -> Journey:
    """What we advise: the most open of the journeys that cost about as little as any (SPEC 14).

    Of the journeys that cost up to `1 + slack` times the cheapest, those that never pass through a
    lower chance than the factual's, if there are any; of these the one with the highest mean
    opportunity potential. Ties go to the cheaper.

    >>> from facelift.toys import loan
    >>> recommend(loan().multiverse()).vertices.tolist()
    [0, 1]
    >>> recommend(loan().multiverse(), slack=np.inf).vertices.tolist()
    [0, 4, 5, 6, 3]
    """
    check_number("slack", slack, Real, "0 or more", lambda value: value >= 0)
    if not len(multiverse):
        raise InvalidInput(f"There is no journey to choose from. {multiverse.why_not}")
    return multiverse[recommended(multiverse, slack)]


def recommended(multiverse: Multiverse, slack: float = SLACK) -> int:
    """The number of the journey that `recommend` gives."""
    costs = multiverse.costs
    near = np.flatnonzero(costs <= (1 + slack) * costs.min() * (1 + TOLERANCE))
    steady = near[~dips(multiverse)[near]]
    among = steady if len(steady) else near
    return next(int(number) for number in ranking(multiverse) if number in among)


def dips(multiverse: Multiverse) -> Bools:
    """Whether each journey passes through a state farther from the goal than the factual; (c,).

    >>> from facelift.toys import loan
    >>> dips(loan().multiverse()).tolist()
    [False, False, False]
    """
    return np.array([journey.dips for journey in multiverse], dtype=bool)


def ranking(multiverse: Multiverse, criterion: Criterion = opportunity) -> Ints:
    """Numbers of the journeys from best to worst.

    >>> from facelift.toys import loan
    >>> ranking(loan().multiverse()).tolist()
    [2, 1, 0]
    """
    return np.lexsort((tied_ranks(multiverse.costs), _places(multiverse, criterion)))


def best(multiverse: Multiverse, criterion: Criterion = opportunity) -> Journey:
    """The journey with the highest score; ties go to the cheaper.

    >>> from facelift.toys import loan
    >>> best(loan().multiverse()).vertices.tolist()
    [0, 4, 5, 6, 3]
    >>> best(loan().multiverse(), proximity).vertices.tolist()
    [0, 1]
    """
    if not len(multiverse):
        raise InvalidInput(f"There is no journey to choose from. {multiverse.why_not}")
    return multiverse[int(ranking(multiverse, criterion)[0])]


def front(multiverse: Multiverse, criteria: Sequence[Criterion] = (opportunity, proximity)) -> Ints:
    """Numbers of the journeys that no other beats on every criterion (the Pareto front).

    A journey is beaten by one that is at least as good everywhere and better somewhere; an
    undefined score counts as the worst.

    >>> from facelift.toys import loan
    >>> front(loan().multiverse()).tolist()
    [0, 1, 2]
    """
    if not criteria:
        raise InvalidInput("A front needs at least one criterion, got none.")
    places = np.stack([_places(multiverse, criterion) for criterion in criteria], axis=1)
    beaten = [
        bool(((places <= own).all(axis=1) & (places < own).any(axis=1)).any()) for own in places
    ]
    return np.flatnonzero(~np.array(beaten, dtype=bool))


def _places(multiverse: Multiverse, criterion: Criterion) -> Ints:
    """Place of each journey by its score, 0 for the best."""
    return places(_scores(multiverse, criterion))


def places(scores: Floats) -> Ints:
    """Place of each score along the last axis, 0 for the best; a tie up to the tolerance shares it.

    >>> places(np.array([0.2, 0.5, 0.1 + 0.1, -np.inf]))
    array([1, 0, 1, 2])
    """
    order = np.argsort(-scores, axis=-1, kind="stable")
    falling = np.take_along_axis(scores, order, axis=-1)
    falls = ~np.isclose(falling[..., 1:], falling[..., :-1], rtol=TOLERANCE, atol=0.0)
    found = np.zeros(scores.shape, dtype=np.int64)
    np.put_along_axis(found, order[..., 1:], np.cumsum(falls, axis=-1), axis=-1)
    return found


def _scores(multiverse: Multiverse, criterion: Criterion) -> Floats:
    """What the criterion says, an undefined score as the worst."""
    given = criterion(multiverse)
    try:
        scores = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        scores = np.empty((0, 0))
    if scores.shape != (len(multiverse),):
        raise InvalidInput(
            f"A criterion must return one score per journey ({len(multiverse)}), got {given!r}."
        )
    return np.where(np.isnan(scores), -np.inf, scores)


def _n_changed(journey: Journey) -> int:
    rows = waypoint_rows(journey)
    first, last = rows.iloc[0], rows.iloc[-1]
    return sum(first[name] != last[name] for name in rows.columns)
