"""What scikit-learn ships, in facelift's manner."""

from __future__ import annotations

import numpy as np
import pytest

from facelift import datasets


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


@pytest.mark.parametrize("load", [datasets.load_digits, datasets.load_breast_cancer])
def test_data_and_target_alone_can_be_had(load):
    X, y = load(return_X_y=True)
    assert X.equals(load().data)
    assert y.equals(load().target)
