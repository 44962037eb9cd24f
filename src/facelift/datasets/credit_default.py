"""Credit Default: card holders of a bank in Taiwan, and whether they paid the next month."""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING, Any

import pandas as pd

from facelift.datasets.bunches import bunch
from facelift.datasets.fetching import Source, obtained
from facelift.datasets.openml import fetch_credit_default

if TYPE_CHECKING:
    from facelift.terrain import Terrain

TABLE = Source(
    "default/UCI_Credit_Card.csv",
    "a0f0ab49d6326671d6cd83be5c88dcf18007025fe9a53ecd699119c871176ca1",
)

_MONTHS = ["september", "august", "july", "june", "may", "april"]

_NAMES = {
    "LIMIT_BAL": "credit_limit",
    "SEX": "sex",
    "EDUCATION": "education",
    "MARRIAGE": "marriage",
    "AGE": "age",
    **{f"PAY_{i}": f"delay_{m}" for i, m in zip([0, 2, 3, 4, 5, 6], _MONTHS, strict=True)},
    **{f"BILL_AMT{i}": f"bill_{m}" for i, m in enumerate(_MONTHS, start=1)},
    **{f"PAY_AMT{i}": f"paid_{m}" for i, m in enumerate(_MONTHS, start=1)},
    "default.payment.next.month": "payment",
}

_CODES = {
    "sex": {1: "male", 2: "female"},
    "education": {
        1: "graduate school",
        2: "university",
        3: "high school",
        4: "other",
        0: "unknown, code 0",
        5: "unknown, code 5",
        6: "unknown, code 6",
    },
    "marriage": {1: "married", 2: "single", 3: "other", 0: "unknown, code 0"},
}
_PAYMENT = {0: "paid", 1: "default"}

_DESCRIPTION = """\
Credit Default: 30000 card holders of a bank in Taiwan in 2005, 23 facts about each, and whether
they paid the next month (23364 did, 6636 did not). Amounts are in New Taiwan dollars. delay_ is the
months a payment was late in that month: -2 nothing was due, -1 paid in full, 0 the least was paid.
Names and labels are facelift's; rows and values are the source's. Codes that the source does not
explain read "unknown".

Source: I-Cheng Yeh (2016), Default of Credit Card Clients, UCI Machine Learning Repository,
https://doi.org/10.24432/C55S3H. Licence: CC BY 4.0.
"""


def load_credit_default(
    data_home: str | PathLike[str] | None = None,
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
    path = obtained(TABLE, data_home, download=download_if_missing, fetch=fetch_credit_default)
    numbers = pd.read_csv(path).drop(columns="ID").astype("int64")  # some are written as 1e+05
    frame = numbers.rename(columns=_NAMES)
    for name, codes in _CODES.items():
        frame[name] = pd.Categorical(frame[name].map(codes), categories=list(codes.values()))
    target = frame["payment"].map(_PAYMENT).astype(object)
    return bunch(frame.drop(columns="payment"), target, _DESCRIPTION, return_X_y)


def credit_default_rules(terrain: Terrain) -> Terrain:
    """Terrain on which card holders can change what we assume people can change.

    Taken as given: sex, education and marriage. Only upwards: age, at five times the ordinary
    price. Only downwards: the credit limit, which people can have lowered, while a higher one is
    the bank's to give. Free: bills, payments and delays, all of them the last six months of
    somebody who goes on from here.

    Parameters
    ----------
    terrain
        A terrain with the columns of `load_credit_default`.

    Returns
    -------
    Terrain
        A new terrain; the one given stays as it was.

    Examples
    --------
    >>> from facelift.terrain import Terrain
    >>> names = ["sex", "education", "marriage", "age", "credit_limit"]
    >>> people = pd.DataFrame([["male", "university", "single", 30, 5000]], columns=names)
    >>> credit_default_rules(Terrain.infer(people))
    column        kind         may rise  may fall  values
    sex           categorical  never     never     male
    education     categorical  never     never     university
    marriage      categorical  never     never     single
    age           numeric      at 5      never     30 to 30
    credit_limit  numeric      never     at 1      5000 to 5000
    """
    given = terrain.freeze("sex", "education", "marriage")
    aged = given.increase_only("age").price("age", increase=5.0).rate("age", per="year")
    return aged.decrease_only("credit_limit")
