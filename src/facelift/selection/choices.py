"""Choosing among journeys by criteria: the best, what we recommend, a ranking, a front.

Higher is better for every criterion. Ties go to the cheaper journey.
"""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real

import numpy as np

from facelift._arrays import Bools, Ints
from facelift._checks import check_number
from facelift.errors import InvalidInput
from facelift.geometry import TOLERANCE, tied_ranks
from facelift.multiverse.journey import Journey
from facelift.multiverse.multiverse import Multiverse
from facelift.selection.criteria import Criterion, opportunity, places, proximity, scores_of

SLACK = 0.1
"""Journeys that cost up to so much more than the cheapest cost about the same."""


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
    return np.lexsort((tied_ranks(multiverse.costs), places(scores_of(multiverse, criterion))))


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
    ranks = np.stack([places(scores_of(multiverse, each)) for each in criteria], axis=1)
    beaten = [bool(((ranks <= own).all(axis=1) & (ranks < own).any(axis=1)).any()) for own in ranks]
    return np.flatnonzero(~np.array(beaten, dtype=bool))
