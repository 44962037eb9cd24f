"""What must not change when the same question is put in other words.

A table says the same with its rows or columns in another order, with categories renamed, in other
units, with a column that says nothing or with rows that stand there twice; so do rules at another
currency, and a model that calls its classes otherwise. Each law names what must be the same.

Worlds are in general position: no two moves cost the same, so that no answer hangs on how ties are
broken. (Journeys of actions always have ties: the same changes in another order. Which of equally
open orders is taken depends on the order of columns and levels; nothing else does.)
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from tests.laws import examples

from facelift import FACElift, Multiverse, Terrain

SAVINGS = ["none", "low", "high"]
HOUSING = ["free", "own", "rent"]
TOWNS = ["Aarau", "Bern"]
WEIGHTS = {"income": 0.1, "debts": -0.6, "employed": 0.7}
POINTS = {
    "savings": {"none": 0.0, "low": 0.7, "high": 1.6},
    "housing": {"free": 0.3, "own": 0.9, "rent": 0.0},
    "town": {"Aarau": 0.0, "Bern": 0.4},
}
STEPS = ["rows", "actions"]

pytestmark = pytest.mark.laws

Frames = Callable[[pd.DataFrame], pd.DataFrame]


def score(X: pd.DataFrame) -> np.ndarray:
    """How much speaks for somebody; columns it does not know are ignored."""
    numbers = sum(weight * X[name].to_numpy(dtype=float) for name, weight in WEIGHTS.items())
    levels = [X[name].astype(object).map(given) for name, given in POINTS.items()]
    return numbers + sum(each.to_numpy(dtype=float) for each in levels)


@dataclass(frozen=True, eq=False)
class World:
    """A question, and how this world writes what the model reads: `read` turns it back."""

    X: pd.DataFrame
    case: pd.DataFrame
    middle: float
    prices: dict[str, tuple[float, float]]
    changes: dict[str, dict[tuple[Any, Any], float]]
    stops: dict[str, list[float]]
    bounds: dict[str, tuple[float, float]]
    parameters: dict[str, Any]
    read: Frames = lambda frame: frame
    labels: tuple[Any, Any] = ("no", "yes")
    unit: float = 1.0
    """What a cost of 1 is called here."""

    @property
    def classes_(self) -> np.ndarray:
        return np.array(self.labels)

    def predict_proba(self, X: pd.DataFrame) -> np.ndarray:
        yes = 1 / (1 + np.exp(self.middle - score(self.read(X))))
        chances = {"no": 1 - yes, "yes": yes}
        return np.column_stack([chances[self.meaning(label)] for label in self.labels])

    def meaning(self, label: Any) -> str:
        return {"no": "no", "yes": "yes", 0: "yes", 1: "no"}[label]

    def terrain(self, X: pd.DataFrame | None = None) -> Terrain:
        terrain = Terrain.infer(self.X if X is None else X)
        for name, (up, down) in self.prices.items():
            terrain = terrain.price(name, increase=up, decrease=down)
        for name, changes in self.changes.items():
            for (start, end), price in changes.items():
                terrain = terrain.transition(name, start, end, price=price)
        for name, stops in self.stops.items():
            terrain = terrain.levels(name, stops)
        for name, (low, high) in self.bounds.items():
            terrain = terrain.between(name, low, high)
        return terrain

    def explain(self, terrain: Terrain | None = None) -> Multiverse:
        terrain = self.terrain() if terrain is None else terrain
        explainer = FACElift(self, terrain, **self.parameters).fit(self.X)
        target = next(label for label in self.labels if self.meaning(label) == "yes")
        return explainer.explain(self.case, target)

    def told(self, multiverse: Multiverse) -> list[list[dict[str, Any]]]:
        """Journeys as rows that the model reads, whatever the order of their columns."""
        return [
            self.read(journey.rows).astype(object).to_dict(orient="records")
            for journey in multiverse
        ]


def table(rng: np.random.Generator, n: int) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "income": rng.normal(40, 12, n).round(2),
            "debts": rng.gamma(2.0, 1.0, n).round(3),
            "savings": pd.Categorical(rng.choice(SAVINGS, n), SAVINGS, ordered=True),
            "housing": pd.Categorical(rng.choice(HOUSING, n), HOUSING),
            "town": pd.Series(np.append(TOWNS, rng.choice(TOWNS, n - 2))),
            "employed": np.append([True, False], rng.random(n - 2) < 0.6),
        }
    )


def prices_of(rng: np.random.Generator) -> dict[str, tuple[float, float]]:
    """Prices no two of which are alike; some directions are ruled out."""
    up, down = rng.uniform(0.5, 2.0, (2, 4))
    down = np.where(rng.random(4) < 0.3, math.inf, down)
    names = ["income", "debts", "savings", "employed"]
    return {n: (float(a), float(b)) for n, a, b in zip(names, up, down, strict=True)}


def changes_of(rng: np.random.Generator) -> dict[str, dict[tuple[Any, Any], float]]:
    levels = {"housing": HOUSING, "town": TOWNS}
    return {
        name: {
            (a, b): math.inf if rng.random() < 0.2 else float(rng.uniform(0.5, 2.0))
            for a in known
            for b in known
            if a != b
        }
        for name, known in levels.items()
    }


@st.composite
def worlds(draw: st.DrawFn, steps: str) -> World:
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X = table(rng, draw(st.integers(12, 40)))
    known = score(X)
    middle = float(np.quantile(known, draw(st.sampled_from([0.4, 0.7, 0.85]))))
    below = np.flatnonzero(known < middle)
    case = X.iloc[[int(rng.choice(below))]]
    if draw(st.booleans()):  # somebody new
        case = case.assign(income=(case["income"] - 0.37).round(2))
    parameters = {"steps": steps, "n_counterfactuals": draw(st.integers(1, 6))}
    if steps == "rows":
        parameters |= {
            "n_neighbors": draw(st.integers(1, 8)),
            "edges": draw(st.sampled_from(["union", "out", "mutual"])),
            "edge_cost": draw(st.sampled_from(["distance", "power"])),
            "min_separation": draw(st.sampled_from([0.0, 0.5])),
            "stop_at_first": draw(st.booleans()),
        }
    else:
        parameters |= {"max_steps": 4, "plausibility": draw(st.sampled_from([0.9, 1.0]))}
    stops = {"income": [25.0, 38.5, 52.0, 66.0], "debts": [0.5, 1.25, 2.0, 3.5]}
    bounds = draw(st.sampled_from([{}, {"debts": (-1.0, 4.5)}]))
    case = case.assign(debts=case["debts"].clip(upper=4.5))
    return World(X, case, middle, prices_of(rng), changes_of(rng), stops, bounds, parameters)


def assert_same_ends(one: Multiverse, told: Any, other: Multiverse, retold: Any, unit: float = 1):
    """The same destinations in the same order, what they cost, their chances and their scores."""
    assert [rows[-1] for rows in retold] == [rows[-1] for rows in told]
    assert other.costs == pytest.approx(one.costs * unit, rel=1e-9)
    assert other.scores == pytest.approx(one.scores, rel=1e-6, nan_ok=True)
    assert [j.chances[-1] for j in other] == pytest.approx([j.chances[-1] for j in one])
    reasons = [each.why_not and each.why_not.reason for each in (one, other)]
    assert reasons[0] == reasons[1]


def assert_same(one: Multiverse, told: Any, other: Multiverse, retold: Any, unit: float = 1):
    """The same journeys, waypoint by waypoint, and what they keep open."""
    assert_same_ends(one, told, other, retold, unit)
    assert retold == told
    for own, its in zip(one, other, strict=True):
        assert its.step_costs == pytest.approx(own.step_costs * unit, rel=1e-9)
        assert its.remaining == pytest.approx(own.remaining * unit, rel=1e-9)
        assert its.chances == pytest.approx(own.chances)
    assert other.opportunity == pytest.approx(one.opportunity, rel=1e-6)


def assert_identical(one: Multiverse, told: Any, other: Multiverse, retold: Any, unit: float = 1):
    """The same journeys to the last bit of every number."""
    assert_same(one, told, other, retold, unit)
    for own, its in zip(one, other, strict=True):
        assert its.step_costs.tobytes() == own.step_costs.tobytes()
        assert its.remaining.tobytes() == own.remaining.tobytes()
        assert its.chances.tobytes() == own.chances.tobytes()
    assert other.opportunity.tobytes() == one.opportunity.tobytes()


Draw = Callable[[st.SearchStrategy[Any]], Any]


def law(
    change: Callable[[World, Draw], World], agree: Callable[..., None], steps: str, **fixed: Any
) -> None:
    """Try a law: a world and its change give answers that agree, with some parameters given."""
    n = {"rows": 25, "actions": 16}[steps]

    @settings(max_examples=examples(n), suppress_health_check=list(HealthCheck))
    @given(worlds(steps), st.data())
    def check(world: World, data: Any) -> None:
        world.parameters.update(fixed)
        other = change(world, data.draw)
        one, two = world.explain(), other.explain()
        agree(one, world.told(one), two, other.told(two), other.unit)

    check()


# The same table, written otherwise


@pytest.mark.parametrize("steps", STEPS)
def test_the_order_of_rows_changes_nothing_to_the_last_bit(steps):
    def shuffled(world: World, draw: Draw) -> World:
        order = draw(st.permutations(range(len(world.X))))
        return replace(world, X=world.X.iloc[order])

    law(shuffled, assert_identical, steps)


@pytest.mark.parametrize("steps", STEPS)
def test_a_row_that_stands_there_twice_counts_once_to_the_last_bit(steps):
    """A vertex is a distinct row; nothing depends on how many there are of it (SPEC 2)."""

    def doubled(world: World, draw: Draw) -> World:
        again = draw(st.lists(st.integers(0, len(world.X) - 1), min_size=1, max_size=30))
        return replace(world, X=pd.concat([world.X, world.X.iloc[again]]))

    law(doubled, assert_identical, steps)


@pytest.mark.parametrize(("steps", "agree"), [("rows", assert_same), ("actions", assert_same_ends)])
def test_the_order_of_columns_changes_no_journey_of_rows_and_no_destination_of_actions(
    steps, agree
):
    def turned(world: World, draw: Draw) -> World:
        names = draw(st.permutations(list(world.X)))
        return replace(world, X=world.X[names], case=world.case[names])

    law(turned, agree, steps)


@pytest.mark.parametrize(("steps", "agree"), [("rows", assert_same), ("actions", assert_same_ends)])
def test_names_and_order_of_categories_change_no_journey_of_rows_and_no_destination_of_actions(
    steps, agree
):
    names = {"own": "ä", "rent": "", "free": "z", "Aarau": "2", "Bern": "10"}
    meant = {new: old for old, new in names.items()}

    def renamed(world: World, draw: Draw) -> World:
        known = pd.CategoricalDtype([names[each] for each in draw(st.permutations(HOUSING))])

        def written(frame: pd.DataFrame) -> pd.DataFrame:
            housing = frame["housing"].astype(object).map(names).astype(known)
            return frame.assign(housing=housing, town=frame["town"].map(names))

        changes = {
            name: {(names[a], names[b]): price for (a, b), price in prices.items()}
            for name, prices in world.changes.items()
        }
        read = lambda frame: frame.assign(  # noqa: E731
            **{name: frame[name].astype(object).map(meant) for name in ("housing", "town")}
        )
        X, case = written(world.X), written(world.case)
        return replace(world, X=X, case=case, changes=changes, read=read)

    law(renamed, agree, steps)


@pytest.mark.parametrize("steps", STEPS)
def test_a_column_that_is_the_same_for_everybody_changes_no_journey(steps):
    columns = [7.5, -3, 1e300, 5e-324, "x", "", pd.Categorical(["one"]), True]

    def longer(world: World, draw: Draw) -> World:
        value, place = draw(st.sampled_from(columns)), draw(st.integers(0, 6))

        def written(frame: pd.DataFrame) -> pd.DataFrame:
            plain = not isinstance(value, pd.Categorical)
            column = value if plain else value.repeat(len(frame))
            names = list(frame)
            return frame.assign(same=column)[[*names[:place], "same", *names[place:]]]

        read = lambda frame: frame.drop(columns="same")  # noqa: E731
        return replace(world, X=written(world.X), case=written(world.case), read=read)

    law(longer, assert_same, steps)


def test_a_column_that_costs_nothing_and_says_nothing_changes_no_journey_of_rows():
    """Only where destinations lie does it count, so none is to be apart from others.

    Of actions nothing follows: a state must be near records in this column, too.
    """

    def wider(world: World, draw: Draw) -> World:
        rng, n = np.random.default_rng(draw(st.integers(0, 2**32 - 1))), len(world.X)
        more = pd.DataFrame({"noise": rng.normal(size=n), "mark": rng.choice(TOWNS, n)})
        prices = {**world.prices, "noise": (0.0, 0.0), "mark": (0.0, 0.0)}
        read = lambda frame: frame.drop(columns=["noise", "mark"])  # noqa: E731
        return replace(
            world, X=world.X.join(more), case=world.case.join(more), prices=prices, read=read
        )

    law(wider, assert_same, "rows", min_separation=0.0)


# The same in other units


def in_units(world: World, scale: float, shift: float = 0.0) -> World:
    """The same world with income in other units, read to the millionth of the old one."""

    def written(frame: pd.DataFrame) -> pd.DataFrame:
        return frame.assign(income=frame["income"] * scale + shift)

    def read(frame: pd.DataFrame) -> pd.DataFrame:
        return frame.assign(income=((frame["income"] - shift) / scale).round(6))

    prices = dict(world.prices)
    stops = {**world.stops, "income": [each * scale + shift for each in world.stops["income"]]}
    if scale < 0:
        prices["income"] = prices["income"][::-1]
    X, case = written(world.X), written(world.case)
    return replace(world, X=X, case=case, prices=prices, stops=stops, read=read)


@pytest.mark.parametrize("steps", STEPS)
def test_units_that_are_powers_of_two_change_nothing_to_the_last_bit(steps):
    scales = st.sampled_from([2.0**-30, 0.5, 4.0, 2.0**40])
    law(lambda world, draw: in_units(world, draw(scales)), assert_identical, steps)


@pytest.mark.parametrize("steps", STEPS)
def test_other_units_and_another_zero_change_no_journey(steps):
    """Metres and kilometres, Celsius and Fahrenheit: points are scaled to the range (SPEC 1)."""
    scales, shifts = st.sampled_from([1e-6, 0.001, 1.8, 1000.0]), st.sampled_from([0.0, 32.0, -5e4])

    def converted(world: World, draw: Draw) -> World:
        scale = draw(scales)
        return in_units(world, scale, draw(shifts) * scale)

    law(converted, assert_same, steps)


@pytest.mark.parametrize(("steps", "agree"), [("rows", assert_same), ("actions", assert_same_ends)])
def test_a_column_told_as_its_opposite_changes_nothing_if_its_prices_turn_as_well(steps, agree):
    """What is still owed instead of what is paid, and levels from the top down."""
    turned = pd.CategoricalDtype(SAVINGS[::-1], ordered=True)

    def opposite(world: World, _draw: Draw) -> World:
        other = in_units(world, -1.0, 100.0)
        X, case = (
            each.assign(savings=each["savings"].astype(turned)) for each in (other.X, other.case)
        )
        prices = {**other.prices, "savings": other.prices["savings"][::-1]}
        return replace(other, X=X, case=case, prices=prices)

    law(opposite, agree, steps)


@pytest.mark.parametrize("steps", STEPS)
def test_prices_in_another_currency_scale_all_costs_and_change_no_journey(steps):
    scales = st.sampled_from([1e-6, 0.1, 3.0, 1e6])

    def dearer(world: World, draw: Draw) -> World:
        scale = draw(scales)
        prices = {n: (up * scale, down * scale) for n, (up, down) in world.prices.items()}
        changes = {
            name: {pair: price * scale for pair, price in each.items()}
            for name, each in world.changes.items()
        }
        power = 2 if world.parameters.get("edge_cost") == "power" else 1
        return replace(world, prices=prices, changes=changes, unit=scale**power)

    law(dearer, assert_same, steps)


@pytest.mark.parametrize("steps", STEPS)
def test_names_and_order_of_classes_change_nothing_to_the_last_bit(steps):
    labels = st.sampled_from([("yes", "no"), (0, 1), (1, 0)])
    law(lambda world, draw: replace(world, labels=draw(labels)), assert_identical, steps)


# Less of the same


RULES: dict[str, tuple[tuple[Any, ...], Callable[[pd.DataFrame, pd.Series], Any]]] = {
    "frozen text": (("freeze", "town"), lambda X, case: X["town"] == case["town"]),
    "frozen level": (("freeze", "savings"), lambda X, case: X["savings"] == case["savings"]),
    "only more": (("increase_only", "income"), lambda X, case: X["income"] >= case["income"]),
    "only less": (("decrease_only", "debts"), lambda X, case: X["debts"] <= case["debts"]),
    "bounds": (("between", "income", 0.0, 45.0), lambda X, _: X["income"] <= 45),
}


@pytest.mark.parametrize("rule", RULES)
@settings(max_examples=examples(30), suppress_health_check=list(HealthCheck))
@given(world=worlds("rows"))
def test_a_rule_is_the_same_as_leaving_out_the_rows_it_rules_out_to_the_last_bit(rule, world):
    """Neighbours are looked for among admissible rows only (SPEC 2), so others change nothing."""
    (method, *arguments), holds = RULES[rule]
    case = world.case.iloc[0]
    kept = replace(world, X=world.X[holds(world.X, case)])
    assume(holds(world.case, case).all() and len(kept.X))
    terrain = getattr(world.terrain(), method)(*arguments)
    one, two = world.explain(terrain), kept.explain(terrain)
    if len(one) or len(two):  # where there is no way, the reason may be another one
        assert_identical(one, world.told(one), two, kept.told(two))


@pytest.mark.parametrize("steps", STEPS)
def test_asking_for_more_destinations_keeps_the_first(steps):
    def fewer(world: World, draw: Draw) -> World:
        n = draw(st.integers(1, world.parameters["n_counterfactuals"]))
        return replace(world, parameters={**world.parameters, "n_counterfactuals": n})

    def begins(one: Multiverse, told: Any, other: Multiverse, retold: Any, _: float) -> None:
        n = len(retold)
        assert n == min(len(told), other.question.explainer.n_counterfactuals)
        assert [rows[-1] for rows in retold] == [rows[-1] for rows in told[:n]]
        assert other.costs == pytest.approx(one.costs[:n], rel=1e-12)
        assert retold == told[:n] or steps == "actions"  # where order depends on all of them

    law(fewer, begins, steps)
