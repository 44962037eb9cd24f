"""Everybody of a table in a scatter, coloured by how many ways they have."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from facelift._arrays import Bools, Floats, Ints
from facelift.drawing.layout import ticks_over
from facelift.language import count, joined, label, number, say
from facelift.multiverse.words import name_words, value_words
from facelift.terrain.kinds import kind_of
from facelift.walking.population import Census, Population

MOST_DOTS = 2_500
"""So many people are drawn; more would hide each other."""

MOST_LEVELS = 8
"""A column with more levels is neither an axis nor makes groups."""

SHARE_BEYOND = 0.01
"""At most so many at either end of a column are drawn on the edge where they are far away."""

FEWEST_TICKS = 3
"""With fewer years than this, dates are told on an axis instead."""

EPOCH = np.datetime64("1970-01-01", "D")

FEW, MANY = 5, 15
"""Fewer ways than the first are few, from the second on they are many."""

Way = Literal["none", "few", "some", "many", "reached", "unknown"]
"""How many ways somebody has, roughly."""


@dataclass(frozen=True)
class Choice:
    """Something to choose, by its name and what people call it."""

    name: str
    label: str


@dataclass(frozen=True)
class Band:
    """People with about as many ways, and how many they are."""

    band: Way
    words: str
    n: int


@dataclass(frozen=True)
class Tick:
    """A value along an axis; `at` lies between 0 and 1."""

    at: float
    label: str


@dataclass(frozen=True)
class Axis:
    """A column along which people are drawn."""

    name: str
    label: str
    ticks: tuple[Tick, ...]


@dataclass(frozen=True)
class Dot:
    """Somebody in the scatter; x and y lie between 0 and 1."""

    person: int
    x: float
    y: float
    band: Way
    title: str


@dataclass(frozen=True)
class Scatter:
    """Everybody drawn by two columns."""

    across: Axis
    up: Axis
    dots: tuple[Dot, ...]
    note: str


def outcomes(population: Population) -> tuple[str, str]:
    """What those without the outcome are called, and what the outcome is."""
    goal, words = population.census.goal, population.words
    wanted = label(words[str(goal)]) if str(goal) in words else str(goal)
    target = getattr(goal, "target", ())
    others = [each for each in getattr(goal, "classes", ()) if each not in target]
    if len(others) == 1:
        return label(words.get(others[0], others[0])), wanted
    return say("not {outcome}", outcome=wanted), wanted


def bands(census: Census, people: Ints) -> list[Way]:
    """How many ways people have, roughly."""
    ways = census.ways[people]
    names: list[Way] = ["reached", "unknown", "none", "few", "some", "many"]
    kinds = [census.reached[people], ways < 0, ways == 0, ways < FEW, ways < MANY]
    found = np.select(kinds, range(5), default=5)
    return [names[kind] for kind in found.tolist()]


def band_counts(population: Population) -> tuple[Band, ...]:
    """How many people have about as many ways."""
    census = population.census
    names = bands(census, census.readable.places)
    words: dict[Way, str] = {
        "none": say("no way found"),
        "few": say("{low} to {high}", low=1, high=FEW - 1),
        "some": say("{low} to {high}", low=FEW, high=MANY - 1),
        "many": say("{n} or more", n=MANY),
        "unknown": say("not counted"),
        "reached": outcomes(population)[1],
    }
    return tuple(Band(name, told, names.count(name)) for name, told in words.items())


def axes(population: Population) -> tuple[Choice, ...]:
    """Columns that people can be drawn by: numbers, and levels if there are few."""
    if population.picture is not None:
        return ()
    features = population.explainer.terrain_.features
    return tuple(
        Choice(str(each.name), name_words(str(each.name), population.explainer.terrain_.by_name))
        for each in features
        if len(each.levels) <= MOST_LEVELS
    )


def default_axes(
    population: Population, columns: Sequence[Choice]
) -> tuple[str | None, str | None]:
    """The first two of the facts that say who somebody is, then numbers with many values."""
    names = [each.name for each in columns]
    known = {str(each.name): each for each in population.explainer.terrain_.features}
    varied = sorted(
        (name for name in names if not known[name].levels),
        key=lambda name: -population.table[known[name].name].nunique(),
    )
    ordered = list(
        dict.fromkeys([*(name for name in population.facts if name in varied), *varied, *names])
    )
    first, second = [*ordered[:2], None, None][:2]
    return (second, first) if population.facts else (first, second)


def scatter(population: Population, across: str, up: str) -> Scatter:
    """People along two columns; of many, those looked at and some more."""
    census = population.census
    sides = [_placed(population, name) for name in (across, up)]
    known = np.isfinite(sides[0][1]) & np.isfinite(sides[1][1])
    shown = np.flatnonzero(census.is_readable & known)
    missing = int((census.is_readable & ~known).sum())
    if len(shown) > MOST_DOTS:
        sample = np.intersect1d(census.readable.places[census.sample], shown)
        others = np.setdiff1d(shown, sample)
        rng = np.random.default_rng(0)
        more = rng.permutation(others)[: MOST_DOTS - len(sample)]
        shown = np.sort(np.append(sample, more))
    beyond = int((sides[0][2] | sides[1][2])[shown].sum())
    dots = tuple(
        Dot(person, round(float(x), 4), round(float(y), 4), kind, population.name(person))
        for person, kind, x, y in zip(
            shown.tolist(), bands(census, shown), *(at[shown] for _, at, _ in sides), strict=True
        )
    )
    some = len(shown) + missing < int(census.is_readable.sum())
    counts = {"n": number(len(shown), grouped=True), "total": number(len(population), grouped=True)}
    notes = [
        *([say("{n} of {total} people are drawn.", **counts)] if some else []),
        *([_beyond_words(beyond)] if beyond else []),
        *([_missing_words(missing)] if missing else []),
    ]
    return Scatter(sides[0][0], sides[1][0], dots, joined(notes, " "))


def _beyond_words(n: int) -> str:
    return count(
        "{n} person lies beyond an edge and is drawn on it.",
        "{n} people lie beyond an edge and are drawn on it.",
        n,
    )


def _missing_words(n: int) -> str:
    return count(
        "{n} person is not drawn, for want of a value.",
        "{n} people are not drawn, for want of a value.",
        n,
    )


def _placed(population: Population, name: str) -> tuple[Axis, Floats, Bools]:
    """An axis, where people stand along it, and who is beyond its ends and drawn on them.

    People with equal values stand a little apart; NaN is the place of a missing one.
    """
    features = population.explainer.terrain_.by_name
    feature, words = features[name], name_words(name, features)
    column = population.table[feature.name]
    if feature.levels:
        places = {level: place for place, level in enumerate(feature.levels)}
        values: Floats = np.asarray(column.astype(object).map(places), dtype=np.float64)
        ticks = [(float(place), value_words(level, feature)) for level, place in places.items()]
        low, high = -0.5, len(places) - 0.5
    else:
        kind = kind_of(feature)
        values = kind.amounts(feature, column)
        ends = _range(values)
        ticks = _years(*ends) if feature.kind == "date" else []
        if len(ticks) < FEWEST_TICKS:
            told = {step: kind.told(feature, step) for step in ticks_over(*ends)}
            ticks = [(step, value_words(each, feature)) for step, each in told.items()]
        low, high = ticks[0][0], ticks[-1][0]
    distinct = np.unique(values[np.isfinite(values)])
    gap = float(np.diff(distinct).min()) if 1 < len(distinct) <= 40 else 0.0
    spread = np.random.default_rng(len(name)).uniform(-0.35, 0.35, len(values)) * gap
    at = (values + spread - low) / (high - low)
    marks = tuple(Tick(round((value - low) / (high - low), 4), each) for value, each in ticks)
    beyond = (values < low) | (values > high)
    return Axis(name, words, marks), np.clip(at, 0.0, 1.0), beyond


def _years(low: float, high: float) -> list[tuple[float, str]]:
    """Where round years begin, in days since 1970, and what they are called.

    >>> _years(15000, 20500)[-2:]
    [(20089.0, '2025'), (21915.0, '2030')]
    """
    *years, last = ticks_over(*(1970 + day / 365.2425 for day in (low, high)))
    rounded = sorted({math.floor(year) for year in years} | {math.ceil(last)})
    days = [(np.datetime64(f"{year:04}", "D") - EPOCH).astype(float) for year in rounded]
    return [(float(day), str(year)) for day, year in zip(days, rounded, strict=True)]


def _range(values: Floats) -> tuple[float, float]:
    """Where an axis begins and ends, so that a few far away do not squeeze all others.

    >>> _range(np.append(np.arange(101.0), 3000.0))
    (0.0, 149.48)
    """
    least, most = float(np.nanmin(values)), float(np.nanmax(values))
    low, high = (float(each) for each in np.nanquantile(values, (SHARE_BEYOND, 1 - SHARE_BEYOND)))
    room = (high - low) / 2
    return (max(least, low - room), min(most, high + room)) if room > 0 else (least, most)
