"""Small random worlds of actions, and what looking at every state and every order finds in them.

A world is a small random table with every kind of column, random rules about it and a random model
of it. `Slow` is the definition of SPEC 4 ("actions") to 6, word by word and on raw rows: it shares
no code with facelift and looks at all states there are.
"""

from __future__ import annotations

import math
import zlib
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations, pairwise, product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import strategies as st

import facelift as fl
from facelift.errors import InvalidData

NEVER = math.inf


@dataclass(frozen=True)
class Column:
    """One column in raw values, its prices and bounds; `pairs` reprice single changes of level."""

    name: str
    kind: str
    levels: tuple[Any, ...]
    up: float = 1.0
    down: float = 1.0
    pairs: tuple[tuple[Any, Any, float], ...] = ()
    low: float = -math.inf
    high: float = math.inf

    @property
    def is_number(self) -> bool:
        return self.kind in ("whole", "number")

    @property
    def has_order(self) -> bool:
        return self.kind not in ("unordered", "text")

    def rank(self, value: Any) -> Any:
        return value if self.is_number else self.levels.index(value)

    def price(self, before: Any, after: Any) -> float:
        for start, end, price in self.pairs:
            if (start, end) == (before, after):
                return price
        return self.up if self.rank(after) > self.rank(before) else self.down

    def coordinates(self, value: Any) -> list[float]:
        if self.is_number:
            least, most = self.levels[0], self.levels[-1]
            return [(value - least) / ((most - least) or 1)]
        place = self.levels.index(value)
        if self.has_order:
            return [place / max(len(self.levels) - 1, 1)]
        return [float(i == place) for i in range(len(self.levels))]

    def cost(self, before: Any, after: Any) -> float:
        if before == after:
            return 0.0
        moved = zip(self.coordinates(before), self.coordinates(after), strict=True)
        price = self.price(before, after)
        return math.inf if math.isinf(price) else price * math.dist(*zip(*moved, strict=True))

    def holds(self, value: Any) -> bool:
        return not self.is_number or self.low <= value <= self.high

    @property
    def reachable(self) -> list[Any]:
        """The levels, and bounds that lie between two of them."""
        if not self.is_number:
            return list(self.levels)
        bounds = [each for each in (self.low, self.high) if math.isfinite(each)]
        if self.kind == "whole":
            bounds = [math.ceil(each) if each == self.low else math.floor(each) for each in bounds]
        else:
            bounds = [float(each) for each in bounds]
        inside = [end for end in bounds if self.levels[0] < end < self.levels[-1]]
        return sorted({*self.levels, *inside})

    def beyond(self, value: Any) -> tuple[list[Any], list[Any]]:
        """Levels above and below a value, nearest first; none that is as good as the value."""
        levels = self.reachable
        ranks = [self.rank(level) for level in levels]
        own = self.rank(value)
        kept = levels
        if self.is_number and own not in ranks and len(ranks) > 1:
            gaps = np.diff(ranks)
            above, below = [*gaps, gaps[-1]], [gaps[0], *gaps]
            n_below = sum(rank < own for rank in ranks)
            around = gaps[min(max(n_below - 1, 0), len(gaps) - 1)]
            kept = [
                level
                for i, level in enumerate(levels)
                if abs(level - own)
                >= 0.25 * (1 - 1e-9) * min(above[i] if level > own else below[i], around)
            ]
        up = [level for level in kept if self.rank(level) > own]
        down = [level for level in kept[::-1] if self.rank(level) < own]
        return up, down


@dataclass(frozen=True)
class Rule:
    """A requirement as an expression, as a function of a frame, and as a question about a row."""

    text: str
    holds: Any

    def on_frame(self, frame: pd.DataFrame) -> np.ndarray:
        return np.array([self.holds(row) for row in raw(frame)], dtype=bool)


def raw(rows: pd.DataFrame) -> list[dict[str, Any]]:
    return [
        dict(zip(rows.columns, row, strict=True)) for row in rows.astype(object).to_numpy().tolist()
    ]


@dataclass(frozen=True, eq=False)
class Model:
    """The chance of class 1: a random number per row, a linear score, or closeness to some rows."""

    columns: tuple[Column, ...]
    seed: int
    kind: str
    asked: list[list[tuple[Any, ...]]] = field(default_factory=list)

    def __call__(self, frame: pd.DataFrame) -> np.ndarray:
        rows = raw(frame)
        self.asked.append([tuple(row.values()) for row in rows])
        chances = np.array([self.chance(row) for row in rows])
        return np.column_stack([1 - chances, chances])

    def chance(self, row: dict[str, Any]) -> float:
        if self.kind == "table":
            text = repr((self.seed, [(name, str(value)) for name, value in row.items()]))
            return zlib.crc32(text.encode()) / 2**32
        point = encoded(self.columns, row)
        if self.kind == "linear":
            return 1 / (1 + math.exp(-float(point @ self.weights[1:] + self.weights[0])))
        far = min(np.abs(point - goal).sum() for goal in self.goals)
        return 0.99 * math.exp(-far / 2)

    @cached_property
    def weights(self) -> np.ndarray:
        width = sum(len(column.coordinates(column.levels[0])) for column in self.columns)
        return 3 * np.random.default_rng(self.seed).normal(size=width + 1)

    @cached_property
    def goals(self) -> list[np.ndarray]:
        rng = np.random.default_rng(self.seed)
        picked = [[rng.integers(len(c.levels)) for c in self.columns] for _ in range(2)]
        return [
            encoded(
                self.columns, {c.name: c.levels[i] for c, i in zip(self.columns, each, strict=True)}
            )
            for each in picked
        ]


@dataclass(frozen=True, eq=False)
class World:
    X: pd.DataFrame
    columns: tuple[Column, ...]
    links: tuple[tuple[str, ...], ...]
    rules: tuple[Rule, ...]
    as_functions: bool
    model: Model
    parameters: dict[str, Any]
    cases: tuple[dict[str, Any], ...]

    def column(self, name: str) -> Column:
        return next(column for column in self.columns if column.name == name)

    def frame(self, rows: list[dict[str, Any]]) -> pd.DataFrame:
        return pd.DataFrame(rows, columns=list(self.X.columns)).astype(self.X.dtypes.to_dict())

    def terrain(self) -> fl.Terrain:
        terrain = fl.Terrain.infer(self.X)
        for column in self.columns:
            terrain = priced(terrain, column)
        for link in self.links:
            terrain = terrain.link(*link)
        for rule in self.rules:
            terrain = terrain.require(rule.on_frame if self.as_functions else rule.text)
        return terrain

    def explainer(self, **changed: Any) -> fl.FACElift:
        parameters = {**self.parameters, **changed}
        explainer = fl.FACElift(self.model, self.terrain(), steps="actions", **parameters)
        return explainer.fit(self.X)

    def admits(self, row: dict[str, Any]) -> bool:
        inside = all(column.holds(row[column.name]) for column in self.columns)
        return inside and all(rule.holds(row) for rule in self.rules)


def priced(terrain: fl.Terrain, column: Column) -> fl.Terrain:
    name = column.name
    if math.isinf(column.up) and math.isinf(column.down):
        terrain = terrain.freeze(name)
    elif math.isinf(column.up):
        terrain = terrain.price(name, decrease=column.down).decrease_only(name)
    elif math.isinf(column.down):
        terrain = terrain.price(name, increase=column.up).increase_only(name)
    elif column.has_order:
        terrain = terrain.price(name, increase=column.up, decrease=column.down)
    else:
        terrain = terrain.price(name, column.up)
    for start, end, price in column.pairs:
        if math.isinf(price):
            terrain = terrain.forbid(name, start, end)
        else:
            terrain = terrain.transition(name, start, end, price=price)
    if (column.low, column.high) != (-math.inf, math.inf):
        terrain = terrain.between(name, column.low, column.high)
    return terrain


@dataclass(frozen=True)
class Place:
    """A position on a ladder: what the features are there, and the action that leads to it."""

    values: dict[str, Any]
    before: int
    cost: float


State = tuple[int, ...]


def total(places: list[Place], position: int) -> float:
    """Cost of all actions from the start of a ladder to a position."""
    place = places[position]
    return place.cost if place.before < 0 else total(places, place.before) + place.cost


class Slow:
    """The definition, by looking at everything."""

    def __init__(self, world: World, case: dict[str, Any], wanted: int = 1) -> None:
        self.world, self.case, self.wanted = world, case, wanted
        self.parameters = world.parameters
        self.ladders = self._ladders()
        self.start: State = (0,) * len(self.ladders)
        self.max_steps = self.parameters.get("max_steps") or 7

    def _ladders(self) -> list[list[Place]]:
        linked = {name: link for link in self.world.links for name in link}
        found = []
        for column in self.world.columns:
            group = linked.get(column.name, (column.name,))
            if group[0] == column.name:
                found.append(self._ladder([self.world.column(name) for name in group]))
        return [ladder for ladder in found if len(ladder) > 1]

    def _ladder(self, group: list[Column]) -> list[Place]:
        leader, own = group[0], self.case[group[0].name]
        if leader.has_order:
            arms = list(leader.beyond(own))
        else:
            arms = [[level] for level in leader.levels if level != own]
        places = [Place({c.name: self.case[c.name] for c in group}, -1, 0.0)]
        for arm in arms:
            last = 0
            for depth, value in enumerate(arm, start=1):
                values = {leader.name: value}
                for follower in group[1:]:
                    values[follower.name] = self._followed(leader, follower, value, depth)
                before = places[last].values
                cost = math.sqrt(sum(c.cost(before[c.name], values[c.name]) ** 2 for c in group))
                inside = all(c.holds(values[c.name]) for c in group)
                if not inside or math.isinf(cost):
                    break
                places.append(Place(values, last, cost))
                last = len(places) - 1
        if not leader.has_order and len(group) == 1:
            self._add_chains(leader, places)
        return places

    def _add_chains(self, column: Column, places: list[Place]) -> None:
        """Levels that no direct change leads to, each by the cheapest chain, nearest first."""
        while True:
            known = [place.values[column.name] for place in places]
            ways = [
                (total(places, i) + column.cost(start, end), i, place)
                for i, start in enumerate(known)
                for place, end in enumerate(column.levels)
                if end not in known
            ]
            cost, i, place = min(ways, default=(math.inf, 0, 0))
            if math.isinf(cost):
                return
            end = column.levels[place]
            places.append(Place({column.name: end}, i, column.cost(known[i], end)))

    def _followed(self, leader: Column, follower: Column, value: Any, depth: int) -> Any:
        here = self.case[follower.name]
        if leader.is_number and follower.is_number:
            amount = here + (value - self.case[leader.name])
            return round(amount) if follower.kind == "whole" else amount
        rises = leader.rank(value) > leader.rank(self.case[leader.name])
        levels = follower.beyond(here)[0 if rises else 1]
        return levels[:depth][-1] if levels else here

    def way(self, i: int, position: int) -> list[int]:
        """Positions of a ladder from the start on."""
        return self._ways[i][position]

    @cached_property
    def _ways(self) -> list[list[list[int]]]:
        found = []
        for ladder in self.ladders:
            ways = [[0]]
            for position in range(1, len(ladder)):
                ways.append([*ways[ladder[position].before], position])
            found.append(ways)
        return found

    def row(self, state: State) -> dict[str, Any]:
        values = dict(self.case)
        for ladder, position in zip(self.ladders, state, strict=True):
            values.update(ladder[position].values)
        return values

    def point(self, state: State) -> np.ndarray:
        return encoded(self.world.columns, self.row(state))

    def cost(self, state: State) -> float:
        """Costs along each ladder, then ladder by ladder."""
        total = 0.0
        for i, position in enumerate(state):
            along = 0.0
            for place in self.way(i, position):
                along += self.ladders[i][place].cost
            total += along
        return total

    @cached_property
    def jumps(self) -> list[bool]:
        """Of which ladders one action leads to any level, not the next one only."""
        groups = [[self.world.column(name) for name in places[0].values] for places in self.ladders]
        return [group[0].has_order and not any(c.pairs for c in group) for group in groups]

    def n_steps(self, state: State) -> int:
        """The fewest actions that could lead to a state."""
        ways = [len(self.way(i, position)) - 1 for i, position in enumerate(state)]
        return sum(min(n, 1) if jumps else n for n, jumps in zip(ways, self.jumps, strict=True))

    def is_part(self, part: State, whole: State) -> bool:
        return all(p in self.way(i, w) for i, (p, w) in enumerate(zip(part, whole, strict=True)))

    @cached_property
    def records(self) -> np.ndarray:
        points = {tuple(encoded(self.world.columns, row)) for row in raw(self.world.X)}
        return np.array(sorted(points))

    @cached_property
    def neighbour(self) -> int:
        """Which nearest record counts: the fifth, or the last there is."""
        return max(1, min(5, len(self.records) - 1))

    @cached_property
    def bound(self) -> float:
        """The stated quantile of the distances records have to their own fifth neighbours."""
        own = sorted(
            np.sort(distances(np.delete(self.records, i, axis=0), record))[self.neighbour - 1]
            for i, record in enumerate(self.records)
        )
        place = self.parameters["plausibility"] * (len(own) - 1)
        below, share = math.floor(place), place - math.floor(place)
        far = own[below] if share == 0 else own[below] + share * (own[below + 1] - own[below])
        return far * (1 + 2e-9)

    def rarity(self, state: State) -> float:
        far = np.sort(distances(self.records, self.point(state)))[self.neighbour - 1]
        return far / self.bound if self.bound else (0.0 if far == 0 else math.inf)

    @cached_property
    def rarest(self) -> float:
        """What is plausible: as rare as most records, or as the case itself, and a hair more."""
        own = self.rarity(self.start)
        return own * (1 + 2e-9) if 1 < own < math.inf else 1.0

    def admissible(self, state: State) -> bool:
        if state not in self._admissible:
            row = self.row(state)
            rules = all(rule.holds(row) for rule in self.world.rules)
            self._admissible[state] = rules and self.rarity(state) <= self.rarest
        return self._admissible[state]

    @cached_property
    def _admissible(self) -> dict[State, bool]:
        return {self.start: True}

    def chance(self, state: State) -> float:
        chance = self.world.model.chance(self.row(state))
        return chance if self.wanted == 1 else 1 - chance

    def succeeds(self, state: State) -> bool:
        threshold, margin = self.parameters["threshold"], self.parameters["margin"]
        return self.chance(state) >= min(threshold + margin, max(0.99, 1 - (1 - threshold) / 10))

    def actions(self, state: State) -> list[State]:
        """States one action farther from the start."""
        return [
            (*state[:i], position, *state[i + 1 :])
            for i, ladder in enumerate(self.ladders)
            for position in range(1, len(ladder))
            if state[i] in self.way(i, position)[0 if self.jumps[i] else -2 : -1]
        ]

    @cached_property
    def successes(self) -> set[State]:
        """Where ways outward through admissible states first succeed."""
        return {state for state in self.passed if self.succeeds(state)}

    @cached_property
    def passed(self) -> set[State]:
        """Admissible states that ways outward lead to, until they succeed."""
        found, seen, frontier = set(), {self.start}, [self.start]
        for _ in range(self.max_steps):
            farther = {s for state in frontier for s in self.actions(state)} - seen
            seen |= farther
            open_ = {s for s in farther if self.admissible(s)}
            found |= open_
            frontier = [s for s in open_ if not self.succeeds(s)]
        return found

    @cached_property
    def minimal(self) -> list[State]:
        kept = [
            s
            for s in self.successes
            if not any(self.is_part(t, s) for t in self.successes if t != s)
        ]
        return sorted(kept, key=lambda s: (float(f"{self.cost(s):.9g}"), s))

    @cached_property
    def destinations(self) -> list[State]:
        chosen: list[State] = []
        for state in self.minimal:
            apart = [math.dist(self.point(state), self.point(other)) for other in chosen]
            if all(each >= self.parameters["min_separation"] for each in apart):
                chosen.append(state)
        return chosen[: self.parameters["n_counterfactuals"]]

    @cached_property
    def vertices(self) -> list[State]:
        """States of the local graph, in lexicographic order."""
        found = {self.start}
        pairs = [*((end, end) for end in self.destinations), *combinations(self.destinations, 2)]
        for a, b in pairs:
            sides = [
                sorted({*self.way(i, p), *self.way(i, q)})
                for i, (p, q) in enumerate(zip(a, b, strict=True))
            ]
            found |= {state for state in product(*sides) if self.admissible(state)}
        return sorted(found)

    def step_cost(self, before: State, after: State) -> float:
        """Cost of a single action between any two states, inf if there is none."""
        changed = [i for i, (p, q) in enumerate(zip(before, after, strict=True)) if p != q]
        if len(changed) != 1:
            return math.inf
        i = changed[0]
        p, q, ladder = before[i], after[i], self.ladders[changed[0]]
        group = [self.world.column(name) for name in ladder[0].values]
        near = ladder[q].before == p or ladder[p].before == q
        if group[0].has_order and not self.jumps[i] and not near:
            return math.inf
        cost = math.sqrt(
            sum(c.cost(ladder[p].values[c.name], ladder[q].values[c.name]) ** 2 for c in group)
        )
        # No less than the one is farther away: no detour undercuts a price.
        return max(cost, total(ladder, q) - total(ladder, p))

    @cached_property
    def between(self) -> np.ndarray:
        """Least cost from every vertex to every other (Floyd and Warshall)."""
        costs = np.array([[self.step_cost(u, v) for v in self.vertices] for u in self.vertices])
        np.fill_diagonal(costs, 0.0)
        for k in range(len(costs)):
            costs = np.minimum(costs, costs[:, [k]] + costs[[k], :])
        return costs

    @cached_property
    def remaining(self) -> np.ndarray:
        """Least cost from every vertex to the successes that contain all of a destination."""
        columns = []
        for end in self.destinations:
            members = [
                i
                for i, state in enumerate(self.vertices)
                if state != self.start and self.succeeds(state) and self.is_part(end, state)
            ]
            columns.append(self.between[:, members].min(axis=1))
        return np.array(columns).T

    def orders(self, end: State) -> list[list[State]]:
        """All orders of as few actions as can be to `end`, through admissible states."""
        ways = [[self.start]]
        while not any(way[-1] == end for way in ways):
            ways = [
                [*way, state]
                for way in ways
                for state in self.actions(way[-1])
                if self.is_part(state, end) and self.admissible(state)
            ]
        return [way for way in ways if way[-1] == end]

    def waypoints(self, way: list[State]) -> list[State]:
        """The states of an order of actions, and the levels that each of them passes."""
        return [self.start, *(state for u, v in pairwise(way) for state in self.passed_by(u, v))]

    def passed_by(self, before: State, after: State) -> list[State]:
        """Admissible levels between two states that make the way no dearer; then the second."""
        (i,) = [i for i, (p, q) in enumerate(zip(before, after, strict=True)) if p != q]
        found = []
        for position in self.way(i, after[i]) if self.jumps[i] else []:
            state = (*before[:i], position, *before[i + 1 :])
            here = [before, *found][-1]
            if position in self.way(i, before[i]) or state == after or not self.admissible(state):
                continue
            through = self.step_cost(here, state) + self.step_cost(state, after)
            if math.isclose(through, self.step_cost(here, after), rel_tol=1e-9):
                found.append(state)
        return [*found, after]

    def left(self, way: list[State]) -> np.ndarray:
        return self.remaining[[self.vertices.index(state) for state in way]]

    def steps(self, way: list[State]) -> list[float]:
        return [self.step_cost(u, v) for u, v in pairwise(way)]

    def open_costs(self, way: list[State]) -> np.ndarray:
        """Cost walked before each destination first stops coming nearer."""
        left, walked = self.left(way), np.zeros(len(self.destinations))
        open_ = np.isfinite(left[0])
        for i, cost in enumerate(self.steps(way)):
            free = np.isfinite(left[i + 1]) & (cost == 0)
            open_ = open_ & ((left[i + 1] < left[i] * (1 - 1e-9)) | free)
            walked += cost * open_
        return walked

    def area(self, way: list[State]) -> float:
        return float(f"{self.open_costs(way).sum():.9g}")

    def best_order(self, end: State) -> list[State]:
        """Of these, the one that keeps most open on its way through all waypoints."""
        return min(self.orders(end), key=lambda way: (-self.area(self.waypoints(way)), way))

    def opportunity(self, way: list[State]) -> np.ndarray:
        total = sum(self.steps(way))
        if total == 0:
            return np.isfinite(self.left(way)).all(axis=0).astype(float)
        return self.open_costs(way) / total


def encoded(columns: tuple[Column, ...], row: dict[str, Any]) -> np.ndarray:
    return np.array([x for column in columns for x in column.coordinates(row[column.name])])


def distances(records: np.ndarray, point: np.ndarray) -> np.ndarray:
    return np.sqrt(((records - point) ** 2).sum(axis=1))


LEVELS = {
    "ordered": ("none", "low", "middle", "high"),
    "unordered": ("free", "own", "rent", "share"),
    "text": ("Aarau", "Bern", "Chur"),
    "bool": (False, True),
}
PRICES = (1.0, 1.0, 1.0, 0.5, 2.0, 0.25, 1.5, 0.7, 0.0, 3.1)


class Dice:
    """Random choices; worlds are made of one seed, so that most of them are full of things."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)

    def one_of(self, *options: Any) -> Any:
        return options[int(self.rng.integers(len(options)))]

    def some_of(self, options: Any, n: int) -> list[Any]:
        return [options[int(i)] for i in self.rng.permutation(len(options))[:n]]

    def whole(self, low: int, high: int) -> int:
        return int(self.rng.integers(low, high + 1))


def column_of(dice: Dice, name: str) -> Column:
    kind = dice.one_of("whole", "number", "ordered", "ordered", "unordered", "text", "bool")
    n_levels = dice.one_of(2, 3, 4, 4)
    if kind == "whole":
        levels = tuple(sorted(dice.some_of([0, 1, 2, 4, 5, 9], n_levels)))
    elif kind == "number":
        levels = tuple(sorted(dice.some_of([0.5, 1.0, 1.5, 2.5, 4.5], n_levels)))
    else:
        levels = LEVELS[kind][:n_levels]
    column = Column(name, kind, levels, dice.one_of(*PRICES), dice.one_of(*PRICES))
    if not column.has_order:
        column = replace(column, down=column.up)
    way = dice.one_of(*["any"] * 7, "freeze", "rises", "falls")
    if way == "freeze" or (way == "falls" and column.has_order):
        column = replace(column, up=NEVER)
    if way == "freeze" or (way == "rises" and column.has_order):
        column = replace(column, down=NEVER)
    if column.is_number:
        bounds = dice.one_of(*[(-NEVER, NEVER)] * 3, (-NEVER, 4), (1, NEVER), (0.5, 4.5))
        return replace(column, low=bounds[0], high=bounds[1])
    changes = [(a, b) for a in levels for b in levels if a != b]
    chosen = dice.some_of(changes, dice.one_of(0, 0, 1, 2))
    return replace(
        column, pairs=tuple((a, b, dice.one_of(NEVER, NEVER, 0.5, 2.0, 5.0)) for a, b in chosen)
    )


def rule_of(dice: Dice, columns: tuple[Column, ...]) -> Rule:
    """A rule between two columns, or a limit on one."""
    first, second = dice.some_of(columns, 2)
    here, there = dice.one_of(*first.levels), dice.one_of(*second.levels)
    a, b = first.name, second.name
    if first.has_order and dice.one_of(True, False):
        limit = first.rank(here)
        return Rule(f"{a} <= {here!r}", lambda row: first.rank(row[a]) <= limit)
    if first.is_number and second.is_number:
        return dice.one_of(
            Rule(f"{a} <= {b} + 1", lambda row: row[a] <= row[b] + 1),
            Rule(f"0 < {a} + {b} < 9", lambda row: 0 < row[a] + row[b] < 9),
        )
    text = f"not ({a} == {here!r} and {b} == {there!r})"
    return Rule(text, lambda row: not (row[a] == here and row[b] == there))


def table(dice: Dice, columns: list[Column], n: int) -> pd.DataFrame:
    """Random rows; the first four have as many different values as there can be."""
    data = {}
    for column in columns:
        codes = np.append(
            np.arange(4) % len(column.levels), dice.rng.integers(len(column.levels), size=n)
        )
        values = [column.levels[i] for i in codes]
        if column.kind in ("ordered", "unordered"):
            data[column.name] = pd.Categorical(values, column.levels, ordered=column.has_order)
        else:
            data[column.name] = values
    return pd.DataFrame(data)


def as_seen(column: Column, X: pd.DataFrame) -> Column:
    """The column with the levels that its table tells."""
    if column.kind not in ("whole", "number", "text"):
        return column
    levels = tuple(sorted(set(X[column.name].tolist())))
    pairs = tuple(pair for pair in column.pairs if {*pair[:2]} <= {*levels})
    return replace(column, levels=levels, pairs=pairs)


def world_of(seed: int, *, wide: bool = False) -> World:
    """A random world; a wide one is too large to look at everything."""
    dice = Dice(seed)
    n_rows = dice.whole(20, 90) if wide else dice.whole(0, 30)
    drawn = [
        column_of(dice, f"c{i}") for i in range(dice.whole(4, 7) if wide else dice.whole(2, 4))
    ]
    if wide:
        drawn = [many_values(dice, column, n_rows) for column in drawn]
    X = table(dice, drawn, n_rows)
    columns = tuple(as_seen(column, X) for column in drawn)
    ordered = [column.name for column in columns if column.has_order]
    links = ()
    if len(ordered) >= 2 and dice.one_of(True, False, False):
        links = (tuple(dice.some_of(ordered, dice.whole(2, min(3, len(ordered))))),)
    rules = tuple(rule_of(dice, columns) for _ in range(dice.one_of(0, 0, 1, 1, 2)))
    model = Model(columns, dice.whole(0, 2**20), dice.one_of("table", "linear", "near", "near"))
    parameters = {
        "n_counterfactuals": dice.whole(1, 8),
        "threshold": dice.one_of(0.5, 0.7, 0.9, 0.95),
        "margin": dice.one_of(0.0, 0.02, 0.1),
        "min_separation": dice.one_of(0.0, 0.0, 0.5, 1.0),
        "max_steps": dice.one_of(None, None, None, 1, 2, 3),
        "plausibility": dice.one_of(1.0, 1.0, 0.9, 0.5),
        "max_states": dice.one_of(5000, 100) if wide else 5000,
    }
    rows = raw(X)
    cases = [dice.one_of(*rows), dice.one_of(*rows)]
    cases.append({column.name: dice.one_of(*rows)[column.name] for column in columns})
    off = {c.name: 3.25 if c.kind == "number" else 3 for c in columns if c.is_number}
    cases.append({**cases[0], **off})
    functions = dice.one_of(True, False)
    return World(X, columns, links, rules, functions, model, parameters, tuple(cases))


def many_values(dice: Dice, column: Column, n: int) -> Column:
    if not column.is_number or dice.one_of(True, False):
        return column
    values = np.unique((dice.rng.normal(size=n) * 4).round(0 if column.kind == "whole" else 2))
    levels = values.astype(int).tolist() if column.kind == "whole" else (values + 0.0).tolist()
    return replace(column, levels=tuple(levels))


seeds = st.integers(0, 2**32 - 1)


def worlds() -> st.SearchStrategy[World]:
    return seeds.map(world_of)


def wide_worlds() -> st.SearchStrategy[World]:
    return seeds.map(lambda seed: world_of(seed, wide=True))


def refused(world: World, explainer: fl.FACElift, case: dict[str, Any]) -> bool:
    """Whether a case that breaks the rules itself is refused, and only then."""
    if world.admits(case):
        return False
    with pytest.raises(InvalidData, match="The case itself"):
        explainer.explain(world.frame([case]))
    return True


def explained(world: World) -> list[tuple[Slow, fl.Multiverse]]:
    """Every case that is admitted and has not arrived: the slow way, and facelift's."""
    explainer = world.explainer()
    found = []
    for case in world.cases:
        if refused(world, explainer, case):
            continue
        multiverse = explainer.explain(world.frame([case]))
        if multiverse.survey is not None:
            found.append((Slow(world, case, int(multiverse.goal.target[0])), multiverse))
    return found


def close(value: Any) -> Any:
    return pytest.approx(value, rel=1e-9, abs=1e-12)
