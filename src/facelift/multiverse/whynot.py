"""Why a multiverse is empty: a finding with its numbers, a certificate, and what would help."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any, Literal

import pandas as pd

from facelift._arrays import Floats
from facelift.geometry import TOLERANCE
from facelift.language import count, duration, fixed, joined, number, percent, say, time
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
        return joined(filter(None, (self.message, self.hint)), " ")


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
        offer, call = _OFFERED[self.kind], self.call
        if self.tried.effort is None:
            return say("{offer}: {call}", offer=offer, call=call)
        most = math.ceil(100 * self.tried.effort * (1 - TOLERANCE)) / 100  # up: it must hold
        return say(
            "{offer}: {call} (effort {effort} or less)", offer=offer, call=call, effort=fixed(most)
        )


_OFFERED: dict[OfferKind, str] = {
    "longer": say("search longer"),
    "leave out": say("leave out the columns that bring least"),
    "rows": say("go through records of people like you"),
    "rarer": say("accept rarer states"),
    "more steps": say("allow more steps"),
    "actions": say("change one thing at a time"),
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
    lines = [say("What finds a way:")] if helping else []
    lines += _numbered(helping)
    if vain:
        lines.append(say("Tried, but finds no way either: {offers}.", offers=joined(vain)))
    if open_:
        untried = joined(map(str, open_), "; ")
        lines.append(say("Not tried to the end: {offers}.", offers=untried))
    return lines


def _numbered(lines: Iterable[object]) -> list[str]:
    """Lines of a list, numbered from 1."""
    return [joined((f"  {n}.", str(each)), " ") for n, each in enumerate(lines, start=1)]


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
        return count(
            "{rules} ({n} step, effort {effort})",
            "{rules} ({n} steps, effort {effort})",
            self.journey.n_steps,
            rules=relaxed_words(self.rules, self.journey.features),
            effort=fixed(self.cost),
        )


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
        settings = needed[0]
        if len(needed) == 2:
            settings = say("{first} and {second}", first=needed[0], second=needed[1])
        return say(
            "{here}; {there}. The cheapest missing step costs {cost}: {settings} would make it.",
            here=count("{n} state is in reach", "{n} states are in reach", self.n_here),
            there=count(
                "from {n} other there is a way on",
                "from {n} others there is a way on",
                self.n_there,
            ),
            cost=number(float(f"{self.cost:.3g}")),
            settings=settings,
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
        lines = [self.proven or _UNSURE] if unsure or self.proven else []
        if not unsure:
            lines.append(_obstacle(self.kind, self.searched))
        if self.bridge is not None:
            lines.append(str(self.bridge))
        if would_do := _at_most(self.threshold):
            setting = f"threshold={would_do}"
            lines.append(say("Under these rules {setting} would do.", setting=setting))
        if self.relaxations:
            lines += self._relaxing()
        elif not self.complete:
            lines.append(say("Which rules to relax was not found in the time there is."))
        elif self.kind not in ("no candidate", "out of reach"):
            kept = self.personal or self.worse
            others = say("No set of other rules would help.")
            lines.append(others if kept else say("No set of rules would help."))
        if self.personal:
            names = joined(name_words(name, self.features) for name in self.personal)
            lines.append(say("Rules on who somebody is are kept: {names}.", names=names))
        if self.worse:
            names = joined(name_words(name, self.features) for name in self.worse)
            lines.append(say("Changes that make you worse off are left out: {names}.", names=names))
        return lines

    def _relaxing(self) -> list[str]:
        """The first relaxations, and how many more there are."""
        n = len(self.relaxations)
        title = say("Smallest sets of rules to relax, cheapest first ({n}):", n=n)
        if not self.complete:
            title = say(
                "Sets of rules to relax that were found ({n}; there may be others, and smaller):",
                n=n,
            )
        more = [joined(("  ", say("… and {n} more.", n=n - N_TOLD)), "")] if n > N_TOLD else []
        return [title, *_numbered(self.relaxations[:N_TOLD]), *more]

    def to_frame(self) -> pd.DataFrame:
        """One row per relaxation and rule: what to relax, the journey's cost and its steps."""
        records = [
            (number, str(rule), rule.relaxed, each.cost, each.journey.n_steps)
            for number, each in enumerate(self.relaxations)
            for rule in each.rules
        ]
        return pd.DataFrame(records, columns=COLUMNS)


Certify = Callable[[], Certificate | None]


def _obstacle(kind: Obstacle, searched: str) -> str:
    """What stands between; `searched` says which ways were looked at."""
    if kind == "no candidate":
        return say("No record that could be a destination has the outcome, whatever the rules.")
    if kind == "not connected":
        return say("The rules allow it, but no chain of neighbours leads there.")
    if kind == "too many steps":
        return say("There is a way, but it has too many steps.")
    if kind == "rules":
        if searched:
            return say("Every way {searched} breaks a rule.", searched=searched)
        return say("Every way breaks a rule.")
    if searched:
        return say("No way {searched} leads there, whatever the rules.", searched=searched)
    return say("No way leads there, whatever the rules.")


_UNSURE = say("No way within the rules was found.")


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
    return joined(dict.fromkeys(sentences))


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
    enough = _at_most(most)
    hint = _has_candidates(_under("min_agreement", enough)) if enough else ""
    return _with_best(WhyNot("no candidate", message, hint, n_candidates=0), goal, best)


def no_state(
    goal: Goal | Range,
    best: float,
    survey: Survey,
    max_steps: int,
    *,
    longer: Mapping[str, Any],
    n_rarer: int = 0,
) -> WhyNot:
    """No state that single actions lead to reaches the threshold, or the range.

    `longer` has the parameter that would let the search go on; none where that is proven to find
    nothing. `n_rarer` states reach it that are too rare, or that only such states lead to.
    """
    told = {"n": number(survey.n_states, grouped=True), "steps": max_steps, "demand": goal.demand}
    message = say(
        "None of {n} states within {steps} steps reaches {demand}; the best has {best}.",
        **told,
        best=goal.words(best),
    )
    if n_rarer:
        message = say(
            "States that reach {demand} ({rarer} of {n} within {steps} steps) are rarer than real "
            "records, or only rarer states lead to them; the best of the others has {best}.",
            **told,
            rarer=number(n_rarer, grouped=True),
            best=goal.words(best),
        )
    if survey.n_states == 1:
        message = _no_change(goal, best)
    hints = [
        say(
            "{rarer} allows rarer states, {longer} longer ways.",
            rarer=_under("plausibility", 1),
            longer=_under("max_steps", max_steps + MORE_STEPS),
        )
    ]
    if survey.stopped == "budget" and longer:
        ((name, value),) = longer.items()
        more = say(
            "Not all states were looked at: {longer} looks at more, {fewer} leaves out columns "
            "that will not change.",
            longer=_under(name, value),
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
        "None of {n} state that was tried reaches {demand}; the best has {best}.",
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
    message = say(
        "{n} destinations have the outcome, but none is in reach under these rules; {others} "
        "other states are.",
        n=n_candidates,
        others=n_in_reach,
    )
    hints = []
    if max_steps is not None:
        longer = _under("max_steps", max_steps + MORE_STEPS)
        hints.append(say("{call} allows longer ways.", call=longer))
    if n_neighbors is not None:
        wider = _under("n_neighbors", 2 * n_neighbors)
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
        return _has_candidates(_under("margin", _at_most(best - goal.threshold) or 0))
    lower = _at_most(best - goal.margin)
    return _has_candidates(_under("threshold", lower)) if lower else ""


def _has_candidates(call: str) -> str:
    return say("{call} would have candidates.", call=call)


_FREEZE = "explainer.under(explainer.terrain_.freeze(...))"


def _under(name: str, value: object) -> str:
    """The call that explains with another setting."""
    shown = f'"{value}"' if name == "patience" and isinstance(value, str) else value
    return f"explainer.under(explainer.terrain_, {name}={shown})"


def _at_most(share: float | None) -> str:
    """A share in three digits, not above what it is; nothing where that is no more than 0."""
    lower = 0.0 if share is None else math.floor(share * 1000) / 1000
    return f"{lower:.3f}" if lower > 0 else ""
