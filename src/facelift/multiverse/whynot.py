"""Why a multiverse is empty: a finding with its numbers, and what would help."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from facelift.multiverse.goal import Goal
from facelift.multiverse.survey import Survey

Reason = Literal["already there", "no candidate", "no route", "bad row"]


@dataclass(frozen=True)
class WhyNot:
    """The reason there is no journey, in a word, in a sentence, and what would help.

    `best_chance` is the highest probability of the target there is among the vertices one may
    pass through; `n_candidates` how many reach the threshold, `n_in_reach` how many vertices can
    be reached at all.
    """

    reason: Reason
    message: str
    hint: str
    best_chance: float | None = None
    n_candidates: int | None = None
    n_in_reach: int | None = None

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".strip()


def already_there(goal: Goal, chance: float) -> WhyNot:
    """The factual has the outcome that was asked for."""
    message = f"Nothing needs to change: the model already gives {goal} ({chance:.0%})."
    return WhyNot("already there", message, "", best_chance=chance)


def no_candidate(goal: Goal, best: float) -> WhyNot:
    """No record reaches the threshold."""
    message = (
        f"No record within the bounds reaches a chance of {goal.threshold:.0%} for {goal}; "
        f"the best there is has {best:.1%}."
    )
    lower = math.floor(best * 1000) / 1000
    hint = f"A threshold of {lower:.3f} or less would have candidates." if lower > 0 else ""
    return WhyNot("no candidate", message, hint, best_chance=best, n_candidates=0)


def no_state(goal: Goal, best: float, survey: Survey, max_steps: int) -> WhyNot:
    """No state that single actions lead to reaches the threshold."""
    message = (
        f"None of {survey.n_states:,} states within {max_steps} steps reaches a chance of "
        f"{goal.threshold:.0%} for {goal}; the best has {best:.1%}."
    )
    if survey.n_states == 1:
        message = f"The rules allow no change at all; the chance of {goal} stays {best:.1%}."
    hint = "Loosen a rule, allow more steps (max_steps) or rarer states (plausibility)."
    if survey.stopped == "budget":
        hint = "The budget of states was spent: raise max_states. " + hint
    return WhyNot("no candidate", message, hint, best_chance=best, n_in_reach=survey.n_states)


def not_found(goal: Goal, best: float, n_states: int) -> WhyNot:
    """A search that makes states up found none that reaches the threshold."""
    message = (
        f"None of {n_states:,} states that were tried reaches a chance of {goal.threshold:.0%} for "
        f"{goal}; the best has {best:.1%}."
    )
    if n_states == 0:
        message = "The rules allow no change at all."
    hint = (
        "There may be others: loosen a rule, lower the threshold, or let the search go on longer."
    )
    return WhyNot("no candidate", message, hint, best_chance=best)


def no_route(n_candidates: int, n_in_reach: int, best: float | None = None) -> WhyNot:
    """There are candidates, but no way leads to any of them."""
    message = (
        f"{n_candidates} destinations have the outcome, but none is in reach under these rules; "
        f"{n_in_reach} other states are."
    )
    hint = "Loosen a rule (prices, bounds, forbidden changes, max_steps) or raise n_neighbors."
    return WhyNot(
        "no route",
        message,
        hint,
        best_chance=best,
        n_candidates=n_candidates,
        n_in_reach=n_in_reach,
    )
