"""Real data to try facelift on, each ready to fit: exact types, named levels, known source.

German Credit, digits and breast cancer are embedded. Adult, Credit Default, MNIST and MedMNIST are
looked for in the folder `data_home`, in the one that `FACELIFT_DATA` names and in the cache, and
else fetched into the cache; HELOC is looked for only, since its publisher gives it to whoever asks.
Whatever is found is checked before it is believed. The rules say what we assume people can change.
A data set is one section of `data/sources.toml` and a loader in `loaders`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from facelift.datasets.fetching import cache_home, dataset
from facelift.datasets.loaders import (
    UNKNOWN,
    load_adult,
    load_breast_cancer,
    load_breastmnist,
    load_credit_default,
    load_digits,
    load_german_credit,
    load_heloc,
    load_mnist,
    load_pneumoniamnist,
)

if TYPE_CHECKING:
    from facelift.terrain import Terrain


__all__ = [
    "adult_rules",
    "cache_home",
    "credit_default_rules",
    "german_credit_rules",
    "heloc_rules",
    "load_adult",
    "load_breast_cancer",
    "load_breastmnist",
    "load_credit_default",
    "load_digits",
    "load_german_credit",
    "load_heloc",
    "load_mnist",
    "load_pneumoniamnist",
    "pixel_rules",
]


# Columns of HELOC: what cannot change, what time alone raises, and what can only be added to.
_GIVEN = (
    "ExternalRiskEstimate",
    "NumTrades60Ever2DerogPubRec",
    "NumTrades90Ever2DerogPubRec",
    "MaxDelqEver",
)
_AGES = ("MSinceOldestTradeOpen", "AverageMInFile", "MSinceMostRecentDelq")
_BURDENS = (
    "NetFractionRevolvingBurden",
    "NetFractionInstallBurden",
    "NumBank2NatlTradesWHighUtilization",
    "NumInqLast6M",
    "NumInqLast6Mexcl7days",
)
_GROWING = ("MaxDelq2PublicRecLast12M", "NumSatisfactoryTrades", "NumTotalTrades")


def _labelled(terrain: Terrain, name: str) -> Terrain:
    """The terrain with what people call the columns of a data set, their units and levels."""
    for column, words in dataset(name).labels.items():
        if column in terrain.by_name:
            known = terrain.by_name[column].levels
            values = {
                level: said for level, said in words.get("values", {}).items() if level in known
            }
            terrain = terrain.label(column, **{**words, "values": values})
    return terrain


def _sparing(terrain: Terrain, **worse: str | list[str]) -> Terrain:
    """The terrain whose journeys make nobody worse off, as far as it has the columns and levels."""
    for name, how in worse.items():
        known = terrain.by_name.get(name)
        if known is not None and isinstance(how, str):
            terrain = terrain.worse(name, "increase" if how == "increase" else "decrease")
        elif known is not None and (levels := [each for each in how if each in known.levels]):
            terrain = terrain.worse(name, order=levels)
    return terrain


def german_credit_rules(terrain: Terrain) -> Terrain:
    """Terrain on which an applicant of German Credit can change what we assume people can change.

    Taken as given: sex, foreign worker, residence, and the purpose, since the way sought is to
    this loan. Only upwards: age, and what is on the checking and savings accounts (that "no
    account" goes with less risk in this table is no advice to close one). A year of waiting has
    five times the ordinary price. Nobody is made worse off: unemployed, unskilled, without savings
    or property, out of their own home, with delays or a critical account. The next class takes
    three years of employment, half a year of savings, three months of the checking account; all
    the while one ages. Free: everything else.

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
    >>> from facelift.datasets import load_german_credit
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
    frozen = _labelled(terrain, "german_credit").freeze(
        "sex", "foreign_worker", "residence", "purpose"
    )
    given = frozen.personal("sex", "foreign_worker")
    aged = given.price("age", increase=5.0).rate("age", 1 / 12, per="month")
    priced = aged.ages("age", 1 / 12, per="month")
    for name, months in (("employment", 36), ("savings", 6), ("checking_account", 3)):
        priced = priced.rate(name, 1 / months, per="month")
    return _sparing(
        priced.increase_only("age", "checking_account", "savings"),
        savings="decrease",
        employment=["unemployed"],
        job=["unskilled, resident", "unskilled, non-resident"],
        property=["none or unknown"],
        credit_history=["delays in the past", "critical account"],
        housing=["for free", "rent"],
    )


def adult_rules(terrain: Terrain) -> Terrain:
    """Terrain on which people of Adult can change what we assume people can change.

    Taken as given: sex, race, native country, marital status and relationship. Only upwards: age,
    at five times the ordinary price, and education. Nothing known becomes unknown, and nobody is
    made worse off: no work without pay or none at all, no lesser gain, no larger loss. Free: work,
    occupation and hours. fnlwgt, which is no fact about a person, costs nothing: leave it (and
    education_num, which says education again) out for journeys of actions.

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
    >>> import pandas as pd
    >>> from facelift.terrain import Terrain
    >>> given = ["sex", "race", "native_country", "marital_status", "relationship"]
    >>> people = pd.DataFrame({"age": [30, 50], "education": [9, 13], **dict.fromkeys(given, "–")})
    >>> people[["workclass", "occupation"]] = [["Firm", "Sales"], [UNKNOWN, UNKNOWN]]
    >>> adult_rules(Terrain.infer(people))
    column          kind         may rise  may fall  values
    age             numeric      at 5      never     30 to 50 years; ages by 1 a year
    education       numeric      at 1      never     9 to 13
    sex             categorical  never     never     –; personal
    race            categorical  never     never     –; personal
    native_country  categorical  never     never     –; personal; "Country of birth"
    marital_status  categorical  never     never     –; personal
    relationship    categorical  never     never     –; personal; "Place in the family"
    workclass       categorical  at 1      at 1      Firm, unknown; never Firm → unknown; "Employer"
    occupation      categorical  at 1      at 1      Sales, unknown; never Sales → unknown
    """
    who = ("sex", "race", "native_country", "marital_status", "relationship")
    given = _labelled(terrain, "adult").freeze(*who).personal(*who)
    ruled = given.increase_only("age", "education").price("age", increase=5.0)
    names = terrain.schema.names
    if "education_num" in names:
        ruled = ruled.increase_only("education_num")
    if "fnlwgt" in names:
        ruled = ruled.price("fnlwgt", 0.0)
    for name in ("workclass", "occupation"):
        for level in terrain.feature(name).levels:
            ruled = ruled if level == UNKNOWN else ruled.forbid(name, level, UNKNOWN)
    return _sparing(
        ruled.rate("age", per="year").ages("age", per="year"),
        workclass=["Without-pay", "Never-worked"],
        capital_gain="decrease",
        capital_loss="increase",
    )


def credit_default_rules(terrain: Terrain) -> Terrain:
    """Terrain on which card holders can change what we assume people can change.

    Taken as given: sex, education and marriage. Only upwards: age, at five times the ordinary
    price. Only downwards: the credit limit, which people can have lowered, while a higher one is
    the bank's to give, and delays, which make people worse off. Free: bills and payments. All of
    these are the last six months of somebody who goes on from here.

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
    >>> import pandas as pd
    >>> from facelift.terrain import Terrain
    >>> names = ["sex", "education", "marriage", "age", "credit_limit"]
    >>> people = pd.DataFrame([["male", "university", "single", 30, 5000]], columns=names)
    >>> credit_default_rules(Terrain.infer(people))
    column        kind         may rise  may fall  values
    sex           categorical  never     never     male; personal
    education     categorical  never     never     university
    marriage      categorical  never     never     single; personal
    age           numeric      at 5      never     30 to 30 years; ages by 1 a year
    credit_limit  numeric      never     at 1      5000 to 5000 NT$
    """
    given = (
        _labelled(terrain, "credit_default")
        .freeze("sex", "education", "marriage")
        .personal("sex", "marriage")
    )
    aged = given.increase_only("age").price("age", increase=5.0).rate("age", per="year")
    aged = aged.ages("age", per="year")
    months = ("april", "may", "june", "july", "august", "september")
    worse = {f"delay_{month}": "increase" for month in months}
    return _sparing(aged.decrease_only("credit_limit"), **worse)


def heloc_rules(terrain: Terrain) -> Terrain:
    """Terrain on which home owners of HELOC can change what we assume people can change.

    Taken as given: the estimate of others (ExternalRiskEstimate) and the past that does not end
    (the worst delinquency ever and the trades that were late by 60 or 90 days). Only upwards: the
    age of the oldest trade and the average age, by a month each month, the months since the last
    delinquency, the worst delinquency of the last year (higher codes are better), and the numbers
    of trades. Nobody is made worse off: no larger burden, no more inquiries or cards near their
    limit, no lesser share that was never late. Free: balances and what was opened lately.

    Parameters
    ----------
    terrain
        A terrain with the columns of `load_heloc`.

    Returns
    -------
    Terrain
        A new terrain; the one given stays as it was.

    Examples
    --------
    >>> import pandas as pd
    >>> from facelift.terrain import Terrain
    >>> owners = pd.DataFrame([[60.0, 24.0], [80.0, 90.0]], columns=[*_GIVEN[:1], *_AGES[:1]])
    >>> others = [*_GIVEN[1:], *_AGES[1:], *_GROWING]
    >>> terrain = heloc_rules(Terrain.infer(owners.assign(**dict.fromkeys(others, 1.0))))
    >>> terrain.feature("ExternalRiskEstimate").frozen
    True
    >>> terrain.feature("MSinceOldestTradeOpen").decrease
    inf
    """
    ruled = _labelled(terrain, "heloc").freeze(*_GIVEN).increase_only(*_AGES, *_GROWING)
    for name in _AGES:
        ruled = ruled.rate(name, per="month")
    return _sparing(ruled, PercentTradesNeverDelq="decrease", **dict.fromkeys(_BURDENS, "increase"))


def pixel_rules(terrain: Terrain) -> Terrain:
    """Terrain on which every pixel has the same scale, 0 to 1, so that cost is image distance.

    An inferred terrain stretches each column to the range seen in it; a pixel in the corner, never
    darker than a tenth, would weigh ten times as much as one in the middle.

    >>> import numpy as np
    >>> from facelift.terrain import Terrain
    >>> images = np.array([[0.0, 0.0], [0.1, 1.0]])
    >>> terrain = pixel_rules(Terrain.infer(images))
    >>> np.asarray(terrain.encode(images)).tolist()
    [[0.0, 0.0], [0.1, 1.0]]
    """
    pixels = tuple(
        replace(feature, low=0.0, high=1.0, spanned=None) for feature in terrain.features
    )
    return replace(terrain, features=pixels)
