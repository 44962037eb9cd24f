"""What a person can and cannot do, as a refinement of the terrain: limits are prices too."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Literal, TypeVar

import numpy as np
from pydantic import BeforeValidator, Field
from pydantic.json_schema import SkipJsonSchema

from facelift.errors import FaceliftError, InvalidInput
from facelift.graph.graph import Graph
from facelift.graph.points import Lookup
from facelift.terrain.feature import Feature, Level
from facelift.terrain.kinds import kind_of
from facelift.terrain.rulebook import Rule, terrain_rules, without
from facelift.terrain.terrain import Terrain

Ease = Literal["very easy", "easy", "ok", "hard", "very hard", "never"]

Place = tuple[float, ...]
"""A state by its point, whatever graph it is in."""

Price = tuple[Hashable, float | None, float | None]
"""A feature, and its new prices of increase and decrease (None: as before)."""

T = TypeVar("T")

InPython = Annotated[
    SkipJsonSchema[tuple[T, ...]], Field(exclude=True), BeforeValidator(lambda _: ())
]
"""What only Python sets: no request can, and documents do not have it."""

FACTORS: dict[Ease, float] = {
    "very easy": 0.25,
    "easy": 0.5,
    "ok": 1.0,
    "hard": 2.0,
    "very hard": 4.0,
}
"""What an answer of the person does to the terrain's own price; never is never."""


@dataclass(frozen=True)
class RuledOut:
    """A change somebody cannot make: of one column, from one value to the next."""

    feature: str
    start: Level | None
    end: Level | None


@dataclass(frozen=True)
class Limits:
    """How hard changes are for this person, how far they may go, and what is ruled out.

    `edges` are single steps between vertices of the graph that one walks on. `chance`, `deadline`,
    `max_steps` and `rare` concern what is looked for: the chance that ways end at (what decides
    stays as it is), in how many months all must be done, how many steps there may be, and whether
    states that hardly anybody is in will do; `patience` says how long, if longer than usual.
    `lifted` are rules of the terrain itself that are tried without; with `undo`, ways may take back
    what steps have done: at the price of any other step, or at so many times that.

    Python can also rule out `states` (vertices) and set `prices`; the last price of a feature
    counts. `far_edges` and `far_states` are those that only earlier graphs had, by their points.
    """

    ease: dict[str, Ease] = field(default_factory=dict)
    bounds: dict[str, tuple[float, float]] = field(default_factory=dict)
    ruled_out: tuple[RuledOut, ...] = ()
    edges: tuple[tuple[int, int], ...] = ()
    chance: float | None = None
    deadline: float | None = None
    max_steps: int | None = None
    rare: bool = False
    patience: Literal["thorough"] | None = None
    lifted: tuple[Rule, ...] = ()
    undo: bool | float = False
    states: InPython[int] = ()
    prices: InPython[Price] = ()
    far_edges: InPython[tuple[Place, Place]] = ()
    far_states: InPython[Place] = ()

    def parameters(self, threshold: float) -> dict[str, Any]:
        """Parameters of an explainer with a threshold that differ under these limits.

        Whoever wants to be surer aims higher: the threshold still decides, the margin grows.

        >>> Limits(chance=0.75).parameters(0.5)
        {'margin': 0.25}
        """
        sure = {} if self.chance is None else {"margin": max(0.0, self.chance - threshold)}
        steps = {} if self.max_steps is None else {"max_steps": self.max_steps}
        patience = {} if self.patience is None else {"patience": self.patience}
        return sure | steps | patience | ({"plausibility": 1.0} if self.rare else {})

    def n_periods(self, terrain: Terrain) -> float | None:
        """The deadline in the period of a terrain's rates; None where there is none."""
        return None if self.deadline is None else terrain.n_periods(f"{self.deadline} months")

    @property
    def of_terrain(self) -> Limits:
        """These limits without the steps and states that are ruled out one by one."""
        return replace(self, edges=(), states=(), far_edges=(), far_states=())

    def by_points(self, graph: Graph) -> Limits:
        """The same with the steps and states of a graph by their points."""
        edges = {*self.far_edges, *((place(graph, u), place(graph, v)) for u, v in self.edges)}
        states = {*self.far_states, *(place(graph, vertex) for vertex in self.states)}
        return replace(
            self, edges=(), states=(), far_edges=_ordered(edges), far_states=_ordered(states)
        )

    def on(self, graph: Graph) -> Limits:
        """The same with those steps and states by vertex that a graph has."""
        lookup = Lookup(graph.points)
        places = {end for edge in self.far_edges for end in edge} | {*self.far_states}
        vertices = {each: lookup.vertex(np.array(each)) for each in places}
        known = {each: vertex for each, vertex in vertices.items() if vertex is not None}
        edges = [edge for edge in self.far_edges if edge[0] in known and edge[1] in known]
        states = [each for each in self.far_states if each in known]
        return replace(
            self,
            edges=(*self.edges, *((known[u], known[v]) for u, v in edges)),
            states=(*self.states, *(known[each] for each in states)),
            far_edges=_ordered({*self.far_edges} - {*edges}),
            far_states=_ordered({*self.far_states} - {*states}),
        )


def _ordered(values: set[T]) -> tuple[T, ...]:
    return tuple(sorted(values))  # type: ignore[type-var]


def place(graph: Graph, vertex: int) -> Place:
    """A vertex by its point."""
    (point,) = graph.at(np.array([vertex]))
    return tuple((point + 0.0).tolist())


def limited(terrain: Terrain, limits: Limits, here: Mapping[str, Any]) -> Terrain:
    """The terrain within a person's limits; `here` has their values now, which stay allowed.

    >>> import pandas as pd
    >>> X = pd.DataFrame({"age": [20, 40], "savings": [0, 900]})
    >>> limits = Limits(ease={"age": "never", "savings": "hard"})
    >>> limited(Terrain.infer(X), limits, {"age": 20, "savings": 0})
    column   kind     may rise  may fall  values
    age      numeric  never     never     20 to 40
    savings  numeric  at 2      at 2      0 to 900
    """
    terrain = without(terrain, limits.lifted)
    for rule in limits.ruled_out:
        terrain = _without(terrain, rule, here)
    for feature, increase, decrease in limits.prices:
        terrain = terrain.price(feature, increase=increase, decrease=decrease)
    for name, ease in limits.ease.items():
        terrain = _eased(terrain, _known(terrain, name), ease)
    for name, (low, high) in limits.bounds.items():
        terrain = _between(terrain, _known(terrain, name), low, high, here)
    return terrain


def freed(limits: Limits, rules: Sequence[Rule], terrain: Terrain) -> Limits:
    """The limits without what makes some rules; those of the terrain itself are lifted.

    >>> import pandas as pd
    >>> terrain = Terrain.infer(pd.DataFrame({"age": [20, 40], "debts": [0, 3]})).freeze("age")
    >>> limits = Limits(ease={"debts": "never"})
    >>> freed(limits, [Rule("fall", "debts"), Rule("rise", "age")], terrain).lifted
    (Rule(kind='rise', feature='age', start=None, end=None, limit=None, text=''),)
    """
    kinds: dict[str, set[str]] = {}
    for rule in rules:
        kinds.setdefault(rule.feature, set()).add(rule.kind)
    let = {name for name, some in kinds.items() if some & {"change", "rise", "fall"}}
    beyond = {name for name, some in kinds.items() if some & {"lower", "upper"}}
    ruled = beyond | {name for name, some in kinds.items() if "forbid" in some}
    own = terrain_rules(terrain)
    lifted = [rule for rule in rules if rule in own]  # a bound behind the person's own stays
    return replace(
        limits,
        ease={name: e for name, e in limits.ease.items() if e != "never" or name not in let},
        bounds={name: each for name, each in limits.bounds.items() if name not in beyond},
        ruled_out=tuple(each for each in limits.ruled_out if each.feature not in ruled),
        lifted=tuple(dict.fromkeys([*limits.lifted, *lifted])),
    )


def _known(terrain: Terrain, name: str) -> Feature:
    by_name = {str(feature.name): feature for feature in terrain.features}
    return by_name[name] if name in by_name else terrain.feature(name)


def _eased(terrain: Terrain, feature: Feature, ease: Ease) -> Terrain:
    if ease == "never":
        return terrain.freeze(feature.name)
    factor = FACTORS[ease]
    priced = terrain.price(
        feature.name, increase=factor * feature.increase, decrease=factor * feature.decrease
    )
    for start, end, price in feature.transitions:
        priced = priced.transition(feature.name, start, end, price=factor * price)
    return priced


def _between(
    terrain: Terrain, feature: Feature, low: float, high: float, here: Mapping[str, Any]
) -> Terrain:
    """Bounds within those of the terrain, as wide as where the person stands.

    Who stands beyond their own bounds may stay there or come nearer, and never goes back.
    """
    feature.bounded(feature.lower, feature.upper)  # an error, if it can have none
    if here[str(feature.name)] is None:
        return terrain.between(feature.name, max(low, feature.lower), min(high, feature.upper))
    now = _amount(feature, here[str(feature.name)])
    if not feature.lower <= now <= feature.upper:
        return terrain  # whose own bounds keep the person out, whatever they say
    lower = min(max(low, feature.lower), now)
    upper = max(min(high, feature.upper), now)
    if now > high:
        terrain = terrain.price(feature.name, increase=math.inf)
    elif now < low:
        terrain = terrain.price(feature.name, decrease=math.inf)
    return terrain.between(feature.name, lower, upper)


def _without(terrain: Terrain, rule: RuledOut, here: Mapping[str, Any]) -> Terrain:
    """No step past the value ruled out, from the side the person stands on."""
    feature = _known(terrain, rule.feature)
    if rule.start is None or rule.end is None:
        gap = {"found": math.inf} if rule.start is None else {"lost": math.inf}
        return terrain.missing(feature.name, **gap)
    if not feature.levels:
        return _capped(terrain, feature, rule, here)
    start, end = feature.level(rule.start), feature.level(rule.end)
    if start == end:
        raise InvalidInput(f"A change of {rule.feature!r} from {start!r} to itself is none.")
    for first, second in feature.leading_past(start, end):
        terrain = terrain.forbid(feature.name, first, second)
    return terrain


def _amount(feature: Feature, value: object) -> float:
    """A value of a column of numbers, as a number to bound it by."""
    return kind_of(feature).amount(feature, value)


def _capped(terrain: Terrain, feature: Feature, rule: RuledOut, here: Mapping[str, Any]) -> Terrain:
    try:
        start, end = _amount(feature, rule.start), _amount(feature, rule.end)
    except FaceliftError:
        raise InvalidInput(
            f"Column {rule.feature!r} holds numbers, got {rule.start!r}, {rule.end!r}."
        ) from None
    here_now = here[str(feature.name)]
    now = start if here_now is None else _amount(feature, here_now)
    if start == end or not math.isfinite(end):
        raise InvalidInput(f"A change of {rule.feature!r} from {start:g} to {end:g} is none.")
    lower, upper = feature.lower, feature.upper
    if end < start and now > end:
        lower = max(lower, float(np.nextafter(end, math.inf)))
    if end > start and now < end:
        upper = min(upper, float(np.nextafter(end, -math.inf)))
    return terrain.between(feature.name, lower, upper)
