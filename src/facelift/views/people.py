"""Everybody of a table as a page shows them: a scatter, groups, a list, people side by side.

And of one of them: how they could have come there, and whether their ways will last. Like `page`,
typed documents with words and coordinates; the page adds nothing but ink.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from facelift._arrays import Floats, Ints
from facelift.language import joined, number, say
from facelift.multiverse.words import (
    effort_size,
    fact_words,
    in_words,
    listed,
    name_words,
    value_words,
)
from facelift.terrain.feature import Feature
from facelift.views.audits import MEASURES, GroupTable, Measure, group_table, groupings
from facelift.views.inline import ink
from facelift.views.scatter import (
    Band,
    Choice,
    Scatter,
    Way,
    axes,
    band_counts,
    bands,
    default_axes,
    outcomes,
    scatter,
)
from facelift.views.ways import effort_words, way_words
from facelift.walking.guide import Guide
from facelift.walking.population import N_WAYS, Census, Population, found
from facelift.walking.walk import Walk

SCHEMA = "facelift/people/1"

MOST_ROWS = 200
"""So many people are listed at a time."""

Filter = Literal["all", "rejected", "none", "reached"]
Sort = Literal["fewest ways", "lowest first", "highest first", "number"]


@dataclass(frozen=True)
class Everybody:
    """All that a page shows of a table of people, so far."""

    schema: str
    title: str
    facts: str
    rejected: str
    goal: str
    done: int
    of: int
    progress: str
    notes: tuple[str, ...]
    bands: tuple[Band, ...]
    columns: tuple[Choice, ...]
    groupings: tuple[Choice, ...]
    measures: tuple[Choice, ...]
    scatter: Scatter | None
    groups: GroupTable | None
    start: int | None
    can_last: bool
    example: str


@dataclass(frozen=True)
class Person:
    """Somebody in a list."""

    person: int
    title: str
    facts: str
    band: Way
    ways: str
    outlook: str
    picture: str


@dataclass(frozen=True)
class People:
    """Some of those whom a search found."""

    people: tuple[Person, ...]
    n_found: int
    counts: dict[Filter, int]


@dataclass(frozen=True)
class Compared:
    """One thing about several people, and whether they differ in it."""

    label: str
    values: tuple[str, ...]
    differ: bool


@dataclass(frozen=True)
class SideBySide:
    """People compared: what the model says and what lies before them, then their columns."""

    people: tuple[Person, ...]
    outlook: tuple[Compared, ...]
    columns: tuple[Compared, ...]


def everybody(
    population: Population,
    *,
    across: str | None = None,
    up: str | None = None,
    by: str | None = None,
    measure: Measure | None = None,
) -> Everybody:
    """What is known of everybody so far, drawn by two columns and grouped by one."""
    census, columns = population.census, axes(population)
    choices = groupings(population)
    names = {each.name for each in columns}
    chosen = default_axes(population, columns)
    across, up = (
        each if each in names else own for each, own in zip((across, up), chosen, strict=True)
    )
    by = (
        by if by in {each.name for each in choices} else next((each.name for each in choices), None)
    )
    rejected, wanted = outcomes(population)
    counts = population.picture is None  # ways of pictures are counted when somebody is chosen
    n_rejected = int((~census.reached & census.is_readable).sum())
    return Everybody(
        schema=SCHEMA,
        title=population.title,
        facts=say(
            "{n} people · {n_rejected} {rejected}",
            n=number(len(population), grouped=True),
            n_rejected=number(n_rejected, grouped=True),
            rejected=rejected,
        ),
        rejected=rejected,
        goal=wanted,
        done=census.looked,
        of=census.looking if counts else 0,
        progress=_progress(census) if counts else "",
        notes=_notes(census) if counts else census.readable.notes,
        bands=band_counts(population),
        columns=columns,
        groupings=choices,
        measures=tuple(Choice(name, label) for name, label in MEASURES.items()),
        scatter=None if across is None or up is None else scatter(population, across, up),
        groups=group_table(population, by, measure) if by and census.is_done else None,
        start=population.start,
        can_last=population.outcome is not None,
        example=_example(population, across),
    )


def _example(population: Population, name: str | None) -> str:
    """Something one could search for."""
    known = population.explainer.terrain_.by_name
    if name is None or population.table[known[name].name].dtype.kind not in "iuf":
        return population.name(0)
    middle = float(population.table[known[name].name].median())
    return joined([name_words(name, known), f"> {middle:.3g}"], " ")


def _progress(census: Census) -> str:
    if census.is_done:
        return ""
    return say(
        "Counting ways: {n} of {total} people so far.",
        n=number(census.looked, grouped=True),
        total=number(census.looking, grouped=True),
    )


def _notes(census: Census) -> tuple[str, ...]:
    sampled = say(
        "Ways are counted for {n} people drawn at random out of {total}; whoever you choose is "
        "counted then.",
        n=number(len(census.sample), grouped=True),
        total=number(len(census.readable.places), grouped=True),
    )
    return (*census.readable.notes, *(() if census.is_whole else (sampled,)))


def found_people(
    population: Population,
    *,
    said: str = "",
    spoken: str = "en",
    only: Filter = "all",
    sort: Sort = "fewest ways",
    first: int = 0,
    n: int = 50,
) -> People:
    """Those whom a search finds, some of them."""
    census = population.census
    names = [population.name(person) for person in range(len(population))]
    fits = found(population.table, said, population.explainer.terrain_.by_name, names, spoken)
    fits &= census.is_readable
    kinds: dict[Filter, Any] = {
        "all": fits,
        "rejected": fits & ~census.reached,
        "none": fits & (census.ways == 0),
        "reached": fits & census.reached,
    }
    chosen = np.flatnonzero(kinds[only])
    order = chosen[_order(census, chosen, sort)][first : first + min(n, MOST_ROWS)]
    counts = {name: int(mask.sum()) for name, mask in kinds.items()}
    return People(tuple(person(population, each) for each in order.tolist()), len(chosen), counts)


def _order(census: Census, people: Ints, sort: Sort) -> Ints:
    figures = census.goal.merit(_answers(census, people))
    if sort == "number":
        return np.arange(len(people))
    if sort == "fewest ways":
        ways = census.ways[people]
        later = np.where(census.reached[people], 2, np.where(ways < 0, 1, 0))
        return np.lexsort((people, figures, ways, later))
    return np.lexsort((people, figures if sort == "lowest first" else -figures))


def _answers(census: Census, people: Ints) -> Floats:
    places = np.searchsorted(census.readable.places, people)
    return np.asarray(census.readable.answers[places])


def person(population: Population, number: int) -> Person:
    """Somebody as a list shows them."""
    census, known = population.census, population.explainer.terrain_.by_name
    names = population.facts or tuple(
        each for each in default_axes(population, axes(population)) if each
    )
    table: Any = population.table
    facts = {name: table[known[name].name].iloc[number] for name in names}
    return Person(
        person=number,
        title=population.name(number),
        facts=fact_words(facts, known),
        band=bands(census, np.array([number]))[0],
        ways=_ways(population, number),
        outlook=census.goal.short_words(float(census.figures[number])),
        picture=_picture(population, number),
    )


def _ways(population: Population, number: int) -> str:
    census = population.census
    told: Mapping[str, str] = {
        "none": say("none"),
        "unknown": say("not counted"),
        "reached": outcomes(population)[1],
    }
    ways = int(census.ways[number])
    return told.get(
        bands(census, np.array([number]))[0], f"{ways}+" if ways >= N_WAYS else str(ways)
    )


def _picture(population: Population, number: int) -> str:
    if population.picture is None:
        return ""
    values = population.table.iloc[number].to_numpy(dtype=np.float64)
    low, high = (float(each) for each in population.ink)
    return ink((values.reshape(population.picture) - low) / ((high - low) or 1.0))


def _told(population: Population, number: int, feature: Feature) -> str:
    """A value of somebody, in words."""
    column: Any = population.table[feature.name]
    return value_words(column.iloc[number], feature)


def side_by_side(population: Population, numbers: Sequence[int]) -> SideBySide:
    """People compared."""
    census, known = population.census, population.explainer.terrain_.by_name
    people = tuple(person(population, number) for number in numbers)
    efforts = [float(census.effort[number]) for number in numbers]
    rows = [
        (
            say("chance of {outcome}", outcome=outcomes(population)[1])
            if census.goal.measure == "chance"
            else say("predicted"),
            [each.outlook for each in people],
        ),
        (say("ways open, counted up to {n}", n=N_WAYS), [each.ways for each in people]),
        (
            say("effort of the nearest way"),
            [
                effort_words(effort_size(each), each) if np.isfinite(each) else "–"
                for each in efforts
            ],
        ),
    ]
    columns = [
        (
            name_words(name, known),
            [_told(population, number, feature) for number in numbers],
        )
        for name, feature in known.items()
        if population.picture is None
    ]
    return SideBySide(people, _compared(rows), _compared(columns))


def _compared(rows: Sequence[tuple[str, list[str]]]) -> tuple[Compared, ...]:
    return tuple(Compared(label, tuple(values), len(set(values)) > 1) for label, values in rows)


MANY = 12
"""So many changes of a step are told one by one."""


@dataclass(frozen=True)
class PastStep:
    """A step of a history, what the model says after it, and whether the outcome was lost by it."""

    words: str
    outlook: str
    lost: bool


@dataclass(frozen=True)
class PastWay:
    """How somebody with the outcome comes to where one stands, and the last fork."""

    start: str
    steps: tuple[PastStep, ...]
    fork: str


@dataclass(frozen=True)
class Past:
    """Histories of one person; none where nobody could have come here."""

    words: str
    ways: tuple[PastWay, ...]


@dataclass(frozen=True)
class LastingWay:
    """A way, and how many other models agree on where it ends."""

    letter: str
    colour: int
    words: str
    outlook: str
    lasts: str


@dataclass(frozen=True)
class Lasting:
    """Whether the ways of a person will last."""

    words: str
    ways: tuple[LastingWay, ...]


def past(population: Population, retrospect: Any) -> Past:
    """Histories, as `fl.retrospect` gives them, in words."""
    wanted = outcomes(population)[1]
    if not len(retrospect):
        words = say(
            "Nobody in the table with “{outcome}” comes here by steps that the rules allow.",
            outcome=wanted,
        )
        return Past(words, ())
    words = say(
        "People with “{outcome}” and steps that the rules allow: this is how one of them could "
        "come to stand here. It is not what happened.",
        outcome=wanted,
    )
    return Past(words, tuple(_history(population, retrospect.goal, each) for each in retrospect))


def _history(population: Population, goal: Any, history: Any) -> PastWay:
    known = population.explainer.terrain_.by_name
    figures = [goal.short_words(float(figure)) for figure in history.figures]
    steps = tuple(
        PastStep(listed(in_words(step, known), MANY), figures[i + 1], i == history.last)
        for i, step in enumerate(history.changes)
    )
    fork = say("No other step on this way would have kept it.")
    if history.fork is not None:
        instead = listed(in_words(history.fork.changes, known), MANY)
        kept = goal.short_words(float(history.fork.figure))
        fork = say(
            "Before step {n}, {instead} would have kept it ({chance}).",
            n=history.fork.waypoint + 1,
            instead=instead,
            chance=kept,
        )
    start = (
        say("Somebody like this had a chance of {chance}.", chance=figures[0])
        if goal.measure == "chance"
        else say("For somebody like this, {figure} was predicted.", figure=figures[0])
    )
    return PastWay(start, steps, fork)


def lasting(guide: Guide) -> Lasting:
    """The ways of a guide whose explainer has a committee."""
    ways = way_words(guide.plan(Walk()))
    told = tuple(
        LastingWay(each.letter, each.colour, listed(each.changes), each.outlook, each.lasts)
        for each in ways
    )
    words = say(
        "Other models were fitted to samples of the same table. The more of them agree on where a "
        "way ends, the less it hangs on chance."
    )
    return Lasting(words if told else say("No way was found that could last or not."), told)
