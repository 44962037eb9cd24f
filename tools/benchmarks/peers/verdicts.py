"""What an outside judge says of a method's answer, with the same measures for everybody.

Plausibility is judged by two measures that no method compared here uses by itself: scikit-learn's
isolation forest and its local outlier factor, which know half of some records. A state is plausible
if it is no stranger than 19 of 20 records of the other half, or than the person is.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise, product
from typing import Any

import numpy as np
import pandas as pd
from sklearn.ensemble import IsolationForest
from sklearn.neighbors import LocalOutlierFactor

from tools.benchmarks.actions.judging import joined
from tools.benchmarks.actions.worlds import World

SAMPLE = 5_000
RARE = 0.05
MOST_CHANGES = 12
"""Of ends with more changes no order is looked for."""


@dataclass(frozen=True, eq=False)
class Strangeness:
    """Two measures of how unlike the records a state is, and what is still plausible."""

    world: World

    @cached_property
    def measures(self) -> list[tuple[Any, float]]:
        """Each measure, and the score of the rarest twentieth of records that it does not know."""
        points = np.asarray(self.world.explainer.terrain_.encode(self.world.table.data))
        some = np.random.default_rng(0).permutation(len(points))[: 2 * SAMPLE]
        known, others = np.array_split(points[some], 2)
        made = [IsolationForest(random_state=0), LocalOutlierFactor(novelty=True)]
        fitted = [measure.fit(known) for measure in made]
        return [(each, float(np.quantile(each.score_samples(others), RARE))) for each in fitted]

    def plausible(self, points: Any, person: Any) -> Any:
        """By each measure, whether points are no stranger than most or than a person; (2, n)."""
        found = []
        for measure, least in self.measures:
            own = float(measure.score_samples(person.point[np.newaxis, :])[0])
            found.append(measure.score_samples(points) >= min(least, own) - 1e-12)
        return np.array(found)


def verdict(
    person: Any, strange: Strangeness, ends: pd.DataFrame, ways: list[Any]
) -> dict[str, Any]:
    """What the judge says of the best of some ends.

    The best has the outcome; it keeps the rules, is plausible and costs little, in this order.
    Where a method tells ways, the way to it is judged; else some order of single changes may do.
    """
    good = person.judge.model.predict_proba(ends)[:, 1] >= person.judge.threshold
    if not good.any():
        return {"found": False, "fault": "no answer has the outcome"}
    points = np.asarray(person.terrain.encode(ends[good].reset_index(drop=True)))
    ways = [way for way, is_good in zip(ways, good, strict=False) if is_good]
    rules, plausible = person.admissible(points), strange.plausible(points, person)
    efforts, columns = effort(person, points), columns_changed(person, points)
    best = int(np.lexsort((efforts, ~plausible.all(axis=0), ~rules))[0])
    if ways:
        kept, likely = followed(person, strange, ways[best])
    else:
        kept, likely = ordered(person, strange, points[best])
    return {
        "found": True,
        "answers": len(points),
        "rules": bool(rules[best]),
        "forest": bool(plausible[0, best]),
        "outlier": bool(plausible[1, best]),
        "effort": float(efforts[best]),
        "columns": int(columns[best]),
        "steps kept": kept,
        "steps plausible": likely,
    }


def chosen(person: Any) -> list[slice]:
    """The coordinates of each column that people change; what ages by itself nobody chooses."""
    both = zip(person.terrain.features, person.terrain.slices, strict=True)
    return [part for feature, part in both if feature.ages is None]


def effort(person: Any, points: Any) -> Any:
    """Effort by the prices, one column after the other; what a rule forbids has the price 1."""
    ruled = person.costs_by_feature(person.terrain, points)
    plain = [np.linalg.norm(points[:, p] - person.point[p], axis=1) for p in person.terrain.slices]
    priced = np.where(np.isfinite(ruled), ruled, np.column_stack(plain))
    return priced[:, [person.terrain.slices.index(part) for part in chosen(person)]].sum(axis=1)


def columns_changed(person: Any, points: Any) -> Any:
    """How many columns points differ in from where a person stands."""
    return sum((points[:, part] != person.point[part]).any(axis=1) for part in chosen(person))


def followed(person: Any, strange: Strangeness, way: Any) -> tuple[bool, bool]:
    """Whether every step of a way keeps the rules, and every state on it is plausible."""
    moves = np.array([person.terrain.cost(*pair) for pair in pairwise(way)])
    kept = np.isfinite(moves).all() and np.asarray(person.terrain.admissible(way[1:])).all()
    return bool(kept), bool(strange.plausible(way[1:], person).all())


def ordered(person: Any, strange: Strangeness, end: Any) -> tuple[bool, bool]:
    """Whether some order of single changes keeps the rules at every step, and is plausible, too."""
    parts = [part for part in person.terrain.slices if (end[part] != person.point[part]).any()]
    if len(parts) > MOST_CHANGES:
        return bool(person.admissible(end[np.newaxis, :])[0]), False
    places = list(product((0, 1), repeat=len(parts)))
    states = np.repeat(person.point[np.newaxis, :], len(places), axis=0)
    for i, place in enumerate(places):
        for part, moved in zip(parts, place, strict=True):
            if moved:
                states[i, part] = end[part]
    rules = person.admissible(states)
    likely = rules & strange.plausible(states, person).all(axis=0)
    kept, both = (
        {p for p, good in zip(places, each, strict=True) if good} for each in (rules, likely)
    )
    return joined(kept, places[-1]), joined(both, places[-1])
