"""A walk as a versioned JSON document: the one contract between Python and the page.

Everything a page shows is in it, in words and coordinates; the page adds nothing but ink.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

from pydantic import TypeAdapter

from facelift.drawing.parts import Map
from facelift.multiverse.goal import Goal, Range
from facelift.multiverse.words import ChangeWords, in_words, name_words, value_words
from facelift.views.cards import Cards, cards, change_of_outlook
from facelift.views.no_way import ANYTHING_ELSE, DESTINATION, Nothing, no_way, quoted
from facelift.views.pictures import ink, picture_of
from facelift.views.settings import Settings, settings
from facelift.views.ways import (
    Curve,
    Matrix,
    WayWords,
    curves,
    drawn,
    drawn_upright,
    matrix,
    outcome_words,
    way_words,
)
from facelift.walking.guide import MANY_WAYS, Guide
from facelift.walking.plan import Plan
from facelift.walking.walk import (
    N_COLOURS,
    Event,
    Move,
    Take,
    Unfold,
    Walk,
    destination_key,
)

SCHEMA = "facelift/walk/1"

State = Literal["walking", "one way", "arrived", "already", "none"]


@dataclass(frozen=True)
class Header:
    """Who it is, what is decided now, and how far one has come."""

    title: str
    facts: str
    picture: str
    outcome: str
    goal: str
    reached: bool
    chance: float | None
    needed: float | None
    outlook: str
    n_steps: int
    effort: float


@dataclass(frozen=True)
class Badge:
    """A destination ever shown: open, closed by a step, or no longer among the ways."""

    letter: str
    colour: int | None
    status: Literal["open", "closed", "gone"]
    words: str


@dataclass(frozen=True)
class Happened:
    """Something that happened on the way here."""

    kind: Literal["step", "other", "correction"]
    changes: tuple[ChangeWords, ...]
    effort: float
    before: float | None
    after: float | None
    outlook: str


@dataclass(frozen=True)
class Document:
    """All that a page shows of a walk; `walk` is to be sent back with the next move."""

    schema: str
    walk: Walk
    state: State
    kind: Literal["actions", "rows", "graph"]
    measure: str
    header: Header
    badges: tuple[Badge, ...]
    banner: str
    notes: tuple[str, ...]
    maps: dict[str, Map]
    cards: Cards
    ways: tuple[WayWords, ...]
    curves: tuple[Curve, ...]
    matrix: Matrix
    settings: Settings
    history: tuple[Happened, ...]
    nothing: Nothing | None
    can_replan: bool
    more_ways: int | None
    upright: Map | None
    """The map for narrow screens."""


def document(guide: Guide, walk: Walk, move: Move | None = None) -> Document:
    """The document after a move of a walk (none: as it stands)."""
    before = {name.letter for name in walk.names if name.colour is not None}
    walk = walk if move is None else guide.moved(walk, move)
    plan = guide.plan(walk)
    state = _state(plan)
    header = _header(plan)
    ways, folded = way_words(plan), _folded(plan)
    maps = drawn(plan, ways) if ways else {}
    order = tuple(end.letter for end in next(iter(maps.values())).ends) if maps else walk.order
    return Document(
        schema=SCHEMA,
        walk=replace(plan.walk, order=order),
        state=state,
        kind=_kind(guide),
        measure=plan.measure,
        header=header,
        badges=_badges(plan, folded),
        banner=_banner(plan, state, quoted(header.goal), before - folded, move),
        notes=_notes(plan, state),
        maps=maps,
        cards=cards(plan),
        ways=ways,
        curves=curves(plan),
        matrix=matrix(plan),
        settings=settings(plan),
        history=tuple(_happened(plan, event) for event in walk.past),
        nothing=no_way(plan, header.goal) if state == "none" else None,
        can_replan=guide.explainer is not None,
        more_ways=_more_ways(plan),
        upright=drawn_upright(plan, ways),
    )


_DOCUMENT: TypeAdapter[Document] = TypeAdapter(Document)


def to_json(shown: Document) -> bytes:
    """The document as JSON; equal documents give equal bytes."""
    return _DOCUMENT.dump_json(shown)


def schema() -> dict[str, Any]:
    """JSON Schema of the document."""
    return _DOCUMENT.json_schema(mode="serialization")


def _state(plan: Plan) -> State:
    if plan.arrived:
        return "arrived" if plan.walk.past else "already"
    return {0: "none", 1: "one way"}.get(len(plan.open), "walking")  # type: ignore[return-value]


def _kind(guide: Guide) -> Literal["actions", "rows", "graph"]:
    if guide.explainer is None:
        return "graph"
    return "actions" if guide.single_changes else "rows"


def _header(plan: Plan) -> Header:
    goal = plan.multiverse.goal
    known = plan.features
    facts = [
        f"{name_words(name, known)} {value_words(plan.row[name], known.get(name))}"
        for name in plan.guide.facts
    ]
    reached = plan.arrived
    return Header(
        title=plan.guide.title,
        facts=" · ".join(facts),
        picture="" if plan.guide.picture is None else ink(picture_of(plan.guide, plan.point)),
        outcome=_outcome(plan),
        goal=_goal_words(plan),
        reached=reached,
        chance=plan.chance,
        needed=goal.needed if isinstance(goal, Goal) else None,
        outlook=_outlook(plan),
        n_steps=len(plan.walk.past),
        effort=plan.walk.effort,
    )


def _outcome(plan: Plan) -> str:
    """What the model says now: the likeliest outcome, or the number it predicts."""
    if isinstance(plan.multiverse.goal, Range):
        return f"predicted {plan.outlook(plan.figure)}"
    seen = plan.seen_as(plan.answer)
    return "" if seen is None else outcome_words(plan, seen[0])


def _goal_words(plan: Plan) -> str:
    """What is wanted, as people call it."""
    goal = plan.multiverse.goal
    if isinstance(goal, Range):
        return str(goal)
    if goal is None:
        return DESTINATION
    if goal.anything_else:
        return ANYTHING_ELSE
    return " or ".join(outcome_words(plan, each) for each in goal.target)


def _outlook(plan: Plan) -> str:
    """How far one is from the goal: the chance and what is needed, or the range that is."""
    goal = plan.multiverse.goal
    if isinstance(goal, Range):
        return f"needs {goal}"
    needs = "" if goal is None else f" (needs {goal.needs})"
    return "" if plan.chance is None else f"chance {plan.outlook(plan.chance)}{needs}"


def _folded(plan: Plan) -> set[str]:
    """Letters of destinations that are still there, but not drawn: another stands for them."""
    there = {destination_key(journey.counterfactual) for journey in plan.start.found}
    not_drawn = there - set(plan.start.keys)
    return {name.letter for name in plan.walk.names if name.key in not_drawn}


def _badges(plan: Plan, folded: set[str]) -> tuple[Badge, ...]:
    """Open destinations, then those closed or gone; each part by letter."""
    open_ = {plan.names[b].key for b in plan.open}
    on_map = {name.key for name in plan.names}
    badges = [
        Badge(name.letter, name.colour, "open", f"{name.letter} is open")
        if name.key in open_
        else Badge(name.letter, None, "closed", f"{name.letter} is closed")
        if name.key in on_map
        else Badge(name.letter, None, "gone", f"{name.letter} is no longer among the ways")
        for name in plan.walk.names
        if name.letter not in folded
    ]
    return tuple(sorted(badges, key=lambda badge: badge.status != "open"))


def _happened(plan: Plan, event: Event) -> Happened:
    figures = (event.before, event.after)
    outlook = change_of_outlook(plan, *figures)
    before, after = (None, None) if isinstance(plan.multiverse.goal, Range) else figures
    changes = () if plan.guide.picture else in_words(event.changes, plan.features)
    return Happened(event.kind, changes, event.effort, before, after, outlook)


def _more_ways(plan: Plan) -> int | None:
    """How many ways could be looked for instead, if that is of use."""
    if plan.guide.explainer is None or plan.arrived or len(plan.multiverse) < N_COLOURS:
        return None
    asked = plan.walk.n_ways or plan.guide.explainer.n_counterfactuals
    return None if asked >= MANY_WAYS else MANY_WAYS


def _banner(plan: Plan, state: State, goal: str, before: set[str], move: Move | None) -> str:
    """What is new, in a sentence."""
    says = "the model says" if plan.multiverse.goal is not None else "this is"
    match state:
        case "already":
            return f"Nothing needs to change: {says} {goal} already."
        case "arrived":
            promise = " It is its view, not a promise." if plan.multiverse.goal is not None else ""
            return f"You have arrived: {says} {goal}.{promise}"
        case "none":
            return f"No way to {goal} is open."
    now = {name.letter for name in plan.lines}
    gone, new = sorted(before - now), sorted(now - before)
    news = f"{len(now)} way{'' if len(now) == 1 else 's'} to {goal}.{_alike(plan)}"
    if isinstance(move, Unfold):  # nothing opened or closed, only what is drawn is different
        return f"Family {plan.walk.unfolded}: {news}" if plan.walk.unfolded else news
    if state == "one way":
        news = f"Only one way to {goal} is left: every step matters now."
    took = isinstance(move, Take)
    if took:
        news = f"Step taken. {news}"
    if before and (gone or new):
        lost = f" No longer: {' '.join(gone)}." if gone else ""
        return news + lost + (f" New: {' '.join(new)}." if new else "")
    if state == "one way" or took:
        return news
    return news + " Lines run together while their steps are shared; a white bar is a fork."


def _alike(plan: Plan) -> str:
    """How many ways are not drawn because they run like one that is, if there are any."""
    n_folded = sum(plan.similar[b] - 1 for b in plan.open)
    if not n_folded:
        return ""
    ways = "1 more runs" if n_folded == 1 else f"{n_folded} more run"
    return f" {ways} much like these: open a destination below to unfold it."


def _notes(plan: Plan, state: State) -> tuple[str, ...]:
    """What else to know about the plan or the place."""
    notes = []
    here = plan.nearby
    if here is not None and here.rarity > 1:
        notes.append(
            "This case is unlike anyone in the data: the nearest records are "
            f"{here.rarity:.1f} times as far as is usual. What the model says of it is a guess."
        )
    if state in ("arrived", "already") and here is not None and plan.multiverse.goal is not None:
        notes.append(
            f"{_margin(plan)}. The model says the same of {here.n_succeed} of the {here.n_records} "
            "most similar records."
        )
    survey, proof = plan.multiverse.survey, plan.multiverse.proof
    if (
        survey is not None
        and proof.kind != "not proven"
        and (plan.open or not len(plan.multiverse))
    ):
        notes.append(f"From where you started: {proof}")
    elif survey is not None and survey.stopped == "budget" and plan.open:
        notes.append(
            f"The search stopped after {survey.n_states:,} situations: there may be ways with less "
            "effort, and a way said to be closed may be open."
        )
    if not plan.guide.picture and plan.resilience is not None:
        words = str(plan.resilience).replace("_", " ")
        notes.append(f"If something fails: {words}.")
    return tuple(notes)


def _margin(plan: Plan) -> str:
    """How firmly the goal is reached."""
    goal = plan.multiverse.goal
    if not isinstance(goal, Goal):
        return f"The model predicts {plan.outlook(plan.figure)}; {goal} is needed"
    points = max(0.0, 100 * ((plan.chance or 0.0) - goal.threshold))
    above = f"{points:.0f} point{'' if round(points) == 1 else 's'} above"
    return f"The chance of {plan.outlook(plan.chance)} is {above} the {goal.decides} that decide"
