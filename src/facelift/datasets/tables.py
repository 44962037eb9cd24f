"""Tables of people and outcomes: German Credit, Adult, Credit Default, HELOC, breast cancer."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import pandas as pd
from sklearn import datasets as sklearn_datasets

from facelift.datasets.fetching import (
    EMBEDDED,
    Dataset,
    Home,
    dataset,
    fetch_adult,
    fetch_credit_default,
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
