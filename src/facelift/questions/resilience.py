"""Resilience: how many ways there are that share nothing, and what all of them need."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
import pandas as pd
from scipy import sparse

from facelift._arrays import Bools, Floats, Ints
from facelift.graph.routes import must_pass, n_disjoint, on_some_route, reaches, without_vertices
from facelift.language import count, joined, say
from facelift.multiverse.frames import coordinate_rows
from facelift.multiverse.multiverse import Multiverse
from facelift.multiverse.words import FEW_CHANGES, Features, and_more, name_words, value_words

MOST = 10
"""So many independent ways are counted; more are as good."""

MANY_STATES = 20_000
"""In larger graphs nobody is kept waiting to hear it unasked."""


@dataclass(frozen=True)
class Need:
    """What every way needs: that a feature is at a value, at least or at most, at some point.

    >>> str(Need("savings", "at least", 500.0))
    'Savings of at least 500'
    """

    feature: str
    kind: Literal["at least", "at most", "at"]
    value: Any
    features: Features = field(default_factory=dict, compare=False, repr=False)

    def __str__(self) -> str:
        feature = self.features.get(self.feature)
        value = value_words(self.value, feature)
        said = {"name": name_words(self.feature, self.features), "value": value}
        if feature is not None and (len(feature.levels) == 2 or tuple(feature.stops) == (0, 1)):
            return say("{name} {value}", **said)  # no or yes, of which neither is "at least"
        if self.kind == "at least":
            return say("{name} of at least {value}", **said)
        if self.kind == "at most":
            return say("{name} of at most {value}", **said)
        return say("{name} {value}", **said)


@dataclass(frozen=True)
class Resilience:
    """How much can fail before nothing is left.

    `n_independent` ways lead to destinations and share no state but the factual (Menger), so any
    `n_independent - 1` states can fail and one is left; it is counted up to `most`. `states` are
    the vertices that every way passes (none where there are two independent ways); `needs` what
    every way needs of single features.

    Examples
    --------
    >>> from facelift.multiverse import explore
    >>> from facelift.toys import loan
    >>> found = resilience(explore(loan().graph, 0, [2, 3]))
    >>> found.n_independent, found.states, [str(need) for need in found.needs]
    (1, (4,), ['X0 of at least 7'])
    """

    n_independent: int
    most: int
    states: tuple[int, ...]
    needs: tuple[Need, ...]

    def __str__(self) -> str:
        needs, ways = self.needs_words, self._independence()
        return (
            say("{ways}; every way found needs {needs}", ways=ways, needs=needs) if needs else ways
        )

    @property
    def needs_words(self) -> str:
        """What every way needs, or three of many; of one column each at its own time.

        >>> up, down = Need("savings", "at least", 500.0), Need("savings", "at most", 100.0)
        >>> Resilience(1, 10, (), (up, down)).needs_words
        'Savings of at least 500 and, at another time, Savings of at most 100'
        """
        told: dict[str, str] = {}
        for need in self.needs:
            own, before = str(need), told.get(need.feature)
            if before is not None:
                own = say("{need} and, at another time, {other}", need=before, other=own)
            told[need.feature] = own
        words = list(told.values())
        return joined(words) if len(words) <= FEW_CHANGES else and_more(words)

    def _independence(self) -> str:
        """How many ways share no stop."""
        n = self.n_independent
        if n <= 1 < self.most:
            return say("all ways share a stop") if n else say("there is no way")
        if n >= self.most:
            return say("{n} or more ways that share no stop, counting detours not listed", n=n)
        return count(
            "{n} way, counting detours not listed",
            "{n} ways that share no stop, counting detours not listed",
            n,
        )


def resilience(multiverse: Multiverse, *, most: int = MOST) -> Resilience:
    """How many ways share no state, and what all of them need; over all routes of the graph.

    Not only over the journeys listed: every route of the graph from the factual to any destination
    counts. A search that went on may find ways without what all of these need.

    Parameters
    ----------
    multiverse
        One that can be walked: as `explain` or `explore` gave it.
    most
        Independent ways are counted up to here.

    Examples
    --------
    >>> from facelift.toys import loan
    >>> found = resilience(loan().multiverse())
    >>> print(found)
    2 ways that share no stop, counting detours not listed
    >>> from facelift.multiverse import explore
    >>> print(resilience(explore(loan().graph, 0, [2, 3])))
    all ways share a stop; every way found needs X0 of at least 7
    """
    if not multiverse.journeys:
        return Resilience(0, most, (), ())
    graph, factual = multiverse.walkable_graph()
    ends = np.unique(np.concatenate(multiverse.destinations))
    useful = on_some_route(graph.costs, factual, ends)
    costs = without_vertices(graph.costs, ~useful)
    ends = ends[useful[ends]]
    n_ways = n_disjoint(costs, factual, ends, most)
    states = tuple(must_pass(costs, factual, ends)) if n_ways == 1 else ()
    places = np.flatnonzero(useful)
    decode = next((j.decode for j in multiverse if j.decode is not None), coordinate_rows)
    points = graph.at(np.append(factual, places))
    rows = decode(points)
    if len(rows) != len(points):  # it can tell its own waypoints only
        rows = coordinate_rows(points)
    needs = _needs(costs, factual, ends, places, rows)
    features = multiverse[0].features
    return Resilience(
        n_ways, most, states, tuple(replace(need, features=features) for need in needs)
    )


def resilience_unasked(multiverse: Multiverse) -> Resilience | None:
    """The same where it is worth telling: several ways were looked for, and it takes no time."""
    graph, question = multiverse.graph, multiverse.question
    if not multiverse.journeys or graph is None or len(graph) > MANY_STATES:
        return None
    if question is not None and question.explainer.n_counterfactuals == 1:
        return None
    return resilience(multiverse)


def _needs(
    costs: sparse.csr_array, source: int, ends: Ints, places: Ints, rows: pd.DataFrame
) -> Iterator[Need]:
    """Needs of every column; the first row is that of the source, the others those of `places`."""

    def passable(closed: Bools) -> bool:
        gone = np.zeros(costs.shape[0], dtype=bool)
        gone[places[closed]] = True
        gone[source] = False
        return reaches(costs, source, ends, gone)

    for name in rows.columns:
        column = rows[name]
        ranks, values = _ranked(column)
        if ranks is None:
            yield from _unordered(str(name), column, passable)
        else:
            yield from _ordered(str(name), ranks, values, passable)


def _ranked(column: pd.Series[Any]) -> tuple[Floats | None, Any]:
    """Numbers that order a column, and how to say one; None where it has no order."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        levels = column.cat.categories.to_numpy()
        codes: Floats = column.cat.codes.to_numpy().astype(np.float64)
        codes[codes < 0] = np.nan
        return (codes if column.cat.ordered else None), lambda code: levels[int(code)]
    if column.dtype.kind in "biuf":
        return column.to_numpy(dtype=np.float64), lambda number: float(number)
    return None, None


def _ordered(
    name: str, ranks: Floats, words: Callable[[float], Any], passable: Callable[[Bools], bool]
) -> Iterator[Need]:
    """How far every way must take a column up, and how far down."""
    own, others = ranks[0], ranks[1:]
    if np.isnan(own):
        return
    for kind, sign in _WAYS:
        steps = np.unique(sign * others[sign * others > sign * own])
        if len(steps) and not passable(sign * others >= steps[0]):
            # The farthest value that cannot be stayed below: halve what is left to know.
            low, high = 0, len(steps)
            while high - low > 1:
                middle = (low + high) // 2
                if passable(sign * others >= steps[middle]):
                    high = middle
                else:
                    low = middle
            yield Need(name, kind, words(sign * steps[low]))


_WAYS: tuple[tuple[Literal["at least", "at most"], int], ...] = (("at least", 1), ("at most", -1))


def _unordered(
    name: str, column: pd.Series[Any], passable: Callable[[Bools], bool]
) -> Iterator[Need]:
    """Values that every way must take a column to."""
    values = column.astype(object).to_numpy()
    own, others = values[0], values[1:]
    if passable(others != own):
        return
    for value in pd.unique(others[others != own]):
        if not passable(others == value):
            yield Need(name, "at", value)
