"""Tables have the rows and labels their pages promise."""

from __future__ import annotations

import csv

import numpy as np
import pandas as pd
import pytest

from facelift import datasets
from facelift.datasets.fetching import dataset
from facelift.errors import DamagedFile, DataUnavailable, InvalidInput


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


@pytest.fixture(scope="module")
def owners(data_home):
    return datasets.load_heloc(data_home)


def test_heloc_has_10459_owners_with_23_features(owners):
    assert owners.data.shape == (10_459, 23)
    assert owners.target.value_counts().to_dict() == {"Bad": 5_459, "Good": 5_000}
    assert owners.target.name == "RiskPerformance"
    assert owners.frame.columns[-1] == "RiskPerformance"
    assert (owners.data.dtypes == np.float64).all()


def test_codes_of_heloc_are_missing_values_and_nothing_else_is(owners, data_home):
    written = pd.read_csv(data_home / "heloc" / "heloc_dataset_v1.csv")[owners.feature_names]
    coded = written.isin([-7, -8, -9])
    assert (owners.data.isna() == coded).all(axis=None)
    assert owners.data.isna().any(axis=1).sum() == 7_957
    pd.testing.assert_frame_equal(owners.data, written.mask(coded).astype(float))


def test_owners_without_codes_are_those_of_the_file_in_order(owners, data_home):
    whole = datasets.load_heloc(data_home, codes="dropped")
    assert whole.data.shape == (2_502, 23)
    pd.testing.assert_frame_equal(whole.frame, owners.frame.dropna().reset_index(drop=True))


def test_other_treatments_of_codes_are_refused(data_home):
    with pytest.raises(InvalidInput, match="'missing' or 'dropped', got 'kept'"):
        datasets.load_heloc(data_home, codes="kept")


def test_heloc_is_asked_for_where_it_is_not(tmp_path, monkeypatch):
    monkeypatch.delenv("FACELIFT_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path))
    with pytest.raises(DataUnavailable, match=r"heloc/heloc_dataset_v1\.csv is in none of"):
        datasets.load_heloc()


def test_breast_cancer_has_212_malignant_and_357_benign_tumours():
    cancer = datasets.load_breast_cancer()
    assert cancer.data.shape == (569, 30)
    assert cancer.target.value_counts().to_dict() == {"malignant": 212, "benign": 357}
    assert cancer.target_names == ["benign", "malignant"]
    assert cancer.frame.columns.to_list() == [*cancer.feature_names, "diagnosis"]


def test_malignant_tumours_have_the_larger_nuclei():
    cancer = datasets.load_breast_cancer()
    radius = cancer.data["mean radius"].groupby(cancer.target).mean()
    assert radius["malignant"] > radius["benign"]


@pytest.mark.parametrize(
    "load", [datasets.load_adult, datasets.load_credit_default, datasets.load_heloc]
)
def test_data_and_target_alone_can_be_had(load, data_home):
    X, y = load(data_home, return_X_y=True)
    both = load(data_home)
    pd.testing.assert_frame_equal(X, both.data)
    pd.testing.assert_series_equal(y, both.target)


@pytest.mark.parametrize("load", [datasets.load_digits, datasets.load_breast_cancer])
def test_data_and_target_of_what_is_embedded_can_be_had_alone(load):
    X, y = load(return_X_y=True)
    assert X.equals(load().data)
    assert y.equals(load().target)


@pytest.mark.parametrize(
    ("load", "name"),
    [
        (datasets.load_adult, "adult"),
        (datasets.load_credit_default, "credit_default"),
        (datasets.load_heloc, "heloc"),
    ],
)
def test_a_corrupted_file_is_refused_and_named(load, name, data_home, tmp_path):
    sources = dataset(name).files
    for source in sources:
        (tmp_path / source.path).parent.mkdir(exist_ok=True)
        (tmp_path / source.path).write_bytes((data_home / source.path).read_bytes())
    spoilt = tmp_path / sources[-1].path
    spoilt.write_bytes(spoilt.read_bytes().replace(b"39", b"38", 1))
    with pytest.raises(DamagedFile, match=spoilt.name):
        load(tmp_path)
