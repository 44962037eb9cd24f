"""Why a multiverse is empty: a finding with its numbers, and what would help."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from facelift.multiverse.certificate import Certificate, Certify, Relaxation
from facelift.multiverse.goal import Goal, Range
from facelift.multiverse.survey import Survey

if TYPE_CHECKING:
    import pandas as pd

Reason = Literal["already there", "no candidate", "no route", "bad row"]


@dataclass(frozen=True)
class WhyNot:
    """The reason there is no journey, in a word, in a sentence, and what would help.

    `best_chance` is the highest probability of the target there is among the vertices one may
    pass through (`best_predicted` the number nearest to the range wanted, where the model gives
    numbers); `n_candidates` how many reach the threshold, `n_in_reach` how many vertices can
    be reached at all.

    What exactly stands between, and the smallest sets of rules that could be relaxed, is searched
    for when first asked for (about as long as an explanation takes): `certificate`, `kind`,
    `relaxations`, `to_frame()`.

    Examples
    --------
    >>> import numpy as np
    >>> from facelift import FACElift, Terrain
    >>> line = np.linspace(0, 1, 11)[:, np.newaxis]
    >>> model = lambda points: np.column_stack([points[:, 0] < 0.5, points[:, 0] >= 0.5])
    >>> terrain = Terrain.infer(line).freeze("x0")
    >>> why_not = FACElift(model, terrain, n_neighbors=2).fit(line).explain([0.2]).why_not
    >>> print(why_not.certificate)
    Every way breaks a rule.
    Smallest sets of rules to relax, cheapest first (1):
      1. let X0 rise (2 steps, effort 0.30)
    """

    reason: Reason
    message: str
    hint: str
    best_chance: float | None = None
    n_candidates: int | None = None
    n_in_reach: int | None = None
    best_predicted: float | None = None
    certify: Certify | None = field(default=None, repr=False, compare=False)

    @cached_property
    def certificate(self) -> Certificate | None:
        """What stands between and what would open a journey; None where nobody can say."""
        return None if self.certify is None else self.certify()

    @property
    def kind(self) -> str:
        """What stands between, in a word; the reason itself where there is no certificate."""
        return self.reason if self.certificate is None else self.certificate.kind

    @property
    def relaxations(self) -> tuple[Relaxation, ...]:
        """The smallest sets of rules whose relaxing opens a journey, cheapest first."""
        return () if self.certificate is None else self.certificate.relaxations

    def to_frame(self) -> pd.DataFrame:
        """The relaxations as a table: one row per relaxation and rule.

        >>> import numpy as np
        >>> from facelift import FACElift, Terrain
        >>> line = np.arange(11.0)[:, np.newaxis]
        >>> model = lambda x: np.hstack([10 - x, x]) / 10
        >>> frozen = FACElift(model, Terrain.infer(line).freeze("x0"), n_neighbors=2).fit(line)
        >>> frozen.explain([2.0]).why_not.to_frame().round(2)
           relaxation            rule      relaxed  cost  steps
        0           0  x0 never rises  let x0 rise   0.3      2
        """
        return (self.certificate or Certificate("no candidate")).to_frame()

    def to_dict(self) -> dict[str, Any]:
        """The finding itself as plain values, without its certificate."""
        names = [each.name for each in fields(self) if each.name != "certify"]
        return {name: getattr(self, name) for name in names}

    def __getstate__(self) -> dict[str, Any]:
        """What travels to another process: not the way to ask again, which knows all records."""
        return self.to_dict() | {"certify": None}

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".strip()


def already_there(goal: Goal | Range, figure: float) -> WhyNot:
    """The factual has the outcome that was asked for."""
    message = f"Nothing needs to change: the model already gives {goal} ({figure:.0%})."
    if isinstance(goal, Range):
        message = (
            f"Nothing needs to change: the model predicts {goal.words(figure)}, within {goal}."
        )
    return _with_best(WhyNot("already there", message, ""), goal, figure)


def no_candidate(goal: Goal | Range, best: float) -> WhyNot:
    """No record reaches the threshold, or the range."""
    message = (
        f"No record within the bounds reaches {goal.needed}; the best there is has "
        f"{goal.words(best)}."
    )
    found = WhyNot("no candidate", message, _would_do(goal, best), n_candidates=0)
    return _with_best(found, goal, best)


def no_agreement(
    goal: Goal | Range, best: float, most: float, wanted: float, n_alone: int
) -> WhyNot:
    """What has the outcome by the model has it by too few other models."""
    message = (
        f"{n_alone:,} states reach {goal.needed} by the model itself, but {wanted:.0%} of the "
        f"committee agree on none of them; the most that agree on one are {most:.0%}."
    )
    hint = f"A min_agreement of {math.floor(most * 1000) / 1000:.3f} or less would have candidates."
    return _with_best(WhyNot("no candidate", message, hint, n_candidates=0), goal, best)


def no_state(goal: Goal | Range, best: float, survey: Survey, max_steps: int) -> WhyNot:
    """No state that single actions lead to reaches the threshold, or the range."""
    message = (
        f"None of {survey.n_states:,} states within {max_steps} steps reaches {goal.needed}; "
        f"the best has {goal.words(best)}."
    )
    if survey.n_states == 1:
        what = f"chance of {goal}" if isinstance(goal, Goal) else "predicted number"
        message = f"The rules allow no change at all; the {what} stays {goal.words(best)}."
    hint = "Loosen a rule, allow more steps (max_steps) or rarer states (plausibility)."
    if survey.stopped == "budget":
        hint = "The budget of states was spent: raise max_states. " + hint
    found = WhyNot("no candidate", message, hint, n_in_reach=survey.n_states)
    return _with_best(found, goal, best)


def not_found(goal: Goal | Range, best: float, n_states: int) -> WhyNot:
    """A search that makes states up found none that reaches the threshold."""
    message = (
        f"None of {n_states:,} states that were tried reaches {goal.needed}; the best has "
        f"{goal.words(best)}."
    )
    if n_states == 0:
        message = "The rules allow no change at all."
    hint = (
        "There may be others: loosen a rule, lower the threshold, or let the search go on longer."
    )
    return _with_best(WhyNot("no candidate", message, hint), goal, best)


def no_route(
    n_candidates: int,
    n_in_reach: int,
    best: float | None = None,
    goal: Goal | Range | None = None,
) -> WhyNot:
    """There are candidates, but no way leads to any of them."""
    message = (
        f"{n_candidates} destinations have the outcome, but none is in reach under these rules; "
        f"{n_in_reach} other states are."
    )
    hint = "Loosen a rule (prices, bounds, forbidden changes, max_steps) or raise n_neighbors."
    found = WhyNot("no route", message, hint, n_candidates=n_candidates, n_in_reach=n_in_reach)
    return _with_best(found, goal, best)


def _with_best(found: WhyNot, goal: Goal | Range | None, figure: float | None) -> WhyNot:
    """The reason with the best figure under its own name: a predicted number is no chance."""
    if not isinstance(goal, Range):
        return replace(found, best_chance=figure)
    return replace(found, best_predicted=None if figure is None or math.isnan(figure) else figure)


def _would_do(goal: Goal | Range, best: float) -> str:
    """What could be asked for instead."""
    if isinstance(goal, Range):
        return "" if math.isnan(best) else f"A range that includes {best!r} would have candidates."
    lower = math.floor(best * 1000) / 1000
    return f"A threshold of {lower:.3f} or less would have candidates." if lower > 0 else ""
