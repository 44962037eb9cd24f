"""Adult: people of the US census of 1994, and whether they earned more than 50,000 dollars."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from facelift.datasets.bunches import bunch
from facelift.datasets.fetching import Source, obtained
from facelift.datasets.openml import fetch_adult

if TYPE_CHECKING:
    from facelift.terrain import Terrain

TRAIN = Source(
    "adult/adult.data", "5b00264637dbfec36bdeaab5676b0b309ff9eb788d63554ca0a249491c86603d"
)
TEST = Source(
    "adult/adult.test", "a2a9044bc167a35b2361efbabec64e89d69ce82d9790d2980119aac5fd7e9c05"
)

UNKNOWN = "unknown"

_COLUMNS = [
    "age",
    "workclass",
    "fnlwgt",
    "education",
    "education_num",
    "marital_status",
    "occupation",
    "relationship",
    "race",
    "sex",
    "capital_gain",
    "capital_loss",
    "hours_per_week",
    "native_country",
    "income",
]

# From the least to the most, as education_num counts them.
_EDUCATION = [
    "Preschool",
    "1st-4th",
    "5th-6th",
    "7th-8th",
    "9th",
    "10th",
    "11th",
    "12th",
    "HS-grad",
    "Some-college",
    "Assoc-voc",
    "Assoc-acdm",
    "Bachelors",
    "Masters",
    "Prof-school",
    "Doctorate",
]

_DESCRIPTION = """\
Adult: 48842 people of the US census of 1994, 14 facts about each, and whether they earned more
than 50,000 dollars a year (37155 did not, 11687 did). fnlwgt is the number of people a record
stands for in the census, no fact about the person; education_num counts the levels of education.
Labels are the source's, but that "?" (in 3620 rows) reads "unknown" here.

Source: Barry Becker and Ronny Kohavi (1996), Adult, UCI Machine Learning Repository,
https://doi.org/10.24432/C5XW20. Licence: CC BY 4.0.
"""


def load_adult(
    data_home: str | PathLike[str] | None = None,
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
    paths = [
        obtained(source, data_home, download=download_if_missing, fetch=fetch_adult)
        for source in (TRAIN, TEST)
    ]
    parts = [_read(path) for path in paths]
    frame = _typed(pd.concat(parts, ignore_index=True))
    split = np.repeat(["train", "test"], [len(part) for part in parts])
    features, target = frame.drop(columns="income"), frame["income"]
    return bunch(features, target, _DESCRIPTION, return_X_y, split=split)


def adult_rules(terrain: Terrain) -> Terrain:
    """Terrain on which people of Adult can change what we assume people can change.

    Taken as given: sex, race, native country, marital status and relationship. Only upwards: age,
    at five times the ordinary price, and education. Nothing known becomes unknown. Free:
    work, occupation, hours and capital. fnlwgt, which is no fact about a person, costs nothing:
    leave it (and education_num, which says education again) out for journeys of actions.

    Parameters
    ----------
    terrain
        A terrain with the columns of `load_adult`, with or without fnlwgt and education_num.

    Returns
    -------
    Terrain
        A new terrain; the one given stays as it was.

    Examples
    --------
    >>> from facelift.terrain import Terrain
    >>> given = ["sex", "race", "native_country", "marital_status", "relationship"]
    >>> people = pd.DataFrame({"age": [30, 50], "education": [9, 13], **dict.fromkeys(given, "–")})
    >>> people[["workclass", "occupation"]] = [["Private", "Sales"], [UNKNOWN, UNKNOWN]]
    >>> adult_rules(Terrain.infer(people))
    column          kind         may rise  may fall  values
    age             numeric      at 5      never     30 to 50
    education       numeric      at 1      never     9 to 13
    sex             categorical  never     never     –
    race            categorical  never     never     –
    native_country  categorical  never     never     –
    marital_status  categorical  never     never     –
    relationship    categorical  never     never     –
    workclass       categorical  at 1      at 1      Private, unknown; never Private → unknown
    occupation      categorical  at 1      at 1      Sales, unknown; never Sales → unknown
    """
    given = terrain.freeze("sex", "race", "native_country", "marital_status", "relationship")
    ruled = given.increase_only("age", "education").price("age", increase=5.0)
    names = terrain.schema.names
    if "education_num" in names:
        ruled = ruled.increase_only("education_num")
    if "fnlwgt" in names:
        ruled = ruled.price("fnlwgt", 0.0)
    for name in ("workclass", "occupation"):
        for level in terrain.feature(name).levels:
            ruled = ruled if level == UNKNOWN else ruled.forbid(name, level, UNKNOWN)
    return ruled.rate("age", per="year")


def _read(path: Path) -> pd.DataFrame:
    """One of the two files; the test file begins with a remark and ends its labels with dots."""
    table = pd.read_csv(
        path, header=None, names=_COLUMNS, skipinitialspace=True, comment="|", keep_default_na=False
    )
    table["income"] = table["income"].str.rstrip(".").astype(object)
    return table.replace("?", UNKNOWN)


def _typed(table: pd.DataFrame) -> pd.DataFrame:
    """Words as categories: education from the least to the most, the others by the alphabet."""
    words = table.select_dtypes(exclude="number").columns.drop(["education", "income"])
    types = {name: pd.CategoricalDtype(_levels(table[name])) for name in words}
    return table.astype({**types, "education": pd.CategoricalDtype(_EDUCATION, ordered=True)})


def _levels(column: pd.Series[Any]) -> list[str]:
    return sorted(column.unique().tolist(), key=lambda level: (level == UNKNOWN, level))
