"""A small table with every kind of column, and random rules on it."""

from __future__ import annotations

import math

import pandas as pd
from hypothesis import strategies as st

from facelift.terrain import Terrain

SAVINGS = ("none", "low", "high")
HOUSING = ("free", "own", "rent")
SCORES = (3, 1, 2)

FRAME = pd.DataFrame(
    {
        "age": [20, 40, 60, 31],
        "income": [1.5, 2.25, 9.0, 0.1],
        "savings": pd.Categorical(["low", "none", "high", "low"], SAVINGS, ordered=True),
        "housing": ["rent", "own", "free", "own"],
        "score": pd.Categorical([1, 2, 3, 1], SCORES),
        "employed": [True, False, True, True],
    }
)
LEVELS = {"savings": SAVINGS, "housing": HOUSING, "score": SCORES, "employed": (False, True)}
ORDERED = ["age", "income", "savings", "employed"]

prices = st.one_of(
    st.just(math.inf), st.just(0.0), st.just(1.0), st.floats(0.01, 100), st.integers(2, 9)
)

rows = st.fixed_dictionaries(
    {
        "age": st.integers(10, 70),
        "income": st.sampled_from([0.1, 0.5, 1.5, 2.25, 8.75, 9.0, 12.0]),
        "savings": st.sampled_from(SAVINGS),
        "housing": st.sampled_from(HOUSING),
        "score": st.sampled_from(SCORES),
        "employed": st.booleans(),
    }
)


def frame_of(cases: list[dict[str, object]]) -> pd.DataFrame:
    """Rows as a table with the types of `FRAME`."""
    return pd.DataFrame(cases).astype(FRAME.dtypes.to_dict())


@st.composite
def one_rule(draw):
    """A refining method and its arguments that any stage of the terrain accepts."""
    rule = draw(st.sampled_from(["freeze", "one way", "both", "price", "between", "transition"]))
    if rule == "freeze":
        return "freeze", (draw(st.sampled_from(list(FRAME.columns))),), {}
    if rule == "one way":
        way = draw(st.sampled_from(["increase_only", "decrease_only"]))
        return way, (draw(st.sampled_from(ORDERED)),), {}
    if rule == "both":
        return "price", (draw(st.sampled_from(list(FRAME.columns))), draw(prices)), {}
    if rule == "price":
        way = draw(st.sampled_from(["increase", "decrease"]))
        return "price", (draw(st.sampled_from(ORDERED)),), {way: draw(prices)}
    if rule == "between":
        bounds = draw(
            st.sampled_from([(25, 50), (-math.inf, 40), (30.5, math.inf), (-math.inf, math.inf)])
        )
        return "between", (draw(st.sampled_from(["age", "income"])), *bounds), {}
    name = draw(st.sampled_from(list(LEVELS)))
    start, end = draw(st.permutations(LEVELS[name]))[:2]
    return "transition", (name, start, end), {"price": draw(prices)}


def refined(terrain: Terrain, rules: list[tuple[str, tuple, dict]]) -> Terrain:
    """The terrain after a list of rules."""
    for method, arguments, options in rules:
        terrain = getattr(terrain, method)(*arguments, **options)
    return terrain


@st.composite
def terrains(draw):
    """The terrain of `FRAME` under random rules, sometimes with housing in an order."""
    terrain = Terrain.infer(FRAME)
    rules = draw(st.lists(one_rule(), max_size=8))
    if draw(st.booleans()):
        order = ("order", ("housing", draw(st.permutations(HOUSING))), {})
        rules.insert(draw(st.integers(0, len(rules))), order)
    return refined(terrain, rules)
