"""Adult and Credit Default have the rows, labels and rules their pages promise."""

from __future__ import annotations

import csv

import numpy as np
import pandas as pd
import pytest

from facelift import FACElift, Terrain, datasets
from facelift.datasets import adult, credit_default
from facelift.datasets.fetching import Source
from facelift.errors import DamagedFile


@pytest.fixture(scope="module")
def people(data_home):
    return datasets.load_adult(data_home)


@pytest.fixture(scope="module")
def holders(data_home):
    return datasets.load_credit_default(data_home)


def test_adult_has_48842_people_with_14_features(people):
    assert people.data.shape == (48_842, 14)
    assert people.frame.shape == (48_842, 15)
    assert people.target.value_counts().to_dict() == {"<=50K": 37_155, ">50K": 11_687}
    assert people.target_names == ["<=50K", ">50K"]
    assert people.target.name == "income"
    assert (people.split == "train").sum() == 32_561
    assert (people.split == "test").sum() == 16_281


def test_what_is_not_known_of_a_person_is_a_level_of_its_own(people):
    assert not people.frame.isna().any(axis=None)
    unknown = people.data.eq("unknown")
    assert unknown.any(axis=1).sum() == 3_620
    assert set(unknown.columns[unknown.any()]) == {"workclass", "occupation", "native_country"}


def test_adult_says_cell_by_cell_what_its_files_say(people, data_home):
    rows = []
    for name in ("adult.data", "adult.test"):
        with (data_home / "adult" / name).open(encoding="ascii", newline="") as file:
            lines = [row for row in csv.reader(file, skipinitialspace=True) if len(row) == 15]
            rows += [
                ["unknown" if cell == "?" else cell.rstrip(".") for cell in row] for row in lines
            ]
    assert people.frame.astype(str).to_numpy().tolist() == rows


def test_education_is_ordered_as_its_number_counts(people):
    assert people.data["education"].cat.ordered
    codes = people.data["education"].cat.codes + 1
    assert (codes == people.data["education_num"]).all()


def test_credit_default_has_30000_holders_with_23_features(holders):
    assert holders.data.shape == (30_000, 23)
    assert holders.target.value_counts().to_dict() == {"paid": 23_364, "default": 6_636}
    assert holders.target.name == "payment"
    assert not holders.frame.isna().any(axis=None)


def test_credit_default_says_cell_by_cell_what_its_file_says(holders, data_home):
    with (data_home / "default" / "UCI_Credit_Card.csv").open(encoding="ascii", newline="") as file:
        header, *rows = csv.reader(file)
    assert header[6:8] == ["PAY_0", "PAY_2"]
    codes = {
        "sex": {"male": 1, "female": 2},
        "education": {"graduate school": 1, "university": 2, "high school": 3, "other": 4}
        | {f"unknown, code {code}": code for code in (0, 5, 6)},
        "marriage": {"married": 1, "single": 2, "other": 3, "unknown, code 0": 0},
        "payment": {"paid": 0, "default": 1},
    }
    coded = holders.frame.astype(object)
    for name, code in codes.items():
        coded[name] = coded[name].map(code)
    expected = [[int(float(cell)) for cell in row[1:]] for row in rows]
    assert coded.to_numpy().tolist() == expected
    assert holders.data.columns[5:7].to_list() == ["delay_september", "delay_august"]


@pytest.mark.parametrize("load", [datasets.load_adult, datasets.load_credit_default])
def test_data_and_target_alone_can_be_had(load, data_home):
    X, y = load(data_home, return_X_y=True)
    assert len(X) == len(y)
    assert X.select_dtypes("category").columns.size > 0


@pytest.mark.parametrize(
    ("load", "sources"),
    [
        (datasets.load_adult, [adult.TRAIN, adult.TEST]),
        (datasets.load_credit_default, [credit_default.TABLE]),
    ],
)
def test_a_corrupted_file_is_refused_and_named(load, sources: list[Source], data_home, tmp_path):
    for source in sources:
        (tmp_path / source.path).parent.mkdir(exist_ok=True)
        (tmp_path / source.path).write_bytes((data_home / source.path).read_bytes())
    spoilt = tmp_path / sources[-1].path
    spoilt.write_bytes(spoilt.read_bytes().replace(b"39", b"38", 1))
    with pytest.raises(DamagedFile, match=spoilt.name):
        load(tmp_path)


def test_the_rules_of_adult_keep_what_people_cannot_change(people):
    terrain = datasets.adult_rules(Terrain.infer(people.data))
    frozen = {feature.name for feature in terrain.features if feature.frozen}
    assert frozen == {"sex", "race", "native_country", "marital_status", "relationship"}
    grows = {f.name for f in terrain.features if f.decrease == np.inf and f.increase < np.inf}
    assert grows == {"age", "education", "education_num"}
    assert terrain.feature("fnlwgt").increase == 0.0


def test_the_rules_of_adult_let_nothing_become_unknown(people):
    terrain = datasets.adult_rules(Terrain.infer(people.data))
    known = people.data.iloc[[0]]
    for name in ("workclass", "occupation"):
        lost = known.assign(**{name: pd.Categorical(["unknown"], dtype=known[name].dtype)})
        there, back = terrain.encode(known), terrain.encode(lost)
        assert terrain.cost(there, back)[0] == np.inf
        assert terrain.cost(back, there)[0] < np.inf


def test_the_rules_of_adult_need_neither_weights_nor_the_number_of_the_education(people):
    table = people.data.drop(columns=["fnlwgt", "education_num"])
    terrain = datasets.adult_rules(Terrain.infer(table))
    assert len(terrain.features) == 12


def test_the_rules_of_credit_default_keep_what_people_cannot_change(holders):
    terrain = datasets.credit_default_rules(Terrain.infer(holders.data))
    frozen = {feature.name for feature in terrain.features if feature.frozen}
    assert frozen == {"sex", "education", "marriage"}
    assert terrain.feature("age").decrease == np.inf
    assert terrain.feature("credit_limit").increase == np.inf


def test_ordinary_rules_of_credit_default_leave_nearly_everyone_a_way(holders):
    """The model is a plain rule, so that the test is about the terrain alone."""
    X = holders.data.iloc[:3000]

    def model(rows: pd.DataFrame) -> np.ndarray:
        good = (rows["delay_september"] <= 0).to_numpy(dtype=float)
        return np.column_stack([1 - good, good])

    terrain = datasets.credit_default_rules(Terrain.infer(X))
    explainer = FACElift(model, terrain, n_counterfactuals=1).fit(X)
    rejected = X[X["delay_september"] > 0].iloc[:100]
    ways = [len(multiverse) for multiverse in explainer.explain_many(rejected, target=1)]
    assert np.mean(ways) >= 0.9
