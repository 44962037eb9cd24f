"""Levels: names are refused, and of many levels the most common are offered."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from facelift import FACElift, Terrain, read_rules, write_rules
from facelift.errors import InvalidData
from facelift.terrain.kinds import kind_of
from facelift.terrain.kinds.levels import MOST_CHOICES
from facelift.terrain.ladder import ladders


def banks(n: int = 2000) -> pd.DataFrame:
    draws = np.random.default_rng(0)
    return pd.DataFrame({"bank": [f"Bank {int(each)}" for each in draws.exponential(60, n)]})


def test_names_are_refused_with_the_share_of_distinct_values():
    table = pd.DataFrame({"firm": [f"Firm {i // 2}" if i < 4 else f"F {i}" for i in range(1000)]})
    with pytest.raises(InvalidData, match=r"'firm' has 998 different values in 1,000 rows \(100%"):
        Terrain.infer(table)


def test_of_many_levels_the_most_common_are_offered(tmp_path):
    table = banks()
    terrain = Terrain.infer(table)
    feature = terrain.feature("bank")
    assert len(feature.levels) > 200
    common = set(table["bank"].value_counts().index[:MOST_CHOICES])
    assert {feature.levels[int(stop)] for stop in feature.stops} == common
    assert "50 of them to choose among" in feature.summary[-1]
    assert len(feature.summary[-1]) < 1000
    rare = table["bank"].value_counts().index[-1]
    point = terrain.point({"bank": rare})
    (ladder,) = ladders(terrain, point)
    assert len(ladder) == MOST_CHOICES + 1
    pd.testing.assert_frame_equal(terrain.decode(terrain.encode(table)), table)
    few = terrain.levels("bank", ["Bank 1", "Bank 2"])
    write_rules(few, tmp_path / "rules.toml")
    assert read_rules(tmp_path / "rules.toml", terrain) == few
    model = lambda rows: np.tile([0.4, 0.6], (len(rows), 1))  # noqa: E731
    FACElift(model, few).fit(table).save(tmp_path / "saved")
    assert FACElift.load(tmp_path / "saved", model=model).terrain_.features == few.features


def test_few_levels_are_all_offered():
    terrain = Terrain.infer(pd.DataFrame({"job": ["cook", "judge", None]}))
    assert terrain.feature("job").stops == ()
    (ladder,) = ladders(terrain, terrain.point({"job": None}))
    assert len(ladder) == 3


@pytest.mark.parametrize("missing", [False, True])
def test_levels_come_back_in_every_type_they_are_asked_for(missing):
    """Cells are kept by type, and those of one type are not given for another."""
    cells = ["own", "rent", None if missing else "own"]
    feature = Terrain.infer(pd.DataFrame({"housing": pd.Series(cells, dtype=object)})).features[0]
    asked = [np.dtype(object), pd.StringDtype(), np.dtype(object), pd.StringDtype()]
    places = feature.places[:2]
    for dtype in asked:
        column = kind_of(feature).decode(feature, places, np.zeros(2, dtype=bool), dtype)
        frame = pd.DataFrame({"housing": column})
        assert frame["housing"].tolist() == ["own", "rent"]
        assert frame["housing"].dtype == dtype


def test_levels_that_are_equal_numbers_and_truths_are_not_taken_for_each_other():
    truths = pd.DataFrame({"x": pd.Series([True, False], dtype=object)})
    numbers = pd.DataFrame({"x": pd.Categorical([1, 0], ordered=True)})
    for table in (truths, numbers, truths):
        terrain = Terrain.infer(table)
        assert [type(each) for each in terrain.decode(terrain.encode(table))["x"].tolist()] == [
            type(each) for each in table["x"].tolist()
        ]
