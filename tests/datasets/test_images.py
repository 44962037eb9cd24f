"""Digits, MNIST and MedMNIST have the images, labels and splits their pages promise."""

from __future__ import annotations

import gzip
import hashlib
from pathlib import Path

import numpy as np
import pytest

from facelift import datasets
from facelift.datasets.fetching import checksum, dataset
from facelift.errors import DamagedFile, InvalidInput

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
def test_a_corrupted_file_is_refused_and_named(source, data_home, tmp_path: Path):
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
