"""What is advised and why, in sentences: how large an effort is, what to begin with, which way."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from facelift.geometry import TOLERANCE
from facelift.language import Sentence, fixed, joined, say
from facelift.multiverse.families import Trunk
from facelift.multiverse.journey import Journey
from facelift.multiverse.multiverse import Multiverse
from facelift.multiverse.words import effort_size
from facelift.terrain.feature import Feature

EFFORTS = {
    "small": say("a small effort"),
    "medium": say("a medium effort"),
    "large": say("a large effort"),
}
"""How large an effort is, by its size."""


def effort_phrase(multiverse: Multiverse, journey: Journey, n_steps: int | None = None) -> str:
    """How large the effort of a journey, or of its first steps, is.

    >>> from facelift.toys import loan
    >>> multiverse = loan().multiverse()
    >>> effort_phrase(multiverse, multiverse[0])
    'a large effort'
    """
    return EFFORTS[size_of_effort(multiverse, journey, n_steps)]


def size_of_effort(multiverse: Multiverse, journey: Journey, n_steps: int | None = None) -> str:
    """Small, medium or large, on the scale of the terrain whatever edges cost."""
    journey = journey.in_steps
    effort = float(journey.step_costs[:n_steps].sum())
    if multiverse.question is not None:
        points = journey.waypoints[: None if n_steps is None else n_steps + 1]
        terrain = multiverse.question.explainer.terrain_
        priced = float(np.sum(terrain.cost(points[:-1], points[1:])))
        effort = priced if math.isfinite(priced) else effort
    return effort_size(effort)


def expectation(effort: float, failure: float) -> str:
    """The effort to expect if steps may fall through.

    >>> expectation(0.4123, 0.1)
    'If one step in ten falls through, expect an effort of 0.41.'
    """
    if math.isclose(failure, 0.1):
        return say(
            "If one step in ten falls through, expect an effort of {effort}.", effort=fixed(effort)
        )
    share = Sentence("percent", (f"{100 * failure:.3g}",), {})
    return say(
        "If {share} of all steps fall through, expect an effort of {effort}.",
        share=share,
        effort=fixed(effort),
    )


def beginning(multiverse: Multiverse, trunk: Trunk, steps: str) -> str:
    """What to begin with, whatever one chooses later or for most ways; `steps` tells what that is.

    >>> from facelift.toys import fork
    >>> multiverse = fork().multiverse()
    >>> print(beginning(multiverse, multiverse.trunk(), "the middle road"))
    A good beginning: the middle road. 2 of the 3 ways we found can begin so. It takes a large
    effort and keeps 2 of 3 ways open.
    """
    head = say("A good beginning: {steps}.", steps=steps)
    if on_every_way(trunk):
        head = say("Whatever you choose later, begin with this: {steps}.", steps=steps)
    effort = effort_phrase(multiverse, trunk.journey, trunk.n_steps)
    return joined([head, *worth_of(trunk, effort)], " ")


def on_every_way(trunk: Trunk) -> bool:
    """Whether every way that was found can begin so."""
    return len(trunk.ways) == len(trunk.journey.remaining[0])


def worth_of(trunk: Trunk, effort: str) -> Iterator[str]:
    """Why to begin with something: how many ways can begin so, what it takes and keeps open."""
    total, on, n_open = len(trunk.journey.remaining[0]), len(trunk.ways), len(trunk.keeps_open)
    if on_every_way(trunk):
        yield say("All {total} ways we found can begin so.", total=total)
    else:
        yield say("{n} of the {total} ways we found can begin so.", n=on, total=total)
    if trunk.excess > 0:
        percent = math.ceil(100 * trunk.excess * (1 - TOLERANCE))
        yield say(
            "They then take at most {percent} % more effort than without it.", percent=percent
        )
    if n_open == total:
        yield say("It takes {effort} and keeps all ways open.", effort=effort)
    else:
        yield say(
            "It takes {effort} and keeps {n} of {total} ways open.",
            effort=effort,
            n=n_open,
            total=total,
        )


def stops_decide(multiverse: Multiverse) -> bool:
    """Whether a proof is of the numbers that ways stop at, and says nothing of those between."""
    asked = multiverse.question and multiverse.question.explainer
    if not asked or not asked.steps_.single_changes or multiverse.proof.kind == "not proven":
        return False
    return any(map(_stops_short, asked.terrain_.numbers))


def _stops_short(feature: Feature) -> bool:
    """Whether a number may change and has values that ways do not stop at."""
    whole = feature.decimals == 0 and len(feature.stops) > feature.high - feature.low
    return not feature.frozen and not whole
