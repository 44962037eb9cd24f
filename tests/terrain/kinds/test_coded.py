"""Special codes among numbers: each a state of its own."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from facelift import FACElift, Terrain, prepare, read_rules, write_rules
from facelift.errors import InvalidData, InvalidRules, UnknownColumn
from facelift.multiverse.words import value_words

CODES = [-7, -8, -9]
cells = st.one_of(st.sampled_from(CODES), st.integers(0, 500))


def records() -> pd.DataFrame:
    draws = np.random.default_rng(0)
    table = pd.DataFrame({"since": draws.integers(0, 60, 300), "debts": draws.integers(0, 9, 300)})
    table.loc[::5, "since"] = -9
    table.loc[1::7, "since"] = -8
    return table


def granted(rows: pd.DataFrame) -> np.ndarray:
    assert rows["since"].between(-9, 60).all()
    good = ((rows["since"] > 25) & (rows["debts"] < 5)).to_numpy()
    return np.column_stack([~good, good]).astype(float)


@given(st.lists(st.one_of(cells, st.none()), min_size=1), st.integers(0, 500))
def test_codes_and_numbers_and_gaps_come_back(values, number):
    for column in (pd.Series([*values, number], dtype=float), pd.Series([number, *CODES])):
        table = pd.DataFrame({"c": column})
        terrain = Terrain.infer(table, missing={"c": CODES})
        pd.testing.assert_frame_equal(terrain.decode(terrain.encode(table)), table)
        for value, point in zip(table["c"], np.asarray(terrain.encode(table)), strict=True):
            assert np.array_equal(terrain.point({"c": value}), point)


def test_codes_lead_to_numbers_and_not_to_each_other():
    terrain = Terrain.infer(records(), missing={"since": CODES})
    nine, eight, number = (terrain.point({"since": value, "debts": 3}) for value in (-9, -8, 20))
    assert terrain.cost(nine, number) == 1
    assert np.isinf([terrain.cost(nine, eight), terrain.cost(number, nine)]).all()
    assert terrain.feature("since").summary[-1] == (
        "0 to 59; or a code: -9, -8, -7; or missing, found at 1"
    )
    assert terrain.between("since", 0, 30).admissible([nine, number]).all()


@pytest.mark.parametrize("steps", ["rows", "actions"])
def test_models_see_codes_and_people_leave_them(steps, tmp_path):
    terrain = Terrain.infer(records(), missing={"since": CODES})
    terrain = terrain.label("since", values={-9: "no record"}).missing("since", found=0.5)
    explainer = FACElift(granted, terrain, steps=steps).fit(records())
    multiverse = explainer.explain({"since": -9, "debts": 7}, target=1)
    for journey in multiverse:
        since = journey.rows["since"].tolist()
        assert since[0] == -9
        assert since[-1] > 25
        assert -8 not in since
    assert value_words(-9, terrain.feature("since")) == "no record"
    explainer.save(tmp_path / "saved")
    again = FACElift.load(tmp_path / "saved", model=granted)
    assert again.terrain_.features == terrain.features
    assert again.explain({"since": -9, "debts": 7}, target=1).to_json() == multiverse.to_json()


def test_rules_name_codes_and_give_them_back(tmp_path):
    path = tmp_path / "rules.toml"
    terrain = Terrain.infer(records(), missing={"since": CODES})
    for each in (terrain, terrain.missing("since", found=0.5), terrain.freeze("since")):
        write_rules(each, path)
        assert read_rules(path, terrain) == each
    path.write_text("since.missing = [-9, -8, -7]")
    assert read_rules(path, terrain) == terrain
    pd.testing.assert_frame_equal(prepare(records(), path), records())
    pd.testing.assert_frame_equal(prepare(records(), terrain), records())
    with pytest.raises(InvalidRules, match=r"does not know these codes.*infer\(X, missing="):
        read_rules(path, Terrain.infer(records()))


def test_what_cannot_be_a_code_is_one_clear_line():
    with pytest.raises(UnknownColumn, match="no column 'sins' with codes; did you mean 'since'"):
        Terrain.infer(records(), missing={"sins": [-9]})
    with pytest.raises(InvalidData, match="Codes of 'c' are for columns of numbers"):
        Terrain.infer(pd.DataFrame({"c": ["a", "b"]}), missing={"c": [-9]})
    with pytest.raises(InvalidData, match="holds no value at all"):
        Terrain.infer(pd.DataFrame({"c": [-9, -9]}), missing={"c": [-9]})
