"""Time against a search that lives through it, period by period."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.laws import examples

import facelift as fl

SIDE, OLDEST = 4, 30


def lived_through(own: tuple[int, int], rates: tuple[int, int]) -> dict[tuple[int, int], int]:
    """The period in which each pair of values is first had, if each moves by its rate at most."""
    first, now, period = {own: 0}, {own}, 0
    while now:
        period += 1
        now = {
            (a, b)
            for x, y in now
            for a, b in product(range(SIDE), repeat=2)
            if abs(a - x) <= rates[0] and abs(b - y) <= rates[1]
        } - set(first)
        first |= dict.fromkeys(now, period)
    return first


worlds = st.tuples(
    st.tuples(st.integers(0, SIDE - 1), st.integers(0, SIDE - 1)),
    st.tuples(st.just(1), st.sampled_from([1, SIDE])),
    st.lists(st.integers(-3, 3), min_size=4, max_size=4),
    st.sampled_from([None, 1, 2]),
)


@settings(max_examples=examples(60), suppress_health_check=list(HealthCheck))
@given(worlds, st.sampled_from([0.5, 1.0]))
def test_the_cheapest_success_is_that_of_a_search_through_time(world, steepness):
    own, rates, weights, deadline = world
    grid = list(product(range(SIDE), range(SIDE), range(20, OLDEST)))
    X = pd.DataFrame(grid, columns=["a", "b", "age"])

    def chance(a, b, age):
        score = weights[0] * a + weights[1] * b + weights[2] * (age - 20) + weights[3]
        return 1 / (1 + np.exp(-steepness * score))

    def model(rows: pd.DataFrame) -> np.ndarray:
        good = chance(*rows.to_numpy(dtype=float).T)
        return np.column_stack([1 - good, good])

    terrain = fl.Terrain.infer(X).levels("a", range(SIDE)).levels("b", range(SIDE))
    terrain = terrain.rate("a", rates[0], per="year").rate("b", rates[1], per="year")
    terrain = terrain.ages("age", per="year")
    explainer = fl.FACElift(model, terrain, steps="actions", plausibility=1.0, margin=0).fit(X)
    found = explainer.explain({"a": own[0], "b": own[1], "age": 20}, 1, deadline=deadline)
    times = lived_through(own, rates)
    if rates[1] == SIDE:  # faster than a period: it takes the share of one that it takes
        times = {p: max(abs(p[0] - own[0]), abs(p[1] - own[1]) / SIDE) for p in times}
    late = np.inf if deadline is None else deadline
    good = {
        (a, b): int(time)
        for (a, b), time in times.items()
        if time <= late and chance(a, b, 20 + int(time)) >= 0.5 * (1 - 1e-9)
    }
    if own in good:
        assert found.why_not.reason == "already there"
        return
    costs = {p: (abs(p[0] - own[0]) + abs(p[1] - own[1])) / (SIDE - 1) for p in good}
    assert bool(len(found)) == bool(good)
    for journey in found:
        end = journey.rows.iloc[-1]
        place = int(end["a"]), int(end["b"])
        assert end["age"] == 20 + good[place]
        assert journey.cost == pytest.approx(costs[place])
        assert journey.times[-1] == pytest.approx(times[place])
        assert (np.diff(journey.times) >= 0).all()
    if len(found):
        assert found[0].cost == pytest.approx(min(costs.values()))


def test_through_records_the_deadline_holds_on_the_whole_way():
    X = pd.DataFrame({"years": np.arange(11.0)})

    def model(rows: pd.DataFrame) -> np.ndarray:
        return np.column_stack([rows["years"] < 6, rows["years"] >= 6]).astype(float)

    terrain = fl.Terrain.infer(X).rate("years", 2, per="month")
    explainer = fl.FACElift(model, terrain, n_neighbors=2).fit(X)
    found = explainer.explain({"years": 2.0}, 1, deadline="3 months")
    assert [journey.rows["years"].iloc[-1] for journey in found] == [6, 7, 8]
    assert len(explainer.explain({"years": 2.0}, 1, deadline=1)) == 0


@pytest.mark.parametrize("steps", ["rows", "actions"])
def test_where_the_deadline_is_too_early_the_quickest_way_is_told(steps):
    """Not the cheapest: to train takes long, to pay is dear."""
    X = pd.DataFrame([(a, b) for a in range(6) for b in range(6)], columns=["trained", "paid"])

    def model(rows: pd.DataFrame) -> np.ndarray:
        enough = (rows["trained"] >= 4) | (rows["paid"] >= 4)
        return np.column_stack([~enough, enough]).astype(float)

    terrain = fl.Terrain.infer(X).rate("trained", 0.1, per="month").rate("paid", 0.2, per="month")
    terrain = terrain.price("paid", increase=9.0)
    explainer = fl.FACElift(model, terrain, steps=steps, n_counterfactuals=1).fit(X)
    case = {"trained": 0, "paid": 0}
    why_not = explainer.explain(case, 1, deadline="12 months").why_not
    assert str(why_not) == (
        "Within 12 months there is no way; the quickest found takes about 20 months."
    )
    assert len(explainer.explain(case, 1, deadline="20 months")) == 1


def test_where_time_is_not_what_lacks_that_is_told():
    X = pd.DataFrame({"years": np.arange(11.0)})
    model = lambda rows: np.tile([1.0, 0.0], (len(rows), 1))  # noqa: E731
    terrain = fl.Terrain.infer(X).rate("years", 2, per="month")
    explainer = fl.FACElift(model, terrain, n_neighbors=2).fit(X)
    found = explainer.explain({"years": 2.0}, 1, deadline="3 months")
    assert "With more time than 3 months none was found, either." in str(found.why_not)
