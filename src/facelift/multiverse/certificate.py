"""What is proven: that no way takes less effort, and what stands between where there is none.

A `Proof` is told in one sentence. A `Certificate` names the rules to relax, an `Offer` what else to
ask for.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import pandas as pd

from facelift.geometry import TOLERANCE
from facelift.language import Sentence, count, fixed, joined, number, say
from facelift.multiverse.journey import Journey
from facelift.multiverse.words import PLAIN, Features, name_words, value_words
from facelift.terrain.feature import Feature
from facelift.terrain.rulebook import Rule
from facelift.terrain.terrain import Terrain

if TYPE_CHECKING:
    from facelift.multiverse.multiverse import Multiverse

Obstacle = Literal["no candidate", "out of reach", "not connected", "too many steps", "rules"]

N_TOLD = 5
"""So many relaxations are told in words; all are listed."""

COLUMNS = ["relaxation", "rule", "relaxed", "cost", "steps"]


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
        return f'steps="{value}"' if name == "steps" else under_call(name, value)

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
    Also tried, without success: accept rarer states.
    Not tried to the end: go through records of people like you: steps="rows".
    """
    helping = [each for each in offers if each.helps]
    vain = [_OFFERED[each.kind] for each in offers if each.tried.to_the_end and not each.helps]
    open_ = [each for each in offers if not each.tried.to_the_end and not each.helps]
    lines = [say("What finds a way:")] if helping else []
    lines += numbered(helping)
    if vain:
        lines.append(say("Also tried, without success: {offers}.", offers=joined(vain)))
    if open_:
        untried = joined(map(str, open_), "; ")
        lines.append(say("Not tried to the end: {offers}.", offers=untried))
    return lines


def numbered(lines: Iterable[object]) -> list[str]:
    """Lines of a list, numbered from 1."""
    return [joined((f"  {n}.", str(each)), " ") for n, each in enumerate(lines, start=1)]


def under_call(name: str, value: object) -> str:
    """The call that explains with another setting."""
    shown = f'"{value}"' if name == "patience" and isinstance(value, str) else value
    return f"explainer.under(explainer.terrain_, {name}={shown})"


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
            lines.append(
                _obstacle(self.kind, self.searched, kept=bool(self.personal or self.worse))
            )
        if self.bridge is not None:
            lines.append(str(self.bridge))
        if would_do := at_most(self.threshold):
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
        return [title, *numbered(self.relaxations[:N_TOLD]), *more]

    def to_frame(self) -> pd.DataFrame:
        """One row per relaxation and rule: what to relax, the journey's cost and its steps."""
        records = [
            (number, str(rule), rule.relaxed, each.cost, each.journey.n_steps)
            for number, each in enumerate(self.relaxations)
            for rule in each.rules
        ]
        return pd.DataFrame(records, columns=COLUMNS)


def _obstacle(kind: Obstacle, searched: str, *, kept: bool) -> str:
    """What stands between; `searched` says which ways were looked at, `kept` if rules remained."""
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
    if searched and kept:
        return say("No way {searched} leads there, whatever the other rules.", searched=searched)
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


def at_most(share: float | None) -> str:
    """A share in three digits, not above what it is; nothing where that is no more than 0."""
    lower = 0.0 if share is None else math.floor(share * 1000) / 1000
    return f"{lower:.3f}" if lower > 0 else ""


ProofKind = Literal["cheapest", "within", "nothing below", "not proven"]
Among = Literal["all", "records"] | int
"""Which ways were looked at: all, chains of similar records, or those of up to so many steps."""

NOT_PROVEN = say("It is not proven that no way takes less effort.")


@dataclass(frozen=True)
class Proof:
    """What is proven of a multiverse (SPEC 13).

    No way at all costs less than `bound`. Kinds: "cheapest", the first journey costs no more than
    that; "within", it costs the share `gap` more at most; "nothing below", no journey was found,
    and none cheaper than the bound exists (infinite: none at all); "not proven". `all_destinations`
    says whether the same holds of the whole list: no destination that is not on it is cheaper than
    the last one.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from facelift import FACElift
    >>> line = np.arange(11.0)[:, np.newaxis]
    >>> model = LogisticRegression().fit(line, line[:, 0] > 4)
    >>> print(FACElift(model, steps="actions").fit(line).explain([2.0]).proof)
    No way with less effort exists.
    """

    kind: ProofKind = "not proven"
    bound: float = 0.0
    gap: float | None = None
    all_destinations: bool = False
    sentence: str = NOT_PROVEN
    certify: Callable[[], dict[str, Any] | None] | None = field(
        default=None, repr=False, compare=False
    )

    @cached_property
    def certificate(self) -> dict[str, Any] | None:
        """What others can check the proof by; None where there is nothing of the kind."""
        return None if self.certify is None else self.certify()

    @property
    def is_none(self) -> bool:
        """Whether no way at all exists."""
        return math.isinf(self.bound)

    def to_dict(self) -> dict[str, Any]:
        """Plain values; an infinite bound, where there is no way at all, is None."""
        return {
            "kind": self.kind,
            "bound": None if self.is_none else self.bound,
            "gap": self.gap,
            "all_destinations": self.all_destinations,
            "sentence": self.sentence,
        }

    def __getstate__(self) -> dict[str, Any]:
        """What travels to another process: not the way to prove it again."""
        return self.to_dict() | {"bound": self.bound, "certify": None}

    def __str__(self) -> str:
        return self.sentence


NOTHING_PROVEN = Proof()


def proof_of(
    costs: list[float], bound: float, *, all_below: float = 0.0, among: Among = "all", why: str = ""
) -> Proof:
    """What a bound says of journeys of some costs, cheapest first.

    No way costs less than `bound`, and all ways that cost less than `all_below` are known. `among`
    says which ways were looked at; `why` what kept the bound low.

    >>> print(proof_of([1.3], 1.25))
    At most 4% more effort than any way there can be.
    >>> print(proof_of([], 0.8, why="this model cannot be read"))
    Nothing below effort 0.80 exists; more is not proven: this model cannot be read.
    """
    if not costs:
        return _of_none(bound, among, why)
    first, last = costs[0], costs[-1]
    every = len(costs) == 1 or bool(last * (1 - TOLERANCE) <= all_below)
    if first * (1 - TOLERANCE) <= bound:
        return Proof("cheapest", first, 0.0, every, _none_cheaper(among))
    if bound <= 0:
        return _nothing(why)
    gap = first / bound - 1
    return Proof("within", bound, gap, False, _at_most_dearer(bound, gap, why))


def _none_cheaper(among: Among) -> str:
    if among == "all":
        return say("No way with less effort exists.")
    if among == "records":
        return say("No chain of similar records takes less effort.")
    return count(
        "No way of at most {n} step with less effort exists.",
        "No way of at most {n} steps with less effort exists.",
        among,
    )


def _at_most_dearer(bound: float, gap: float, why: str) -> str:
    known = {"gap": _percent(gap), "effort": _down(bound), "why": why}
    if gap > 1:
        if why:
            return say(
                "No way with effort below {effort} exists; more is not proven: {why}.", **known
            )
        return say("No way with effort below {effort} exists.", **known)
    if why:
        return say(
            "At most {gap} more effort than any way there can be; more is not proven: {why}.",
            **known,
        )
    return say("At most {gap} more effort than any way there can be.", **known)


def _of_none(bound: float, among: Among, why: str) -> Proof:
    if math.isinf(bound):
        return Proof("nothing below", bound, None, True, _none_at_all(among))
    if bound <= 0:
        return _nothing(why)
    effort = _down(bound)
    sentence = say("Nothing below effort {effort} exists.", effort=effort)
    if why:
        sentence = say(
            "Nothing below effort {effort} exists; more is not proven: {why}.",
            effort=effort,
            why=why,
        )
    return Proof("nothing below", bound, None, False, sentence)


def _none_at_all(among: Among) -> str:
    if among == "all":
        return say("No way exists under these rules.")
    if among == "records":
        return say("No chain of similar records leads there under these rules.")
    return count(
        "No way of at most {n} step exists under these rules.",
        "No way of at most {n} steps exists under these rules.",
        among,
    )


def _nothing(why: str) -> Proof:
    """Nothing is known of what cheaper ways there may be."""
    return Proof(sentence=say("Not proven: {why}.", why=why)) if why else Proof()


def _percent(share: float) -> str:
    """A share in whole percent, rounded up: what is claimed must hold.

    >>> _percent(0.0301), _percent(0.0001)
    ('4%', '1%')
    """
    return Sentence("percent", (str(math.ceil(100 * share * (1 - TOLERANCE))),), {})


def _down(effort: float) -> str:
    """An effort in two decimals, or two digits if that is more; rounded down.

    >>> _down(0.809), _down(0.00123)
    ('0.80', '0.0012')
    """
    decimals = max(2, 1 - math.floor(math.log10(effort)))
    return fixed(math.floor(10**decimals * effort) / 10**decimals, decimals)


def stops_decide(multiverse: Multiverse) -> bool:
    """Whether a proof is of the numbers that ways stop at, and says nothing of those between."""
    asked = multiverse.question and multiverse.question.explainer
    if not asked or not asked.steps_.single_changes or multiverse.proof.kind == "not proven":
        return False
    return any(map(_stops_short, asked.terrain_.numbers))


def _stops_short(feature: Feature) -> bool:
    """Whether a number may change and has values that ways do not stop at."""
    whole = feature.decimals == 0 and len(feature.stops) > feature.high - feature.low
    return not feature.frozen and not whole
