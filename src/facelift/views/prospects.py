"""How somebody could have come to where they stand, and whether their ways will last."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from facelift.language import say
from facelift.multiverse.words import in_words, listed
from facelift.views.scatter import outcomes
from facelift.views.ways import way_words
from facelift.walking.guide import Guide
from facelift.walking.population import Population
from facelift.walking.walk import Walk

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
    start = say("Somebody like this had a chance of {chance}.", chance=figures[0])
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
