"""When nothing leads there: said kindly and exactly, with what would help."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from facelift.multiverse.goal import Range
from facelift.multiverse.words import ChangeWords, in_words, name_words
from facelift.terrain.rulebook import personal_rules, without
from facelift.walking.hints import Loosen, loosenings
from facelift.walking.limits import Limits
from facelift.walking.plan import Plan, changed

DESTINATION, ANYTHING_ELSE = "a destination", "something else"
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
    headline = f"Within these limits, nothing leads to {quoted(goal)}"
    return Nothing(
        headline if limited else f"Nothing within the rules leads to {quoted(goal)}",
        _text(plan) + _kept(plan),
        None if isinstance(plan.multiverse.goal, Range) else _best(plan),
        f"{plan.measure} {plan.outlook(_best(plan))}",
        _closest(plan),
        tuple(loosenings(plan.guide, plan.walk)),
    )


def quoted(goal: str) -> str:
    """A goal within a sentence: in quotation marks if that is its name."""
    return goal if goal in (DESTINATION, ANYTHING_ELSE) else f"“{goal}”"


def _text(plan: Plan) -> str:
    why_not, needed = plan.multiverse.why_not, _needed(plan)
    if why_not is None:
        return "The steps that were left have been ruled out."
    if why_not.n_in_reach is None:
        return why_not.message
    n = why_not.n_in_reach
    checked = (
        f"{n:,} situation{'' if n == 1 else 's'} you could get to {'was' if n == 1 else 'were'}"
    )
    if n <= 1:
        return "No change at all is left that leads to a situation like those of real people."
    known = why_not.best_chance is not None or why_not.best_predicted is not None
    best = f" The best has {_WITH[plan.measure]} {plan.outlook(_best(plan))}" if known else ""
    survey = plan.multiverse.survey
    more = survey is not None and survey.stopped == "budget" and not plan.multiverse.proof.is_none
    beyond = " The search stopped there: farther away there may be a way." if more else ""
    return f"{checked} checked.{best}{needed if best else ''}.{beyond}"


def _kept(plan: Plan) -> str:
    """Which columns nobody is asked to change, or not for the worse."""
    if plan.guide.explainer is None:
        return ""
    terrain = without(plan.guide.explainer.terrain_, plan.walk.limits.lifted)
    said = {
        "Who you are stays as it is": [rule.feature for rule in personal_rules(terrain)],
        "Changes that make you worse off are left out": [
            str(feature.name) for feature in terrain.features if feature.worse
        ],
    }
    names = {
        words: ", ".join(dict.fromkeys(name_words(name, plan.features) for name in columns))
        for words, columns in said.items()
    }
    return "".join(f" {words}: {each}." for words, each in names.items() if each)


def _needed(plan: Plan) -> str:
    goal = plan.multiverse.goal
    return "" if goal is None else f"; {goal.terms}"


_WITH = {"chance": "a chance of", "predicted": "a predicted"}


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
