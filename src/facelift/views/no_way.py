"""When nothing leads there: said kindly and exactly, with what would help."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from facelift.language import count, joined, say
from facelift.multiverse.goal import Range
from facelift.multiverse.words import ChangeWords, in_words, name_words, outlook_words
from facelift.terrain.rulebook import personal_rules, without
from facelift.walking.hints import Loosen, loosenings
from facelift.walking.limits import Limits
from facelift.walking.plan import Plan, changed

DESTINATION, ANYTHING_ELSE = say("a destination"), say("something else")
"""What a goal is called that has no name of its own."""


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
    survey = plan.multiverse.survey
    more = survey is not None and survey.stopped == "budget" and not plan.multiverse.proof.is_none
    beyond = say("The search stopped there: farther away there may be a way.")
    return joined([checked, *best, *([beyond] if more else [])], " ")


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
    closest = plan.multiverse.closest
    if closest is None:
        return ()
    row = plan.rows(closest[np.newaxis, :])[0]
    return in_words(changed(plan.row, row), plan.features)
