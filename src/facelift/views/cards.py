"""What to choose from: next steps as cards, and the ways from here against each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from facelift import geometry
from facelift._arrays import Floats, Ints
from facelift.choosing import places, scaled_scores
from facelift.language import count, fixed, joined, number, percent, say
from facelift.multiverse.families import on_every_way, worth_of
from facelift.multiverse.frames import Change
from facelift.multiverse.words import (
    EFFORTS,
    ChangeWords,
    done,
    in_words,
    listed,
    name_words,
    outlook_words,
)
from facelift.views.inline import step_pictures
from facelift.views.ways import WayWords, outcome_words, shifts, size_words
from facelift.walking import Effect, Option
from facelift.walking.plan import Plan, by_letter

N_CARDS = 4
"""So many next steps are shown at once, whatever they are ranked by."""


@dataclass(frozen=True)
class Pip:
    """What a step does to one destination."""

    letter: str
    colour: int | None
    effect: Effect


@dataclass(frozen=True)
class Card:
    """A next step. `words` says all of it in sentences, for those who cannot see the pips."""

    vertex: int
    title: str
    changes: tuple[ChangeWords, ...]
    pips: tuple[Pip, ...]
    nearer: str
    closes: str
    no_return: bool
    arrives: str
    effort: float
    expected: float
    before: float | None
    after: float | None
    outlook: str
    tag: str
    words: str
    picture: str
    difference: str
    size: str
    trunk: str
    """Why to do this first whatever one chooses later, if most ways begin with it."""
    shifts: str


@dataclass(frozen=True)
class Cards:
    """All next steps worth showing, and which come first by what one looks for."""

    cards: tuple[Card, ...]
    rankings: dict[str, tuple[int, ...]]
    recommended: int | None


def cards(plan: Plan) -> Cards:
    """The cards of a plan: of each ranking the first four.

    Recommended is what the advised way begins with; the others follow by the effort to expect.
    Where the step that raises the chance most is not among the wisest, it is the last of them: what
    it closes is what the others spare.
    """
    options = _options(plan)
    most_open = sorted(options, key=lambda o: (*_closing(plan, o), o.cost))
    rankings = {
        "expected": [option.end for option in options],
        "open": [option.end for option in most_open],
        "effort": [option.end for option in sorted(options, key=lambda o: (o.cost, o.end))],
    }
    if plan.chance is not None:
        by_chance = sorted(options, key=lambda o: (-(plan.chances[o.end] or 0.0), o.cost, o.end))
        rankings["chance"] = [option.end for option in by_chance]
    first = {name: tuple(ranking[:N_CARDS]) for name, ranking in rankings.items()}
    biggest = first["chance"][0] if first.get("chance") else None
    if biggest is not None and biggest not in first["expected"]:
        first["expected"] = (*first["expected"][: N_CARDS - 1], biggest)
    shown = {vertex for ranking in first.values() for vertex in ranking}
    recommended = options[0].end if options else None
    made = [
        _card(plan, option, _tag(plan, option, biggest))
        for option in options
        if option.end in shown
    ]
    return Cards(tuple(made), first, recommended)


def _closing(plan: Plan, option: Option) -> tuple[int, int]:
    """What orders steps by how much they keep open: how few they close, then how many they help."""
    effects = [option.effects[b] for b in plan.open]
    return effects.count("closed"), -effects.count("nearer")


def _options(plan: Plan) -> list[Option]:
    """Next steps, that of the advised way first."""
    first = None if plan.advised is None else int(plan.ways[plan.advised].in_steps.vertices[1])
    return sorted(plan.options, key=lambda option: option.end != first)


def _tag(plan: Plan, option: Option, biggest: int | None) -> str:
    """Whether a step is recommended, or raises the chance most."""
    if len(plan.options) == 1:
        return ""
    if option is _options(plan)[0]:
        return say("recommended")
    return say("biggest jump") if option.end == biggest else ""


def _card(plan: Plan, option: Option, tag: str) -> Card:
    step = plan.changes(option.start, option.end)
    changes = in_words(step, plan.features)
    pips = _pips(plan, option)
    closes = _letters(pips, "closed")
    position = plan.position
    arrives = [] if position is None else _arrivals(plan, option)
    after = plan.chances[option.end]
    picture, drawn = "", ""
    if position is not None:
        points = position.graph.points
        picture, drawn = step_pictures(plan.guide, points[option.start], points[option.end])
    return Card(
        vertex=option.end,
        title=_seen(plan, option) if picture else _title(plan, step),
        changes=() if picture else changes,
        pips=pips,
        nearer=_letters(pips, "nearer"),
        closes=closes,
        no_return=2 * closes.count(" ") + 2 > len(pips) if closes else False,
        arrives=joined(arrives, " "),
        effort=option.cost,
        expected=option.expected,
        before=plan.chance,
        after=after,
        outlook=change_of_outlook(plan, plan.figure, plan.figures[option.end]),
        tag=tag,
        words=_sentence(listed(changes), pips),
        picture=picture,
        difference=drawn,
        size=_size(plan, option),
        trunk=_trunk_words(plan, option, pips),
        shifts=shifts(plan, option.start, option.end),
    )


def _trunk_words(plan: Plan, option: Option, pips: tuple[Pip, ...]) -> str:
    """That most ways begin with a step, if they do and it closes none: what it is worth.

    A way that the step brings no nearer, since another of the same effort is shown after it, does
    not count, unless the step is free.
    """
    trunk = plan.trunk
    if trunk is None or int(trunk.journey.vertices[1]) != option.end or plan.guide.picture:
        return ""
    helped = [pip.letter for pip in pips if pip.effect == "nearer" or not option.cost]
    on = tuple(i for i in trunk.ways if plan.lines[i].letter in helped)
    if len(trunk.keeps_open) < len(plan.ways) or len(on) <= max(1, len(plan.ways) / 2):
        return ""
    trunk = replace(trunk, ways=on)
    every = on_every_way(trunk)
    head = say("Whatever you choose later, do this first.") if every else say("A good first step.")
    if trunk.n_steps > 1:
        steps = [listed(in_words(step, plan.features)) for step in plan.steps(trunk.journey)]
        others = joined(steps[1 : trunk.n_steps])
        if every:
            head = say("Whatever you choose later, do this first, then {steps}.", steps=others)
        else:
            head = say("A good first step; then {steps}.", steps=others)
    points = trunk.journey.waypoints[: trunk.n_steps + 1]
    size = size_words(plan, points, trunk.cost)
    effort = EFFORTS.get(size) or say("an effort of {effort}", effort=fixed(trunk.cost))
    return joined([head, *worth_of(trunk, effort)], " ")


def _size(plan: Plan, option: Option) -> str:
    """Whether the effort of a step is small, medium or large; empty where it has no scale."""
    if plan.position is None:
        return ""
    points = plan.position.graph.points[[option.start, option.end]]
    return size_words(plan, points, option.cost)


def _title(plan: Plan, step: tuple[Change, ...]) -> str:
    """The one thing that somebody changes, or how many there are."""
    made = done(step, plan.features)
    if len(made) == 1:
        return name_words(made[0][0], plan.features)
    return count("{n} thing changes", "{n} things change", len(made))


def change_of_outlook(plan: Plan, before: float | None, after: float | None) -> str:
    """What a step does to the chance, or to the predicted number; empty without a model."""
    if after is None:
        return ""
    return outlook_words(plan.measure, plan.outlook(after), plan.outlook(before))


def _seen(plan: Plan, option: Option) -> str:
    """What the model takes the picture for after a step."""
    seen = plan.seen_as(plan.answers[option.end])
    if seen is None:
        return say("Another picture")
    outcome = outcome_words(plan, seen[0])
    return say("Seen as {outcome}, {chance}", outcome=outcome, chance=plan.outlook(seen[1]))


def _pips(plan: Plan, option: Option) -> tuple[Pip, ...]:
    """One pip per destination still open, in the order of the letters."""
    pips = [Pip(plan.names[b].letter, plan.names[b].colour, option.effects[b]) for b in plan.open]
    return tuple(sorted(pips, key=lambda pip: (len(pip.letter), pip.letter)))


def _letters(pips: tuple[Pip, ...], effect: Effect) -> str:
    return " ".join(pip.letter for pip in pips if pip.effect == effect)


def _arrivals(plan: Plan, option: Option) -> list[str]:
    """Letters of the destinations that a step arrives at, or that it does so beside them."""
    sets, ways = plan.multiverse.destinations, zip(plan.lines, plan.ways, strict=True)
    letters = {plan.names[b].letter for b in plan.open if option.end in sets[b]}
    letters |= {name.letter for name, way in ways if way.vertices[-1] == option.end}
    if not letters and plan.succeeds(option.end):
        return [say("the outcome you want")]
    return sorted(letters, key=by_letter)


def _sentence(what: str, pips: tuple[Pip, ...]) -> str:
    """A step and its pips in words."""
    parts = [what]
    if letters := _letters(pips, "nearer"):
        parts.append(say("brings nearer {letters}", letters=letters))
    if letters := _letters(pips, "open"):
        parts.append(say("leaves open, no help for {letters}", letters=letters))
    if letters := _letters(pips, "closed"):
        parts.append(say("closes {letters}", letters=letters))
    return joined(parts, "; ")


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
    order = [numbers[way.letter] for way in ways]
    towards = dict(zip(plan.multiverse.kept, plan.class_opportunity[order].T, strict=False))
    classes = {f"towards {each}": scores for each, scores in towards.items()}
    scores: dict[str, Floats] = {
        "effort": np.array([-way.effort for way in ways]),
        "open": np.array([np.nan if way.serves is None else way.serves for way in ways]),
        **classes,
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
            tuple(
                percent(float(told[key][i])) if key in classes else _cell(key, way, late[i])
                for key in told
            ),
            tuple(None if np.isnan(told[key][i]) else float(shares[key][i]) for key in told),
            _beaten(ranks, i),
        )
        for i, way in enumerate(ways)
    )
    helped = {key: _towards(plan, each) for key, each in zip(classes, towards, strict=True)}
    tastes = {key: each for key, each in worst.items() if key not in classes}
    return Comparison(tuple((_ASPECTS | helped)[key] for key in told), rows, _orders(ways, tastes))


def _towards(plan: Plan, outcome: str) -> Aspect:
    """How far ways also lead towards an outcome that is to be kept open."""
    return Aspect(
        say("helps towards {outcome}", outcome=outcome_words(plan, outcome)),
        say("Share of the effort that also leads towards this outcome."),
    )


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
        say("way before you must choose"),
        say("Share of the way before a step first stops helping another way."),
    ),
}
