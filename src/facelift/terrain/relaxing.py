"""The rules of a terrain one by one, as a person would name them, and the terrain without some.

A rule is a column that never rises, falls or changes, a bound, a forbidden change, a requirement.
A relaxed rule leaves the ordinary price, 1, where there was none.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

from facelift.terrain.feature import Feature, Level
from facelift.terrain.requirements import Requirement
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
    if feature.kind == "categorical":
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
