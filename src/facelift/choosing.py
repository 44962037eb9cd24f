"""Criteria, functions from a multiverse to one score per journey, and choices by them.

Any function of that kind will do, higher is better; these are the ones of the paper and of FACE, by
name. `recommend`, `best`, `ranking` and `front` choose.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from numbers import Real

import numpy as np

from facelift import geometry
from facelift._arrays import Bools, Floats, Ints
from facelift.errors import InvalidInput, check_number
from facelift.geometry import TOLERANCE, tied_ranks
from facelift.multiverse.families import Family
from facelift.multiverse.frames import waypoint_rows
from facelift.multiverse.journey import Journey
from facelift.multiverse.multiverse import Multiverse

Criterion = Callable[[Multiverse], Floats]


def opportunity(multiverse: Multiverse) -> Floats:
    """Mean opportunity potential over the alternatives: FACElift's criterion.

    >>> from facelift.toys import loan
    >>> opportunity(loan().multiverse()).round(2).tolist()
    [0.0, 0.29, 0.44]
    """
    return multiverse.scores


def keeping(multiverse: Multiverse) -> Floats:
    """Mean opportunity towards the classes that were to be kept open; NaN where none were.

    >>> from facelift.toys import loan
    >>> keeping(loan().multiverse()).tolist()
    [nan, nan, nan]
    """
    if not multiverse.kept:
        return np.full(len(multiverse), np.nan)
    return np.asarray(multiverse.class_opportunity.mean(axis=1))


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
    """Mean share of the committee that agrees, over the ends of steps.

    >>> from facelift import FACElift
    >>> line = np.arange(11.0)[:, np.newaxis]
    >>> model = lambda x: np.hstack([x < 5, x >= 5])
    >>> stricter = lambda x: np.hstack([x < 6, x >= 6])
    >>> explainer = FACElift(model, committee=[model, stricter], n_counterfactuals=3).fit(line)
    >>> lasting(explainer.explain([2.0])).tolist()
    [0.5, 1.0, 1.0]
    """
    shares = [journey.in_steps.agreement for journey in multiverse]
    return np.array([np.nan if each is None else each[1:].mean() for each in shares])


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


def simplicity(multiverse: Multiverse) -> Floats:
    """Smallness of the choice complexity: how little opportunity is lost along the way (SPEC 6).

    It ranks journeys as `opportunity` does, since the loss is what the area under the open share
    lacks; this is the word for somebody who wants few decisions that matter.

    >>> from facelift.toys import loan
    >>> simplicity(loan().multiverse()).round(2).tolist()
    [-1.0, -0.71, -0.56]
    """
    losses = [geometry.choice_complexity(each.step_costs, each.alternatives) for each in multiverse]
    return 0.0 - np.array(losses, dtype=np.float64)  # no loss is 0, not −0


def lateness(multiverse: Multiverse) -> Floats:
    """Branching delay: the share of a journey's cost before it first loses an alternative.

    For somebody who wants to decide late; `-lateness` for somebody who wants it settled early.

    >>> from facelift.toys import loan
    >>> lateness(loan().multiverse()).round(2).tolist()
    [0.0, 0.0, 0.0]
    """
    return np.array(
        [geometry.branching_delay(each.step_costs, each.alternatives) for each in multiverse]
    )


def agency(multiverse: Multiverse, families: Sequence[Family] | None = None) -> Floats:
    """How many alternatives stay open, as a mean over the cost travelled.

    With `families` (of `multiverse.families`) each family counts once, for as long as one of its
    members is kept open, and a journey's own family does not count: many near-copies of one
    destination are then no more agency than one.

    >>> from facelift.toys import fork
    >>> multiverse = fork().multiverse()
    >>> agency(multiverse).round(2).tolist()
    [0.67, 0.0, 0.5]
    >>> agency(multiverse, multiverse.families(n_families=2)).tolist()
    [0.0, 0.0, 0.0]
    """
    groups = families or [
        Family((number,), number, journey.vertices) for number, journey in enumerate(multiverse)
    ]
    return np.array([_agency(journey, groups) for journey in multiverse])


def branching(
    multiverse: Multiverse, discount: float = 1.0, families: Sequence[Family] | None = None
) -> Floats:
    """Branching factor of each journey towards its alternatives (SPEC 6); NaN for direct ones.

    A discount below 1 weighs early waypoints more: `partial(branching, discount=0.5)`. With
    `families` (of `multiverse.families`) only their representatives are alternatives.

    >>> from facelift.toys import loan
    >>> branching(loan().multiverse()).round(2).tolist()
    [nan, 0.17, -inf]
    """
    return multiverse.branching(discount, families=families)


def weighed(weights: Mapping[Criterion, float], by: str = "ranks") -> Criterion:
    """One criterion made of several: the weighted mean of their ranks or scaled scores.

    By "ranks" (Borda) the best journey of each criterion gets 1, the worst 0, and those between
    what their place gives; by "scores" they get their score between the worst and the best finite
    one. Ranks do not ask whether effort and chances can be added; scores keep how far apart
    journeys are. Negative weights turn a criterion round. A score that is not defined counts as the
    worst either way.

    >>> from facelift.toys import loan
    >>> weighed({opportunity: 1, proximity: 1})(loan().multiverse()).tolist()
    [0.5, 0.5, 0.5]
    >>> weighed({opportunity: 1, proximity: 1}, by="scores")(loan().multiverse()).round(2).tolist()
    [0.5, 0.4, 0.5]
    """
    _check_weights(weights, by)
    scale = _scaled_places if by == "ranks" else scaled_scores

    def mean(multiverse: Multiverse) -> Floats:
        total = sum(abs(weight) for weight in weights.values())
        parts = [
            abs(weight) / total * scale(scores_of(multiverse, criterion, np.sign(weight)))
            for criterion, weight in weights.items()
        ]
        return np.asarray(np.sum(parts, axis=0))

    return mean


USUAL: tuple[Criterion, ...] = (
    proximity,
    opportunity,
    agency,
    confidence,
    brevity,
    sparsity,
    lateness,
)
"""What ways are compared by, unless told otherwise; none of them needs a graph."""


def named(criteria: Mapping[str, Criterion] | Sequence[Criterion]) -> dict[str, Criterion]:
    """Criteria by what they are called: their own names, or those given.

    >>> list(named([opportunity, proximity])), list(named({"mine": brevity}))
    (['opportunity', 'proximity'], ['mine'])
    """
    if isinstance(criteria, Mapping):
        return dict(criteria)
    found = {getattr(each, "__name__", ""): each for each in criteria}
    if len(found) < len(criteria) or any(not name.isidentifier() for name in found):
        raise InvalidInput(
            "Criteria without a name of their own must be named, such as "
            '{"early": lambda multiverse: -fl.lateness(multiverse)}.'
        )
    return found


def scores_of(multiverse: Multiverse, criterion: Criterion, sign: float = 1.0) -> Floats:
    """What the criterion says, turned round by a negative sign; an undefined score is the worst."""
    if not callable(criterion):
        raise InvalidInput(
            f"A criterion is a function such as facelift.opportunity, got {criterion!r}."
        )
    given = criterion(multiverse)
    try:
        scores = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        scores = np.empty((0, 0))
    if scores.shape != (len(multiverse),):
        raise InvalidInput(
            f"A criterion must return one score per journey ({len(multiverse)}), got {given!r}."
        )
    return np.where(np.isnan(scores), -np.inf, sign * scores)


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


def _agency(journey: Journey, groups: Sequence[Family]) -> float:
    """Groups kept open on average, of those that the journey's own end is not in."""
    others = [np.array(each.members) for each in groups if journey.own not in each.members]
    if not others:
        return 0.0
    kept = geometry.keeps_open(journey.remaining, journey.step_costs)
    counts = np.sum([kept[1:, members].any(axis=1) for members in others], axis=0)
    if not journey.cost:
        return float(counts[-1])
    return float((journey.step_costs * counts).sum() / journey.cost)


def _check_weights(weights: Mapping[Criterion, float], by: str) -> None:
    if by not in ("ranks", "scores"):
        raise InvalidInput(f"by must be 'ranks' or 'scores', got {by!r}.")
    real = all(isinstance(each, Real) and np.isfinite(each) for each in weights.values())
    if not real or not any(weights.values()):
        raise InvalidInput(
            "weighed needs criteria with finite weights, at least one not 0, such as "
            f"{{fl.opportunity: 1, fl.proximity: 2}}; got {list(weights.values())}."
        )


def _scaled_places(scores: Floats) -> Floats:
    """1 for the best place, 0 for the last; all 1 where all are equal."""
    found = places(scores)
    return np.asarray(1.0 - found / max(found.max(initial=0), 1))


def scaled_scores(scores: Floats) -> Floats:
    """Scores between the worst finite one (0) and the best (1); all 1 where all are equal.

    Scores that share a place (see `places`) are equal.

    >>> scaled_scores(np.array([-16.0, -3.0, -np.inf])).tolist()
    [0.0, 1.0, 0.0]
    """
    finite = scores[np.isfinite(scores)]
    low, high = finite.min(initial=np.inf), finite.max(initial=-np.inf)
    if not high > low or np.isclose(high, low, rtol=TOLERANCE, atol=0.0):
        return np.where(np.isfinite(scores), 1.0, 0.0)
    return np.asarray(np.clip((scores - low) / (high - low), 0.0, 1.0))


def _n_changed(journey: Journey) -> int:
    rows = waypoint_rows(journey)
    first, last = rows.iloc[0], rows.iloc[-1]
    return sum(first[name] != last[name] for name in rows.columns)


SLACK = 0.1
"""Journeys that cost up to so much more than the cheapest cost about the same."""


def recommend(multiverse: Multiverse, slack: float = SLACK) -> Journey:
    """What we advise: the most open of the journeys that cost about as little as any (SPEC 14).

    Of the journeys that cost up to `1 + slack` times the cheapest, those none of whose steps ends
    at a lower chance than the factual's, if there are any; of these the one with the highest mean
    opportunity potential. Ties go to the cheaper. Levels that a step passes on its way are not
    judged: nobody stops there.

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


def recommended(multiverse: Multiverse, slack: float = SLACK, dipping: Bools | None = None) -> int:
    """The number of the journey that `recommend` gives.

    `dipping` says which journeys dip where they do not know it themselves.
    """
    costs, dipping = multiverse.costs, dips(multiverse) if dipping is None else dipping
    dearest = np.inf if slack == np.inf else (1 + slack) * costs.min() * (1 + TOLERANCE)
    near = np.flatnonzero(costs <= dearest)
    steady = near[~dipping[near]]
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
