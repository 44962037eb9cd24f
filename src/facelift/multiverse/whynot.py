"""Why a multiverse is empty: a finding with its numbers, a certificate, and what would help."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any, Literal

import pandas as pd

from facelift._arrays import Floats
from facelift.geometry import TOLERANCE
from facelift.multiverse.goal import Goal, Range
from facelift.multiverse.journey import Journey
from facelift.multiverse.words import PLAIN, Features, name_words, value_words
from facelift.terrain.rulebook import Rule
from facelift.terrain.terrain import Terrain

Reason = Literal["already there", "no candidate", "no route", "bad row"]
Obstacle = Literal["no candidate", "out of reach", "not connected", "too many steps", "rules"]

MORE_STEPS = 3
"""So many steps more are proposed where there is no way within those asked for."""

N_TOLD = 5
"""So many relaxations are told in words; all are listed."""

COLUMNS = ["relaxation", "rule", "relaxed", "cost", "steps"]


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
    certify: Certify | None = field(default=None, repr=False, compare=False)
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
        return f"{self.message} {self.hint}".strip()


@dataclass(frozen=True)
class Tried:
    """Whether an offer was tried to its end, and the effort of the cheapest way seen, if any."""

    to_the_end: bool = False
    effort: float | None = None


OfferKind = Literal["longer", "leave out", "rows", "rarer", "more steps", "actions"]


@dataclass(frozen=True)
class Offer:
    """Something else to ask for, and what came of trying it.

    `parameters` are those of an explainer to change ("freeze": columns to leave out).

    Examples
    --------
    >>> print(Offer("longer", {"patience": "thorough"}, Tried(True, 0.402)))
    search longer: explainer.under(explainer.terrain_, patience="thorough") (effort 0.41 or less)
    """

    kind: OfferKind
    parameters: Mapping[str, Any]
    tried: Tried = Tried()

    @property
    def helps(self) -> bool:
        """Whether it was seen to find a way."""
        return self.tried.effort is not None

    @property
    def call(self) -> str:
        """How to take it."""
        ((name, value),) = self.parameters.items()
        if name == "freeze":
            columns = ", ".join(f'"{each}"' for each in value)
            return f"explainer.under(explainer.terrain_.freeze({columns}))"
        return f'steps="{value}"' if name == "steps" else _under(name, value)

    def __str__(self) -> str:
        told = f"{_OFFERED[self.kind]}: {self.call}"
        if self.tried.effort is None:
            return told
        most = (
            math.ceil(100 * self.tried.effort * (1 - TOLERANCE)) / 100
        )  # rounded up: it must hold
        return f"{told} (effort {most:.2f} or less)"


_OFFERED: dict[OfferKind, str] = {
    "longer": "search longer",
    "leave out": "leave out the columns that bring least",
    "rows": "go through records of people like you",
    "rarer": "accept rarer states",
    "more steps": "allow more steps",
    "actions": "change one thing at a time",
}


def offer_lines(offers: tuple[Offer, ...]) -> list[str]:
    """What helps, call by call; then what was tried and does not, and what was not tried out.

    >>> rarer = Offer("rarer", {"plausibility": 1}, Tried(True))
    >>> for line in offer_lines((rarer, Offer("rows", {"steps": "rows"}))):
    ...     print(line)
    Tried, but finds no way either: accept rarer states.
    Not tried to the end: go through records of people like you: steps="rows".
    """
    helping = [each for each in offers if each.helps]
    vain = [_OFFERED[each.kind] for each in offers if each.tried.to_the_end and not each.helps]
    open_ = [each for each in offers if not each.tried.to_the_end and not each.helps]
    lines = ["What finds a way:"] if helping else []
    lines += [f"  {number}. {each}" for number, each in enumerate(helping, start=1)]
    if vain:
        lines.append(f"Tried, but finds no way either: {', '.join(vain)}.")
    if open_:
        lines.append(f"Not tried to the end: {'; '.join(map(str, open_))}.")
    return lines


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


@dataclass(frozen=True, eq=False)
class Relaxation:
    """A smallest set of rules whose relaxing opens a journey, and the cheapest journey it opens.

    None of the rules could be kept. `terrain` and `parameters` are what to explain under:
    `explainer.under(relaxation.terrain, **relaxation.parameters)` finds the journey (both are
    missing when read back from JSON). A relaxed rule has the ordinary price, 1.

    Examples
    --------
    >>> import numpy as np
    >>> from facelift import FACElift, Terrain
    >>> line = np.arange(11.0)[:, np.newaxis]
    >>> model = lambda x: np.hstack([10 - x, x]) / 10
    >>> frozen = FACElift(model, Terrain.infer(line).freeze("x0"), n_neighbors=2).fit(line)
    >>> relaxation = frozen.explain([2.0]).why_not.relaxations[0]
    >>> print(relaxation)
    let X0 rise (2 steps, effort 0.40)
    >>> frozen.under(relaxation.terrain, **relaxation.parameters).explain([2.0])[0]
    Journey(2 steps, cost 0.4)
    """

    rules: tuple[Rule, ...]
    journey: Journey
    terrain: Terrain | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)

    @property
    def cost(self) -> float:
        """Cost of the journey."""
        return self.journey.cost

    def __str__(self) -> str:
        steps = f"{self.journey.n_steps} step{'' if self.journey.n_steps == 1 else 's'}"
        rules = relaxed_words(self.rules, self.journey.features)
        return f"{rules} ({steps}, effort {self.cost:.2f})"


@dataclass(frozen=True)
class Bridge:
    """The cheapest step that is missing between what is in reach and what leads to the outcome.

    `n_here` states are in reach, and from `n_there` others there is a way. The step is allowed, but
    `end` is not among the nearest of `start` (two vertices); `n_neighbors` and `max_step` (None: as
    they are) would make it an edge.

    Examples
    --------
    >>> bridge = Bridge(3, 7, cost=0.4, n_here=12, n_there=30, n_neighbors=25)
    >>> str(bridge).partition(". ")[2]
    'The cheapest missing step costs 0.4: n_neighbors=25 would make it.'
    """

    start: int
    end: int
    cost: float
    n_here: int
    n_there: int
    n_neighbors: int | None = None
    max_step: float | None = None

    def __str__(self) -> str:
        needed = []
        if self.n_neighbors is not None:
            needed.append(f"n_neighbors={self.n_neighbors}")
        if self.max_step is not None:
            needed.append(f"max_step={self.max_step:.6g}")
        here = f"{self.n_here:,} state{' is' if self.n_here == 1 else 's are'} in reach"
        there = f"{self.n_there:,} other{'' if self.n_there == 1 else 's'}"
        return (
            f"{here}; from {there} there is a way on. The cheapest missing step costs "
            f"{self.cost:.3g}: {' and '.join(needed)} would make it."
        )


@dataclass(frozen=True, eq=False)
class Certificate:
    """Why there is no journey, exactly, and the smallest changes that open one.

    Of these kinds: "no candidate", no record has the outcome; "out of reach", no single changes
    lead to it, whatever the rules; "not connected", the rules allow a way, but neighbourhoods do
    not connect; "too many steps"; "rules", every way breaks one. `searched` says which ways were
    looked at. `relaxations` are the smallest sets of rules to relax, cheapest journey first;
    `complete` says whether these are all there are, or all that a bounded search came by. Rules on
    `personal` columns are never among them, nor are changes of columns that can get `worse`.
    `threshold` is the highest that would do for this case under the rules as they are, at the same
    margin (None: none would), `n_having` the number of records that have the outcome, where ways do
    not lead through records; `proven` says that no way exists within the rules, and how that is
    known.

    Examples
    --------
    >>> print(Certificate("rules", searched="through the records"))
    Every way through the records breaks a rule.
    No set of rules would help.
    """

    kind: Obstacle
    relaxations: tuple[Relaxation, ...] = ()
    complete: bool = True
    bridge: Bridge | None = None
    threshold: float | None = None
    searched: str = ""
    personal: tuple[str, ...] = ()
    worse: tuple[str, ...] = ()
    n_having: int | None = None
    proven: str = ""
    features: Features = field(default_factory=dict, compare=False, repr=False)

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def lines(self) -> list[str]:
        """What stands between and what would help, line by line."""
        unsure = self.kind == "rules" and not self.complete
        ways = f"way {self.searched}".strip()
        lines = [self.proven or _UNSURE] if unsure or self.proven else []
        if not unsure:
            lines.append(_OBSTACLES[self.kind].format(way=ways))
        if self.bridge is not None:
            lines.append(str(self.bridge))
        if would_do := _at_most(self.threshold):
            lines.append(f"Under these rules threshold={would_do} would do.")
        if self.relaxations:
            n, smallest = len(self.relaxations), "Smallest sets of rules to relax, cheapest first"
            found = (
                f"Sets of rules to relax that were found ({n}; there may be others, and smaller)"
            )
            lines.append(f"{smallest} ({n}):" if self.complete else f"{found}:")
            listed = [f"  {n}. {each}" for n, each in enumerate(self.relaxations[:N_TOLD], start=1)]
            lines += listed
            if len(self.relaxations) > N_TOLD:
                lines.append(f"  … and {len(self.relaxations) - N_TOLD} more.")
        elif not self.complete:
            lines.append("Which rules to relax was not found in the time there is.")
        elif self.kind not in ("no candidate", "out of reach"):
            lines.append(
                f"No set of {'other ' if self.personal or self.worse else ''}rules would help."
            )
        if self.personal:
            names = ", ".join(name_words(name, self.features) for name in self.personal)
            lines.append(f"Rules on who somebody is are kept: {names}.")
        if self.worse:
            names = ", ".join(name_words(name, self.features) for name in self.worse)
            lines.append(f"Changes that make you worse off are left out: {names}.")
        return lines

    def to_frame(self) -> pd.DataFrame:
        """One row per relaxation and rule: what to relax, the journey's cost and its steps."""
        records = [
            (number, str(rule), rule.relaxed, each.cost, each.journey.n_steps)
            for number, each in enumerate(self.relaxations)
            for rule in each.rules
        ]
        return pd.DataFrame(records, columns=COLUMNS)


Certify = Callable[[], Certificate | None]

_OBSTACLES: dict[Obstacle, str] = {
    "no candidate": "No record that could be a destination has the outcome, whatever the rules.",
    "out of reach": "No {way} leads there, whatever the rules.",
    "not connected": "The rules allow it, but no chain of neighbours leads there.",
    "too many steps": "There is a way, but it has too many steps.",
    "rules": "Every {way} breaks a rule.",
}

_UNSURE = "No way within the rules was found."


def relaxed_words(rules: tuple[Rule, ...], features: Features = PLAIN) -> str:
    """What relaxing some rules means, as people say it; what may rise and fall may change.

    >>> relaxed_words((Rule("rise", "age"), Rule("fall", "age"), Rule("change", "sex")))
    'let Age change, let Sex change'
    """
    known = set(rules)
    sentences = []
    for rule in rules:
        both = {Rule("rise", rule.feature), Rule("fall", rule.feature)}
        if rule in both and both <= known:
            sentences.append(rule_in_words(Rule("change", rule.feature), features).relaxed)
        else:
            sentences.append(rule_in_words(rule, features).relaxed)
    return ", ".join(dict.fromkeys(sentences))


def rule_in_words(rule: Rule, features: Features = PLAIN) -> Rule:
    """The same rule of a column and levels as people call them.

    >>> str(rule_in_words(Rule("forbid", "home_type", "own", "rent")))
    'Home type never goes from own to rent'
    """
    if not rule.feature:
        return rule
    feature = features.get(rule.feature)
    start, end = (
        None if level is None else value_words(level, feature) for level in (rule.start, rule.end)
    )
    return replace(rule, feature=name_words(rule.feature, features), start=start, end=end)


def already_there(goal: Goal | Range, figure: float) -> WhyNot:
    """The factual has the outcome that was asked for."""
    if isinstance(goal, Range):
        says = f"the model predicts {goal.words(figure)}, within {goal}"
    else:
        says = f"the model already gives {goal} ({goal.short_words(figure)})"
    message = f"Nothing needs to change: {says}."
    return _with_best(WhyNot("already there", message, ""), goal, figure)


def no_candidate(goal: Goal | Range, best: float) -> WhyNot:
    """No record reaches the threshold, or the range."""
    message = (
        f"No record within the bounds reaches {goal.demand}; the best there is has "
        f"{goal.words(best)}."
    )
    found = WhyNot("no candidate", message, _would_do(goal, best), n_candidates=0)
    return _with_best(found, goal, best)


def no_agreement(goal: Goal | Range, best: float, shares: Floats, wanted: float) -> WhyNot:
    """What has the outcome by the model has it by too few other models."""
    most = float(shares.max())
    message = (
        f"{len(shares):,} states reach {goal.demand} by the model itself, but {wanted:.0%} of the "
        f"committee agree on none of them; the most that agree on one are {most:.0%}."
    )
    enough = _at_most(most)
    hint = f"{_under('min_agreement', enough)} would have candidates." if enough else ""
    return _with_best(WhyNot("no candidate", message, hint, n_candidates=0), goal, best)


def no_state(
    goal: Goal | Range,
    best: float,
    survey: Survey,
    max_steps: int,
    *,
    longer: Mapping[str, Any],
) -> WhyNot:
    """No state that single actions lead to reaches the threshold, or the range.

    `longer` has the parameter that would let the search go on; none where that is proven to find
    nothing.
    """
    message = (
        f"None of {survey.n_states:,} states within {max_steps} steps reaches {goal.demand}; "
        f"the best has {goal.words(best)}."
    )
    if survey.n_states == 1:
        what = f"chance of {goal}" if isinstance(goal, Goal) else "predicted number"
        message = f"The rules allow no change at all; the {what} stays {goal.words(best)}."
    steps, rarer = _under("max_steps", max_steps + MORE_STEPS), _under("plausibility", 1)
    hint = f"{rarer} allows rarer states, {steps} longer ways."
    if survey.stopped == "budget" and longer:
        ((name, value),) = longer.items()
        hint = (
            f"Not all states were looked at: {_under(name, value)} looks at more, {_FREEZE} leaves "
            f"out columns that will not change. {hint}"
        )
    found = WhyNot("no candidate", message, hint, n_in_reach=survey.n_states)
    return _with_best(found, goal, best)


def not_found(goal: Goal | Range, best: float, n_states: int) -> WhyNot:
    """A search that makes states up found none that reaches the threshold."""
    message = (
        f"None of {n_states:,} states that were tried reaches {goal.demand}; the best has "
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
    n_neighbors: int | None = None,
    max_steps: int | None = None,
) -> WhyNot:
    """There are candidates, but no way leads to any; records lead to `n_neighbors`, if known.

    `max_steps` is how many steps a way may have, where that is limited.
    """
    message = (
        f"{n_candidates} destinations have the outcome, but none is in reach under these rules; "
        f"{n_in_reach} other states are."
    )
    hints = []
    if max_steps is not None:
        hints.append(f"{_under('max_steps', max_steps + MORE_STEPS)} allows longer ways.")
    if n_neighbors is not None:
        hints.append(f"{_under('n_neighbors', 2 * n_neighbors)} connects more records.")
    hint = " ".join(hints)
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
        wider = f"explainer.explain(x, ({best!r}, {best!r})) would have a candidate."
        return "" if math.isnan(best) else wider
    if best >= goal.threshold:
        return f"{_under('margin', _at_most(best - goal.threshold) or 0)} would have candidates."
    lower = _at_most(best - goal.margin)
    return f"{_under('threshold', lower)} would have candidates." if lower else ""


_FREEZE = "explainer.under(explainer.terrain_.freeze(...))"


def _under(name: str, value: object) -> str:
    """The call that explains with another setting."""
    shown = f'"{value}"' if name == "patience" and isinstance(value, str) else value
    return f"explainer.under(explainer.terrain_, {name}={shown})"


def _at_most(share: float | None) -> str:
    """A share in three digits, not above what it is; nothing where that is no more than 0."""
    lower = 0.0 if share is None else math.floor(share * 1000) / 1000
    return f"{lower:.3f}" if lower > 0 else ""
