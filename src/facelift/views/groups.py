"""Groups of people compared: the audit at a glance, with its intervals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd

from facelift.auditing import Audit
from facelift.auditing.census import N_WAYS
from facelift.auditing.summary import name_of
from facelift.errors import InvalidInput
from facelift.language import joined, number, percent, say
from facelift.multiverse.words import name_words, value_words
from facelift.terrain.feature import Feature
from facelift.terrain.kinds import kind_of
from facelift.views.audits import audit_report, ticks_over
from facelift.views.scatter import MOST_LEVELS, Choice, Tick
from facelift.walking.population import Population

Measure = Literal["coverage", "cost", "destinations"]


@dataclass(frozen=True)
class GroupRow:
    """A number of a group and its interval, in words and as places between 0 and 1."""

    name: str
    n: int
    words: str
    at: float | None
    low: float | None
    high: float | None
    is_small: bool
    ways: str


@dataclass(frozen=True)
class GroupTable:
    """Groups compared by one measure."""

    by: str
    measure: Measure
    rows: tuple[GroupRow, ...]
    ticks: tuple[Tick, ...]
    verdict: str


MEASURES: dict[Measure, str] = {
    "coverage": say("share with any way"),
    "cost": say("effort of the nearest way"),
    "destinations": say("ways open, counted up to {n}", n=N_WAYS),
}


def groupings(population: Population) -> tuple[Choice, ...]:
    """Columns that make groups, those that say who somebody is first."""
    if population.picture is not None:
        return ()
    features = population.explainer.terrain_.by_name
    makes = [
        each
        for each in features.values()
        if len(each.levels) != 1 and len(each.levels) <= MOST_LEVELS
    ]
    makes.sort(
        key=lambda each: (
            not each.personal,
            not _is_age(each),
            not each.frozen,
            not each.levels,
        )
    )
    return tuple(Choice(str(each.name), name_words(str(each.name), features)) for each in makes)


def _is_age(feature: Feature) -> bool:
    return "age" in name_words(str(feature.name)).lower().split()


def grouping(population: Population, by: str) -> pd.Series[Any]:
    """The group of everybody: a level, or one of three bands of numbers."""
    feature = population.explainer.terrain_.by_name[by]
    column = population.table[feature.name]
    names = [str(words) for words in _group_words(feature, column)]
    if feature.levels:
        words = column.astype(object).map(lambda value: str(value_words(value, feature)))
        return pd.Series(pd.Categorical(words, [*names, *({*words} - {*names})]), name=by)
    numbers = _amounts(feature, column)
    bands = pd.cut(numbers, [-np.inf, *_edges(numbers), np.inf], labels=names).astype(object)
    return pd.Series(pd.Categorical(bands.fillna("missing"), [*names, "missing"]), name=by)


def _group_words(feature: Feature, column: pd.Series[Any]) -> list[str]:
    """What the groups by a column are called, so that it can be told in any language."""
    if feature.levels:
        return [value_words(level, feature) for level in feature.levels]
    kind, edges = kind_of(feature), _edges(_amounts(feature, column))
    told = [value_words(kind.told(feature, edge), feature) for edge in edges]
    return [
        say("up to {most}", most=told[0]),
        *([say("over {least} to {most}", least=told[0], most=told[1])] if len(told) > 1 else []),
        say("over {least}", least=told[-1]),
    ]


def _amounts(feature: Feature, column: pd.Series[Any]) -> pd.Series[float]:
    """A column that is not of levels, as numbers."""
    return pd.Series(kind_of(feature).amounts(feature, column), index=column.index)


def _edges(numbers: pd.Series[float]) -> list[float]:
    """Round numbers that about a third of all are below and above."""
    return sorted({float(f"{numbers.quantile(share):.2g}") for share in (1 / 3, 2 / 3)})


def group_table(population: Population, by: str, measure: Measure | None) -> GroupTable | None:
    """Groups by one column; None before anybody was looked at."""
    census = population.census
    audit, total = census.audit(grouping(population, by)), census.audit(np.zeros(len(population)))
    if audit is None or total is None:
        return None
    measure = measure or ("cost" if (total.groups["coverage"] == 1).all() else "coverage")
    groups = [(say("everybody"), total.groups.iloc[0])]
    feature = population.explainer.terrain_.by_name[by]
    words = {str(each): each for each in _group_words(feature, population.table[feature.name])}
    groups += [
        (words.get(name_of(name), name_of(name)), row) for name, row in audit.groups.iterrows()
    ]
    numbers = [float(row[measure + end]) for _, row in groups for end in ("", "_low", "_high")]
    known = [number for number in numbers if np.isfinite(number)]
    ticks = ticks_over(0.0, 1.0 if measure == "coverage" else max(known, default=1.0))
    high = ticks[-1]
    rows = tuple(_group_row(name, row, measure, high, audit.min_size) for name, row in groups)
    marks = tuple(Tick(round(tick / high, 4), _figure(measure, tick)) for tick in ticks)
    return GroupTable(by, measure, rows, marks, _verdict(audit, measure, words))


def _group_row(
    name: str, row: pd.Series[Any], measure: str, high: float, min_size: int
) -> GroupRow:
    def at(end: str) -> float | None:
        figure = float(row[measure + end])
        return round(figure / high, 4) if np.isfinite(figure) else None

    value = float(row[measure])
    words = _figure(measure, value) if np.isfinite(value) else "–"
    n = int(row["rejected"])
    median = float(row["destinations_median"])
    ways = number(float(f"{median:.3g}")) if np.isfinite(median) else "–"
    ways = f"{N_WAYS}+" if median >= N_WAYS else ways
    return GroupRow(name, n, words, at(""), at("_low"), at("_high"), n < min_size, ways)


def _figure(measure: str, value: float) -> str:
    return percent(value) if measure == "coverage" else number(float(f"{value:.3g}"))


def _verdict(audit: Audit, measure: Measure, words: Mapping[str, str]) -> str:
    """Which groups differ from all others, as far as the interval of the difference says."""
    large = [name_of(name) for name, n in audit.groups["rejected"].items() if n >= audit.min_size]
    if len(audit.groups) < 2 or len(large) < 1:
        return say("No group has {n} people: too few to conclude anything.", n=audit.min_size)
    rows: dict[str, Any] = {name: audit.differences.loc[(name, measure)] for name in large}
    apart = [name for name, row in rows.items() if row["low"] > 0 or row["high"] < 0]
    if not apart:
        return say(
            "No group stands out: each may be like all others, as far as the intervals tell."
        )
    told = [
        say(
            "{group} ({own}, all others {others})",
            group=words.get(name, name),
            own=_figure(measure, float(rows[name]["own"])),
            others=_figure(measure, float(rows[name]["others"])),
        )
        for name in apart
    ]
    return say("Stands out: {groups}.", groups=joined(told, "; "))


def report(population: Population, by: str | None) -> str:
    """The whole audit of those looked at so far, as a page of its own."""
    known = {each.name for each in groupings(population)}
    if by not in known:
        raise InvalidInput("Say by which column people are grouped.")
    audit = population.census.audit(grouping(population, by))
    if audit is None:
        raise InvalidInput("Nobody was looked at yet: try again in a moment.")
    explainer, title = population.explainer, f"Audit of {population.title}"
    counted = f"Model: {type(explainer.model).__name__}. Steps: {explainer.steps}."
    return audit_report(audit, title=title, counted=counted)
