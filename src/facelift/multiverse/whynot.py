"""Why a multiverse is empty: a finding with its numbers, a certificate, and what would help."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any, Literal

import pandas as pd

from facelift._arrays import Floats
from facelift.language import count, duration, joined, number, percent, say, time
from facelift.multiverse.certificate import Certificate, Offer, Relaxation, at_most, under_call
from facelift.multiverse.goal import Goal, Range

Reason = Literal["already there", "no candidate", "no route", "bad row"]

MORE_STEPS = 3
"""So many steps more are proposed where there is no way within those asked for."""


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
    Every way through the records breaks a rule.
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
    certify: Callable[[], Certificate | None] | None = field(
        default=None, repr=False, compare=False
    )
    offer: Callable[[], tuple[Offer, ...]] | None = field(default=None, repr=False, compare=False)

    @cached_property
    def offers(self) -> tuple[Offer, ...]:
        """What else could be asked for, in the order in which it is worth it; tried when read."""
        return () if self.offer is None else self.offer()

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
        0           0  x0 never rises  let x0 rise   0.4      2
        """
        return (self.certificate or Certificate("no candidate")).to_frame()

    def to_dict(self) -> dict[str, Any]:
        """The finding itself as plain values, without its certificate."""
        names = [each.name for each in fields(self) if each.name not in ("certify", "offer")]
        return {name: getattr(self, name) for name in names}

    def __getstate__(self) -> dict[str, Any]:
        """What travels to another process: not the way to ask again, which knows all records."""
        return self.to_dict() | {"certify": None, "offer": None}

    def __str__(self) -> str:
        return joined(filter(None, (self.message, self.hint)), " ")


@dataclass(frozen=True)
class Survey:
    """How many states were judged, in how many calls of the model, and what ended the search.

    "enough": the destinations asked for were found and are certain; "exhausted": there are no
    more states within the rules; "budget": the work that patience allows was done, so cheaper
    destinations may exist, or ones shown as closed be open. No way cheaper than `radius` exists
    but those found; None where all states within the rules were looked at.

    Examples
    --------
    >>> import numpy as np
    >>> from facelift import FACElift
    >>> line = np.arange(11.0)[:, np.newaxis]
    >>> model = lambda x: np.hstack([10 - x, x]) / 10
    >>> FACElift(model, steps="actions").fit(line).explain([2.0]).survey
    Survey(n_states=6, n_calls=1, stopped='exhausted', radius=None)
    """

    n_states: int
    n_calls: int
    stopped: Literal["enough", "exhausted", "budget"]
    radius: float | None = 0.0


def already_there(goal: Goal | Range, figure: float) -> WhyNot:
    """The factual has the outcome that was asked for."""
    if isinstance(goal, Range):
        message = say(
            "Nothing needs to change: the model predicts {figure}, within {range}.",
            figure=goal.words(figure),
            range=str(goal),
        )
    else:
        message = say(
            "Nothing needs to change: the model already gives {outcome} ({chance}).",
            outcome=str(goal),
            chance=goal.short_words(figure),
        )
    return _with_best(WhyNot("already there", message, ""), goal, figure)


def no_candidate(goal: Goal | Range, best: float) -> WhyNot:
    """No record reaches the threshold, or the range."""
    message = say(
        "No record within the bounds reaches {demand}; the best there is has {best}.",
        demand=goal.demand,
        best=goal.words(best),
    )
    found = WhyNot("no candidate", message, _would_do(goal, best), n_candidates=0)
    return _with_best(found, goal, best)


def no_agreement(goal: Goal | Range, best: float, shares: Floats, wanted: float) -> WhyNot:
    """What has the outcome by the model has it by too few other models."""
    most = float(shares.max())
    message = count(
        "{n} state reaches {demand} by the model itself, but {wanted} of the committee agree on "
        "none of them; the most that agree on one are {most}.",
        "{n} states reach {demand} by the model itself, but {wanted} of the committee agree on "
        "none of them; the most that agree on one are {most}.",
        len(shares),
        demand=goal.demand,
        wanted=percent(wanted),
        most=percent(most),
    )
    enough = at_most(most)
    needing = f"explainer.oracle_.committee.needing({enough})"
    hint = _has_candidates(under_call("committee", needing)) if enough else ""
    return _with_best(WhyNot("no candidate", message, hint, n_candidates=0), goal, best)


def no_state(
    goal: Goal | Range,
    best: float,
    survey: Survey,
    max_steps: int,
    *,
    longer: Mapping[str, Any],
    n_rarer: int = 0,
    more_steps: bool = True,
) -> WhyNot:
    """No state that single actions lead to reaches the threshold, or the range.

    `longer` has the parameter that would let the search go on; none where that is proven to find
    nothing. `n_rarer` states reach it that are too rare, or that only such states lead to. Without
    `more_steps` no state takes more than `max_steps`.
    """
    told = {"states": number(survey.n_states, grouped=True), "demand": goal.demand}
    message = count(
        "None of {states} states within {n} step reaches {demand}; the best has {best}.",
        "None of {states} states within {n} steps reaches {demand}; the best has {best}.",
        max_steps,
        **told,
        best=goal.words(best),
    )
    if n_rarer:
        message = count(
            "States that reach {demand} ({rarer} of {states} within {n} step) are rarer than real "
            "records, or only rarer states lead to them; the best of the others has {best}.",
            "States that reach {demand} ({rarer} of {states} within {n} steps) are rarer than real "
            "records, or only rarer states lead to them; the best of the others has {best}.",
            max_steps,
            **told,
            rarer=number(n_rarer, grouped=True),
            best=goal.words(best),
        )
    if survey.n_states == 1:
        alone = WhyNot("no candidate", _no_change(goal, best), "", n_in_reach=1)
        return _with_best(alone, goal, best)
    rarer = under_call("plausibility", 1)
    hints = [say("{call} allows rarer states.", call=rarer)]
    if more_steps:
        steps = under_call("max_steps", max_steps + MORE_STEPS)
        hints = [
            say("{rarer} allows rarer states, {longer} longer ways.", rarer=rarer, longer=steps)
        ]
    if survey.stopped == "budget" and longer:
        ((name, value),) = longer.items()
        more = say(
            "Not all states were looked at: {longer} looks at more, {fewer} leaves out columns "
            "that will not change.",
            longer=under_call(name, value),
            fewer=_FREEZE,
        )
        hints.insert(0, more)
    found = WhyNot("no candidate", message, joined(hints, " "), n_in_reach=survey.n_states)
    return _with_best(found, goal, best)


def _no_change(goal: Goal | Range, best: float) -> str:
    """That the rules allow nothing, and what the model says of that."""
    if isinstance(goal, Range):
        return say(
            "The rules allow no change at all; the predicted number stays {number}.",
            number=goal.words(best),
        )
    return say(
        "The rules allow no change at all; the chance of {outcome} stays {chance}.",
        outcome=str(goal),
        chance=goal.words(best),
    )


def not_found(goal: Goal | Range, best: float, n_states: int) -> WhyNot:
    """A search that makes states up found none that reaches the threshold."""
    message = count(
        "The only state that was tried does not reach {demand}; it has {best}.",
        "None of {n} states that were tried reaches {demand}; the best has {best}.",
        n_states,
        demand=goal.demand,
        best=goal.words(best),
    )
    if n_states == 0:
        message = say("The rules allow no change at all.")
    hint = say(
        "There may be others: loosen a rule, lower the threshold, or let the search go on longer."
    )
    return _with_best(WhyNot("no candidate", message, hint), goal, best)


def no_route(
    n_candidates: int,
    n_in_reach: int,
    best: float | None = None,
    goal: Goal | Range | None = None,
    n_neighbors: int | None = None,
    max_steps: int | None = None,
) -> WhyNot:
    """There are candidates, but no way leads to any; records lead to `n_neighbors`, if known.

    `max_steps` is how many steps a way may have, where that is limited.
    """
    message = count(
        "The one destination that has the outcome is out of reach under these rules; other states "
        "in reach: {others}.",
        "None of the {n} destinations that have the outcome is in reach under these rules; other "
        "states in reach: {others}.",
        n_candidates,
        others=n_in_reach,
    )
    hints = []
    if max_steps is not None:
        longer = under_call("max_steps", max_steps + MORE_STEPS)
        hints.append(say("{call} allows longer ways.", call=longer))
    if n_neighbors is not None:
        wider = under_call("n_neighbors", 2 * n_neighbors)
        hints.append(say("{call} connects more records.", call=wider))
    hint = joined(hints, " ")
    found = WhyNot("no route", message, hint, n_candidates=n_candidates, n_in_reach=n_in_reach)
    return _with_best(found, goal, best)


def in_time(found: WhyNot, deadline: float, quickest: float | None, period: str) -> WhyNot:
    """The same where there was a deadline; `quickest` is how long the quickest way found takes.

    >>> in_time(WhyNot("no route", "None.", ""), 12, 20.0, "month").message
    'Within 12 months there is no way; the quickest found takes about 20 months.'
    """
    known = duration(deadline, period)
    if quickest is not None:
        message = say(
            "Within {deadline} there is no way; the quickest found takes {time}.",
            deadline=known,
            time=time(quickest, period),
        )
        return replace(found, message=message, hint="")
    unhurried = say("With more time than {deadline} none was found, either.", deadline=known)
    return replace(found, message=joined((found.message, unhurried), " "))


def _with_best(found: WhyNot, goal: Goal | Range | None, figure: float | None) -> WhyNot:
    """The reason with the best figure under its own name: a predicted number is no chance."""
    if not isinstance(goal, Range):
        return replace(found, best_chance=figure)
    return replace(found, best_predicted=None if figure is None or math.isnan(figure) else figure)


def _would_do(goal: Goal | Range, best: float) -> str:
    """What could be asked for instead."""
    if isinstance(goal, Range):
        wider = f"explainer.explain(x, ({best!r}, {best!r}))"
        return "" if math.isnan(best) else say("{call} would have a candidate.", call=wider)
    if best >= goal.threshold:
        return _has_candidates(under_call("margin", at_most(best - goal.threshold) or 0))
    lower = at_most(goal.threshold_for(best))
    return _has_candidates(under_call("threshold", lower)) if lower else ""


def _has_candidates(call: str) -> str:
    return say("{call} would have candidates.", call=call)


_FREEZE = "explainer.under(explainer.terrain_.freeze(...))"
