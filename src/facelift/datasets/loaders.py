"""Loaders: tables of people and their outcomes, and images with what they show."""

from __future__ import annotations

import gzip
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn import datasets as sklearn_datasets

from facelift.datasets.fetching import (
    EMBEDDED,
    Dataset,
    Home,
    dataset,
    fetch_adult,
    fetch_credit_default,
    obtained,
)
from facelift.errors import InvalidInput

UNKNOWN = "unknown"
"""The level of what is not known of a person of Adult."""


def load_german_credit(
    data_home: Home = None,  # noqa: ARG001
    *,
    return_X_y: bool = False,
) -> Any:
    """Applicants for a loan, what a bank knew about them, and whether the risk was good.

    Parameters
    ----------
    data_home
        Not read: the table is embedded; accepted so that all loaders are called alike.
    return_X_y
        Whether to return `(data, target)` instead of a Bunch.

    Returns
    -------
    Bunch
        `data` has 1000 rows and 20 columns: whole numbers as int64, ordered columns as ordered
        categories from the least to the most, the others as unordered categories. `target` says
        "good" or "bad" and is named risk; `frame` has both. Then `feature_names`,
        `target_names` (sorted, like a classifier's `classes_`) and `DESCR`.

    Examples
    --------
    >>> credit = load_german_credit()
    >>> credit.data.shape
    (1000, 20)
    >>> credit.data.loc[1, ["checking_account", "savings", "housing"]].to_list()
    ['0 to 200 DM', 'under 100 DM', 'own']
    >>> credit.target[1]
    'bad'
    >>> credit.data["housing"].cat.categories.to_list()
    ['for free', 'rent', 'own']
    """
    source = dataset("german_credit")
    with (EMBEDDED / "german_credit.csv").open(encoding="utf-8") as file:
        frame = pd.read_csv(file, keep_default_na=False)
    return source.table(_typed(frame, source), return_X_y)


def load_adult(
    data_home: Home = None,
    *,
    return_X_y: bool = False,
    download_if_missing: bool = True,
) -> Any:
    """People of a census, and whether they earned more than 50,000 dollars a year.

    Parameters
    ----------
    data_home
        Folder with `adult/adult.data` and `adult/adult.test`; else `FACELIFT_DATA` and the cache
        are looked in, and what is missing is fetched from OpenML.
    return_X_y
        Whether to return `(data, target)` instead of a Bunch.
    download_if_missing
        Whether to fetch what is missing; else it is an error that says what to put where.

    Returns
    -------
    Bunch
        `data` has 48842 rows, those of `adult.data` first, and 14 columns: whole numbers as
        int64, education as an ordered category, the others as unordered ones. `target` says
        "<=50K" or ">50K" and is named income; `split` says "train" or "test", the publisher's
        split. Then `frame`, `feature_names`, `target_names` and `DESCR`.

    Examples
    --------
    >>> adult = load_adult()  # doctest: +SKIP
    >>> adult.data.shape  # doctest: +SKIP
    (48842, 14)
    """
    source = dataset("adult")
    paths = source.obtained(data_home, download=download_if_missing, fetch=fetch_adult)
    # The test file begins with a remark and ends its labels with dots.
    layout: Any = {"names": source.columns, "skipinitialspace": True, "comment": "|"}
    parts = [pd.read_csv(path, header=None, keep_default_na=False, **layout) for path in paths]
    frame = pd.concat(parts, ignore_index=True).replace("?", UNKNOWN)
    frame["income"] = frame["income"].str.rstrip(".").astype(object)
    split = np.repeat(["train", "test"], [len(part) for part in parts])
    return source.table(_typed(frame, source), return_X_y, split=split)


def load_credit_default(
    data_home: Home = None,
    *,
    return_X_y: bool = False,
    download_if_missing: bool = True,
) -> Any:
    """Card holders, their bills and payments of six months, and whether they paid the next.

    Parameters
    ----------
    data_home
        Folder with `default/UCI_Credit_Card.csv`; else `FACELIFT_DATA` and the cache are looked
        in, and what is missing is fetched from OpenML.
    return_X_y
        Whether to return `(data, target)` instead of a Bunch.
    download_if_missing
        Whether to fetch what is missing; else it is an error that says what to put where.

    Returns
    -------
    Bunch
        `data` has 30000 rows and 23 columns: whole numbers as int64, sex, education and marriage
        as unordered categories. `target` says "paid" or "default" and is named payment. Then
        `frame`, `feature_names`, `target_names` and `DESCR`.

    Examples
    --------
    >>> credit = load_credit_default()  # doctest: +SKIP
    >>> credit.data.shape  # doctest: +SKIP
    (30000, 23)
    """
    source = dataset("credit_default")
    [path] = source.obtained(data_home, download=download_if_missing, fetch=fetch_credit_default)
    numbers = pd.read_csv(path).drop(columns="ID").astype("int64")  # some are written as 1e+05
    frame = numbers.rename(columns=source.names)
    return source.table(_typed(frame, source), return_X_y)


def load_heloc(
    data_home: Home = None,
    *,
    codes: Literal["missing", "dropped"] = "missing",
    return_X_y: bool = False,
) -> Any:
    """Home owners who asked for a line of credit, and whether they paid as agreed.

    Parameters
    ----------
    data_home
        Folder with `heloc/heloc_dataset_v1.csv`; else `FACELIFT_DATA` and the cache are looked in.
        FICO gives the file to people who ask for it, so it is never fetched.
    codes
        What becomes of the negative numbers that are codes: "missing" reads them as missing values,
        "dropped" leaves out the 7957 rows that have one.
    return_X_y
        Whether to return `(data, target)` instead of a Bunch.

    Returns
    -------
    Bunch
        `data` has 10459 rows (2502 without those that have codes) and 23 columns of floats, named
        by the publisher. `target` says "Good" or "Bad" and is named RiskPerformance. Then `frame`,
        `feature_names`, `target_names` and `DESCR`.

    Examples
    --------
    >>> owners = load_heloc(codes="dropped")  # doctest: +SKIP
    >>> owners.data.shape  # doctest: +SKIP
    (2502, 23)
    """
    if codes not in ("missing", "dropped"):
        raise InvalidInput(f"codes must be 'missing' or 'dropped', got {codes!r}.")
    source = dataset("heloc")
    [path] = source.obtained(data_home, download=False)
    frame = pd.read_csv(path)
    frame[source.target] = frame[source.target].astype(object)
    numbers = frame.columns.drop(source.target)
    frame[numbers] = frame[numbers].astype(float).where(frame[numbers] >= 0)
    if codes == "dropped":
        frame = frame.dropna(ignore_index=True)
    return source.table(frame, return_X_y)


def load_breast_cancer(*, return_X_y: bool = False) -> Any:
    """Measurements of tumours, and whether each was malignant or benign.

    Parameters
    ----------
    return_X_y
        Whether to return `(data, target)` instead of a Bunch.

    Returns
    -------
    Bunch
        `data` has 569 rows and 30 columns of floats, named as in scikit-learn. `target` says
        "malignant" or "benign" and is named diagnosis; `frame` has both. Then `feature_names`,
        `target_names` (sorted, like a classifier's `classes_`) and `DESCR`.

    Examples
    --------
    >>> cancer = load_breast_cancer()
    >>> cancer.data.shape
    (569, 30)
    >>> cancer.target[0]
    'malignant'
    """
    source = sklearn_datasets.load_breast_cancer(as_frame=True)
    labels = dict(enumerate(source.target_names.tolist()))
    frame = source.data.assign(diagnosis=source.target.map(labels))
    return dataset("breast_cancer").table(frame, return_X_y)


def _typed(frame: pd.DataFrame, source: Dataset) -> pd.DataFrame:
    """Codes as labels and words as categories, in the table's order or by the alphabet."""
    features = frame.columns.drop(source.target)
    for name, codes in source.codes.items():
        frame[name] = frame[name].map(codes).astype(object)
    listed = {name: list(codes.values()) for name, codes in source.codes.items()}
    levels = {**listed, **source.ordered, **source.unordered}
    words = frame[features].select_dtypes(exclude="number").columns
    return frame.astype(
        {
            name: pd.CategoricalDtype(
                levels.get(name) or _alphabetical(frame[name]), ordered=name in source.ordered
            )
            for name in words
        }
    )


def _alphabetical(column: pd.Series[Any]) -> list[str]:
    return sorted(column.unique().tolist(), key=lambda level: (level == UNKNOWN, level))


Subset = Literal["all", "train", "val", "test"]


def load_digits(*, return_X_y: bool = False) -> Any:
    """Handwritten digits as small images, with ink from 0 to 1.

    Parameters
    ----------
    return_X_y
        Whether to return `(data, target)` instead of a Bunch.

    Returns
    -------
    Bunch
        `data` has 1797 rows and 64 columns named pixel_row_column, counted from 0; `images` has
        the same ink in shape (1797, 8, 8). `target` is the digit, int64; `frame` has data and
        target. Then `feature_names`, `target_names` and `DESCR`.

    Examples
    --------
    >>> digits = load_digits()
    >>> digits.images.shape
    (1797, 8, 8)
    >>> digits.data.loc[0, "pixel_0_2"]
    np.float64(0.3125)
    >>> digits.target[0]
    np.int64(0)
    """
    digits = sklearn_datasets.load_digits()
    frame = pd.DataFrame(digits.data / 16, columns=digits.feature_names)
    frame["digit"] = digits.target.astype("int64")
    return dataset("digits").table(frame, return_X_y, images=digits.images / 16)


def load_mnist(
    data_home: Home = None,
    *,
    subset: Subset = "all",
    n_per_class: int | None = None,
    as_frame: bool = False,
    return_X_y: bool = False,
    download_if_missing: bool = True,
) -> Any:
    """Handwritten digits, with ink from 0 to 1.

    Parameters
    ----------
    data_home
        Folder with the four files of MNIST in `mnist/`; else `FACELIFT_DATA` and the cache are
        looked in, and what is missing is fetched.
    subset
        "train" (60000), "test" (10000), or "all", train first.
    n_per_class
        Only the first so many images of each digit, in the order of the files; all if None.
    as_frame
        Whether `data` is a frame with columns named pixel_row_column, and `target` a series.
    return_X_y
        Whether to return `(data, target)` instead of a Bunch.
    download_if_missing
        Whether to fetch what is missing; else it is an error that says what to put where.

    Returns
    -------
    Bunch
        `data` (n, 784), `images` (n, 28, 28), `target` (the digit, int64), `split` ("train" or
        "test" for each image), `feature_names`, `target_names` and `DESCR`.

    Examples
    --------
    >>> mnist = load_mnist(subset="train", n_per_class=1000)  # doctest: +SKIP
    >>> mnist.data.shape  # doctest: +SKIP
    (10000, 784)
    """
    source = dataset("mnist")
    files = {"train": source.files[:2], "test": source.files[2:]}
    parts = {
        split: [
            _read_idx(obtained(file, data_home, download=download_if_missing))
            for file in files[split]
        ]
        for split in _wanted(subset, tuple(files))
    }
    pixels, labels, split = _joined(parts)
    kept = _first_of_each(labels, n_per_class)
    digits = labels[kept].astype(np.int64)
    return _bunch(source, pixels[kept], digits, split[kept], as_frame, return_X_y)


def load_breastmnist(
    data_home: Home = None,
    *,
    subset: Subset = "all",
    as_frame: bool = False,
    return_X_y: bool = False,
    download_if_missing: bool = True,
) -> Any:
    """Ultrasound images of breasts: "malignant" or "normal, benign".

    Parameters
    ----------
    data_home
        Folder with `medmnist/breastmnist.npz`; else `FACELIFT_DATA` and the cache are looked in,
        and what is missing is fetched.
    subset
        "train" (546), "val" (78), "test" (156), or "all" in this order.
    as_frame
        Whether `data` is a frame with columns named pixel_row_column, and `target` a series.
    return_X_y
        Whether to return `(data, target)` instead of a Bunch.
    download_if_missing
        Whether to fetch what is missing; else it is an error that says what to put where.

    Returns
    -------
    Bunch
        `data` (n, 784) from 0 to 1, `images` (n, 28, 28), `target` (words, since the source's
        codes are easily swapped), `split`, `feature_names`, `target_names` and `DESCR`.

    Examples
    --------
    >>> breast = load_breastmnist()  # doctest: +SKIP
    >>> breast.data.shape  # doctest: +SKIP
    (780, 784)
    """
    return _scans("breastmnist", data_home, subset, as_frame, return_X_y, download_if_missing)


def load_pneumoniamnist(
    data_home: Home = None,
    *,
    subset: Subset = "all",
    as_frame: bool = False,
    return_X_y: bool = False,
    download_if_missing: bool = True,
) -> Any:
    """X-ray images of chests: "normal" or "pneumonia".

    Parameters
    ----------
    data_home
        Folder with `medmnist/pneumoniamnist.npz`; else `FACELIFT_DATA` and the cache are looked
        in, and what is missing is fetched.
    subset
        "train" (4708), "val" (524), "test" (624), or "all" in this order.
    as_frame
        Whether `data` is a frame with columns named pixel_row_column, and `target` a series.
    return_X_y
        Whether to return `(data, target)` instead of a Bunch.
    download_if_missing
        Whether to fetch what is missing; else it is an error that says what to put where.

    Returns
    -------
    Bunch
        `data` (n, 784) from 0 to 1, `images` (n, 28, 28), `target` (words, since the source's
        codes are easily swapped), `split`, `feature_names`, `target_names` and `DESCR`.

    Examples
    --------
    >>> pneumonia = load_pneumoniamnist()  # doctest: +SKIP
    >>> pneumonia.data.shape  # doctest: +SKIP
    (5856, 784)
    """
    return _scans("pneumoniamnist", data_home, subset, as_frame, return_X_y, download_if_missing)


def _scans(
    name: str,
    data_home: Home,
    subset: Subset,
    as_frame: bool,
    return_X_y: bool,
    download_if_missing: bool,
) -> Any:
    """A data set of MedMNIST: one archive with all splits, and codes of what was found."""
    source = dataset(name)
    [path] = source.obtained(data_home, download=download_if_missing)
    with np.load(path, allow_pickle=False) as file:
        parts = {
            split: [file[f"{split}_images"], file[f"{split}_labels"][:, 0]]
            for split in _wanted(subset, ("train", "val", "test"))
        }
    pixels, labels, split = _joined(parts)
    codes = source.codes[source.target]
    words = np.array([codes[code] for code in labels.tolist()], dtype=object)
    return _bunch(source, pixels, words, split, as_frame, return_X_y)


def _read_idx(path: Path) -> npt.NDArray[np.uint8]:
    """An array of bytes in the format of MNIST: a magic number, the shape, then the values."""
    with gzip.open(path) as file:
        content = file.read()
    n_axes = content[3]
    shape = np.frombuffer(content, ">i4", n_axes, offset=4)
    return np.frombuffer(content, np.uint8, offset=4 + 4 * n_axes).reshape(shape)


def _first_of_each(labels: npt.NDArray[Any], n_per_class: int | None) -> Any:
    """Places of the first images of each class, in order."""
    if n_per_class is None:
        return slice(None)
    if n_per_class < 1:
        raise InvalidInput(f"n_per_class must be 1 or more, got {n_per_class}.")
    places = [np.flatnonzero(labels == label)[:n_per_class] for label in np.unique(labels)]
    return np.sort(np.concatenate(places))


def _wanted(subset: Subset, known: tuple[str, ...]) -> tuple[str, ...]:
    """The splits that a subset stands for."""
    if subset == "all":
        return known
    if subset not in known:
        names = ", ".join(map(repr, ("all", *known)))
        raise InvalidInput(f"subset must be one of {names}, got {subset!r}.")
    return (subset,)


def _joined(parts: Mapping[str, list[Any]]) -> tuple[Any, Any, Any]:
    """Images, labels and the split of each, from those of every split."""
    images, labels = (np.concatenate(each) for each in zip(*parts.values(), strict=True))
    return images, labels, np.repeat(list(parts), [len(part[1]) for part in parts.values()])


def _bunch(
    source: Dataset,
    pixels: npt.NDArray[np.uint8],
    labels: npt.NDArray[Any],
    split: npt.NDArray[Any],
    as_frame: bool,
    return_X_y: bool,
) -> Any:
    """What a loader of images returns, from bytes of pixels and their labels."""
    images = pixels / 255.0
    names = [f"pixel_{row}_{column}" for row, column in np.ndindex(images.shape[1:])]
    data: Any = images.reshape(len(images), -1)
    target: Any = labels
    if as_frame:
        data, target = pd.DataFrame(data, columns=names), pd.Series(labels, name=source.target)
    return source.bunch(data, target, return_X_y, images=images, split=split, feature_names=names)
