"""Any table at all: one clear error, or answers that keep every promise. Never anything else.

Tables have columns of every type, missing values, numbers from 5e-324 to 1.8e308, whole numbers of
any size, empty and foreign names, constant columns, one row or column, and rows that stand there
twice; some have what facelift does not know, such as dates. Rules and prices are as odd.
"""

from __future__ import annotations

import math
import tempfile
import zlib
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.laws import examples

from facelift import FACElift, Multiverse, Terrain
from facelift.errors import InvalidInput

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=4)
EXTREMES = [0.0, -0.0, 5e-324, 1e-300, 1e-9, 0.1, 1.0, 1e9, 2.0**53, 1e300, 1.7e308]
NUMBERS = st.one_of(
    st.integers(-20, 20).map(float),
    st.integers(-999, 999).map(lambda i: i / 100),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from([*EXTREMES, *(-each for each in EXTREMES)]),
)


def whole(dtype: str) -> st.SearchStrategy[int]:
    limits = np.iinfo(dtype.lower())
    small = st.integers(max(limits.min, -9), 9)
    return st.one_of(small, st.integers(max(limits.min, -(2**52)), min(limits.max, 2**52)))


ODD = {  # none of them is a column that one can walk on
    "object": st.sampled_from([pd.Timestamp("2020-02-29"), 1j, (), 2**70, -3, math.inf]),
    "float64": st.sampled_from([math.inf, math.nan]),
    "uint64": st.integers(2**53, 2**64 - 1),
    "complex128": st.just(1j),
    "datetime64[ns]": st.just(pd.Timestamp("2020-02-29")),
    "timedelta64[ns]": st.just(pd.Timedelta("1D")),
    "category": st.just(pd.Interval(0, 1)),
}
TYPES = {  # type: what is in it, and how a missing value is written
    "float64": (NUMBERS, math.nan),
    "float32": (st.floats(width=32, allow_nan=False, allow_infinity=False), math.nan),
    "Float64": (NUMBERS, pd.NA),
    **{dtype: (whole(dtype), None) for dtype in ("int64", "int32", "int8", "uint8", "uint64")},
    "Int64": (whole("Int64"), pd.NA),
    "bool": (st.booleans(), None),
    "boolean": (st.booleans(), pd.NA),
    "object": (st.booleans() | st.nothing(), None),
    "str": (TEXT, math.nan),
}


def cells(n: int, values: st.SearchStrategy[Any], blank: Any = None) -> st.SearchStrategy[list]:
    """As many values; some are missing where a blank is given, some columns are constant."""
    some = values if blank is None else st.one_of(values, values, st.just(blank))
    lists = st.lists(some, min_size=n, max_size=n)
    return st.one_of(lists, lists, lists, values.map(lambda value: [value] * n))


@st.composite
def columns(draw: st.DrawFn, n: int) -> pd.Series:
    """A column of any type that facelift knows."""
    gaps = draw(st.integers(0, 3)) == 0
    kind = draw(st.sampled_from(["float64", "category", "category", "text", *TYPES]))
    if kind == "text":
        return pd.Series(draw(cells(n, TEXT, None if not gaps else math.nan)), dtype=object)
    if kind == "category":
        elements = draw(st.sampled_from([TEXT, st.integers(-5, 5), NUMBERS, st.booleans()]))
        known = draw(st.lists(elements, min_size=1, max_size=5, unique=True))
        codes = draw(cells(n, st.integers(0, len(known) - 1), -1 if gaps else None))
        ordered = draw(st.booleans())
        return pd.Series(pd.Categorical.from_codes(codes, categories=known, ordered=ordered))
    values, blank = TYPES[kind]
    return pd.Series(draw(cells(n, values, blank if gaps else None)), dtype=kind)


@st.composite
def frames(draw: st.DrawFn) -> pd.DataFrame:
    """Tables of any columns; some rows stand there twice."""
    n = draw(st.integers(1, 14))
    names = draw(st.lists(st.one_of(TEXT, st.integers(0, 9)), min_size=1, max_size=5, unique=True))
    frame = pd.DataFrame({i: draw(columns(n)) for i, _ in enumerate(names)})
    frame.columns = pd.Index(names, dtype=object)
    again = draw(st.lists(st.integers(0, n - 1), max_size=4))
    return frame.iloc[[*range(n), *again]]


@st.composite
def odd_frames(draw: st.DrawFn) -> pd.DataFrame:
    """Tables with a column that facelift does not know, or that has no name of its own."""
    frame = draw(frames())
    dtype = draw(st.sampled_from(list(ODD)))
    odd = pd.Series(draw(cells(len(frame), ODD[dtype])), dtype=dtype, index=frame.index)
    frame.insert(draw(st.integers(0, frame.shape[1])), "odd", odd, allow_duplicates=True)
    return frame


@dataclass(frozen=True, eq=False)
class Model:
    """A chance of 0 to 1 that hangs on every value of a row, and on nothing else."""

    salt: int

    def __call__(self, X: pd.DataFrame) -> np.ndarray:
        rows = X.astype(object).itertuples(index=False, name=None)
        said = [zlib.crc32(repr((self.salt, *map(plain, row))).encode()) for row in rows]
        yes = np.array(said, dtype=np.float64) / 2**32
        return np.column_stack([1 - yes, yes])


def plain(value: Any) -> Any:
    """A value without its type: 1, 1.0, True and NumPy's are one; so are all that are missing."""
    if isinstance(value, str):
        return value
    return None if pd.isna(value) else float(value) + 0.0


def raw(X: pd.DataFrame) -> list[tuple[Any, ...]]:
    return [tuple(map(plain, row)) for row in X.astype(object).itertuples(index=False, name=None)]


PRICES = st.sampled_from([0.0, 1e-100, 1e-9, 0.5, 3.0, 1e9, 1e100, math.inf])
DIRECTIONS = ["freeze", "increase_only", "decrease_only"]


@st.composite
def rules(draw: st.DrawFn, terrain: Terrain) -> tuple[Terrain, dict[Any, str]]:
    """A terrain with odd prices, and which columns may go in one direction only or in none."""
    said: dict[Any, str] = {}
    for feature in terrain.features:
        has_order, often = feature.kind != "categorical", ["none"] * 4
        choice = draw(st.sampled_from([*often, "price", "stops", "bounds", "missing", *DIRECTIONS]))
        if choice == "price":
            up = draw(PRICES)
            terrain = terrain.price(feature.name, up, decrease=draw(PRICES) if has_order else up)
        elif choice in DIRECTIONS and (has_order or choice == "freeze"):
            terrain, said[feature.name] = getattr(terrain, choice)(feature.name), choice
        elif choice == "stops" and feature.kind == "numeric":
            known = st.sampled_from([feature.low, feature.high, *feature.stops])
            stops = draw(st.lists(known | NUMBERS, min_size=1, max_size=4))
            terrain = terrain.levels(feature.name, stops)
        elif choice == "bounds" and feature.kind == "numeric":
            ends = sorted([feature.low, draw(NUMBERS | st.just(feature.high))])
            terrain = terrain.between(feature.name, *ends)
        elif choice == "missing" and feature.missing:
            terrain = terrain.missing(feature.name, found=draw(PRICES), lost=draw(PRICES))
    return terrain, said


PARAMETERS = st.fixed_dictionaries(
    {
        "steps": st.sampled_from(["rows", "actions"]),
        "n_neighbors": st.integers(1, 6),
        "edges": st.sampled_from(["union", "out", "mutual"]),
        "edge_cost": st.sampled_from(["distance", "distance", "power", "density", "kde"]),
        "n_counterfactuals": st.integers(1, 4),
        "min_separation": st.sampled_from([0.0, 0.0, 0.5, 1e300]),
        "max_states": st.sampled_from([5, 100]),
        "plausibility": st.sampled_from([0.5, 1.0]),
    }
)


def moves_back(feature: Any, direction: str, before: Any, after: Any) -> bool:
    """Whether a change between plain values is one that a direction rules out."""
    if before == after or None in (before, after):
        return before != after and direction == "freeze"
    ranks = {plain(level): rank for rank, level in enumerate(feature.levels)}
    rises = ranks[after] > ranks[before] if ranks else after > before
    return direction == "freeze" or rises == (direction == "decrease_only")


def check_equal(terrain: Terrain, was: tuple[Any, ...], now: tuple[Any, ...]) -> None:
    """Rows are the same, but for numbers nearer to each other than points can be."""
    for i, (feature, one, other) in enumerate(zip(terrain.features, was, now, strict=True)):
        if feature.kind != "numeric" or one is None:
            assert one == other
        else:
            single = str(terrain.schema.columns[i].dtype) == "float32"
            one = plain(np.float32(one)) if single else one
            assert abs(one - other) <= 4e-16 * max(feature.span, abs(one - feature.low))


def check_round_trip(terrain: Terrain, X: pd.DataFrame) -> None:
    points = terrain.encode(X)
    assert np.isfinite(points).all()
    back = terrain.decode(points)
    assert back.dtypes.equals(X.dtypes)
    assert back.columns.equals(X.columns)
    assert back.index.equals(X.index)
    for was, now in zip(raw(X), raw(back), strict=True):
        check_equal(terrain, was, now)


def check_promises(
    explainer: FACElift, said: dict[Any, str], case: dict[Any, Any], multiverse: Multiverse
) -> None:
    """Journeys start at the case, break no rule, and arrive by what the model says."""
    terrain = explainer.terrain_
    assert (multiverse.why_not is None) == (len(multiverse) > 0)
    for journey in multiverse:
        waypoints, chances = raw(journey.rows), explainer.model(journey.rows)[:, 1]
        check_equal(terrain, tuple(map(plain, case.values())), waypoints[0])
        assert terrain.admissible(journey.waypoints).all()
        assert np.isfinite(terrain.cost(journey.waypoints[:-1], journey.waypoints[1:])).all()
        assert np.isfinite(journey.step_costs).all()
        for name, direction in said.items():
            i = terrain.schema.names.index(name)
            for before, after in pairwise(waypoints):
                assert not moves_back(terrain.feature(name), direction, before[i], after[i])
        assert chances[-1] >= explainer.threshold
        assert journey.chances.tolist() == chances.tolist()
        assert (journey.opportunity >= 0).all()
        assert (journey.opportunity <= 1).all()


def check_tellings(multiverse: Multiverse) -> None:
    """Text, frames and documents of it can be had, and the document comes back."""
    assert repr(multiverse)
    assert multiverse._repr_html_()
    multiverse.to_frame()
    document = multiverse.to_json()
    assert Multiverse.from_json(document).to_json() == document


def one_line(fault: InvalidInput) -> str:
    assert "\n" not in str(fault)
    return str(fault)


@st.composite
def cases(draw: st.DrawFn, X: pd.DataFrame, chances: np.ndarray) -> dict[Any, Any]:
    """Somebody of the table, more often one of those with little chance; or somebody made up."""
    if draw(st.booleans()):
        place = np.argsort(chances)[draw(st.integers(0, len(X) // 2))]
        return X.astype(object).iloc[place].to_dict()
    cells = {name: st.sampled_from(X[name].tolist()) for name in X}
    if draw(st.booleans()):
        name = draw(st.sampled_from(list(cells)))
        cells[name] = cells[name] | NUMBERS | TEXT | st.sampled_from([None, True, 10**400, 300])
    return {name: draw(cell) for name, cell in cells.items()}


GIVEN_AS = [dict, pd.Series, lambda case: pd.DataFrame([case], columns=list(case))]


def outcome(X: pd.DataFrame, parameters: dict[str, Any], salt: int, draw: Any) -> str:
    """What became of a table: why it was refused, or how it was explained; every promise kept."""
    try:
        terrain = Terrain.infer(X)
        check_round_trip(terrain, X)
        terrain, said = draw(rules(terrain))
        explainer = FACElift(Model(salt), terrain, **parameters).fit(X)
        case = draw(cases(X, explainer.model(X)[:, 1]))
        given = draw(st.sampled_from(GIVEN_AS))(case)
        multiverse = explainer.explain(given, 1)
    except InvalidInput as fault:
        return one_line(fault)
    check_promises(explainer, said, case, multiverse)
    check_tellings(multiverse)
    with tempfile.TemporaryDirectory() as folder:
        explainer.save(folder)
        loaded = FACElift.load(folder, model=explainer.model)
    assert loaded.explain(given, 1).to_json() == multiverse.to_json()
    batch = explainer.explain_many(X, 1)
    assert len(batch) == len(X)
    return multiverse.why_not.reason if multiverse.why_not else parameters["steps"]


def test_any_table_is_one_clear_error_or_answers_that_keep_every_promise():
    seen: Counter[str] = Counter()

    @settings(max_examples=examples(250), suppress_health_check=list(HealthCheck))
    @given(frames(), PARAMETERS, st.integers(0, 2**16), st.data())
    def check(X: pd.DataFrame, parameters: Any, salt: int, data: Any) -> None:
        seen[outcome(X, parameters, salt, data.draw)] += 1

    check()
    explained = ("rows", "actions", "no candidate", "no route", "already there")
    refused = seen.total() - sum(seen[each] for each in explained)
    assert min(seen["rows"], seen["actions"], seen["no candidate"], refused) > 8


@settings(max_examples=examples(100), suppress_health_check=list(HealthCheck))
@given(odd_frames())
def test_a_column_of_another_kind_is_one_clear_error(X: pd.DataFrame) -> None:
    with pytest.raises(InvalidInput) as refused:
        FACElift(Model(0)).fit(X)
    told = one_line(refused.value)
    assert "Column 'odd'" in told or "holds no value at all" in told
