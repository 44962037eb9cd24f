"""The rules of a terrain one by one, the terrain without some, and which moves break which.

A rule is a column that never rises, falls or changes, a bound, a forbidden change, a requirement.
A relaxed rule leaves the ordinary price, 1, where there was none. Sets of rules are bit masks, so
that a search can carry the rules a way would break as its label. What a move costs does not depend
on which rules are relaxed, as long as those are that it breaks.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from facelift._arrays import Floats
from facelift.language import message, number, say
from facelift.terrain.feature import Feature, Level
from facelift.terrain.prices import Prices
from facelift.terrain.requirements import Requirement
from facelift.terrain.terrain import Terrain

RuleKind = Literal[
    "change", "rise", "fall", "find", "forbid", "worse", "lower", "upper", "require", "steps"
]


@dataclass(frozen=True)
class Rule:
    """One rule in the way: of what kind, on which column, and which change or bound.

    >>> str(Rule("rise", "duration")), Rule("rise", "duration").relaxed
    ('duration never rises', 'let duration rise')
    """

    kind: RuleKind
    feature: str = ""
    start: Level | None = None
    end: Level | None = None
    limit: float | None = None
    text: str = ""

    def __str__(self) -> str:
        return self._in_words(_WORDS[self.kind][0])

    @property
    def relaxed(self) -> str:
        """What relaxing it would mean."""
        return self._in_words(_WORDS[self.kind][1])

    def _in_words(self, words: str) -> str:
        known = {"name": self.feature, "before": self.start, "after": self.end, "rule": self.text}
        return say(words, limit="" if self.limit is None else number(self.limit), **known)


_WORDS: dict[RuleKind, tuple[str, str]] = {
    "change": (message("{name} never changes"), message("let {name} change")),
    "rise": (message("{name} never rises"), message("let {name} rise")),
    "fall": (message("{name} never falls"), message("let {name} fall")),
    "find": (message("a missing {name} is never found"), message("let a missing {name} be found")),
    "forbid": (
        message("{name} never goes from {before} to {after}"),
        message("let {name} go from {before} to {after}"),
    ),
    "worse": (message("{name} never gets worse"), message("let {name} get worse")),
    "lower": (message("{name} is {limit} or more"), message("let {name} go below {limit}")),
    "upper": (message("{name} is {limit} or less"), message("let {name} go above {limit}")),
    "require": (message("required: {rule}"), message("do without: {rule}")),
    "steps": (message("{limit} steps or fewer"), message("allow more than {limit} steps")),
}
"""How each kind of rule is said, and what relaxing it means."""


def terrain_rules(terrain: Terrain) -> tuple[Rule, ...]:
    """All rules of a terrain, column by column, then its requirements.

    >>> import pandas as pd
    >>> X = pd.DataFrame({"age": [20, 40], "housing": ["rent", "own"]})
    >>> terrain = Terrain.infer(X).increase_only("age").between("age", 18, 60).freeze("housing")
    >>> [str(rule) for rule in terrain_rules(terrain)]
    ['age never falls', 'age is 18 or more', 'age is 60 or less', 'housing never changes']
    """
    own = [rule for feature in terrain.features for rule in _feature_rules(feature)]
    return (*own, *dict.fromkeys(map(_requirement_rule, terrain.requirements)))


def personal_rules(terrain: Terrain) -> tuple[Rule, ...]:
    """The rules on how personal columns change: nobody is asked to do without them.

    >>> import pandas as pd
    >>> terrain = Terrain.infer(pd.DataFrame({"sex": ["f", "m"]})).freeze("sex").personal("sex")
    >>> [str(rule) for rule in personal_rules(terrain)]
    ['sex never changes']
    """
    columns = [feature for feature in terrain.features if feature.personal]
    return tuple(rule for feature in columns for rule in _feature_rules(feature))


def without(terrain: Terrain, rules: Iterable[Rule]) -> Terrain:
    """The terrain with some of its rules relaxed; those that it does not have change nothing.

    >>> import numpy as np
    >>> terrain = Terrain.infer(np.array([[0.0], [10.0]])).freeze("x0")
    >>> without(terrain, [Rule("rise", "x0")]).cost([[0.0]], [[0.5]]).tolist()
    [0.5]
    """
    relaxed = frozenset(rules)
    features = tuple(_relaxed(feature, relaxed) for feature in terrain.features)
    kept = tuple(each for each in terrain.requirements if _requirement_rule(each) not in relaxed)
    return replace(terrain, features=features, requirements=kept)


def _feature_rules(feature: Feature) -> Iterator[Rule]:
    name = str(feature.name)
    for kind in feature.never:
        yield Rule(kind, name)
    if feature.missing and math.isinf(feature.found):
        yield Rule("find", name)
    for start, end, price in feature.transitions:
        if math.isinf(price):
            yield Rule("forbid", name, start, end)
    if feature.worse:
        yield Rule("worse", name)
    if math.isfinite(feature.lower):
        yield Rule("lower", name, limit=feature.lower)
    if math.isfinite(feature.upper):
        yield Rule("upper", name, limit=feature.upper)


def _requirement_rule(asked: str | Requirement) -> Rule:
    return Rule("require", text=asked if isinstance(asked, str) else repr(asked))


def _relaxed(feature: Feature, rules: frozenset[Rule]) -> Feature:
    for rule in _feature_rules(feature):
        if rule in rules and rule.kind == "forbid":
            pair = (rule.start, rule.end)
            kept = tuple(each for each in feature.transitions if each[:2] != pair)
            feature = replace(feature, transitions=kept)
        elif rule in rules:
            feature = replace(feature, **_RELAXED[rule.kind])
    return feature


_RELAXED: dict[RuleKind, dict[str, Any]] = {
    "change": {"increase": 1.0, "decrease": 1.0},
    "rise": {"increase": 1.0},
    "fall": {"decrease": 1.0},
    "find": {"found": 1.0},
    "worse": {"worse": ""},
    "lower": {"lower": -math.inf},
    "upper": {"upper": math.inf},
}
"""What is left of a column without a rule of a kind."""

Masks = npt.NDArray[np.uint64]
"""Sets of rules: bit i stands for rule i."""

MAX_RULES = 62
"""So many rules have a bit; those beyond it are taken as unbreakable."""

UNBREAKABLE = np.uint64(1 << 63)
"""The bit of what no relaxing allows: losing a value, and rules that are personal or too many."""


@dataclass(frozen=True, eq=False)
class Rulebook:
    """The rules of a terrain, and which of them moves and states break.

    A move, or a state, breaks a rule if the terrain with this rule alone does not allow it.
    """

    terrain: Terrain
    rules: tuple[Rule, ...]

    @classmethod
    def of(cls, terrain: Terrain) -> Rulebook:
        """The rules of a terrain that could be relaxed, as far as there are bits.

        Nobody is asked to be somebody else, or to be worse off.
        """
        kept = personal_rules(terrain)
        could = [rule for rule in terrain_rules(terrain) if rule.kind != "worse"]
        rules = [rule for rule in could if rule not in kept]
        return cls(terrain, tuple(rules[:MAX_RULES]))

    def among(self, mask: int) -> tuple[Rule, ...]:
        """The rules of a set."""
        return tuple(rule for i, rule in enumerate(self.rules) if mask >> i & 1)

    def terrain_without(self, mask: int) -> Terrain:
        """The terrain with the rules of a set relaxed."""
        return without(self.terrain, self.among(mask))

    @cached_property
    def everything(self) -> Terrain:
        """The terrain with all rules relaxed."""
        return without(self.terrain, self.rules)

    def by_moves(self, starts: Floats, ends: Floats) -> Masks:
        """Rules that moving from each point to each other one breaks; shape (s, e).

        What enters a state is not looked at here; see `by_states`.
        """
        masks = np.zeros((len(starts), len(ends)), dtype=np.uint64)
        for bit, alone in self._alone(_OF_MOVES):
            masks[alone.prices.forbidden(starts, ends)] |= bit
        return masks

    def by_ways(self, start: Floats, ends: Floats) -> Masks:
        """Rules that every way from a point to others breaks, whatever lies between; (n,)."""
        masks = np.zeros(len(ends), dtype=np.uint64)
        for bit, alone in self._alone(_OF_MOVES):
            masks[_all_ways(alone.prices).forbidden(start[np.newaxis], ends)[0]] |= bit
        return masks

    def by_states(self, points: Floats) -> Masks:
        """Rules that being at points breaks: bounds and requirements; shape (n,)."""
        return self.by_bounds(points) | self.by_requirements(points)

    def by_bounds(self, points: Floats) -> Masks:
        """Bounds that points lie outside of; shape (n,)."""
        masks = np.zeros(len(points), dtype=np.uint64)
        for bit, alone in self._alone(("lower", "upper")):
            masks[~alone.within_bounds(points)] |= bit
        return masks

    def by_requirements(self, points: Floats) -> Masks:
        """Requirements that points do not meet; shape (n,)."""
        masks = np.zeros(len(points), dtype=np.uint64)
        for bit, alone in self._alone(("require",)):
            if alone.requirements:
                masks[~alone.admissible(points)] |= bit
        return masks

    def _alone(self, kinds: Iterable[RuleKind]) -> list[tuple[np.uint64, Terrain]]:
        """The bit of each rule of some kinds, and the terrain with that rule alone.

        At the end, what is left with all rules relaxed.
        """
        return [self._terrains[rule] for rule in self._terrains if rule.kind in kinds] + [
            (UNBREAKABLE, self.everything)
        ]

    @cached_property
    def _terrains(self) -> dict[Rule, tuple[np.uint64, Terrain]]:
        known = frozenset(terrain_rules(self.terrain))
        free = without(self.terrain, known)
        terrains = (_with_one(free, self.terrain, known, rule) for rule in self.rules)
        return {
            rule: (np.uint64(1 << i), _only(alone, rule.feature))
            for i, (rule, alone) in enumerate(zip(self.rules, terrains, strict=True))
        }


def _with_one(free: Terrain, terrain: Terrain, known: frozenset[Rule], rule: Rule) -> Terrain:
    """A terrain freed of all its known rules but one; the same as without all others, quicker."""
    others = known - {rule}
    features = tuple(
        _relaxed(own, others) if str(own.name) == rule.feature else freed
        for own, freed in zip(terrain.features, free.features, strict=True)
    )
    kept = tuple(each for each in terrain.requirements if _requirement_rule(each) not in others)
    return replace(free, features=features, requirements=kept)


def smallest(masks: Iterable[int]) -> list[int]:
    """The sets that contain no other one, smaller ones first.

    >>> smallest([0b110, 0b10, 0b101, 0b111])
    [2, 5]
    """
    kept: list[int] = []
    for mask in sorted(set(masks), key=lambda each: (each.bit_count(), each)):
        if not any(other & ~mask == 0 for other in kept):
            kept.append(mask)
    return kept


_OF_MOVES: tuple[RuleKind, ...] = ("change", "rise", "fall", "find", "forbid", "worse")


def _only(terrain: Terrain, name: str) -> Terrain:
    """The terrain in which only one column cannot lose its value."""
    features = (
        each if str(each.name) == name else replace(each, lost=1.0) for each in terrain.features
    )
    return replace(terrain, features=tuple(features))


def _all_ways(prices: Prices) -> Prices:
    """Prices that forbid only what no chain of allowed moves leads to.

    A level may be reached through others, and a value that can get lost can be found again.
    """
    increase, decrease = prices.increase.copy(), prices.decrease.copy()
    free = {v for v, gap in prices.gaps if np.isfinite([increase[gap], decrease[gap]]).all()}
    increase[list(free)] = decrease[list(free)] = 0.0
    blocks = (
        replace(block, prices=_through_others(block.prices))
        for block in prices.blocks
        if block.coordinates.start not in free
    )
    return Prices(increase, decrease, tuple(blocks), prices.gaps)


def _through_others(prices: Floats) -> Floats:
    """Prices of changes of level, infinite only where no chain of changes leads there."""
    reached = np.isfinite(prices)
    for between in range(len(prices)):
        reached |= reached[:, [between]] & reached[between]
    return np.where(reached, 1.0, np.inf)
