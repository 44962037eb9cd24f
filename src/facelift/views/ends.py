"""Where ways end: what a walk took once somebody is there; what helps where nothing leads there."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from facelift.drawing import Leg, Line, Map
from facelift.drawing.layout import layout, upright
from facelift.language import ENGLISH, Language, count, fixed, joined, say, told
from facelift.multiverse.goal import Goal, Range
from facelift.multiverse.html import leg
from facelift.multiverse.words import (
    ChangeWords,
    done,
    in_words,
    listed,
    name_words,
    outlook_words,
)
from facelift.terrain.rulebook import personal_rules, without
from facelift.views.ways import has_scale, outcome_words, plain_size, time_words
from facelift.walking.hints import Loosen, loosenings
from facelift.walking.limits import Limits
from facelift.walking.plan import Plan, changed

THERE = "✓"
"""What stands at the end of a way that was walked to no destination of its own."""

DESTINATION, ANYTHING_ELSE = say("a destination"), say("something else")
"""What a goal is called that has no name of its own."""


@dataclass(frozen=True)
class Arrival:
    """The way walked. `took` has names and values; `agree` of `n_models` others approve, too."""

    map: Map
    upright: Map
    chances: tuple[str, ...]
    """What the model said before the first step and after each."""
    figures: tuple[float, ...]
    """The same as numbers, and the threshold or ends of the range that decide."""
    decides: tuple[float, ...]
    terms: str
    """What decides, and where ways end."""
    took: tuple[tuple[str, str], ...]
    agree: int | None
    n_models: int
    lasts: str


def arrival(plan: Plan, language: Language = ENGLISH) -> Arrival | None:
    """The way walked, if somebody arrived on foot; pictures have none."""
    if not plan.arrived or not plan.walk.past or plan.guide.picture is not None:
        return None
    line = told(_line(plan), language)
    agree, n_models = _committee(plan)
    figures = _figures(plan)
    return Arrival(
        map=_walked(layout([line])),
        upright=_walked(upright([line])),
        chances=tuple(map(plan.outlook, figures)),
        figures=figures,
        decides=_decides(plan.multiverse.goal),
        terms=plan.multiverse.goal.terms if plan.multiverse.goal else "",
        took=_took(plan),
        agree=agree,
        n_models=n_models,
        lasts=_lasts(plan, agree, n_models),
    )


def _walked(drawn: Map) -> Map:
    """A map that starts where one started, not where one stands."""
    return replace(drawn, you=replace(drawn.you, caption=say("start")), ticks=())


def _line(plan: Plan) -> Line:
    names = plan.reached
    letter = names[0].letter if names else THERE
    colour = (names[0].colour if names else None) or 0
    legs = [_leg(plan, number) for number in range(len(plan.walk.past))]
    seen = plan.seen_as(plan.answer)
    goal = plan.multiverse.goal
    outcome = say("there") if seen is None else outcome_words(plan, seen[0])
    outcome = str(goal) if isinstance(goal, Range) else outcome
    outlook = "" if plan.figure is None else plan.outlook(plan.figure)
    words = say("You walked to {outcome}", outcome=outcome)
    return Line(letter, colour, tuple(legs), outcome, outlook, words)


def _leg(plan: Plan, number: int) -> Leg:
    event = plan.walk.past[number]
    own = in_words(done(event.changes, plan.features), plan.features)
    words = listed(in_words(event.changes, plan.features))
    outlook = ""
    if event.after is not None:
        outlook = outlook_words(plan.measure, plan.outlook(event.after))
    return leg(number, event.effort, own, words, outlook)


def _figures(plan: Plan) -> tuple[float, ...]:
    """What the model said before the first step and after each; nothing if it was not asked."""
    past = plan.walk.past
    figures = [past[0].before, *(event.after for event in past)]
    known = tuple(figure for figure in figures if figure is not None)
    return known if len(known) == len(figures) else ()


def _decides(goal: Goal | Range | None) -> tuple[float, ...]:
    """The chance that decides, or the ends of the range wanted.

    >>> _decides(Range(100.0, None))
    (100.0,)
    """
    if isinstance(goal, Range):
        return tuple(end for end in (goal.low, goal.high) if end is not None)
    return () if goal is None else (goal.threshold,)


def _took(plan: Plan) -> tuple[tuple[str, str], ...]:
    past = plan.walk.past
    effort = plain_size(plan.walk.effort) if has_scale(plan) else fixed(plan.walk.effort)
    changed = {name for event in past for name, *_ in done(event.changes, plan.features)}
    rows = [(say("steps"), str(len(past))), (say("effort"), effort)]
    if takes := time_words(plan):
        rows.append((say("time"), takes))
    share = say("{n} of {total}", n=len(changed), total=len(plan.row))
    return (*rows, (say("things changed"), share))


def _committee(plan: Plan) -> tuple[int | None, int]:
    """How many other models say the same of this place, and how many there are."""
    explainer, goal = plan.guide.explainer, plan.multiverse.goal
    committee = None if explainer is None else explainer.oracle_.committee
    if explainer is None or committee is None or goal is None:
        return None, 0
    shares = explainer.oracle_.agreement(plan.point[np.newaxis, :], goal)
    agree = 0 if shares is None else round(float(shares[0]) * len(committee))
    return agree, len(committee)


def _lasts(plan: Plan, agree: int | None, n_models: int) -> str:
    here, words = plan.nearby, []
    if agree is not None:
        words.append(
            say("{n} of {total} models trained on other samples agree.", n=agree, total=n_models)
        )
    if here is not None:
        words.append(
            say(
                "The model says the same of {n} of the {total} people most like you now.",
                n=here.n_succeed,
                total=here.n_records,
            )
        )
    return joined(words, " ")


@dataclass(frozen=True)
class Nothing:
    """Why there is no way, how close one can get, and what could be loosened."""

    headline: str
    text: str
    best: float | None
    outlook: str
    closest: tuple[ChangeWords, ...]
    loosen: tuple[Loosen, ...]


def no_way(plan: Plan, goal: str) -> Nothing:
    """What to say where no way is open; what each loosening opens is asked for one by one."""
    limited = plan.walk.limits != Limits()
    headline = say("Nothing within the rules leads to {goal}", goal=quoted(goal))
    if limited:
        headline = say("Within these limits, nothing leads to {goal}", goal=quoted(goal))
    return Nothing(
        headline,
        joined([_text(plan), *_kept(plan)], " "),
        None if isinstance(plan.multiverse.goal, Range) else _best(plan),
        outlook_words(plan.measure, plan.outlook(_best(plan))),
        _closest(plan),
        tuple(loosenings(plan.guide, plan.walk)),
    )


def quoted(goal: str) -> str:
    """A goal within a sentence: in quotation marks if that is its name."""
    return goal if goal in (DESTINATION, ANYTHING_ELSE) else say("“{goal}”", goal=goal)


def _text(plan: Plan) -> str:
    why_not = plan.multiverse.why_not
    if why_not is None:
        return say("The steps that were left have been ruled out.")
    if why_not.n_in_reach is None or plan.walk.limits.deadline is not None:
        return why_not.message
    n = why_not.n_in_reach
    if n <= 1:
        return say("No change at all is left that leads to a situation like those of real people.")
    checked = count(
        "{n} situation you could get to was checked.",
        "{n} situations you could get to were checked.",
        n,
    )
    known = why_not.best_chance is not None or why_not.best_predicted is not None
    best = [_best_words(plan)] if known else []
    beyond = say("The search stopped there: farther away there may be a way.")
    return joined([checked, *best, *([beyond] if plan.multiverse.unfinished else [])], " ")


def _best_words(plan: Plan) -> str:
    """The best chance or number there is, and what decides."""
    goal, figure = plan.multiverse.goal, plan.outlook(_best(plan))
    if goal is None:
        return say("The best has a chance of {figure}.", figure=figure)
    values = {"figure": figure, "terms": goal.terms}
    if plan.measure == "chance":
        return say("The best has a chance of {figure}; {terms}.", **values)
    return say("The best has a predicted {figure}; {terms}.", **values)


def _kept(plan: Plan) -> list[str]:
    """Which columns nobody is asked to change, or not for the worse."""
    if plan.guide.explainer is None:
        return []
    terrain = without(plan.guide.explainer.terrain_, plan.walk.limits.lifted)
    personal = _names(plan, [rule.feature for rule in personal_rules(terrain)])
    worse = _names(plan, [str(feature.name) for feature in terrain.features if feature.worse])
    told = [say("Who you are stays as it is: {names}.", names=personal)] if personal else []
    if worse:
        told.append(say("Changes that make you worse off are left out: {names}.", names=worse))
    return told


def _names(plan: Plan, columns: list[str]) -> str:
    return joined(dict.fromkeys(name_words(name, plan.features) for name in columns))


def _best(plan: Plan) -> float | None:
    """The best chance, or predicted number, among what can be reached."""
    closest = plan.multiverse.closest
    if closest is None or plan.multiverse.goal is None:
        return plan.figure
    answers = plan.guide.ask(closest[np.newaxis, :], plan.walk)
    return None if answers is None else float(plan.multiverse.goal.figures(answers)[0])


def _closest(plan: Plan) -> tuple[ChangeWords, ...]:
    """What would have to change for the best there is; nothing if nobody would see it."""
    closest, best = plan.multiverse.closest, _best(plan)
    if closest is None or (best is not None and plan.outlook(best) == plan.outlook(plan.figure)):
        return ()
    row = plan.rows(closest[np.newaxis, :])[0]
    return in_words(changed(plan.row, row), plan.features)
