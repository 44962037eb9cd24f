"""A walk as a versioned JSON document: the one contract between Python and the page.

Everything a page shows is in it, in words and coordinates; the page adds nothing but ink.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

from pydantic import TypeAdapter

from facelift.drawing import Map
from facelift.language import (
    ENGLISH,
    Language,
    count,
    fixed,
    joined,
    number,
    say,
    told,
)
from facelift.multiverse.goal import Goal, Range
from facelift.multiverse.words import (
    ChangeWords,
    effort_size,
    fact_words,
    in_words,
    outlook_words,
)
from facelift.views.cards import Cards, Comparison, cards, change_of_outlook, comparison
from facelift.views.ends import (
    ANYTHING_ELSE,
    DESTINATION,
    Arrival,
    Nothing,
    arrival,
    no_way,
    quoted,
)
from facelift.views.inline import ink, picture_of
from facelift.views.moves import Status, move_words, standing, ways_words
from facelift.views.settings import Settings, settings
from facelift.views.ways import (
    Curve,
    Matrix,
    WayWords,
    curves,
    drawn,
    drawn_upright,
    has_scale,
    map_lines,
    matrix,
    outcome_words,
    time_words,
    way_words,
)
from facelift.walking.guide import MANY_WAYS, Guide
from facelift.walking.plan import Plan
from facelift.walking.walk import (
    N_COLOURS,
    Event,
    Move,
    Walk,
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
    to_come: float | None
    """The least effort that is left, apart from what was spent; None where no way is open."""
    to_come_size: str
    decided: bool
    """Whether the model says what is wanted, by a hair or more."""
    size: str
    time: str


@dataclass(frozen=True)
class Badge:
    """A way ever shown, how it stands now, and why.

    It is open, reached, the same as another from here on, aside (there, but not drawn), closed by a
    step, or gone.
    """

    letter: str
    colour: int | None
    status: Status
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
    """All that a page shows of a walk; `walk` is to be sent back with the next move.

    `case` tells whose walk it is, and of which model.
    """

    schema: str
    case: str
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
    comparison: Comparison
    settings: Settings
    history: tuple[Happened, ...]
    nothing: Nothing | None
    can_replan: bool
    more_ways: int | None
    upright: Map | None
    """The map for narrow screens."""
    arrival: Arrival | None
    undone: str
    """What to say once the last move is taken back."""


def document(
    guide: Guide, walk: Walk, move: Move | None = None, language: Language = ENGLISH
) -> Document:
    """The document after a move of a walk (none: as it stands), in a language."""
    before = None if move is None else guide.planned(walk)
    walk = walk if move is None else guide.moved(walk, move)
    plan = guide.plan(walk)
    state = _state(plan)
    header = _header(plan)
    ways = way_words(plan)
    news = [] if before is None or move is None else move_words(before, plan, move)
    lines = map_lines(plan, ways, language)
    maps = drawn(plan, lines, language) if lines else {}
    order = tuple(end.letter for end in next(iter(maps.values())).ends) if maps else walk.order
    shown = Document(
        schema=SCHEMA,
        case=guide.fingerprint,
        walk=replace(plan.walk, order=order),
        state=state,
        kind=_kind(guide),
        measure=plan.measure,
        header=header,
        badges=_badges(plan),
        banner=joined([*news, *_news(before, plan, state, quoted(header.goal), move)], " "),
        notes=_notes(plan, state),
        maps=maps,
        cards=cards(plan),
        ways=ways,
        curves=curves(plan),
        matrix=matrix(plan),
        comparison=comparison(plan, ways),
        settings=settings(plan),
        history=tuple(_happened(plan, event) for event in walk.past),
        nothing=no_way(plan, header.goal) if state == "none" else None,
        can_replan=guide.explainer is not None,
        more_ways=_more_ways(plan),
        upright=drawn_upright(plan, ways, lines, language),
        arrival=arrival(plan, language),
        undone=joined(
            [say("Taken back."), *news[:1], say("Everything is as it was before that.")], " "
        ),
    )
    return told(shown, language)


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
    reached = plan.arrived
    to_come = float(plan.ways.costs.min()) if len(plan.ways) and not reached else None
    return Header(
        title=plan.guide.title,
        facts=fact_words({name: plan.row[name] for name in plan.guide.facts}, plan.features),
        picture="" if plan.guide.picture is None else ink(picture_of(plan.guide, plan.point)),
        outcome=_outcome(plan),
        goal=_goal_words(plan),
        reached=reached,
        chance=plan.chance,
        needed=goal.needed if isinstance(goal, Goal) else None,
        outlook=_outlook(plan),
        n_steps=len(plan.walk.past),
        effort=plan.walk.effort,
        to_come=to_come,
        to_come_size="" if to_come is None or not has_scale(plan) else effort_size(to_come),
        decided=reached or _decided(plan),
        size=effort_size(plan.walk.effort) if has_scale(plan) else "",
        time=time_words(plan),
    )


def _decided(plan: Plan) -> bool:
    goal = plan.multiverse.goal
    return goal is not None and plan.answer is not None and bool(goal.outcome.reached(plan.answer))


def _outcome(plan: Plan) -> str:
    """What the model says now: the likeliest outcome, or the number it predicts."""
    if isinstance(plan.multiverse.goal, Range):
        return outlook_words("predicted", plan.outlook(plan.figure))
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
    first, *others = [outcome_words(plan, each) for each in goal.target]
    for other in others:
        first = say("{first} or {second}", first=first, second=other)
    return first


def _outlook(plan: Plan) -> str:
    """How far one is from the goal: the chance and what decides, or the range that does."""
    goal = plan.multiverse.goal
    if isinstance(goal, Range):
        return say("needs {needed}", needed=str(goal))
    if plan.chance is None:
        return ""
    chance = plan.outlook(plan.chance)
    if goal is None:
        return outlook_words("chance", chance)
    if not goal.margin:
        return say("chance {chance} ({decides} decides)", chance=chance, decides=goal.decides)
    return say(
        "chance {chance} ({decides} decides, ways aim at {needed})",
        chance=chance,
        decides=goal.decides,
        needed=goal.needs,
    )


def _badges(plan: Plan) -> tuple[Badge, ...]:
    """Open destinations, then all others; each part by letter."""
    badges = []
    for name in plan.walk.names:
        stands = standing(plan, name)
        colour = name.colour if stands.status in ("open", "reached") else None
        words = say("{way} is {standing}", way=name.letter, standing=stands.reason)
        badges.append(Badge(name.letter, colour, stands.status, words))
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


def _news(before: Plan | None, plan: Plan, state: State, goal: str, move: Move | None) -> list[str]:
    """What became of the ways, or what there is to see at first; in sentences."""
    if state in ("already", "arrived"):
        return _there(plan, state, goal)
    if state == "none":
        return [say("No way to {goal} is open.", goal=goal)]
    last = [say("Only one way to {goal} is left: every step matters now.", goal=goal)]
    last = last if state == "one way" else []
    if before is not None and move is not None and not before.arrived:
        return [*ways_words(before, plan, move), *last, *_alike(plan)]
    if last:
        return last
    lines = say("Lines run together while their steps are shared; a bar across them is a fork.")
    ways = count("{n} way to {goal}.", "{n} ways to {goal}.", len(plan.open), goal=goal)
    return [ways, *_alike(plan), *([] if move else [lines])]


def _there(plan: Plan, state: State, goal: str) -> list[str]:
    """That somebody is there, by steps or from the beginning."""
    if plan.multiverse.goal is None:
        if state == "already":
            return [say("Nothing needs to change: you are at a destination already.")]
        return [say("You have arrived at a destination.")]
    if state == "already":
        return [say("Nothing needs to change: the model says {goal} already.", goal=goal)]
    return [
        say("You have arrived: the model says {goal}.", goal=goal),
        say("It is its view, not a promise."),
    ]


def _alike(plan: Plan) -> list[str]:
    """How many ways are not drawn because they run like one that is, if there are any."""
    n_folded = sum(plan.similar[b] - 1 for b in plan.open)
    if not n_folded:
        return []
    return [
        count(
            "{n} more runs much like these: open a destination below to unfold it.",
            "{n} more run much like these: open a destination below to unfold it.",
            n_folded,
        )
    ]


def _notes(plan: Plan, state: State) -> tuple[str, ...]:
    """What else to know about the plan or the place."""
    notes = []
    here, goal = plan.nearby, plan.multiverse.goal
    if isinstance(goal, Goal) and not plan.arrived and _decided(plan):
        aim = {"decides": goal.decides, "needed": goal.needs}
        only_just = say(
            "The model says so already, but only just: {decides} decides, and ways end at "
            "{needed} so that a hair does not matter.",
            **aim,
        )
        higher = say("The model says so already: {decides} decides. You aim at {needed}.", **aim)
        notes.append(only_just if plan.walk.limits.chance is None else higher)
    if here is not None and round(here.rarity, 1) > 1:
        notes.append(
            say(
                "Hardly anyone in the data is like this case: the nearest records are {n} times as "
                "far as is usual. What the model says of it is a guess.",
                n=fixed(here.rarity, 1),
            )
        )
    if state in ("arrived", "already") and here is not None and plan.multiverse.goal is not None:
        similar = say(
            "The model says the same of {n} of the {total} most similar records.",
            n=here.n_succeed,
            total=here.n_records,
        )
        notes.append(joined([_margin(plan), similar], " "))
        notes += here.doubts
    survey, proof = plan.multiverse.survey, plan.multiverse.proof
    if survey is not None and proof.kind != "not proven":
        if plan.walk.unfolded is None and (plan.open or not len(plan.multiverse)):
            notes.append(_proof_words(plan))
    elif survey is not None and survey.stopped == "budget" and plan.open:
        notes.append(
            say(
                "Searched, not proven: {n} situations were looked at. There may be ways with less "
                "effort, also to what is said to be closed.",
                n=number(survey.n_states, grouped=True),
            )
        )
    if not plan.guide.picture and plan.resilience is not None:
        notes.append(_resilience_words(plan))
    return tuple(notes)


def _proof_words(plan: Plan) -> str:
    """What is proven of the ways, from where they were looked for."""
    proof = str(plan.multiverse.proof)
    if plan.walk.walked:
        return say("How sure was the last search? {proof}", proof=proof)
    return say("How sure is this? {proof}", proof=proof)


def _resilience_words(plan: Plan) -> str:
    """What is left of the ways if something fails."""
    found, n_ways = plan.resilience, len(plan.open)
    n_apart = 0 if found is None else found.n_independent
    needs = "" if found is None else found.needs_words
    all_need = [say("All need {needs}.", needs=needs)] if needs else []
    if n_ways == 1:
        meet = say("If a step fails, there is no other of these ways.")
    elif n_apart == 1:
        meet = say("If something fails: all {n} ways meet on their way.", n=n_ways)
    else:
        meet = say(
            "If something fails: {n} ways along these lines share no stop, so a stop that falls "
            "through blocks only one of them.",
            n=n_apart,
        )
    return joined([meet, *all_need], " ")


def _margin(plan: Plan) -> str:
    """How firmly the goal is reached."""
    goal = plan.multiverse.goal
    if not isinstance(goal, Goal):
        return say(
            "The model predicts {figure}; {needed} is needed.",
            figure=plan.outlook(plan.figure),
            needed=str(goal),
        )
    return count(
        "The chance of {chance} is {n} point above the {decides} that decide.",
        "The chance of {chance} is {n} points above the {decides} that decide.",
        round(max(0.0, 100 * ((plan.chance or 0.0) - goal.threshold))),
        chance=plan.outlook(plan.chance),
        decides=goal.decides,
    )
