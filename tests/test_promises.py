"""Promises kept on random worlds, judged on raw rows by a checker that knows nothing of facelift.

A world is a small random table with every kind of column, random rules about it, a random model of
it and random settings. What is checked: rules and bounds are never broken, journeys start at the
case and run through real records, and every destination has the outcome.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from tests.laws import examples

from facelift import FACElift, Terrain
from facelift.errors import InvalidData

SAVINGS = ["none", "low", "middle", "high"]
HOUSING = ["free", "own", "rent"]
COLUMNS = {
    "age": "number",
    "income": "number",
    "savings": "ordered",
    "housing": "unordered",
    "town": "text",
    "employed": "bool",
}
LEVELS: dict[str, list[Any]] = {
    "savings": SAVINGS,
    "housing": HOUSING,
    "town": ["Aarau", "Bern"],
    "employed": [False, True],
}


@dataclass(frozen=True)
class Rule:
    """What is ruled out for one column, in raw values; pairs speak last or first."""

    direction: str = "any"
    pairs: tuple[tuple[Any, Any, float], ...] = ()
    pairs_last: bool = True
    low: float = -math.inf
    high: float = math.inf
    prices: tuple[float, float] | None = None

    def forbids(self, column: str, before: Any, after: Any) -> bool:
        """Whether the change from one raw value to another breaks this rule."""
        if before == after:
            return False
        rises = rank(column, after) > rank(column, before)
        blocked = {
            "any": False,
            "freeze": True,
            "increase_only": not rises,
            "decrease_only": rises,
        }[self.direction]
        for start, end, price in self.pairs:
            if (start, end) == (before, after):
                never = math.isinf(price)
                return never if self.pairs_last else blocked or never
        return blocked

    def holds(self, value: Any) -> bool:
        """Whether a raw value lies within the bounds."""
        return not isinstance(value, int | float) or self.low <= value <= self.high


def rank(column: str, value: Any) -> Any:
    return LEVELS[column].index(value) if column in LEVELS else value


@dataclass(frozen=True, eq=False)
class Model:
    """Seeded linear scores on codes of the columns, as softmax probabilities."""

    weights: np.ndarray
    shift: np.ndarray

    def __call__(self, frame: pd.DataFrame) -> np.ndarray:
        codes = np.column_stack(
            [
                frame["age"].to_numpy(dtype=float) / 10,
                frame["income"].to_numpy(dtype=float) / 3,
                frame["savings"].astype(object).map(SAVINGS.index).to_numpy(dtype=float),
                frame["housing"].astype(object).map(HOUSING.index).to_numpy(dtype=float),
                (frame["town"].astype(object) == "Bern").to_numpy(dtype=float),
                frame["employed"].to_numpy(dtype=float),
            ]
        )
        scores = codes @ self.weights + self.shift
        raised = np.exp(scores - scores.max(axis=1, keepdims=True))
        return raised / raised.sum(axis=1, keepdims=True)


@dataclass(frozen=True, eq=False)
class World:
    X: pd.DataFrame
    rules: dict[str, Rule]
    model: Model
    parameters: dict[str, Any]
    cases: list[pd.DataFrame]

    def terrain(self) -> Terrain:
        terrain = Terrain.infer(self.X)
        for column, rule in self.rules.items():
            if rule.prices is not None:
                up, down = rule.prices
                terrain = terrain.price(column, increase=up, decrease=down)
            steps = [lambda t, c=column, r=rule: directed(t, c, r)]
            steps.insert(
                0 if not rule.pairs_last else 1, lambda t, c=column, r=rule: paired(t, c, r)
            )
            for step in steps:
                terrain = step(terrain)
            if (rule.low, rule.high) != (-math.inf, math.inf):
                terrain = terrain.between(column, rule.low, rule.high)
        return terrain

    def bounded(self, row: dict[str, Any]) -> bool:
        return all(rule.holds(row[column]) for column, rule in self.rules.items())


def directed(terrain: Terrain, column: str, rule: Rule) -> Terrain:
    return terrain if rule.direction == "any" else getattr(terrain, rule.direction)(column)


def paired(terrain: Terrain, column: str, rule: Rule) -> Terrain:
    for start, end, price in rule.pairs:
        if math.isinf(price):
            terrain = terrain.forbid(column, start, end)
        else:
            terrain = terrain.transition(column, start, end, price=price)
    return terrain


def table(rng: np.random.Generator, n: int) -> pd.DataFrame:
    ordered = pd.CategoricalDtype(SAVINGS, ordered=True)
    unordered = pd.CategoricalDtype(HOUSING)
    return pd.DataFrame(
        {
            "age": rng.integers(20, 40, n),
            "income": (rng.normal(size=n) * 3).round(int(rng.integers(0, 3))),
            "savings": pd.Series(rng.choice(SAVINGS, n), dtype=object).astype(ordered),
            "housing": pd.Series(rng.choice(HOUSING, n), dtype=object).astype(unordered),
            "town": np.where(np.arange(n) % 2 == 0, "Aarau", "Bern"),
            "employed": (np.arange(n) + rng.integers(0, 3, n)) % 3 > 0,
        }
    )


PRICES = st.sampled_from([0.25, 1.0, 3.0])


@st.composite
def rule_of(draw: st.DrawFn, column: str) -> Rule:
    kind = COLUMNS[column]
    directions = ["any", "any", "freeze"]
    if kind not in ("unordered", "text"):
        directions += ["increase_only", "decrease_only"]
    direction = draw(st.sampled_from(directions))
    if kind == "number":
        low, high = {"age": (23, 36), "income": (-3.0, 3.0)}[column]
        bounds = draw(
            st.sampled_from([{}, {}, {"low": low}, {"high": high}, {"low": low, "high": high}])
        )
        prices = draw(st.none() | st.tuples(PRICES, PRICES))
        return Rule(direction, prices=prices, **bounds)
    changes = [(a, b) for a in LEVELS[column] for b in LEVELS[column] if a != b]
    chosen = draw(st.lists(st.sampled_from(changes), max_size=3, unique=True))
    pairs = tuple((a, b, draw(st.sampled_from([math.inf, math.inf, 0.5, 2.0]))) for a, b in chosen)
    return Rule(direction, pairs, draw(st.booleans()))


@st.composite
def worlds(draw: st.DrawFn) -> World:
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X = table(rng, draw(st.integers(8, 45)))
    columns = draw(st.lists(st.sampled_from(list(COLUMNS)), max_size=4, unique=True))
    rules = {column: draw(rule_of(column)) for column in columns}
    n_classes = draw(st.sampled_from([2, 2, 3]))
    weights = rng.normal(size=(6, n_classes)) * draw(st.sampled_from([0.3, 1.5]))
    model = Model(weights, rng.normal(size=n_classes) - weights.T @ [3, 0, 1.5, 1, 0.5, 0.5])
    parameters = {
        "n_neighbors": draw(st.integers(1, 8)),
        "edges": draw(st.sampled_from(["union", "union", "out", "mutual"])),
        "edge_cost": draw(st.sampled_from(["distance", "power"])),
        "n_counterfactuals": draw(st.integers(1, 8)),
        "threshold": draw(st.sampled_from([0.4, 0.5, 0.7])),
        "min_separation": draw(st.sampled_from([0.0, 0.0, 0.5])),
        "max_steps": draw(st.sampled_from([None, None, 2])),
        "max_step": draw(st.sampled_from([None, None, 1.5])),
        "stop_at_first": draw(st.booleans()),
    }
    inside = [X.iloc[[int(i)]] for i in rng.choice(len(X), 3)]
    return World(X, rules, model, parameters, [*inside, *(mixed(X, rng) for _ in range(2))])


def mixed(X: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """Somebody new: each value from another row of the table, and an income nobody has."""
    rows = rng.integers(0, len(X), X.shape[1])
    case = pd.DataFrame({name: X[name].iloc[[i]].array for name, i in zip(X, rows, strict=True)})
    return case.assign(income=(case["income"] + rng.normal()).round(3))


def raw(rows: pd.DataFrame) -> list[dict[str, Any]]:
    return [
        dict(zip(rows.columns, row, strict=True)) for row in rows.astype(object).to_numpy().tolist()
    ]


def faults(world: World, case: pd.DataFrame, rows: pd.DataFrame) -> list[str]:
    """Everything that is wrong with a journey, judged by its raw rows alone."""
    waypoints, records = raw(rows), {tuple(row.values()) for row in raw(world.X)}
    found = []
    if waypoints[0] != raw(case)[0]:
        found.append(f"does not start at the case: {waypoints[0]} is not {raw(case)[0]}")
    found += [f"made up: {row}" for row in waypoints[1:] if tuple(row.values()) not in records]
    found += [f"out of bounds: {row}" for row in waypoints if not world.bounded(row)]
    found += [
        f"forbidden: {column} {before[column]!r} to {after[column]!r} under {rule}"
        for before, after in pairwise(waypoints)
        for column, rule in world.rules.items()
        if rule.forbids(column, before[column], after[column])
    ]
    return found


def explained(world: World) -> list[tuple[Any, Any, Any]]:
    """Journeys of every case the bounds admit, with their case and what was wanted."""
    explainer = FACElift(world.model, world.terrain(), **world.parameters).fit(world.X)
    journeys = []
    for case in world.cases:
        if not world.bounded(raw(case)[0]):
            continue
        current = int(world.model(case)[0].argmax())
        others = [label for label in range(world.model.weights.shape[1]) if label != current]
        multiverse = explainer.explain(case, others)
        journeys += [(case, journey, multiverse.goal) for journey in multiverse]
    return journeys


@settings(max_examples=examples(150), suppress_health_check=list(HealthCheck))
@given(worlds())
def test_no_journey_ever_breaks_a_promise(world: World) -> None:
    for case, journey, goal in explained(world):
        assert faults(world, case, journey.rows) == []
        answer = world.model(journey.rows.iloc[[-1]])[0]
        chance = sum(answer[int(label)] for label in goal.target)
        assert chance >= world.parameters["threshold"] - 1e-9
        assert journey.chances[-1] == chance or abs(journey.chances[-1] - chance) < 1e-9


@settings(max_examples=examples(60), suppress_health_check=list(HealthCheck))
@given(worlds())
def test_a_case_out_of_bounds_is_refused_whatever_the_world(world: World) -> None:
    outside = [case for case in world.cases if not world.bounded(raw(case)[0])]
    assume(outside)
    explainer = FACElift(world.model, world.terrain(), **world.parameters).fit(world.X)
    for multiverse in explainer.explain_many(pd.concat(outside), 0):
        assert len(multiverse) == 0
        assert "bounds" in str(multiverse.why_not)
    with pytest.raises(InvalidData):
        explainer.explain(outside[0], 0)


@pytest.mark.parametrize("steps", ["rows", "actions"])
@pytest.mark.parametrize("scale", [3.0, 0.1, 7.0, 1e6])
def test_scaling_all_prices_changes_no_journey_even_where_costs_tie(steps, scale):
    X = pd.DataFrame([[i / 10, j / 10] for i in range(6) for j in range(6)], columns=["a", "b"])

    def model(rows):
        good = (np.rint(rows["a"] * 10) >= 3) | (np.rint(rows["b"] * 10) >= 3)
        return np.column_stack([~good, good]).astype(float)

    def journeys(price):
        terrain = Terrain.infer(X).price("a", price).price("b", price)
        explainer = FACElift(model, terrain, steps=steps, n_neighbors=3, n_counterfactuals=4)
        found = explainer.set_params(plausibility=1.0).fit(X).explain_many(X.iloc[:9:2], 1)
        return [[journey.rows.to_numpy().tolist() for journey in each] for each in found], [
            each.opportunity.round(9).tolist() for each in found
        ]

    assert journeys(1.0) == journeys(scale)


def test_a_chance_summed_over_classes_reaches_a_threshold_it_equals():
    X = np.array([[0.0], [1.0], [2.0], [3.0]])

    def model(rows):
        return np.where(rows > 1.5, [[0.0, 0.7, 0.2, 0.1]], [[1.0, 0.0, 0.0, 0.0]])

    explainer = FACElift(model, n_neighbors=2, threshold=1.0).fit(X)
    assert len(explainer.explain([0.0], target=[1, 2, 3])) == 2


def test_a_case_far_from_the_decimals_of_a_wide_column_stays_what_it_is():
    X = np.array([[0.0, 0], [1e12, 1], [5e8, 1], [1, 1]])

    def model(rows):
        return np.column_stack([rows[:, 1] <= 0.5, rows[:, 1] > 0.5]).astype(float)

    journey = FACElift(model, n_neighbors=3).fit(X).explain([400.5, 0.0], 1)[0]
    assert journey.rows.iloc[0, 0] == pytest.approx(400.5, abs=1e-3)
