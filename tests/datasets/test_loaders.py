"""Tables and images have the rows, labels and splits their pages promise."""

from __future__ import annotations

import csv
import gzip
import hashlib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from facelift import datasets
from facelift.datasets.fetching import checksum, dataset
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


PER_DIGIT = [5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949]

# MD5 as the publishers give them, written from their pages and not from the files.
PUBLISHED = {
    "mnist/train-images-idx3-ubyte.gz": "f68b3c2dcbeaaa9fbdd348bbdeb94873",
    "mnist/train-labels-idx1-ubyte.gz": "d53e105ee54ea40749a09fcbcd1e9432",
    "mnist/t10k-images-idx3-ubyte.gz": "9fb629c4189551a2d022fa330f9573f3",
    "mnist/t10k-labels-idx1-ubyte.gz": "ec29112dd5afa0611ce80d1b7f02629c",
    "medmnist/breastmnist.npz": "750601b1f35ba3300ea97c75c52ff8f6",
    "medmnist/pneumoniamnist.npz": "28209eda62fecd6e6a2d98b1501bb15f",
}
SOURCES = [
    source for name in ("mnist", "breastmnist", "pneumoniamnist") for source in dataset(name).files
]


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.path)
def test_our_checksums_are_those_of_the_files_the_publishers_name(source, data_home):
    content = (data_home / source.path).read_bytes()
    assert hashlib.md5(content, usedforsecurity=False).hexdigest() == PUBLISHED[source.path]
    assert checksum(data_home / source.path) == source.sha256


def test_digits_are_64_pixels_of_ink_from_0_to_1():
    digits = datasets.load_digits()
    assert digits.data.shape == (1797, 64)
    assert (digits.data.dtypes == np.float64).all()
    assert digits.data.min(axis=None) == 0.0
    assert digits.data.max(axis=None) == 1.0


def test_images_of_digits_hold_the_pixels_their_columns_name():
    digits = datasets.load_digits()
    assert digits.images.shape == (1797, 8, 8)
    for row, column in np.ndindex(8, 8):
        pixels = digits.data[f"pixel_{row}_{column}"].to_numpy()
        np.testing.assert_array_equal(pixels, digits.images[:, row, column])


def test_digits_are_labelled_with_whole_numbers():
    digits = datasets.load_digits()
    assert digits.target.dtype == np.dtype("int64")
    assert digits.target.name == "digit"
    assert digits.target_names == list(range(10))
    assert digits.frame.shape == (1797, 65)


def test_mnist_has_60000_digits_to_learn_from_and_10000_to_test_with(data_home):
    mnist = datasets.load_mnist(data_home)
    assert mnist.data.shape == (70_000, 784)
    assert mnist.images.shape == (70_000, 28, 28)
    assert np.shares_memory(mnist.images, mnist.data)
    assert (mnist.split[:60_000] == "train").all()
    assert (mnist.split[60_000:] == "test").all()
    assert np.bincount(mnist.target[:60_000]).tolist() == PER_DIGIT
    assert mnist.target.dtype == np.int64
    assert mnist.target_names == list(range(10))
    assert mnist.data.min() == 0.0
    assert mnist.data.max() == 1.0


def test_digits_have_the_pixels_of_the_file(data_home):
    with gzip.open(data_home / "mnist" / "t10k-images-idx3-ubyte.gz") as file:
        content = file.read()
    seventh = content[16 + 7 * 784 : 16 + 8 * 784]
    mnist = datasets.load_mnist(data_home, subset="test")
    assert mnist.data.shape == (10_000, 784)
    np.testing.assert_array_equal(mnist.data[7] * 255, np.frombuffer(seventh, np.uint8))


def test_the_first_thousand_of_each_digit_come_in_the_order_of_the_file(data_home):
    mnist = datasets.load_mnist(data_home, subset="train", n_per_class=1000)
    assert mnist.data.shape == (10_000, 784)
    assert np.bincount(mnist.target).tolist() == [1000] * 10
    everything = datasets.load_mnist(data_home, subset="train")
    ones = everything.data[everything.target == 1][:1000]
    np.testing.assert_array_equal(mnist.data[mnist.target == 1], ones)
    np.testing.assert_array_equal(mnist.data[:100], everything.data[:100])


def test_images_as_frames_name_their_pixels(data_home):
    X, y = datasets.load_mnist(data_home, subset="test", as_frame=True, return_X_y=True)
    plain = datasets.load_mnist(data_home, subset="test")
    assert X.columns.to_list() == plain.feature_names
    assert y.name == "digit"
    np.testing.assert_array_equal(X["pixel_14_3"], plain.images[:, 14, 3])
    np.testing.assert_array_equal(y, plain.target)


@pytest.mark.parametrize(
    ("load", "sizes", "test_counts"),
    [
        (
            datasets.load_breastmnist,
            {"train": 546, "val": 78, "test": 156},
            {"malignant": 42, "normal, benign": 114},
        ),
        (
            datasets.load_pneumoniamnist,
            {"train": 4708, "val": 524, "test": 624},
            {"normal": 234, "pneumonia": 390},
        ),
    ],
)
def test_medmnist_has_its_splits_and_findings(load, sizes, test_counts, data_home):
    scans = load(data_home)
    assert scans.data.shape == (sum(sizes.values()), 784)
    assert {name: int((scans.split == name).sum()) for name in sizes} == sizes
    assert scans.target_names == sorted(test_counts)
    tested = load(data_home, subset="test")
    labels, counts = np.unique(tested.target.astype(str), return_counts=True)
    assert dict(zip(labels.tolist(), counts.tolist(), strict=True)) == test_counts
    np.testing.assert_array_equal(tested.data, scans.data[scans.split == "test"])


def test_labels_of_scans_belong_to_their_images(data_home):
    """The published experiments shuffled images and not labels."""
    with np.load(data_home / "medmnist" / "pneumoniamnist.npz") as file:
        pixels, codes = file["val_images"], file["val_labels"][:, 0]
    scans = datasets.load_pneumoniamnist(data_home, subset="val")
    np.testing.assert_array_equal(scans.images * 255, pixels)
    assert ((scans.target == "pneumonia") == (codes == 1)).all()


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.path)
def test_a_corrupted_archive_is_refused_and_named(source, data_home, tmp_path: Path):
    for each in SOURCES:
        (tmp_path / each.path).parent.mkdir(exist_ok=True)
        (tmp_path / each.path).write_bytes((data_home / each.path).read_bytes())
    spoilt = bytearray((tmp_path / source.path).read_bytes())
    spoilt[len(spoilt) // 2] ^= 1
    (tmp_path / source.path).write_bytes(spoilt)
    load = {
        "breastmnist.npz": datasets.load_breastmnist,
        "pneumoniamnist.npz": datasets.load_pneumoniamnist,
    }.get((tmp_path / source.path).name, datasets.load_mnist)
    with pytest.raises(DamagedFile, match=(tmp_path / source.path).name):
        load(tmp_path)


@pytest.mark.parametrize("load", [datasets.load_mnist, datasets.load_breastmnist])
def test_a_subset_that_is_not_there_is_refused(load, data_home):
    with pytest.raises(InvalidInput, match="got 'training'"):
        load(data_home, subset="training")


def test_fewer_than_one_per_class_is_refused(data_home):
    with pytest.raises(InvalidInput, match="n_per_class must be 1 or more, got 0"):
        datasets.load_mnist(data_home, subset="test", n_per_class=0)
