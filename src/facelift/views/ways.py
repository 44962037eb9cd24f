"""The ways from here: for the map, the table, the curve and the matrix of what serves what."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from facelift._arrays import Floats
from facelift.drawing import Leg, Line, Map, Scale
from facelift.drawing.layout import captions, layout, upright
from facelift.language import (
    ENGLISH,
    Language,
    count,
    duration,
    fixed,
    joined,
    label,
    number,
    say,
    time,
    told,
)
from facelift.multiverse.goal import Goal, Range
from facelift.multiverse.html import leg, line
from facelift.multiverse.journey import Journey
from facelift.multiverse.words import (
    DIPS,
    ChangeWords,
    done,
    effort_size,
    in_words,
    listed,
    outlook_words,
    shift_words,
)
from facelift.views.inline import ink, picture_of, step_pictures
from facelift.walking.plan import Plan, changed
from facelift.walking.walk import Name


@dataclass(frozen=True)
class StepWords:
    """A step of a way, as a row of its table."""

    words: str
    changes: tuple[ChangeWords, ...]
    effort: float
    chance: float | None
    outlook: str
    closes: str
    n_open: int
    fallback: str
    """Where to go on to from there if the destination is lost by then, and the effort left."""
    picture: str
    difference: str
    size: str
    shifts: str
    """What it makes more likely and what less, where there are more than two outcomes."""


@dataclass(frozen=True)
class WayWords:
    """A destination and the way to it."""

    letter: str
    colour: int
    outcome: str
    chance: float | None
    outlook: str
    effort: float
    changes: tuple[ChangeWords, ...]
    steps: tuple[StepWords, ...]
    serves: float | None
    similar: int
    time: str
    lasts: str
    dips: str
    doubts: tuple[str, ...]
    """What records say against the model's word on where it ends."""
    size: str
    """Whether the effort is small, medium or large; empty where it has no scale."""
    variants: tuple[tuple[StepWords, ...], ...]
    """The steps of further routes to the same end."""


@dataclass(frozen=True)
class Curve:
    """Share of all ways that can still be reached along one, over the effort spent.

    `served` is the share of the others that every step so far has also brought nearer.
    """

    letter: str
    colour: int
    points: tuple[tuple[float, float], ...]
    served: tuple[float, ...]


@dataclass(frozen=True)
class Matrix:
    """Opportunity: heading for the row, how far one also comes towards the column."""

    letters: tuple[str, ...]
    colours: tuple[int, ...]
    cells: tuple[tuple[float, ...], ...]
    means: tuple[float | None, ...]
    shared: tuple[tuple[int, ...], ...]
    """How many first steps two ways have in common."""


def way_words(plan: Plan) -> tuple[WayWords, ...]:
    """Every way from here, in words, by letter."""
    return tuple(_way(plan, i, plan.ways[i]) for i in _by_letter(plan))


def curves(plan: Plan) -> tuple[Curve, ...]:
    """What stays open along every way, by letter."""
    return tuple(_curve(plan.lines[i], plan.ways[i]) for i in _by_letter(plan))


def matrix(plan: Plan) -> Matrix:
    """Opportunity between all ways from here, by letter."""
    order = _by_letter(plan)
    cells = plan.ways.opportunity[np.ix_(order, order)] if order else np.empty((0, 0))
    scores = plan.ways.scores[order] if order else np.empty(0)
    return Matrix(
        tuple(plan.lines[i].letter for i in order),
        tuple(plan.lines[i].colour or 0 for i in order),
        tuple(tuple(row) for row in cells.round(6).tolist()),
        tuple(None if np.isnan(score) else round(float(score), 6) for score in scores),
        tuple(tuple(_shared(plan.ways[i], plan.ways[j]) for j in order) for i in order),
    )


def map_lines(plan: Plan, ways: Sequence[WayWords], language: Language = ENGLISH) -> list[Line]:
    """The lines of the maps of a plan whose ways are told.

    What stands on a map is broken into parts that fit, so it is told in a language beforehand.
    """
    by_letter = {way.letter: way for way in ways}
    lines = [
        _line(plan, by_letter[name.letter], journey)
        for name, journey in zip(plan.lines, plan.ways, strict=True)
    ]
    lines = told(lines, language)
    if any(len(captions(each).names) > 1 for each in lines):
        return _without_outcomes(plan, ways, lines, language)
    return lines


def drawn(plan: Plan, lines: Sequence[Line], language: Language = ENGLISH) -> dict[str, Map]:
    """The maps of a plan, one per scale; pictures stand one per step."""
    scales: tuple[Scale, ...] = ("steps", "effort") if plan.guide.picture is None else ("steps",)
    if any(leg.time for line in lines for leg in line.legs):
        scales = ("steps", "time", "effort")
    you = None
    if plan.guide.picture is not None:
        here = ink(picture_of(plan.guide, plan.point))
        caption = language.tell(seen_words(plan, plan.answer))
        you = Leg(-1, 0.0, "", "", "", picture=here, caption=caption)
    order = plan.walk.order
    period = "" if plan.guide.explainer is None else plan.guide.explainer.terrain_.period
    return {
        scale: _with_axis(layout(lines, scale=scale, order=order, you=you), period)
        for scale in scales
    }


def _with_axis(drawn: Map, period: str) -> Map:
    """A map whose axis and ticks can be told in any language."""
    axes = {"effort": say("effort from here →"), "time": say("time from here →")}
    now, *marks = drawn.ticks
    ticks = [replace(now, label=say("now"))]
    for i, tick in enumerate(marks, start=1):
        labels = {
            "steps": count("{n} step", "{n} steps", i),
            "effort": say("+{effort}", effort=number(tick.amount)),
            "time": duration(tick.amount, period),
        }
        ticks.append(replace(tick, label=labels[drawn.scale]))
    meetings = tuple(
        replace(each, words=say("{ways} meet again here", ways=joined(each.letters.split())))
        for each in drawn.meetings
    )
    axis = axes[drawn.scale] if drawn.axis else ""
    return replace(drawn, axis=axis, ticks=tuple(ticks), meetings=meetings)


def drawn_upright(
    plan: Plan, ways: Sequence[WayWords], lines: Sequence[Line], language: Language = ENGLISH
) -> Map | None:
    """The same map for narrow screens; None where its stations are pictures.

    An outcome that all ways have is not told at the end of each.
    """
    if plan.guide.picture is not None or not lines:
        return None
    lines = _without_outcomes(plan, ways, lines, language)
    return upright(lines, order=plan.walk.order)


def _without_outcomes(
    plan: Plan, ways: Sequence[WayWords], lines: Sequence[Line], language: Language
) -> list[Line]:
    """The same lines without an outcome that all ways have."""
    if plan.figure is None or plan.guide.picture or len({way.outcome for way in ways}) > 1:
        return list(lines)
    by_letter = {way.letter: way for way in ways}
    return [_without_outcome(each, by_letter[each.letter], language) for each in lines]


def _without_outcome(drawn: Line, way: WayWords, language: Language) -> Line:
    sure, effort = joined(filter(None, [way.outlook, way.time])), effort_words(way.size, way.effort)
    similar = [say("+{n} similar", n=way.similar - 1)] if way.similar > 1 else []
    return replace(
        drawn, caption=language.tell(sure), note=language.tell(joined([effort, *similar], " · "))
    )


def _by_letter(plan: Plan) -> list[int]:
    """Numbers of the ways in the order of their letters."""
    letters = [name.letter for name in plan.lines]
    return sorted(range(len(letters)), key=lambda i: (len(letters[i]), letters[i]))


def _curve(name: Name, journey: Journey) -> Curve:
    efforts = [0.0, *np.cumsum(journey.step_costs).round(6).tolist()]
    in_reach = np.isfinite(journey.remaining).mean(axis=1)
    return Curve(
        name.letter,
        name.colour or 0,
        tuple(zip(efforts, in_reach.round(6).tolist(), strict=True)),
        tuple(journey.open_share.round(6).tolist()),
    )


def _shared(one: Journey, other: Journey) -> int:
    pairs = zip(one.in_steps.vertices[1:], other.in_steps.vertices[1:], strict=False)
    return next((i for i, (u, v) in enumerate(pairs) if u != v), min(one.n_steps, other.n_steps))


def _way(plan: Plan, number: int, journey: Journey) -> WayWords:
    name = plan.lines[number]
    place = plan.names.index(name)
    ends = journey.vertices[[0, -1]].tolist()
    score = plan.ways.scores[number]
    return WayWords(
        letter=name.letter,
        colour=name.colour or 0,
        outcome=_outcome(plan, journey),
        chance=plan.chances.get(ends[1]),
        outlook=_sure(plan, ends[1]),
        effort=journey.cost,
        changes=()
        if plan.guide.picture
        else in_words(done(changed(plan.row, plan.values[ends[1]]), plan.features), plan.features),
        steps=_steps(plan, journey),
        serves=None if np.isnan(score) else float(score),
        similar=plan.similar[place],
        time=_time(plan, journey),
        lasts=_lasts(plan, journey),
        dips=_dips(plan, journey),
        doubts=tuple(plan.doubts(journey)),
        size=size_words(plan, journey.waypoints, journey.cost),
        variants=tuple(_steps(plan, each) for each in plan.variants[number]),
    )


def _steps(plan: Plan, journey: Journey) -> tuple[StepWords, ...]:
    journey = journey.in_steps
    in_reach = np.isfinite(journey.remaining).sum(axis=1).tolist()
    points = journey.waypoints
    rows = []
    for i, step in enumerate(plan.steps(journey)):
        changes = in_words(step, plan.features)
        vertex = int(journey.vertices[i + 1])
        picture, drawn_ = step_pictures(plan.guide, points[i], points[i + 1])
        rows.append(
            StepWords(
                words=say("another picture") if plan.guide.picture else listed(changes),
                changes=() if plan.guide.picture else changes,
                effort=float(journey.step_costs[i]),
                chance=plan.chances.get(vertex),
                outlook=seen_words(plan, plan.answers[vertex])
                if plan.guide.picture
                else plan.outlook(plan.figures.get(vertex)),
                closes=" ".join(n.letter for n in plan.closes(journey)[i]),
                n_open=in_reach[i + 1],
                fallback=_fallback(plan, journey, i + 1),
                picture=picture,
                difference=drawn_,
                size=size_words(plan, points[i : i + 2], float(journey.step_costs[i])),
                shifts=shifts(plan, int(journey.vertices[i]), vertex),
            )
        )
    return tuple(rows)


def shifts(plan: Plan, start: int, end: int) -> str:
    """What a step makes more likely and what less, where there are more than two outcomes."""
    before, after = plan.answers.get(start), plan.answers[end]
    before = plan.answer if before is None else before
    goal = plan.multiverse.goal
    if not isinstance(goal, Goal) or before is None or after is None:
        return ""
    return shift_words(before, after, goal.classes, lambda each: outcome_words(plan, each))


def _fallback(plan: Plan, journey: Journey, waypoint: int) -> str:
    """The nearest other destination from a waypoint, and the effort there."""
    left = np.where(np.arange(len(plan.lines)) == journey.own, np.inf, journey.remaining[waypoint])
    nearest = int(left.argmin())
    if not np.isfinite(left[nearest]):
        return "–"
    effort = float(left[nearest])
    words = effort_words(effort_size(effort) if has_scale(plan) else "", effort)
    return joined([plan.lines[nearest].letter, words])


def plain_size(effort: float) -> str:
    """How large an effort is, without its noun."""
    sizes = {"small": say("small"), "medium": say("medium"), "large": say("large")}
    return sizes[effort_size(effort)]


def effort_words(size: str, effort: float) -> str:
    """An effort by its size, or as a number where it has none."""
    sizes = {
        "small": say("small effort"),
        "medium": say("medium effort"),
        "large": say("large effort"),
    }
    return sizes.get(size) or say("effort {effort}", effort=fixed(effort))


def _line(plan: Plan, way: WayWords, journey: Journey) -> Line:
    ends = journey.in_steps.vertices[1:].tolist()
    made = [in_words(done(step, plan.features), plan.features) for step in plan.steps(journey)]
    legs = [
        replace(_leg(plan, *each), time=later)
        for *each, later in zip(ends, way.steps, made, times(plan, journey)[1:], strict=True)
    ]
    known = plan.figures.get(ends[-1]) is not None
    caption = joined([way.outcome, way.outlook]) if known else way.outcome
    if plan.guide.picture is not None:  # there, what it is seen as is what counts
        caption = seen_words(plan, plan.answers[ends[-1]])
    effort = effort_words(way.size, way.effort)
    note = joined([way.time, effort], " · ") if way.time else effort
    return line(way.letter, way.colour, legs, caption, note, way.similar)


def _leg(plan: Plan, vertex: int, step: StepWords, made: tuple[ChangeWords, ...]) -> Leg:
    known = plan.figures.get(vertex) is not None
    outlook = outlook_words(plan.measure, step.outlook) if known else ""
    return leg(
        vertex,
        step.effort,
        made,
        step.words,
        outlook,
        step.closes,
        step.picture,
        seen_words(plan, plan.answers[vertex]) if plan.guide.picture else "",
    )


def _outcome(plan: Plan, journey: Journey) -> str:
    """What a way leads to: the goal, or the class that its end is seen as."""
    goal = plan.multiverse.goal
    seen = plan.seen_as(plan.answers[int(journey.vertices[-1])])
    if isinstance(goal, Range):
        return str(goal)
    if goal is None or seen is None:
        return say("there")
    return outcome_words(plan, goal.target[0] if len(goal.target) == 1 else seen[0])


def outcome_words(plan: Plan, outcome: str) -> str:
    """What an outcome is called."""
    return label(plan.guide.words.get(outcome, outcome))


def seen_words(plan: Plan, answer: Floats | None) -> str:
    """What the model takes a place for, and how sure it is."""
    seen = plan.seen_as(answer)
    if seen is None:
        return ""
    return joined([outcome_words(plan, seen[0]), plan.outlook(seen[1])], " · ")


def _sure(plan: Plan, vertex: int) -> str:
    """The chance or number at the end of a way; of a picture, how sure what it is seen as is."""
    seen = plan.seen_as(plan.answers.get(vertex)) if plan.guide.picture else None
    return plan.outlook(plan.figures.get(vertex) if seen is None else seen[1])


def _lasts(plan: Plan, journey: Journey) -> str:
    """How many other models agree on where a way ends, where there are any."""
    goal, explainer = plan.multiverse.goal, plan.guide.explainer
    committee = None if explainer is None else explainer.oracle_.committee
    if explainer is None or committee is None or goal is None:
        return ""
    shares = explainer.oracle_.agreement(journey.counterfactual[np.newaxis, :], goal)
    agree = 0 if shares is None else round(float(shares[0]) * len(committee))
    return say("{n} of {total} other models agree", n=agree, total=len(committee))


def _dips(plan: Plan, journey: Journey) -> str:
    """Whether a way passes through a lower chance than where one stands, by what is shown."""
    vertices = journey.in_steps.vertices[plan.below(journey)].tolist()
    shown = {plan.outlook(plan.figures[vertex]) for vertex in vertices}
    return DIPS if shown - {plan.outlook(plan.figure)} else ""


def size_words(plan: Plan, points: Floats, effort: float) -> str:
    """Whether an effort is small, medium or large, at the person's own prices.

    Steps through records are priced by the terrain; a graph of its own has no scale.
    """
    explainer = plan.guide.explainer
    if explainer is None or not has_scale(plan):
        return ""
    if not plan.guide.single_changes:
        priced = float(np.sum(explainer.terrain_.cost(points[:-1], points[1:])))
        effort = priced if np.isfinite(priced) else effort
    return effort_size(effort)


def has_scale(plan: Plan) -> bool:
    """Whether efforts can be called small or large: neither in pictures nor in bare graphs."""
    return plan.guide.explainer is not None and plan.guide.picture is None


def time_words(plan: Plan) -> str:
    """How long the steps so far take at least, where something takes time."""
    explainer = plan.guide.explainer
    return "" if explainer is None else time(plan.walk.time, explainer.terrain_.period)


def times(plan: Plan, journey: Journey) -> list[float]:
    """When every step is done at the earliest, in the period of the terrain's rates; 0 at first."""
    return [0.0, *plan.waits(np.asarray(journey.in_steps.waypoints)[1:]).tolist()]


def _time(plan: Plan, journey: Journey) -> str:
    """How long a way takes at least, where something takes time."""
    if plan.guide.explainer is None:
        return ""
    return time(times(plan, journey)[-1], plan.guide.explainer.terrain_.period)
