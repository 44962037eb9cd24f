"""The ways from here against each other, by everything one may look for; and orders by taste."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from facelift import geometry
from facelift._arrays import Floats, Ints
from facelift.language import fixed, number, percent, say
from facelift.selection import places, scaled_scores
from facelift.views.ways import WayWords
from facelift.walking.plan import Plan


@dataclass(frozen=True)
class Aspect:
    """Something to compare ways by, and what it means."""

    name: str
    about: str


@dataclass(frozen=True)
class Compared:
    """A way: what there is to say by each aspect, and how good that is among the ways (0 to 1)."""

    letter: str
    colour: int
    cells: tuple[str, ...]
    shares: tuple[float | None, ...]
    beaten: bool
    """Whether another way is at least as good by every aspect, and better by one."""


@dataclass(frozen=True)
class Comparison:
    """All ways by all aspects, and letters in order for every taste, the best first."""

    aspects: tuple[Aspect, ...]
    ways: tuple[Compared, ...]
    orders: dict[str, tuple[str, ...]]


def comparison(plan: Plan, ways: Sequence[WayWords]) -> Comparison:
    """The ways of a plan that are told, by letter."""
    numbers = {name.letter: i for i, name in enumerate(plan.lines)}
    journeys = [plan.ways[numbers[way.letter]] for way in ways]
    late = [geometry.branching_delay(each.step_costs, each.alternatives) for each in journeys]
    scores: dict[str, Floats] = {
        "effort": np.array([-way.effort for way in ways]),
        "open": np.array([np.nan if way.serves is None else way.serves for way in ways]),
        "chance": np.array([np.nan if way.chance is None else way.chance for way in ways]),
        "steps": np.array([-float(len(way.steps)) for way in ways]),
        "changes": np.array([-float(len(way.changes)) for way in ways]),
        "late": np.array(late, dtype=np.float64),
    }
    told = {key: each for key, each in scores.items() if np.isfinite(each).any()}
    if plan.guide.picture is not None:
        told.pop("changes", None)
    worst = {key: np.where(np.isnan(each), -np.inf, each) for key, each in told.items()}
    ranks = np.array([places(each) for each in worst.values()]).reshape(len(told), len(ways)).T
    shares = {key: scaled_scores(each) for key, each in worst.items()}
    rows = tuple(
        Compared(
            way.letter,
            way.colour,
            tuple(_cell(key, way, late[i]) for key in told),
            tuple(None if np.isnan(told[key][i]) else float(shares[key][i]) for key in told),
            _beaten(ranks, i),
        )
        for i, way in enumerate(ways)
    )
    return Comparison(tuple(_ASPECTS[key] for key in told), rows, _orders(ways, worst))


def _orders(ways: Sequence[WayWords], scores: dict[str, Floats]) -> dict[str, tuple[str, ...]]:
    """Letters by every taste; to decide early is the opposite of late. Ties go to less effort."""
    tastes = scores | ({"early": -scores["late"]} if "late" in scores else {})
    cheap = places(scores["effort"]) if "effort" in scores else np.zeros(len(ways))
    return {
        key: tuple(ways[i].letter for i in np.lexsort((cheap, places(each))).tolist())
        for key, each in tastes.items()
    }


def _beaten(ranks: Ints, number: int) -> bool:
    own = ranks[number]
    return bool(((ranks <= own).all(axis=1) & (ranks < own).any(axis=1)).any())


def _cell(key: str, way: WayWords, late: float) -> str:
    """What is told of a way by one aspect."""
    match key:
        case "effort":
            return fixed(way.effort)
        case "open":
            return "–" if way.serves is None else percent(way.serves)
        case "chance":
            return way.outlook
        case "steps":
            return number(len(way.steps))
        case "changes":
            return number(len(way.changes))
        case _:
            return percent(late)


_ASPECTS = {
    "effort": Aspect(say("effort"), say("Less is better.")),
    "open": Aspect(say("helps other ways"), say("Share of the effort that also helps other ways.")),
    "chance": Aspect(say("chance"), say("What the model says at the end of the way.")),
    "steps": Aspect(say("steps"), say("Fewer is better.")),
    "changes": Aspect(say("things that change"), say("Fewer is better.")),
    "late": Aspect(
        say("decides late"), say("Share of the way before a step first stops helping another way.")
    ),
}
