"""The embedded table says what its source says."""

from __future__ import annotations

import csv
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from facelift import datasets

REPOSITORY = Path(__file__).resolve().parents[2]
SCRIPT = REPOSITORY / "tools" / "make_german_credit.py"
EMBEDDED = REPOSITORY / "src" / "facelift" / "datasets" / "data"

# What german.doc says about each code, in the order of its attributes; None marks a number.
# Written from that document alone, so that it shares no mistake with the script.
CODES: list[tuple[str, dict[str, str] | None]] = [
    (
        "checking_account",
        {
            "A11": "overdrawn",
            "A12": "0 to 200 DM",
            "A13": "200 DM or more",
            "A14": "no account",
        },
    ),
    ("duration", None),
    (
        "credit_history",
        {
            "A30": "no credits taken",
            "A31": "all paid at this bank",
            "A32": "existing paid so far",
            "A33": "delays in the past",
            "A34": "critical account",
        },
    ),
    (
        "purpose",
        {
            "A40": "new car",
            "A41": "used car",
            "A42": "furniture or equipment",
            "A43": "radio or television",
            "A44": "domestic appliances",
            "A45": "repairs",
            "A46": "education",
            "A48": "retraining",
            "A49": "business",
            "A410": "other",
        },
    ),
    ("credit_amount", None),
    (
        "savings",
        {
            "A61": "under 100 DM",
            "A62": "100 to 500 DM",
            "A63": "500 to 1000 DM",
            "A64": "1000 DM or more",
            "A65": "unknown or none",
        },
    ),
    (
        "employment",
        {
            "A71": "unemployed",
            "A72": "under 1 year",
            "A73": "1 to 4 years",
            "A74": "4 to 7 years",
            "A75": "7 years or more",
        },
    ),
    ("installment_rate", None),
    (
        "sex",
        {
            "A91": "male, divorced or separated",
            "A92": "female, divorced, separated or married",
            "A93": "male, single",
            "A94": "male, married or widowed",
        },
    ),
    ("other_debtors", {"A101": "none", "A102": "co-applicant", "A103": "guarantor"}),
    ("residence", None),
    (
        "property",
        {
            "A121": "real estate",
            "A122": "savings agreement or life insurance",
            "A123": "car or other",
            "A124": "none or unknown",
        },
    ),
    ("age", None),
    ("other_installment_plans", {"A141": "bank", "A142": "stores", "A143": "none"}),
    ("housing", {"A151": "rent", "A152": "own", "A153": "for free"}),
    ("existing_credits", None),
    (
        "job",
        {
            "A171": "unskilled, non-resident",
            "A172": "unskilled, resident",
            "A173": "skilled",
            "A174": "management or self-employed",
        },
    ),
    ("dependents", None),
    ("telephone", {"A191": "no", "A192": "yes"}),
    ("foreign_worker", {"A201": "yes", "A202": "no"}),
    ("risk", {"1": "good", "2": "bad"}),
]

ORDERED = {
    "checking_account": "no account < overdrawn < 0 to 200 DM < 200 DM or more",
    "savings": "unknown or none < under 100 DM < 100 to 500 DM < 500 to 1000 DM < 1000 DM or more",
    "employment": "unemployed < under 1 year < 1 to 4 years < 4 to 7 years < 7 years or more",
    "property": "none or unknown < car or other < savings agreement or life insurance"
    " < real estate",
    "job": "unskilled, non-resident < unskilled, resident < skilled < management or self-employed",
}


@pytest.fixture(scope="module")
def credit():
    return datasets.load_german_credit()


@pytest.fixture(scope="module")
def source(data_home: Path) -> Path:
    """Folder with the files of German Credit as their publishers distribute them."""
    return data_home / "german"


def table_made_from(path: Path) -> bytes:
    return subprocess.run([sys.executable, SCRIPT, path], check=True, stdout=subprocess.PIPE).stdout


def refusal_of(path: Path) -> str:
    process = subprocess.run(
        [sys.executable, SCRIPT, path], check=False, capture_output=True, text=True
    )
    assert process.returncode != 0
    assert process.stdout == ""
    return process.stderr.splitlines()[-1]


def test_german_credit_has_1000_applicants_with_20_features(credit):
    assert credit.data.shape == (1000, 20)
    assert credit.feature_names == [name for name, _ in CODES[:-1]]
    assert credit.data.columns.to_list() == credit.feature_names


def test_german_credit_has_700_good_and_300_bad_risks(credit):
    assert credit.target.name == "risk"
    assert credit.target.value_counts().to_dict() == {"good": 700, "bad": 300}
    assert credit.target_names == ["bad", "good"]


def test_the_frame_is_the_features_followed_by_the_target(credit):
    pd.testing.assert_frame_equal(credit.frame.drop(columns="risk"), credit.data)
    pd.testing.assert_series_equal(credit.frame["risk"], credit.target)
    assert credit.frame.columns[-1] == "risk"


def test_german_credit_has_no_missing_values(credit):
    assert not credit.frame.isna().any(axis=None)


@pytest.mark.parametrize("name", [name for name, codes in CODES if codes is None])
def test_numbers_are_whole(credit, name):
    assert credit.data[name].dtype == np.dtype("int64")


@pytest.mark.parametrize("name", ORDERED)
def test_ordered_columns_have_all_levels_from_the_least_to_the_most(credit, name):
    dtype = credit.data[name].dtype
    assert isinstance(dtype, pd.CategoricalDtype)
    assert dtype.ordered
    assert " < ".join(dtype.categories) == ORDERED[name]


@pytest.mark.parametrize(
    "name", [name for name, codes in CODES[:-1] if codes is not None and name not in ORDERED]
)
def test_other_columns_are_categories_without_order(credit, name):
    dtype = credit.data[name].dtype
    assert isinstance(dtype, pd.CategoricalDtype)
    assert not dtype.ordered


def test_levels_of_housing_and_of_yes_and_no_are_in_the_documented_order(credit):
    levels = {
        name: list(credit.data[name].cat.categories)
        for name in credit.data.select_dtypes("category")
    }
    assert levels["housing"] == ["for free", "rent", "own"]
    assert levels["telephone"] == levels["foreign_worker"] == ["no", "yes"]


@pytest.mark.parametrize(("name", "codes"), [each for each in CODES[:-1] if each[1] is not None])
def test_every_level_is_a_code_of_the_source_and_has_applicants(credit, name, codes):
    assert set(credit.data[name].cat.categories) == set(codes.values())
    assert credit.data[name].value_counts().min() > 0


def test_german_credit_says_where_it_comes_from_and_under_which_licence(credit):
    for fact in ["Hofmann", "10.24432/C5NC77", "CC BY 4.0"]:
        assert fact in credit.DESCR
        assert fact in (EMBEDDED / "README.md").read_text(encoding="utf-8")


def test_the_read_me_lists_each_column_with_its_levels(credit):
    text = (EMBEDDED / "README.md").read_text(encoding="utf-8")
    for name, column in credit.data.select_dtypes("category").items():
        kind, separator = ("ordered", " < ") if column.cat.ordered else ("category", " · ")
        assert f"| `{name}` | {kind} | {separator.join(column.cat.categories)} |" in text


def test_a_table_of_ones_own_does_not_replace_the_embedded_one(credit, tmp_path):
    pd.testing.assert_frame_equal(datasets.load_german_credit(tmp_path).frame, credit.frame)


def test_data_and_target_alone_can_be_had(credit):
    X, y = datasets.load_german_credit(return_X_y=True)
    pd.testing.assert_frame_equal(X, credit.data)
    pd.testing.assert_series_equal(y, credit.target)


def test_two_loads_share_nothing(credit):
    other = datasets.load_german_credit()
    other.data.loc[0, "age"] = 99
    assert credit.data.loc[0, "age"] == other.frame.loc[0, "age"] == 67


def test_the_embedded_table_says_row_by_row_what_the_original_codes_say(source):
    lines = (source / "german.data").read_text(encoding="ascii").splitlines()
    decoded = [
        [
            codes[code] if codes else code
            for code, (_, codes) in zip(line.split(), CODES, strict=True)
        ]
        for line in lines
    ]
    with (EMBEDDED / "german_credit.csv").open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    assert header == [name for name, _ in CODES]
    assert len(rows) == 1000
    assert rows == decoded


def test_the_loaded_table_says_cell_by_cell_what_the_file_says(credit):
    with (EMBEDDED / "german_credit.csv").open(encoding="utf-8", newline="") as file:
        _, *rows = csv.reader(file)
    assert credit.frame.astype(str).to_numpy().tolist() == rows


def test_the_script_makes_the_embedded_table_byte_for_byte(source):
    made = table_made_from(source / "credit-g.arff")
    assert made == (EMBEDDED / "german_credit.csv").read_bytes()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param(b"\n", b"\r\n", id="lines end as on Windows"),
        pytest.param(b" \n", b"\n", id="no spaces at the ends of lines"),
        pytest.param(b" numeric\n", b" real\n", id="numbers are called real"),
        pytest.param(b",'", b", '", id="spaces after commas"),
        pytest.param(b"'existing paid'", rb"'\'existing paid\''", id="quoted twice"),
    ],
)
def test_the_script_makes_the_same_table_from_other_editions_of_the_file(
    source, tmp_path, old, new
):
    original = (source / "credit-g.arff").read_bytes()
    edition = tmp_path / "credit-g.arff"
    edition.write_bytes(original.replace(old, new))
    assert edition.read_bytes() != original
    assert table_made_from(edition) == (EMBEDDED / "german_credit.csv").read_bytes()


def test_the_script_refuses_a_label_it_does_not_know(source, tmp_path):
    original = (source / "credit-g.arff").read_text(encoding="ascii")
    edition = tmp_path / "credit-g.arff"
    edition.write_text(original.replace(",education,", ",vacation,"), encoding="ascii")
    assert "purpose has no label for 'vacation'" in refusal_of(edition)


def test_the_script_refuses_a_table_with_other_columns(tmp_path):
    other = tmp_path / "other.arff"
    other.write_text("@relation other\n@attribute age numeric\n@data\n1\n", encoding="ascii")
    assert "not the columns of German Credit: age" in refusal_of(other)
