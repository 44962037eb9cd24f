"""German Credit: embedded, with readable names, ordered levels and ordinary rules."""

from __future__ import annotations

from importlib.resources import files
from os import PathLike
from typing import TYPE_CHECKING, Any

import pandas as pd

from facelift.datasets.bunches import bunch

if TYPE_CHECKING:
    from facelift.terrain import Terrain

# Each from the least to the most.
_ORDERED = {
    "checking_account": ["no account", "overdrawn", "0 to 200 DM", "200 DM or more"],
    "savings": [
        "unknown or none",
        "under 100 DM",
        "100 to 500 DM",
        "500 to 1000 DM",
        "1000 DM or more",
    ],
    "employment": [
        "unemployed",
        "under 1 year",
        "1 to 4 years",
        "4 to 7 years",
        "7 years or more",
    ],
    "property": [
        "none or unknown",
        "car or other",
        "savings agreement or life insurance",
        "real estate",
    ],
    "job": [
        "unskilled, non-resident",
        "unskilled, resident",
        "skilled",
        "management or self-employed",
    ],
}

_UNORDERED = {
    "credit_history": [
        "no credits taken",
        "all paid at this bank",
        "existing paid so far",
        "delays in the past",
        "critical account",
    ],
    "purpose": [
        "new car",
        "used car",
        "furniture or equipment",
        "radio or television",
        "domestic appliances",
        "repairs",
        "education",
        "retraining",
        "business",
        "other",
    ],
    "sex": [
        "male, divorced or separated",
        "female, divorced, separated or married",
        "male, single",
        "male, married or widowed",
    ],
    "other_debtors": ["none", "co-applicant", "guarantor"],
    "other_installment_plans": ["none", "stores", "bank"],
    "housing": ["for free", "rent", "own"],
    "telephone": ["no", "yes"],
    "foreign_worker": ["no", "yes"],
}

_NUMBERS = [
    "duration",
    "credit_amount",
    "installment_rate",
    "residence",
    "age",
    "existing_credits",
    "dependents",
]

_DESCRIPTION = """\
German Credit: 1000 applicants for a loan, 20 facts about each, and whether the risk was good or
bad (700 and 300). Amounts are in Deutsche Mark, duration in months; installment_rate and residence
are codes from 1 to 4. Names and labels are facelift's; rows and values are the source's.

Source: Hans Hofmann (1994), Statlog (German Credit Data), UCI Machine Learning Repository,
https://doi.org/10.24432/C5NC77. Licence: CC BY 4.0.

The source's code table is known to be wrong in places (Grömping 2019, South German Credit Data:
Correcting a Widely Used Data Set), above all for sex and marital status. Use the table to try
methods, not to learn about people.
"""


def load_german_credit(
    data_home: str | PathLike[str] | None = None,  # noqa: ARG001
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
    path = files("facelift.datasets") / "data" / "german_credit.csv"
    with path.open(encoding="utf-8") as file:
        frame = pd.read_csv(file, dtype=_types(), keep_default_na=False)
    features = frame.drop(columns="risk")
    return bunch(features, frame["risk"], _DESCRIPTION, return_X_y)


def german_credit_rules(terrain: Terrain) -> Terrain:
    """Terrain on which an applicant of German Credit can change what we assume people can change.

    Taken as given: sex, foreign worker, residence, and the purpose, since the way sought is to
    this loan. Only upwards: age, and what is on the checking and savings accounts (that "no
    account" goes with less risk in this table is no advice to close one). A year of waiting has
    five times the ordinary price. Free: everything else.

    Parameters
    ----------
    terrain
        A terrain with the columns of `load_german_credit`.

    Returns
    -------
    Terrain
        A new terrain; the one given stays as it was.

    Examples
    --------
    >>> from facelift.terrain import Terrain
    >>> person = load_german_credit().data.head(1)
    >>> older = person.assign(age=person["age"] + 1)
    >>> terrain = german_credit_rules(Terrain.infer(load_german_credit().data))
    >>> now, later = terrain.encode(person), terrain.encode(older)
    >>> bool(terrain.cost(now, later) < float("inf"))
    True
    >>> bool(terrain.cost(later, now) < float("inf"))
    False
    """
    frozen = terrain.freeze("sex", "foreign_worker", "residence", "purpose")
    priced = frozen.price("age", increase=5.0).rate("age", per="year")
    return priced.increase_only("age", "checking_account", "savings")


def _types() -> dict[str, str | pd.CategoricalDtype]:
    """Type of each feature of German Credit; levels in order where there is one."""
    return {
        **dict.fromkeys(_NUMBERS, "int64"),
        **_categories(_ORDERED, ordered=True),
        **_categories(_UNORDERED, ordered=False),
    }


def _categories(levels: dict[str, list[str]], *, ordered: bool) -> dict[str, pd.CategoricalDtype]:
    """One type of category per column."""
    return {name: pd.CategoricalDtype(each, ordered=ordered) for name, each in levels.items()}
