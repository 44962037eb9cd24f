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
from facelift.terrain.feature import Feature, Level
from facelift.terrain.prices import Block
from facelift.terrain.requirements import Requirement, requirement, satisfied
from facelift.terrain.terrain import Terrain

Kind = Literal["change", "rise", "fall", "find", "forbid", "lower", "upper", "require", "steps"]


@dataclass(frozen=True)
class Rule:
    """One rule in the way: of what kind, on which column, and which change or bound.

    >>> str(Rule("rise", "duration")), Rule("rise", "duration").relaxed
    ('duration never rises', 'let duration rise')
    """

    kind: Kind
    feature: str = ""
    start: Level | None = None
    end: Level | None = None
    limit: float | None = None
    text: str = ""

    def __str__(self) -> str:
        return _WORDS[self.kind][0].format(self)

    @property
    def relaxed(self) -> str:
        """What relaxing it would mean."""
        return _WORDS[self.kind][1].format(self)


_WORDS: dict[Kind, tuple[str, str]] = {
    "change": ("{0.feature} never changes", "let {0.feature} change"),
    "rise": ("{0.feature} never rises", "let {0.feature} rise"),
    "fall": ("{0.feature} never falls", "let {0.feature} fall"),
    "find": ("a missing {0.feature} is never found", "let a missing {0.feature} be found"),
    "forbid": (
        "{0.feature} never goes from {0.start} to {0.end}",
        "let {0.feature} go from {0.start} to {0.end}",
    ),
    "lower": ("{0.feature} is {0.limit:g} or more", "let {0.feature} go below {0.limit:g}"),
    "upper": ("{0.feature} is {0.limit:g} or less", "let {0.feature} go above {0.limit:g}"),
    "require": ("required: {0.text}", "do without: {0.text}"),
    "steps": ("{0.limit:g} steps or fewer", "allow more than {0.limit:g} steps"),
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


def rule_text(asked: str | Requirement) -> str:
    """A requirement as text; a function by its own name."""
    return asked if isinstance(asked, str) else repr(asked)


def _feature_rules(feature: Feature) -> Iterator[Rule]:
    name = str(feature.name)
    if not feature.has_order:
        if math.isinf(feature.increase):
            yield Rule("change", name)
    else:
        if math.isinf(feature.increase):
            yield Rule("rise", name)
        if math.isinf(feature.decrease):
            yield Rule("fall", name)
    if feature.missing and math.isinf(feature.found):
        yield Rule("find", name)
    for start, end, price in feature.transitions:
        if math.isinf(price):
            yield Rule("forbid", name, start, end)
    if math.isfinite(feature.lower):
        yield Rule("lower", name, limit=feature.lower)
    if math.isfinite(feature.upper):
        yield Rule("upper", name, limit=feature.upper)


def _requirement_rule(asked: str | Requirement) -> Rule:
    return Rule("require", text=rule_text(asked))


def _relaxed(feature: Feature, rules: frozenset[Rule]) -> Feature:
    for rule in _feature_rules(feature):
        if rule in rules and rule.kind == "forbid":
            pair = (rule.start, rule.end)
            kept = tuple(each for each in feature.transitions if each[:2] != pair)
            feature = replace(feature, transitions=kept)
        elif rule in rules:
            feature = replace(feature, **_RELAXED[rule.kind])
    return feature


_RELAXED: dict[Kind, dict[str, Any]] = {
    "change": {"increase": 1.0, "decrease": 1.0},
    "rise": {"increase": 1.0},
    "fall": {"decrease": 1.0},
    "find": {"found": 1.0},
    "lower": {"lower": -math.inf},
    "upper": {"upper": math.inf},
}
"""What is left of a column without a rule of a kind."""

Masks = npt.NDArray[np.uint64]
"""Sets of rules: bit i stands for rule i."""

MAX_RULES = 62
"""So many rules have a bit; those beyond it are taken as unbreakable."""

UNBREAKABLE = np.uint64(1 << 63)
"""The bit of what no relaxing allows: losing a value that is there, and rules without a bit."""


@dataclass(frozen=True, eq=False)
class Rulebook:
    """The rules of a terrain, and which of them moves and states break."""

    terrain: Terrain
    rules: tuple[Rule, ...]

    @classmethod
    def of(cls, terrain: Terrain) -> Rulebook:
        """All rules of a terrain, as far as there are bits."""
        return cls(terrain, terrain_rules(terrain)[:MAX_RULES])

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
        """Rules that moves between points break, broadcast over leading axes.

        What enters a state is not looked at here; see `by_states`.
        """
        masks = self._by(self._directions, starts, ends)
        for choice in self.choices:
            masks |= choice.broken(starts, ends)
        return masks

    def by_directions(self, start: Floats, ends: Floats) -> Masks:
        """Rules that every way from a point to others breaks, as far as directions tell.

        What is ruled by direction alone cannot be got round, so no way breaks fewer of these rules
        than the direct move. Left out are columns whose single changes are ruled, and those whose
        value can get lost and be found again.
        """
        return self._by([part for part in self._directions if part.kept], start, ends)

    @staticmethod
    def _by(parts: list[_Direction], starts: Floats, ends: Floats) -> Masks:
        shape = np.broadcast_shapes(starts.shape[:-1], ends.shape[:-1])
        masks = np.zeros(shape, dtype=np.uint64)
        for part in parts:
            masks |= part.broken(starts[..., part.coordinates], ends[..., part.coordinates])
        return masks

    def by_states(self, points: Floats) -> Masks:
        """Rules that being at points breaks: bounds and requirements; shape (n,)."""
        return self.by_bounds(points) | self.by_requirements(points)

    def by_bounds(self, points: Floats) -> Masks:
        """Bounds that points lie outside of; shape (n,)."""
        masks = np.zeros(len(points), dtype=np.uint64)
        places = {str(feature.name): i for i, feature in enumerate(self.terrain.features)}
        for rule in terrain_rules(self.terrain):
            if rule.kind in ("lower", "upper"):
                place = places[rule.feature]
                feature, part = self.terrain.features[place], self.terrain.slices[place]
                below, above = feature.out_of_bounds(points[:, part])
                outside = below if rule.kind == "lower" else above
                masks |= np.where(outside, self._bit_of(rule), _NONE)
        return masks

    def by_requirements(self, points: Floats) -> Masks:
        """Requirements that points do not meet; shape (n,)."""
        masks = np.zeros(len(points), dtype=np.uint64)
        asked = [rule for rule in terrain_rules(self.terrain) if rule.kind == "require"]
        if asked and len(points):
            frame = self.terrain.to_pandas(points)
            known = {rule_text(each): each for each in self.terrain.requirements}
            for rule in asked:
                met = satisfied(requirement(known[rule.text], self.terrain.features), frame)
                masks |= np.where(met, _NONE, self._bit_of(rule))
        return masks

    @cached_property
    def choices(self) -> tuple[Choice, ...]:
        """The columns whose single changes are ruled, so that there may be ways round a rule."""
        blocks = self._blocks
        return tuple(
            Choice(blocks[part.start], self._level_masks(feature), self._direction(feature, part))
            for feature, part in self.terrain.parts
            if part.start in blocks
        )

    @cached_property
    def _directions(self) -> list[_Direction]:
        """All other columns."""
        parts = self.terrain.parts
        return [self._direction(*each) for each in parts if each[1].start not in self._blocks]

    @cached_property
    def _blocks(self) -> dict[int, Block]:
        """Single changes as the terrain prices them, by the first coordinate of their column."""
        return {block.coordinates.start: block for block in self.terrain.prices.blocks}

    def _direction(self, feature: Feature, part: slice) -> _Direction:
        """What moves of a column break by their direction, or by finding or losing its value."""
        return _Direction(
            part,
            unordered=not feature.has_order,
            rise=self._price_bit(feature, rises=True),
            fall=self._price_bit(feature, rises=False),
            find=self._find_bit(feature),
            lose=UNBREAKABLE if math.isinf(feature.lost) else _NONE,
            gaps=feature.has_flag,
        )

    def _level_masks(self, feature: Feature) -> Masks:
        """Rules that each change of level breaks, rows from, columns to."""
        n, prices = len(feature.levels), feature.transition_prices()
        listed = {(start, end) for start, end, _ in feature.transitions}
        masks = np.zeros(prices.shape, dtype=np.uint64)
        for a, b in np.argwhere(np.isinf(prices) & ~np.eye(len(prices), dtype=bool)).tolist():
            if n in (a, b):  # a category that is missing
                masks[a, b] = UNBREAKABLE if b == n else self._find_bit(feature)
                continue
            pair = feature.levels[a], feature.levels[b]
            masks[a, b] = self._price_bit(feature, rises=b > a)
            if pair in listed:
                masks[a, b] |= self._bit_of(Rule("forbid", str(feature.name), *pair))
        return masks

    def _price_bit(self, feature: Feature, *, rises: bool) -> np.uint64:
        """The rule that keeps a column from going one way, if any does."""
        if math.isfinite(feature.increase if rises else feature.decrease):
            return _NONE
        ordered: Kind = "rise" if rises else "fall"
        kind: Kind = ordered if feature.has_order else "change"
        return self._bit_of(Rule(kind, str(feature.name)))

    def _find_bit(self, feature: Feature) -> np.uint64:
        never = math.isinf(feature.found)
        return self._bit_of(Rule("find", str(feature.name))) if never else _NONE

    def _bit_of(self, rule: Rule) -> np.uint64:
        return _bit(self.rules.index(rule)) if rule in self.rules else UNBREAKABLE


@dataclass(frozen=True, eq=False)
class Choice:
    """A column whose single changes are ruled: what each breaks, rows from, columns to."""

    block: Block
    masks: Masks
    gap: _Direction

    def levels(self, points: Floats) -> npt.NDArray[np.int64]:
        """The level each point is at."""
        return self.block.levels(points)

    def broken(self, starts: Floats, ends: Floats) -> Masks:
        """Rules that moves break; between a value and none, those on finding or losing it."""
        masks, part = self.masks[self.levels(starts), self.levels(ends)], self.gap.coordinates
        return self.gap.crossed(masks, starts[..., part], ends[..., part])

    def chains(self, start: int) -> list[list[int]]:
        """For each level, the smallest sets of rules by which some changes lead there.

        Labels are sets of rules; one that contains another at the same level is dropped.
        """
        labels: list[list[int]] = [[] for _ in self.masks]
        labels[start] = [0]
        pending = [start]
        while pending:
            here = pending.pop()
            for there in range(len(labels)):
                more = [label | int(self.masks[here, there]) for label in labels[here]]
                merged = smallest([*labels[there], *more])
                if there != here and merged != labels[there]:
                    labels[there] = merged
                    pending.append(there)
        return labels


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


@dataclass(frozen=True)
class _Direction:
    """What moves of one column break; `gaps` says that its last coordinate tells it missing."""

    coordinates: slice
    unordered: bool
    rise: np.uint64
    fall: np.uint64
    find: np.uint64
    lose: np.uint64
    gaps: bool

    @property
    def kept(self) -> bool:
        """Whether a value that is there never gets lost."""
        return not self.gaps or bool(self.lose)

    def broken(self, before: Floats, after: Floats) -> Masks:
        """Rules that changes between coordinates of the column break."""
        if self.unordered:
            return np.where((before != after).any(axis=-1), self.rise, _NONE)
        masks = np.where(after[..., 0] > before[..., 0], self.rise, _NONE)
        masks |= np.where(after[..., 0] < before[..., 0], self.fall, _NONE)
        return self.crossed(masks, before, after)

    def crossed(self, masks: Masks, before: Floats, after: Floats) -> Masks:
        """Rules that changes break, but between a value and none those on finding or losing it."""
        if not self.gaps:
            return masks
        masks = np.where(before[..., -1] > after[..., -1], self.find, masks)
        return np.where(before[..., -1] < after[..., -1], self.lose, masks)


_NONE = np.uint64(0)


def _bit(i: int) -> np.uint64:
    return np.uint64(1 << i)
