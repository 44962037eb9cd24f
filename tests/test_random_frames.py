"""Any table at all: one clear error, or answers that keep every promise. Never anything else."""

from __future__ import annotations

import tempfile
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.laws import examples
from tests.random_frames import (
    PARAMETERS,
    Model,
    cases,
    odd_frames,
    plain,
    raw,
    rules,
    tables,
)

from facelift import FACElift, Multiverse, Terrain
from facelift.errors import InvalidInput


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
            dtype = str(terrain.schema.columns[i].dtype).lower()
            one = plain(np.array(one, dtype)) if dtype in ("float16", "float32") else one
            assert abs(one - other) <= 4e-16 * max(feature.span, abs(one - feature.low))


def types(X: Any) -> Any:
    """What a table is, but for its values."""
    if isinstance(X, pd.DataFrame):
        return X.dtypes.tolist(), X.columns.tolist(), X.index.tolist()
    return X.dtype if isinstance(X, np.ndarray) else X.schema


def check_round_trip(terrain: Terrain, X: Any) -> None:
    points = terrain.encode(X)
    assert np.isfinite(points).all()
    back = terrain.decode(points)
    assert types(back) == types(X)
    for was, now in zip(raw(X), raw(back), strict=True):
        check_equal(terrain, was, now)


def check_promises(
    explainer: FACElift, said: dict[Any, str], case: dict[Any, Any], multiverse: Multiverse
) -> None:
    """Journeys start at the case, break no rule, and arrive by what the model says."""
    _, terrain = explainer.terrain_.case(case)  # keeps the numbers of the case as given
    assert (multiverse.why_not is None) == (len(multiverse) > 0)
    for journey in multiverse:
        rows = terrain.decode(journey.waypoints)
        waypoints, chances = raw(rows), explainer.model(rows)[:, 1]
        assert raw(journey.rows) == waypoints  # rows show what the model saw
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


def shares_a_number(explainer: FACElift, case: dict[Any, Any]) -> bool:
    """Whether records have numbers that no coordinate tells from the case's (docs/limits.md)."""
    point, terrain = explainer.terrain_.case(case)
    return any(
        feature.own is not None
        and (explainer.graph_.points[:, part.start] == point[part.start]).any()
        for feature, part in terrain.parts
    )


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


GIVEN_AS = [
    dict,
    pd.Series,
    lambda case: list(case.values()),
    lambda case: pd.DataFrame([case], columns=list(case)),
]


def check_table(X: Any, parameters: dict[str, Any], salt: int, draw: Any) -> None:
    """A table is refused in one line, or explained with every promise kept."""
    try:
        terrain = Terrain.infer(X)
        check_round_trip(terrain, X)
        terrain, said = draw(rules(terrain))
        explainer = FACElift(Model(salt), terrain, **parameters).fit(X)
        case = draw(cases(X, terrain.schema.names, explainer.model(X)[:, 1]))
        given = draw(st.sampled_from(GIVEN_AS))(case)
        multiverse = explainer.explain(given, 1)
    except InvalidInput as fault:
        one_line(fault)
        return
    if explainer.steps != "rows" or not shares_a_number(explainer, case):
        check_promises(explainer, said, case, multiverse)
    check_tellings(multiverse)
    with tempfile.TemporaryDirectory() as folder:
        explainer.save(folder)
        loaded = FACElift.load(folder, model=explainer.model)
    assert loaded.explain(given, 1).to_json() == multiverse.to_json()
    batch = explainer.explain_many(X, 1)
    assert len(batch) == len(X)


@settings(max_examples=examples(250), suppress_health_check=list(HealthCheck))
@given(tables(), PARAMETERS, st.integers(0, 2**16), st.data())
def test_any_table_is_one_clear_error_or_answers_that_keep_every_promise(
    X: Any, parameters: Any, salt: int, data: Any
) -> None:
    check_table(X, parameters, salt, data.draw)


@settings(max_examples=examples(100), suppress_health_check=list(HealthCheck))
@given(odd_frames())
def test_a_column_of_another_kind_is_one_clear_error(X: pd.DataFrame) -> None:
    with pytest.raises(InvalidInput) as refused:
        FACElift(Model(0)).fit(X)
    told = one_line(refused.value)
    assert "Column 'odd'" in told or "holds no value at all" in told
