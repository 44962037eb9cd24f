"""Journeys of single actions equal what looking at every state and every order of steps finds.

A world is a small random table with every kind of column, random rules about it and a random model
of it. `Slow` is the definition of SPEC 4 ("actions") to 6, word by word and on raw rows: it shares
no code with facelift and looks at all states there are.
"""

from __future__ import annotations

import math
import zlib
from collections import Counter
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations, pairwise, product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.laws import examples

import facelift as fl
from facelift.actions import Memory
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

    def beyond(self, value: Any) -> tuple[list[Any], list[Any]]:
        """Levels above and below a value, nearest first; none that is as good as the value."""
        ranks = [self.rank(level) for level in self.levels]
        own = self.rank(value)
        kept = list(self.levels)
        if self.is_number and own not in ranks and len(ranks) > 1:
            gaps = np.diff(ranks)
            above, below = [*gaps, gaps[-1]], [gaps[0], *gaps]
            kept = [
                level
                for i, level in enumerate(self.levels)
                if abs(level - own) >= 0.25 * (above[i] if level > own else below[i])
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
        return places

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

    def n_steps(self, state: State) -> int:
        return sum(len(self.way(i, position)) - 1 for i, position in enumerate(state))

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
        return own[below] if share == 0 else own[below] + share * (own[below + 1] - own[below])

    def rarity(self, state: State) -> float:
        far = np.sort(distances(self.records, self.point(state)))[self.neighbour - 1]
        return far / self.bound if self.bound else (0.0 if far == 0 else math.inf)

    def admissible(self, state: State) -> bool:
        if state not in self._admissible:
            row = self.row(state)
            rules = all(rule.holds(row) for rule in self.world.rules)
            self._admissible[state] = rules and self.rarity(state) <= 1
        return self._admissible[state]

    @cached_property
    def _admissible(self) -> dict[State, bool]:
        return {self.start: True}

    def chance(self, state: State) -> float:
        chance = self.world.model.chance(self.row(state))
        return chance if self.wanted == 1 else 1 - chance

    def succeeds(self, state: State) -> bool:
        return self.chance(state) >= self.parameters["threshold"]

    def actions(self, state: State) -> list[State]:
        """States one action farther from the start."""
        return [
            (*state[:i], position, *state[i + 1 :])
            for i, ladder in enumerate(self.ladders)
            for position, place in enumerate(ladder)
            if position and place.before == state[i]
        ]

    @cached_property
    def successes(self) -> set[State]:
        """Where ways outward through admissible states first succeed."""
        return {state for state in self.passed if self.succeeds(state)}

    @cached_property
    def passed(self) -> set[State]:
        """Admissible states that ways outward lead to, until they succeed."""
        found, seen, frontier = set(), {self.start}, [self.start]
        while frontier:
            farther = {s for state in frontier for s in self.actions(state)} - seen
            seen |= farther
            open_ = {s for s in farther if self.n_steps(s) <= self.max_steps and self.admissible(s)}
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
        if group[0].has_order and ladder[q].before != p and ladder[p].before != q:
            return math.inf
        cost = math.sqrt(
            sum(c.cost(ladder[p].values[c.name], ladder[q].values[c.name]) ** 2 for c in group)
        )
        # Between two other values of a category: no less than the direct change costs more.
        return cost if group[0].has_order else max(cost, ladder[q].cost - ladder[p].cost)

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
        """All orders of the actions that lead to `end`, through admissible states."""
        ways = [[self.start]]
        for _ in range(self.n_steps(end)):
            ways = [
                [*way, state]
                for way in ways
                for state in self.actions(way[-1])
                if self.is_part(state, end) and self.admissible(state)
            ]
        return ways

    def left(self, way: list[State]) -> np.ndarray:
        return self.remaining[[self.vertices.index(state) for state in way]]

    def steps(self, way: list[State]) -> list[float]:
        return [self.step_cost(u, v) for u, v in pairwise(way)]

    def open_costs(self, way: list[State]) -> np.ndarray:
        """Cost walked before each destination first stops coming nearer."""
        left, walked = self.left(way), np.zeros(len(self.destinations))
        open_ = np.isfinite(left[0])
        for i, cost in enumerate(self.steps(way)):
            open_ = open_ & ((left[i + 1] < left[i] * (1 - 1e-9)) | (cost == 0))
            walked += cost * open_
        return walked

    def area(self, way: list[State]) -> float:
        return float(f"{self.open_costs(way).sum():.9g}")

    def best_order(self, end: State) -> list[State]:
        return min(self.orders(end), key=lambda way: (-self.area(way), way))

    def opportunity(self, way: list[State]) -> np.ndarray:
        total = sum(self.steps(way))
        if total == 0:
            return np.isfinite(self.left(way)[0]).astype(float)
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


def explained(world: World, seen: Counter[str]) -> list[tuple[Slow, fl.Multiverse]]:
    """Every case that is admitted and has not arrived: the slow way, and facelift's."""
    explainer = world.explainer()
    found = []
    for case in world.cases:
        if refused(world, explainer, case):
            seen["refused"] += 1
            continue
        multiverse = explainer.explain(world.frame([case]))
        seen[multiverse.why_not.reason if multiverse.why_not else "explained"] += 1
        if multiverse.survey is not None:
            found.append((Slow(world, case, int(multiverse.goal.target[0])), multiverse))
    return found


def close(value: Any) -> Any:
    return pytest.approx(value, rel=1e-9, abs=1e-12)


# 1. The definition


def test_the_result_is_that_of_looking_at_every_state_and_every_order():
    seen: Counter[str] = Counter()

    @settings(max_examples=examples(320), suppress_health_check=list(HealthCheck))
    @given(worlds(), st.sampled_from([1, 4, 256]))
    def check(world: World, first_batch: int) -> None:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("facelift.graph.growth.FIRST_BATCH", first_batch)
            pairs = explained(world, seen)
        for slow, multiverse in pairs:
            check_same(slow, multiverse, seen)

    check()
    assert seen["journeys"] > 400
    assert seen["no candidate"] > 100
    assert seen["refused"] > 30
    assert seen["steps"] > 1.5 * seen["journeys"]
    assert seen["order matters"] > 30
    assert seen["enough"] > 30
    assert seen["exhausted"] > 50


def check_same(slow: Slow, multiverse: fl.Multiverse, seen: Counter[str]) -> None:
    """The same destinations, costs, orders, remaining costs and opportunities."""
    ends = [raw(journey.rows)[-1] for journey in multiverse]
    expected = [slow.row(state) for state in slow.destinations]
    assert sorted(map(repr, ends)) == sorted(map(repr, expected))
    assert (np.diff(multiverse.costs) >= -1e-9).all()
    order = [ends.index(row) for row in expected]
    for i, state in enumerate(slow.destinations):
        journey, way = multiverse[order[i]], slow.best_order(state)
        assert journey.cost == close(slow.cost(state))
        assert journey.cost == close(slow.between[0, slow.vertices.index(state)])
        assert raw(journey.rows) == [slow.row(each) for each in way]
        assert journey.step_costs == close(slow.steps(way))
        assert journey.remaining[:, order] == close(slow.left(way))
        assert journey.rarity == close([slow.rarity(each) for each in way])
        assert journey.chances == close([slow.chance(each) for each in way])
        seen["journeys"] += 1
        seen["steps"] += journey.n_steps
        seen["order matters"] += len({slow.area(each) for each in slow.orders(state)}) > 1
    matrix = [slow.opportunity(slow.best_order(state)) for state in slow.destinations]
    if matrix:
        assert multiverse.opportunity[np.ix_(order, order)] == close(np.array(matrix))
    stopped = multiverse.survey.stopped
    seen[stopped] += 1
    full = len(expected) == slow.parameters["n_counterfactuals"]
    assert stopped == ("enough" if full else "exhausted")
    if not expected:
        judged = [slow.start, *slow.passed]
        best = max(slow.chance(state) for state in judged)
        assert multiverse.why_not.best_chance == close(best)


def test_with_a_small_budget_every_destination_is_still_minimal():
    seen: Counter[str] = Counter()

    @settings(max_examples=examples(80), suppress_health_check=list(HealthCheck))
    @given(worlds(), st.sampled_from([1, 4]), st.sampled_from([2, 6, 15, 40]))
    def check(world: World, first_batch: int, max_states: int) -> None:
        world.parameters["max_states"] = max_states
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("facelift.graph.growth.FIRST_BATCH", first_batch)
            pairs = explained(world, seen)
        for slow, multiverse in pairs:
            ends = [raw(journey.rows)[-1] for journey in multiverse]
            seen[multiverse.survey.stopped] += 1
            if multiverse.survey.stopped == "budget":
                assert multiverse.survey.n_states >= max_states
                minimal = [slow.row(state) for state in slow.minimal]
                assert all(end in minimal for end in ends)
                seen["found"] += len(ends)
            else:
                assert sorted(map(repr, ends)) == sorted(
                    repr(slow.row(state)) for state in slow.destinations
                )

    check()
    assert seen["budget"] > 30
    assert seen["found"] > 5
    assert seen["enough"] > 5
    assert seen["exhausted"] > 10


@settings(max_examples=examples(25), suppress_health_check=list(HealthCheck))
@given(worlds(), st.sampled_from([0.125, 8.0]))
def test_scaling_all_prices_scales_costs_and_changes_nothing_else(world, scale):
    scaled = tuple(
        replace(
            column,
            up=column.up * scale,
            down=column.down * scale,
            pairs=tuple((a, b, price * scale) for a, b, price in column.pairs),
        )
        for column in world.columns
    )
    other = replace(world, columns=scaled)
    for case in world.cases:
        if not world.admits(case):
            continue
        one, two = (w.explainer().explain(w.frame([case])) for w in (world, other))
        assert [raw(j.rows) for j in one] == [raw(j.rows) for j in two]
        assert two.costs == close(one.costs * scale)
        assert two.opportunity == close(one.opportunity)


# 2. Promises, on larger worlds


def faults(world: World, case: dict[str, Any], journey: fl.Journey, wanted: int) -> list[str]:
    """Everything that is wrong with a journey, judged by its raw rows and the model alone."""
    waypoints, slow = raw(journey.rows), Slow(world, case, wanted)
    found = [] if waypoints[0] == case else [f"starts elsewhere: {waypoints[0]}"]
    for row in waypoints[1:]:
        found += [f"out of bounds: {row}" for c in world.columns if not c.holds(row[c.name])]
        found += [f"against a rule: {row}, {r.text}" for r in world.rules if not r.holds(row)]
        far = np.sort(distances(slow.records, encoded(world.columns, row)))[slow.neighbour - 1]
        found += [f"implausible: {row}"] * bool(far > slow.bound * (1 + 1e-9))
    for before, after in pairwise(waypoints):
        changed = [c for c in world.columns if before[c.name] != after[c.name]]
        names = tuple(c.name for c in changed)
        joint = any(set(names) <= set(link) and link[0] in names for link in world.links)
        linked = {name for link in world.links for name in link}
        single = len(names) == 1 and names[0] not in linked
        found += [] if single or joint else [f"not one change: {names}"]
        found += [
            f"forbidden: {c.name} {before[c.name]!r} to {after[c.name]!r}"
            for c in changed
            if math.isinf(c.price(before[c.name], after[c.name]))
        ]
    chances = world.model(world.frame(waypoints))[:, wanted]
    threshold = world.parameters["threshold"]
    found += [] if chances[-1] >= threshold - 1e-9 else ["does not arrive"]
    found += ["arrives before its end"] * int((chances[:-1] >= threshold + 1e-9).any())
    found += ["wrong chances"] * (not np.allclose(chances, journey.chances))
    return found


def journeys_of(
    world: World, explainer: fl.FACElift, seen: Counter[str]
) -> list[tuple[dict[str, Any], fl.Journey, int]]:
    found = []
    for case in world.cases:
        if world.admits(case):
            multiverse = explainer.explain(world.frame([case]))
            seen[multiverse.why_not.reason if multiverse.why_not else "explained"] += 1
            wanted = int(multiverse.goal.target[0])
            found += [(case, journey, wanted) for journey in multiverse]
    return found


def test_no_journey_of_actions_ever_breaks_a_promise():
    seen: Counter[str] = Counter()

    @settings(max_examples=examples(120), suppress_health_check=list(HealthCheck))
    @given(wide_worlds())
    def check(world: World) -> None:
        for case, journey, wanted in journeys_of(world, world.explainer(), seen):
            assert faults(world, case, journey, wanted) == []
            assert (journey.rarity[1:] <= 1).all()
            assert journey.n_steps <= (world.parameters["max_steps"] or 7)
            assert journey.opportunity[journey.own] == 1
            seen["waypoints"] += len(journey.vertices)
            seen["joint"] += bool(world.links)
            seen["rules"] += bool(world.rules)

    check()
    assert seen["waypoints"] > 600
    assert min(seen["joint"], seen["rules"]) > 40
    assert min(seen["explained"], seen["no candidate"]) > 50


def test_the_checker_notices_when_rules_are_ignored():
    seen: Counter[str] = Counter()

    @settings(max_examples=examples(40), suppress_health_check=list(HealthCheck), database=None)
    @given(wide_worlds())
    def check(world: World) -> None:
        parameters = {**world.parameters, "plausibility": 1.0, "threshold": 0.5}
        free = fl.FACElift(world.model, fl.Terrain.infer(world.X), steps="actions", **parameters)
        for case, journey, wanted in journeys_of(world, free.fit(world.X), seen):
            for fault in faults(world, case, journey, wanted):
                seen[fault.split(":")[0]] += 1

    check()
    kinds = ["forbidden", "out of bounds", "against a rule", "not one change", "implausible"]
    assert all(seen[kind] > 3 for kind in [*kinds, "does not arrive"])


# 3. Order matters


YES = {"savings": True, "job": True, "guarantor": True, "debts": True}
GOALS = [("savings", "job"), ("savings", "guarantor"), ("savings", "debts")]


def lender(frame: pd.DataFrame) -> np.ndarray:
    """Grants the loan to whoever saves and does one thing more."""
    others = frame[["job", "guarantor", "debts"]].any(axis=1)
    chance = np.where(frame["savings"] & others, 0.9, 0.1)
    return np.column_stack([1 - chance, chance])


@pytest.fixture
def crossroads() -> fl.Multiverse:
    X = pd.DataFrame(list(product([False, True], repeat=4)), columns=list(YES))
    explainer = fl.FACElift(lender, steps="actions", plausibility=1.0).fit(X)
    return explainer.explain(dict.fromkeys(YES, False))


def opportunity_of(multiverse: fl.Multiverse, steps: tuple[str, ...]) -> np.ndarray:
    """Opportunity of doing the changes in this order, walked on the graph of the multiverse."""
    graph, vertex = multiverse.walkable_graph()
    remaining = fl.graph.remaining_costs(graph, multiverse.destinations)
    columns = list(YES)
    way = [vertex]
    for name in steps:
        moved = graph.points[way[-1]].copy()
        moved[columns.index(name)] = 1.0
        way.append(int(np.flatnonzero((graph.points == moved).all(axis=1))[0]))
    costs = [graph.edge_cost(u, v) for u, v in pairwise(way)]
    return fl.geometry.opportunity_potential(costs, remaining[way])


def test_of_equally_cheap_orders_the_one_that_keeps_most_open_is_taken(crossroads):
    assert len(crossroads) == 3
    for journey in crossroads:
        changes = [str(name) for name in journey.to_frame()["feature"]]
        assert changes[0] == "savings"
        assert tuple(changes) in GOALS
        orders = [tuple(changes), tuple(changes[::-1])]
        values = [opportunity_of(crossroads, order).sum() for order in orders]
        assert journey.opportunity.sum() == close(max(values))
        assert max(values) > min(values)
    # Saving serves all three; the second step only one's own. The other order serves nobody else.
    own_first = np.full((3, 3), 0.5) + np.eye(3) / 2
    assert crossroads.opportunity == close(own_first)
    worst = opportunity_of(crossroads, ("job", "savings"))
    assert sorted(worst.tolist()) == [0, 0, 1]


# 4. A slow model


class Recorder:
    """A model on arrays that remembers what it was asked."""

    def __init__(self, share: float, seed: int = 0) -> None:
        self.share, self.seed = share, seed
        self.asked: list[np.ndarray] = []

    def __call__(self, rows: np.ndarray) -> np.ndarray:
        assert isinstance(rows, np.ndarray)
        assert rows.ndim == 2
        self.asked.append(rows.copy())
        weights = np.random.default_rng(self.seed).normal(size=rows.shape[1])
        spread = np.abs(np.sin(rows @ weights * 37.7))
        chance = np.where(spread < self.share, 0.9, 0.1)
        return np.column_stack([1 - chance, chance])


def counted(share: float, **parameters: Any) -> tuple[fl.Multiverse, Recorder, np.ndarray]:
    rng = np.random.default_rng(1)
    X = rng.integers(0, 5, size=(300, 9)).astype(float)
    model = Recorder(share)
    asked = {"plausibility": 1.0, "verify": False, **parameters}
    explainer = fl.FACElift(model, steps="actions", **asked).fit(X)
    declined = X[model(X)[:, 1] < 0.5][0]
    model.asked.clear()
    return explainer.explain(declined, 1), model, declined


@pytest.mark.parametrize(
    ("share", "parameters", "stopped"),
    [
        (0.2, {"n_counterfactuals": 5}, "enough"),
        (0.02, {"n_counterfactuals": 3}, "enough"),
        (0.01, {"n_counterfactuals": 50, "max_steps": 2}, "exhausted"),
        (0.002, {"max_states": 700}, "budget"),
        (0.002, {"max_states": 5000}, "budget"),
        (0.0, {"max_states": 3000}, "budget"),
        (0.0, {"max_states": 1}, "budget"),
        (0.0, {"max_steps": 1}, "exhausted"),
    ],
)
def test_a_model_is_asked_seldom_about_many_and_never_twice(share, parameters, stopped):
    multiverse, model, case = counted(share, **parameters)
    survey = multiverse.survey
    assert survey.stopped == stopped
    assert survey.n_calls == len(model.asked)
    rows = [tuple(row) for batch in model.asked for row in batch.tolist()]
    assert len(rows) == len(set(rows))
    assert tuple(case) not in rows
    assert len(rows) <= survey.n_states - 1
    max_states, max_steps = parameters.get("max_states", 5000), parameters.get("max_steps", 7)
    assert survey.n_calls <= math.log2(max_states / 256 + 1) + max_steps + 3
    if stopped == "budget":
        assert survey.n_states >= max_states
    ways = sum(2**journey.n_steps for journey in multiverse)
    tried = 2**7 * parameters.get("n_counterfactuals", 10) if stopped == "budget" else 0
    assert survey.n_states <= max_states + ways + max(max_states, 256) + tried


def test_frames_are_asked_as_frames_with_the_types_of_the_table(people):
    asked = []

    def model(frame: pd.DataFrame) -> np.ndarray:
        asked.append(frame)
        chance = (frame["income"] > 45).to_numpy() * 0.5 + frame["employed"].to_numpy() * 0.4
        return np.column_stack([1 - chance, chance])

    explainer = fl.FACElift(model, steps="actions").fit(people)
    multiverse = explainer.explain(people[people["income"] < 30].iloc[[0]], 1)
    assert len(multiverse) > 0
    assert len(asked) > 1
    assert all(frame.dtypes.equals(people.dtypes) for frame in asked)


def test_polars_frames_are_asked_as_polars_frames(people):
    pl = pytest.importorskip("polars")
    table_ = pl.DataFrame(people[["income", "debts", "employed"]].to_dict("list"))
    asked = []

    def model(frame: Any) -> np.ndarray:
        asked.append(frame)
        chance = (frame["income"].to_numpy() > 45) * 0.5 + frame["employed"].to_numpy() * 0.4
        return np.column_stack([1 - chance, chance])

    explainer = fl.FACElift(model, steps="actions").fit(table_)
    multiverse = explainer.explain({"income": 20.0, "debts": 1, "employed": False}, 1)
    assert len(multiverse) > 0
    assert all(isinstance(frame, pl.DataFrame) for frame in asked)


# 5. Links, requirements and time


@pytest.fixture(scope="module")
def careers() -> pd.DataFrame:
    rng = np.random.default_rng(5)
    age = rng.integers(20, 61, 300)
    grade = pd.cut(age + rng.normal(0, 6, 300), [-100, 30, 40, 50, 200], labels=list("dcba"))
    return pd.DataFrame(
        {
            "age": age,
            "years": (age - 20) * 0.5 + rng.uniform(0, 4, 300).round(1),
            "grade": pd.Categorical(grade, list("dcba"), ordered=True),
            "rate": rng.integers(1, 6, 300),
        }
    )


def senior(frame: pd.DataFrame) -> np.ndarray:
    score = frame["age"] / 20 + frame["years"] / 10 + frame["grade"].cat.codes + frame["rate"] / 3
    chance = 1 / (1 + np.exp(3.9 - score.to_numpy(dtype=float)))
    return np.column_stack([1 - chance, chance])


CASE = {"age": 30, "years": 5.0, "grade": "d", "rate": 2}


def test_linked_columns_move_together_and_time_is_counted(careers):
    terrain = (
        fl.Terrain.infer(careers)
        .levels("age", step=5)
        .link("age", "years")
        .rate("age", per="year")
        .rate("years", 0.5, per="year")
        .increase_only("age", "years")
    )
    explainer = fl.FACElift(senior, terrain, steps="actions", plausibility=1.0).fit(careers)
    multiverse = explainer.explain(CASE, 1)
    older = 0
    for journey in multiverse:
        assert journey.period == "year"
        rows = journey.rows
        assert journey.times.tolist() == (rows["age"] - 30).tolist()
        assert (np.diff(journey.times) >= 0).all()
        assert (rows["years"] - 5).tolist() == close(((rows["age"] - 30) * 0.5).tolist())
        older += int(rows["age"].iloc[-1] > 30)
        assert set(rows["age"]) <= {30, 35, 40, 45, 50, 55, 60}
    assert older > 0
    alone = fl.FACElift(senior, steps="actions", plausibility=1.0).fit(careers).explain(CASE, 1)
    assert any(set(j.rows["years"]) != {5.0} and set(j.rows["age"]) == {30} for j in alone)
    assert alone[0].times is None
    assert alone[0].period == ""


def test_a_frozen_follower_keeps_its_leader_where_it_is(careers):
    terrain = fl.Terrain.infer(careers).link("age", "grade").freeze("grade")
    multiverse = fl.FACElift(senior, terrain, steps="actions").fit(careers).explain(CASE, 1)
    assert len(multiverse) > 0
    assert all(set(journey.rows["age"]) == {30} for journey in multiverse)


@pytest.mark.parametrize(
    "rule",
    ["years <= (age - 20) / 2 + 3", lambda frame: frame["years"] <= (frame["age"] - 20) / 2 + 3],
    ids=["expression", "function"],
)
def test_every_state_satisfies_a_requirement(careers, rule):
    def breaks(multiverse: fl.Multiverse) -> list[bool]:
        return [bool((j.rows["years"] > (j.rows["age"] - 20) / 2 + 3).any()) for j in multiverse]

    free = fl.Terrain.infer(careers).freeze("grade")
    settings_ = {"steps": "actions", "plausibility": 1.0}
    without = fl.FACElift(senior, free, **settings_).fit(careers).explain(CASE, 1)
    ruled = fl.FACElift(senior, free.require(rule), **settings_).fit(careers).explain(CASE, 1)
    assert any(breaks(without))
    assert len(ruled) > 0
    assert not any(breaks(ruled))


def test_whoever_breaks_a_requirement_is_told_so(careers):
    terrain = fl.Terrain.infer(careers).require("rate <= 1")
    explainer = fl.FACElift(senior, terrain, steps="actions").fit(careers)
    with pytest.raises(InvalidData, match="The case itself breaks a requirement"):
        explainer.explain(CASE, 1)
    assert "requirement" in str(explainer.explain_many(pd.DataFrame([CASE]))[0].why_not)


# 7. Determinism


@pytest.fixture(scope="module")
def loans() -> tuple[pd.DataFrame, Any]:
    return fl.datasets.load_german_credit().data, credit_model


def credit_model(frame: pd.DataFrame) -> np.ndarray:
    score = (
        frame["checking_account"].cat.codes * 0.6
        + frame["savings"].cat.codes * 0.5
        + (frame["housing"] == "own").astype(float)
        - frame["duration"] / 15
        - frame["credit_amount"] / 6000
    )
    chance = 1 / (1 + np.exp(-score.to_numpy(dtype=float)))
    return np.column_stack([1 - chance, chance])


def credit_explainer(X: pd.DataFrame, model: Any, **changed: Any) -> fl.FACElift:
    terrain = fl.datasets.german_credit_rules(fl.Terrain.infer(X))
    parameters = {"steps": "actions", "n_counterfactuals": 5, "max_states": 800, **changed}
    return fl.FACElift(model, terrain, **parameters).fit(X)


def test_the_same_bytes_twice_for_every_order_of_rows_and_in_threads(loans):
    X, model = loans
    chances = model(X)[:, 1]
    cases = X[(chances > 0.3) & (chances < 0.4)].head(6)
    once = [m.to_json() for m in credit_explainer(X, model).explain_many(cases, 1)]
    again = [m.to_json() for m in credit_explainer(X, model).explain_many(cases, 1)]
    shuffled = X.iloc[np.random.default_rng(0).permutation(len(X))]
    other = [m.to_json() for m in credit_explainer(shuffled, model).explain_many(cases, 1)]
    threads = [m.to_json() for m in credit_explainer(X, model, n_jobs=2).explain_many(cases, 1)]
    assert once == again == other == threads
    assert len(set(once)) == len(once)
    assert all(len(fl.Multiverse.from_json(each)) > 0 for each in once)


@settings(max_examples=examples(15), suppress_health_check=list(HealthCheck))
@given(wide_worlds(), st.integers(0, 2**32 - 1))
def test_the_order_of_rows_changes_no_journey(world, seed):
    shuffled = replace(world, X=world.X.iloc[np.random.default_rng(seed).permutation(len(world.X))])
    for case in world.cases:
        if world.admits(case):
            one, two = (w.explainer().explain(w.frame([case])) for w in (world, shuffled))
            assert one.to_json() == two.to_json()


# 8. The same measures and views


def test_one_can_walk_a_multiverse_of_actions(loans):
    X, model = loans
    multiverse = credit_explainer(X, model).explain(
        X[np.abs(model(X)[:, 1] - 0.3) < 0.05].iloc[[0]], 1
    )
    here = fl.Position.start(multiverse)
    decode = multiverse[0].decode
    graph, _ = multiverse.walkable_graph()
    while not here.arrived:
        options = here.options()
        assert options
        for option in options:
            rows = decode(graph.points[[option.start, option.end]]).astype(object)
            assert (rows.iloc[0] != rows.iloc[1]).sum() == 1
        here = here.step(options[0])
    assert len(here.walked) <= 8
    chance = model(decode(graph.points[[here.vertex]]))[0, 1]
    assert chance >= 0.5
    assert here.back().walked == here.walked[:-1]
    blocked = fl.Position.start(multiverse)
    first = blocked.options()[0]
    assert first.end not in [option.end for option in blocked.block(first).options()]


def test_measures_obey_their_laws_on_actions(loans):
    X, model = loans
    multiverse = credit_explainer(X, model).explain(
        X[np.abs(model(X)[:, 1] - 0.3) < 0.05].iloc[[1]], 1
    )
    assert len(multiverse) > 2
    for journey in multiverse:
        own = journey.remaining[:, journey.own]
        assert -np.diff(own) == close(journey.step_costs)
        assert own[-1] == 0
        area = fl.geometry.open_area(journey.step_costs, journey.alternatives)
        assert area == close(np.delete(journey.opportunity, journey.own).mean())
    assert np.diag(multiverse.opportunity).tolist() == [1.0] * len(multiverse)
    assert fl.best(multiverse) in list(multiverse)
    members = [number for family in multiverse.families(n_families=2) for number in family.members]
    assert sorted(members) == list(range(len(multiverse)))


def test_a_multiverse_of_actions_survives_json(careers):
    terrain = fl.Terrain.infer(careers).rate("age", per="year").increase_only("age")
    explainer = fl.FACElift(senior, terrain, steps="actions", plausibility=1.0).fit(careers)
    multiverse = explainer.explain(CASE, 1)
    back = fl.Multiverse.from_json(multiverse.to_json())
    assert back.survey == multiverse.survey
    assert back.survey.n_calls > 0
    assert back.to_json() == multiverse.to_json()
    for one, two in zip(multiverse, back, strict=True):
        assert one.rarity.tolist() == two.rarity.tolist()
        assert one.times.tolist() == two.times.tolist()
        assert two.period == "year"
        assert raw(one.rows) == raw(two.rows)


def test_a_saved_explainer_gives_the_same_journeys(careers, tmp_path):
    terrain = (
        fl.Terrain.infer(careers)
        .levels("age", step=10)
        .link("age", "years")
        .rate("age", per="year")
        .require("rate <= 4")
    )
    explainer = fl.FACElift(senior, terrain, steps="actions", plausibility=0.9).fit(careers)
    explainer.save(tmp_path / "saved")
    loaded = fl.FACElift.load(tmp_path / "saved", model=senior)
    one, two = explainer.explain(CASE, 1), loaded.explain(CASE, 1)
    assert len(one) > 0
    assert one.to_json() == two.to_json()


def test_who_has_the_outcome_needs_nothing(careers):
    explainer = fl.FACElift(senior, steps="actions").fit(careers)
    multiverse = explainer.explain({**CASE, "age": 60, "years": 20.0, "grade": "a"}, 1)
    assert len(multiverse) == 0
    assert multiverse.why_not.reason == "already there"
    assert multiverse.survey is None


def test_no_way_within_the_rules_says_how_far_one_could_get(careers):
    terrain = fl.Terrain.infer(careers).freeze("age", "years", "grade")
    explainer = fl.FACElift(senior, terrain, steps="actions", plausibility=1.0).fit(careers)
    multiverse = explainer.explain(CASE, 1)
    why_not = multiverse.why_not
    assert len(multiverse) == 0
    assert why_not.reason == "no candidate"
    best = senior(
        explainer.terrain_.to_pandas(
            explainer.terrain_.encode(
                pd.DataFrame([{**CASE, "rate": rate} for rate in range(1, 6)]).astype(
                    careers.dtypes.to_dict()
                )
            )
        )
    )[:, 1].max()
    assert why_not.best_chance == close(best)
    assert multiverse.survey.n_states == 5
    assert "5 states" in why_not.message
    assert f"{best:.1%}" in why_not.message
    assert "plausibility" in why_not.hint
    spent = fl.FACElift(senior, terrain, steps="actions", max_states=2).fit(careers)
    assert "raise max_states" in spent.explain(CASE, 1).why_not.hint
    assert spent.explain(CASE, 1).survey.stopped == "budget"


def test_an_implausible_person_can_still_start():
    X = pd.DataFrame(list(product(range(10), range(10))), columns=["x", "y"])

    def model(frame: pd.DataFrame) -> np.ndarray:
        chance = np.where(frame["x"] >= 2, 0.9, 0.1)
        return np.column_stack([1 - chance, chance])

    explainer = fl.FACElift(model, steps="actions").fit(X)
    multiverse = explainer.explain({"x": -5, "y": 5}, 1)
    assert [journey.rows["x"].tolist() for journey in multiverse] == [[-5, 0, 1, 2]]
    assert multiverse[0].rarity[0] > 1
    assert (multiverse[0].rarity[1:] <= 1).all()


def test_several_outcomes_will_do():
    X = pd.DataFrame(list(product(range(4), range(4))), columns=["a", "b"])

    def model(frame: pd.DataFrame) -> np.ndarray:
        one = np.where(frame["a"] >= 2, 0.45, 0.05)
        two = np.where(frame["b"] >= 2, 0.45, 0.05)
        return np.column_stack([1 - one - two, one, two])

    explainer = fl.FACElift(model, steps="actions", plausibility=1.0).fit(X)
    both = explainer.explain({"a": 0, "b": 0}, {1, 2})
    assert [raw(journey.rows)[-1] for journey in both] == [{"a": 0, "b": 2}, {"a": 2, "b": 0}]
    assert both[0].chances[-1] == close(0.5)
    assert len(explainer.explain({"a": 0, "b": 0}, 1)) == 0


# 9. Edge cases


@pytest.mark.parametrize("columns", [["x"], ["x", "y"]])
def test_where_nothing_may_change_there_is_nothing_to_judge(columns):
    X = pd.DataFrame({name: [0.0, 1.0, 2.0, 3.0] for name in columns})

    def model(frame: pd.DataFrame) -> np.ndarray:
        chance = frame["x"].to_numpy() / 3
        return np.column_stack([1 - chance, chance])

    terrain = fl.Terrain.infer(X).freeze(*columns)
    multiverse = fl.FACElift(model, terrain, steps="actions").fit(X).explain(X.iloc[[0]], 1)
    assert len(multiverse) == 0
    assert multiverse.survey.n_states == 1
    assert multiverse.survey.n_calls == 0
    assert multiverse.survey.stopped == "exhausted"
    assert multiverse.why_not.best_chance == 0


def test_where_all_records_are_alike_nobody_can_go_anywhere():
    X = pd.DataFrame({"x": [1.0, 1.0], "y": ["a", "a"]})
    explainer = fl.FACElift(lambda rows: np.tile([0.9, 0.1], (len(rows), 1)), steps="actions")
    multiverse = explainer.fit(X).explain(X.iloc[[0]], 1)
    assert multiverse.survey.n_states == 1


def test_thirty_columns_of_eight_levels_are_no_trouble():
    rng = np.random.default_rng(0)
    names = [f"c{i}" for i in range(30)]
    letters = np.array(list("abcdefgh"))
    X = pd.DataFrame({name: rng.choice(letters, 120) for name in names})

    def model(frame: pd.DataFrame) -> np.ndarray:
        chance = np.where((frame[names[:6]] == "h").sum(axis=1) >= 3, 0.9, 0.1)
        return np.column_stack([1 - chance, chance])

    terrain = fl.Terrain.infer(X)
    for name in names[:6]:
        terrain = terrain.price(name, 0.1)
    parameters = {"steps": "actions", "max_states": 900, "plausibility": 1.0}
    explainer = fl.FACElift(model, terrain, **parameters).fit(X)
    case = dict.fromkeys(names, "a") | {"c0": "h"}
    multiverse = explainer.explain(case, 1)
    assert len(multiverse) > 0
    for journey in multiverse:
        assert journey.n_steps == 2
        assert (journey.rows.iloc[-1][names[:6]] == "h").sum() == 3


def test_a_person_beyond_all_stops_can_come_back():
    X = pd.DataFrame({"x": np.arange(0.0, 100.0, 2.5), "y": np.tile([0.0, 1.0], 20)})

    def model(frame: pd.DataFrame) -> np.ndarray:
        chance = np.where(np.abs(frame["x"] - 50) < 25, 0.9, 0.1)
        return np.column_stack([1 - chance, chance])

    explainer = fl.FACElift(model, steps="actions", plausibility=1.0).fit(X)
    for beyond, sign in ((-40.0, 1), (180.0, -1)):
        multiverse = explainer.explain({"x": beyond, "y": 0.0}, 1)
        steps = multiverse[0].rows["x"].to_numpy()
        assert steps[0] == beyond
        assert (np.diff(steps) * sign > 0).all()
        assert multiverse[0].rarity[0] > 1


def test_a_memory_is_asked_about_no_state_twice_and_changes_no_answer(lending, people):
    asked: list[int] = []

    def model(rows):
        asked.append(len(rows))
        return lending.model.predict_proba(rows)

    explainer = fl.FACElift(model, steps="actions", n_counterfactuals=4).fit(people)
    memory = Memory()
    rows = [people.iloc[row] for row in np.flatnonzero(lending.chances() < 0.5)[:3]]
    terrain = explainer.terrain_.freeze("town").price("income", 2.0)
    for row in rows:
        first = explainer.under(explainer.terrain_, memory=memory).explain(row, 1)
        assert first.to_json() == explainer.explain(row, 1).to_json()
        asked.clear()
        again = explainer.under(terrain, memory=memory).explain(row, 1)
        remembered = sum(asked)
        asked.clear()
        assert again.to_json() == explainer.under(terrain).explain(row, 1).to_json()
        assert remembered < sum(asked) / 2


def test_a_memory_forgets_rather_than_grow_without_end():
    memory = Memory(most=10)
    points = np.arange(16.0).reshape(8, 2)
    for start in (0.0, 100.0, 200.0):
        said = memory.recall(points + start, 2, lambda some, n: some[:, :n] * 2)
        assert np.array_equal(said, (points + start) * 2)
        assert len(memory) <= 10
    assert memory.known(points + 200.0)[0] is not None
    assert memory.known(points)[0] is None
