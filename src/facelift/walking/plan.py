"""A plan: the ways that are open from where somebody stands, and what the next steps do.

Plans from one start share what was searched for there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from facelift._arrays import Bools, Floats, Ints
from facelift.choosing import recommended
from facelift.explainer import FACElift
from facelift.geometry import TOLERANCE, distances
from facelift.graph.graph import Graph
from facelift.graph.plausibility import learn_plausibility
from facelift.graph.routes import Search, forward
from facelift.models.doubts import NEARBY, among, around
from facelift.multiverse.exploration import (
    Routing,
    journeys_to,
    plain_routes,
    with_classes,
    with_variants,
)
from facelift.multiverse.families import Trunk, direction_differences, find_trunk
from facelift.multiverse.frames import differ, row_values
from facelift.multiverse.goal import Goal, Range
from facelift.multiverse.journey import Journey, with_answers
from facelift.multiverse.multiverse import Multiverse
from facelift.questions.resilience import Resilience, resilience, resilience_unasked
from facelift.steps.base import Request
from facelift.terrain.feature import Feature
from facelift.walking import Effect, Option, Position
from facelift.walking.limits import Limits
from facelift.walking.replanning import Reach
from facelift.walking.walk import N_COLOURS, Change, Name, Walk, changes_of

if TYPE_CHECKING:
    import pandas as pd

    from facelift.walking.guide import Guide

DIGITS = 12
"""Digits of a chance that count: a model's last ones depend on how many rows it is asked about."""

MANY_RECORDS = 20_000
"""Of larger tables only where one stands is compared with the records, not the end of every way."""

N_NEARBY = 10
"""So many of the nearest records say how firm a place is."""


@dataclass(frozen=True, eq=False)
class Start:
    """Where plans start: all ways found from there, those shown, and what limits leave of them.

    `keys[b]` tells destination b of the ways shown from others on every later plan; `similar[b]`
    is how many ways it stands for (1, unless ways that run alike are shown as one), `folded` are
    the keys of those that are not shown.
    """

    found: Multiverse
    shown: Multiverse
    keys: tuple[str, ...]
    similar: tuple[int, ...]
    folded: frozenset[str]
    limits: Limits

    @classmethod
    def of(
        cls,
        found: Multiverse,
        keys: Sequence[str],
        limits: Limits,
        *,
        kept: Sequence[str] = (),
        unfolded: str | None = None,
        overview: tuple[float, float] = (0.0, 0.0),
        routes: Routing = plain_routes,
    ) -> Start:
        """The start of what was found: of many ways, those known before come first.

        `keys` tell what was found apart; `unfolded` is the key of a way whose like are shown.
        `overview` has how coarse it is to be, and the effort spent (`Multiverse.overview`).
        """
        known = [i for key in kept for i, own in enumerate(keys) if own == key]
        groups = _groups(found, known, *overview)
        if unfolded is not None:
            inside = next((each for each in groups if keys[each[0]] == unfolded), None)
            groups = _split(found, inside) if inside is not None and len(inside) > 1 else groups
        chosen = [group[0] for group in groups]
        shown = found if len(chosen) == len(found) else _some(found, chosen, routes)
        sizes = {keys[group[0]]: len(group) for group in groups}
        ends = {int(found[i].vertices[-1]): keys[i] for i in chosen}
        own = tuple(ends[int(journey.vertices[-1])] for journey in shown)
        folded = frozenset(keys) - frozenset(own)
        return cls(found, shown, own, tuple(sizes[key] for key in own), folded, limits)

    @cached_property
    def position(self) -> Position:
        """The first position, with everything still open."""
        return Position.start(self.shown, self.limits)

    def within(self, edges: tuple[tuple[int, int], ...], states: tuple[int, ...] = ()) -> Reach:
        """What can be reached with some edges ruled out, and states that nobody goes back to."""
        return Reach(self.shown, replace(self.limits, edges=edges, states=states), self.limits)

    def after(self, walked: Sequence[int], reach: Reach | None) -> Position | None:
        """The position after steps along vertices, None without ways; `reach` if some are closed.

        A step that the graph does not know is an error; one ruled out later stays walked.
        """
        if not len(self.shown):
            return None
        position = self.position
        for vertex in walked:
            cost = position.graph.edge_cost(position.vertex, vertex)
            position = position.step(Option(position.vertex, vertex, cost, np.empty(0), ()))
        return position if reach is None else replace(position, reach=reach)


@dataclass(frozen=True)
class Nearby:
    """Real records near a place: the distance to them, and how many of the nearest succeed.

    `rarity` is the distance as a share of what is ordinary.
    """

    rarity: float
    n_records: int
    n_succeed: int
    doubts: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Plan:
    """A walk, the start it has in common with others, and where it is in there.

    `position` is None when nothing leads to the goal. `names[b]` is the name of destination b.
    """

    walk: Walk
    start: Start
    position: Position | None
    names: tuple[Name, ...]
    point: Floats
    guide: Guide

    @property
    def multiverse(self) -> Multiverse:
        """The ways shown, from the start."""
        return self.start.shown

    @property
    def similar(self) -> tuple[int, ...]:
        """How many ways each destination stands for."""
        return self.start.similar

    @cached_property
    def row(self) -> dict[str, Any]:
        """The values here, by column."""
        return self.rows(self.point[np.newaxis, :])[0]

    @property
    def time_left(self) -> float | None:
        """The periods left from here on; None where there is no deadline."""
        return self.guide.time_left(self.walk, len(self.walk.past))

    def waits(self, points: Floats) -> Floats:
        """How long it takes from here until each of some points in a row is reached, at least.

        Changes go on side by side since the plan was made: one that others outlast takes no more.
        """
        explainer, passed = self.guide.explainer, self.point[np.newaxis]
        if self.position is not None:
            vertices = [self.start.position.vertex, *self.walk.walked]
            passed = self.position.graph.points[vertices]
        row = np.vstack([passed, points])
        times = None if explainer is None else explainer.terrain_.earliest(row)
        if times is None or not np.isfinite(times).all():
            return np.zeros(len(points))
        reached = np.maximum.accumulate(times)
        return np.asarray(reached[len(passed) :] - reached[len(passed) - 1])

    @cached_property
    def arrived(self) -> bool:
        """Whether the goal is reached here, whatever the destination; at the start the outcome."""
        there, goal = self.multiverse.why_not, self.multiverse.goal
        if there is not None and there.reason == "already there" and not self.walk.past:
            return True
        if goal is None or self.answer is None:
            return self.position is not None and bool(self.position.arrived)
        return bool(self._wins(self.point[np.newaxis], self.answer[np.newaxis])[0])

    @cached_property
    def reached(self) -> list[Name]:
        """Names of the ways whose end one stands at."""
        return [] if self.position is None else [self.names[b] for b in self.position.arrived]

    @cached_property
    def in_reach(self) -> list[int]:
        """Numbers of the destinations in reach from here, by letter."""
        if self.position is None:
            return []
        numbers = np.flatnonzero(np.isfinite(self.position.remaining)).tolist()
        return sorted(numbers, key=lambda b: by_letter(self.names[b].letter))

    @cached_property
    def open(self) -> list[int]:
        """Numbers of the destinations that ways lead to; of ways that are the same, the first."""
        return [] if self.arrived else [b for b in self.in_reach if b not in self.same]

    @cached_property
    def same(self) -> dict[int, int]:
        """Destinations that are no choice from here on, and beside which other.

        The way there is the same, or changes all that the other does, and more or farther.
        """
        ends, first = self.ends, dict[int, int]()
        same = {b: first[end] for b, end in ends.items() if first.setdefault(end, b) != b}
        if self.arrived or self.position is None or not self.guide.single_changes:
            return same
        ways, numbers = self._to_all
        cost = {b: way.cost for b, way in zip(numbers, ways, strict=True)}
        graph, kept = self.position.graph, list[int]()
        change = {b: graph.points[ends[b]] - self.point for b in first.values()}
        for b in sorted(change, key=lambda b: (cost[b], ends[b])):
            less = (a for a in kept if _within(change[a], change[b]))
            if (other := next(less, None)) is None:
                kept.append(b)
            else:
                same[b] = other
        return {b: same.get(other, other) for b, other in same.items()}

    @cached_property
    def ends(self) -> dict[int, int]:
        """Where the ways to the destinations in reach end; nowhere the same once arrived."""
        if self.arrived:
            return {b: -1 - b for b in self.in_reach}
        ways, numbers = self._to_all
        found = {b: int(way.vertices[-1]) for b, way in zip(numbers, ways, strict=True)}
        return {b: found[b] for b in self.in_reach}

    @cached_property
    def _to_all(self) -> tuple[Multiverse, list[int]]:
        """The ways to all destinations in reach, and their numbers; each ends where it succeeds."""
        if self.position is None or not self.in_reach:
            return Multiverse((), ()), []
        sets = [self.multiverse.destinations[b] for b in self.in_reach]
        ways = self._to(sets, self.position.reach.remaining[:, self.in_reach])
        while True:
            own, found = _numbers(ways, sets), self._first_successes(ways)
            ends = [found[i] for i in own]
            if all(end in members for end, members in zip(ends, sets, strict=True)):
                return ways, [b for _, b in sorted(zip(own, self.in_reach, strict=True))]
            # A way that ends early may let others take another route.
            sets = [np.union1d(members, end) for members, end in zip(sets, ends, strict=True)]
            ways = self._to(sets)

    def _first_successes(self, ways: Multiverse) -> list[int]:
        """The first state of each way that succeeds; through records one may head for another."""
        if not self.guide.single_changes:
            return [int(journey.vertices[-1]) for journey in ways]
        journeys = [journey.in_steps for journey in ways]
        states = np.unique(np.concatenate([journey.vertices[1:] for journey in journeys]))
        points = ways.walkable_graph()[0].points[states]
        wins = self._wins(points, self.guide.ask(points, self.walk))
        succeeding = set(states[wins].tolist())
        routes = [journey.vertices[1:].tolist() for journey in journeys]
        return [next((v for v in route if v in succeeding), route[-1]) for route in routes]

    def _wins(self, points: Floats, answers: Floats | None) -> Bools:
        """Which points reach the goal; none without a model."""
        goal, explainer = self.multiverse.goal, self.guide.explainer
        if goal is None or explainer is None or answers is None:
            return np.zeros(len(points), dtype=bool)
        return explainer.oracle_.reaches(points, goal, answers)

    def succeeds(self, vertex: int) -> bool:
        """Whether one has arrived at a vertex of the ways or next steps."""
        if self.position is None or self.answers[vertex] is None:
            return False
        point, answer = self.position.graph.points[[vertex]], self.answers[vertex]
        return bool(self._wins(point, np.asarray(answer)[np.newaxis])[0])

    def _to(self, sets: Sequence[Ints], remaining: Floats | None = None) -> Multiverse:
        """The journeys from here to some sets of vertices."""
        if self._search is None or not sets:
            return Multiverse((), ())
        return journeys_to(self._search, sets, routes=self.guide.routes, remaining=remaining)

    @cached_property
    def _search(self) -> Search | None:
        """The search from here."""
        here = self.position
        return None if here is None else forward(here.reach.graph, here.vertex)

    @cached_property
    def _heading(self) -> tuple[Multiverse, list[int]]:
        """The ways from here, cheapest first, and the number of each one's destination."""
        if self.position is None or not self.open:
            return Multiverse((), ()), []
        ways, numbers = self._to_all
        chosen = [i for i, b in enumerate(numbers) if b in self.open]
        if len(chosen) == len(numbers):
            return ways, numbers
        journeys = tuple(
            replace(ways[i], remaining=ways[i].remaining[:, chosen], own=own)
            for own, i in enumerate(chosen)
        )
        sets = tuple(ways.destinations[i] for i in chosen)
        return replace(ways, journeys=journeys, destinations=sets), [numbers[i] for i in chosen]

    @property
    def ways(self) -> Multiverse:
        """The ways from here to the open destinations, cheapest first; names go with `lines`."""
        return self._heading[0]

    @cached_property
    def variants(self) -> Sequence[tuple[Journey, ...]]:
        """Further routes to the end of each way, where several were asked for."""
        variety = self.guide.multiverse.variety
        if variety is None or self._search is None or not len(self.ways):
            return [()] * len(self.ways)
        short = self.guide.single_changes
        found = with_variants(self.ways, self._search, variety, as_short=short).variants
        every = [journey for some in found for journey in some]
        firsts = self._first_successes(replace(self.ways, journeys=tuple(every))) if every else []
        ends = dict(zip(map(id, every), firsts, strict=True))
        return [
            tuple(each for each in some if ends[id(each)] == each.vertices[-1]) for some in found
        ]

    @cached_property
    def trunk(self) -> Trunk | None:
        """What the advised way and most others begin with; None where they part at once."""
        return find_trunk(self.ways, on=self.advised) if len(self.ways) > 1 else None

    @cached_property
    def advised(self) -> int | None:
        """The number of the way that is advised (SPEC 14); None without ways."""
        if not len(self.ways):
            return None
        dipping = np.array([bool(self.below(journey).any()) for journey in self.ways])
        return recommended(self.ways, dipping=dipping)

    def below(self, journey: Journey) -> Bools:
        """After which steps of a way the chance is lower than here; nowhere without a model."""
        goal, journey = self.multiverse.goal, journey.in_steps
        answers = [self.answers[vertex] for vertex in journey.vertices.tolist()]
        known = [answer for answer in answers if answer is not None]
        if goal is None or len(known) < len(answers):
            return np.zeros(len(answers), dtype=bool)
        return with_answers(journey, goal=goal, probabilities=np.stack(known)).below

    @cached_property
    def resilience(self) -> Resilience | None:
        """How many of the ways from here share nothing; None without ways.

        What all need is what those that begin with a step offered need, too.
        """
        if self._search is None or self.position is None or not len(self.ways):
            return None
        graph, steps = self._search.graph, [option.end for option in self.options]
        along = replace(self.ways, graph=graph.with_edges(_used(graph, self.ways)))
        found = resilience_unasked(along.in_rows(self.decode, self.features))
        if found is None or not found.needs:
            return found
        shown = _used(graph, [*self.ways, *chain(*self.variants)]) | self._cheapest
        shown |= (graph.starts == self.position.vertex) & np.isin(graph.costs.indices, steps)
        arrived = [np.array([end]) for end in steps if self.succeeds(end)]
        every = replace(
            along,
            graph=graph.with_edges(shown),
            destinations=(*along.destinations, *arrived),
        )
        needs = resilience(every.in_rows(self.decode, self.features)).needs
        return replace(found, needs=needs)

    @property
    def _cheapest(self) -> Bools:
        """Which edges lead on, from anywhere, by a cheapest route to a destination that is open."""
        if self.position is None:
            return np.empty(0, dtype=bool)
        graph, left = self.position.reach.graph, self.position.reach.remaining[:, self.open]
        before, after = left[graph.starts], left[graph.costs.indices]
        through = graph.costs.data[:, np.newaxis] + after
        shortest = np.isfinite(through) & (through <= before * (1 + TOLERANCE))
        return np.asarray(shortest.any(axis=1))

    @cached_property
    def class_opportunity(self) -> Floats:
        """How far each way also leads towards each class that is to be kept open; (c, q)."""
        ways, kept = self.ways, self.multiverse.kept
        found = self._towards if kept and len(ways) else {}
        if not found:
            return np.empty((len(ways), 0))
        return with_classes(ways, kept, found).class_opportunity

    @property
    def _towards(self) -> dict[int, Floats]:
        """What is left to each class to be kept open, by vertex of the ways.

        Of single changes, what was found with the ways holds: to look costs a search a vertex.
        """
        goal, question = self.multiverse.goal, self.multiverse.question
        if self._search is None or question is None or not isinstance(goal, Goal):
            return {}
        every = (self.guide.multiverse, self.start.found) if self.guide.single_changes else ()
        known = {
            int(vertex): left
            for found in every
            for journey in found
            if found.question is question and journey.towards is not None
            for vertex, left in zip(journey.vertices, journey.towards, strict=True)
        }
        new = sorted({int(v) for journey in self.ways for v in journey.vertices} - known.keys())
        if new:
            wanted = Request.of(question.explainer, deadline=self.time_left)
            wanted = replace(wanted, keep_open=self.multiverse.kept)
            steps, graph = question.explainer.steps_, self._search.graph
            left = steps.left_to_classes(graph, goal, wanted, np.array(new))
            known |= dict(zip(new, left, strict=True))
        return known

    @cached_property
    def nearby(self) -> Nearby | None:
        """The records around here; None where there are none to compare with."""
        explainer, goal = self.guide.explainer, self.guide.multiverse.goal
        if explainer is None or goal is None:
            return None
        away = distances(explainer.graph_.points, self.point)
        nearest = np.argsort(away, kind="stable")[:N_NEARBY]
        succeed = int(goal.outcome.reached(explainer.probabilities_[nearest]).sum())
        rarity = 0.0 if (away == 0).any() else _rarity(explainer, self.point)
        doubts = among(explainer, np.argsort(away, kind="stable")[:NEARBY], goal).doubts
        return Nearby(rarity, len(nearest), succeed, tuple(doubts))

    def doubts(self, journey: Journey) -> list[str]:
        """What records say against the model's word on where a way ends; little of large tables."""
        explainer, goal = self.guide.explainer, self.guide.multiverse.goal
        if explainer is None or goal is None or len(explainer.graph_) > MANY_RECORDS:
            return []
        return around(explainer, journey.counterfactual, goal).doubts

    @cached_property
    def lines(self) -> list[Name]:
        """The name of each way."""
        return [self.names[b] for b in self._heading[1]]

    @cached_property
    def options(self) -> list[Option]:
        """Next steps, the most helpful first."""
        if self.position is None or self.arrived:
            return []
        return [self._as_shown(option, self.position) for option in self.position.options()]

    def _as_shown(self, option: Option, here: Position) -> Option:
        """A step whose effects are those on the ways shown, which end where they first succeed.

        One that ends before its destination may take more after a step towards that.
        """
        ways, numbers = self._to_all
        left = {b: way.cost for b, way in zip(numbers, ways, strict=True)}
        near = [b for b, effect in enumerate(option.effects) if effect == "nearer" and b in left]
        if all(left[b] >= here.remaining[b] * (1 - TOLERANCE) for b in near):
            return option
        there, point = here.step(option), here.graph.points[[option.end]]
        if there.arrived or self._wins(point, self.guide.ask(point, self.walk)).any():
            return option
        ways, numbers = replace(self, position=there)._to_all
        after = {b: way.cost for b, way in zip(numbers, ways, strict=True)}
        farther = {b for b in near if after.get(b, 0.0) >= left[b] * (1 - TOLERANCE)}
        effects: list[Effect] = [
            "open" if b in farther else effect for b, effect in enumerate(option.effects)
        ]
        return replace(option, effects=tuple(effects))

    @property
    def chance(self) -> float | None:
        """The chance here; None where the model predicts a number."""
        return None if isinstance(self.multiverse.goal, Range) else self.figure

    @cached_property
    def figure(self) -> float | None:
        """What is told of the place here: the chance, or the predicted number."""
        return self._figure(self.answer)

    @cached_property
    def answer(self) -> Floats | None:
        """What the model says here, by class."""
        answers = self.guide.ask(self.point[np.newaxis, :], self.walk)
        return None if answers is None else np.asarray(answers[0])

    @cached_property
    def answers(self) -> dict[int, Floats | None]:
        """What it says at every vertex of the ways and next steps, in one question."""
        if self.position is None:
            return {}
        vertices = sorted({*self._visited, *(option.end for option in self.options)})
        points = self.position.graph.points[vertices]
        answers = self.guide.ask(points, self.walk) if vertices else None
        if answers is None:
            return dict.fromkeys(vertices)
        return dict(zip(vertices, answers, strict=True))

    @cached_property
    def known_ends(self) -> dict[str, Floats]:
        """What the model says of where each way known before would end, from here; by key."""
        now = {name.key for name in self.names}
        changes = {name.key: changes_of(name.key) for name in self.walk.names}
        changes = {key: each for key, each in changes.items() if each and key not in now}
        if self.guide.explainer is None or not changes:
            return {}
        table = self.guide.frame([{**self.row, **each} for each in changes.values()])
        terrain = self.guide.explainer.terrain_
        points = terrain.aged(self.point, np.asarray(terrain.encode(table)))
        answers = self.guide.ask(points, self.walk)
        return {} if answers is None else dict(zip(changes, answers, strict=True))

    @cached_property
    def chances(self) -> dict[int, float | None]:
        """The chance at every vertex of the ways and next steps."""
        predicts = isinstance(self.multiverse.goal, Range)
        return dict.fromkeys(self.figures) if predicts else self.figures

    @cached_property
    def figures(self) -> dict[int, float | None]:
        """The chance, or the predicted number, at every vertex of the ways and next steps."""
        return {vertex: self._figure(answer) for vertex, answer in self.answers.items()}

    @property
    def measure(self) -> str:
        """What a figure is: a chance, or predicted."""
        goal = self.multiverse.goal
        return "chance" if goal is None else goal.measure

    def outlook(self, figure: float | None) -> str:
        """A figure in words; a dash where there is none."""
        goal = self.multiverse.goal
        return "–" if figure is None or goal is None else goal.short_words(figure)

    def seen_as(self, answer: Floats | None) -> tuple[str, float] | None:
        """The likeliest outcome by an answer of the model, and its probability."""
        goal = self.multiverse.goal
        if not isinstance(goal, Goal) or answer is None:
            return None
        likeliest = int(np.argmax(answer))
        return goal.classes[likeliest], round(float(answer[likeliest]), DIGITS)

    def _figure(self, answer: Floats | None) -> float | None:
        goal = self.multiverse.goal
        if goal is None or answer is None:
            return None
        return round(float(goal.figures(answer)), DIGITS)

    @cached_property
    def values(self) -> dict[int, dict[str, Any]]:
        """The row of every vertex of the ways and next steps, decoded together."""
        if self.position is None:
            return {}
        ends = {option.end for option in self.options}
        vertices = sorted({*self._visited, *ends, self.position.vertex})
        return dict(zip(vertices, self.rows(self.position.graph.points[vertices]), strict=True))

    @property
    def _visited(self) -> Iterable[int]:
        every = chain(self.ways, *self.variants)
        return (int(v) for journey in every for v in journey.in_steps.vertices)

    def rows(self, points: Floats) -> list[dict[str, Any]]:
        """Points in the table's own units, by column."""
        return row_values(self.decode(points))

    @property
    def features(self) -> Mapping[str, Feature]:
        """What columns are called, by name."""
        return self.guide.features

    def decode(self, points: Floats) -> pd.DataFrame:
        """The same as a frame."""
        return self.guide.decode(points, self.walk)

    def changes(self, start: int, end: int) -> tuple[Change, ...]:
        """What changes between two vertices of the ways or next steps."""
        if (start, end) not in self._changes:
            self._changes[start, end] = changed(self.values[start], self.values[end])
        return self._changes[start, end]

    @cached_property
    def _changes(self) -> dict[tuple[int, int], tuple[Change, ...]]:
        """What was told of steps before: ways share them, and every view asks."""
        return {}

    def steps(self, journey: Journey) -> list[tuple[Change, ...]]:
        """What each step of a way changes."""
        vertices = journey.in_steps.vertices.tolist()
        return [self.changes(u, v) for u, v in pairwise(vertices)]

    def closes(self, journey: Journey) -> list[list[Name]]:
        """Names of the ways that each step of a way puts out of reach for good."""
        return [[self.lines[b] for b in step] for step in journey.closes]


def changed(before: dict[str, Any], after: dict[str, Any]) -> tuple[Change, ...]:
    """The columns that differ between two rows: name, before, after."""
    return tuple(
        (name, value, after[name]) for name, value in before.items() if differ(value, after[name])
    )


def _used(graph: Graph, journeys: Iterable[Journey]) -> Bools:
    """Which edges of a graph are steps of some journeys."""
    routes = (journey.in_steps.vertices.tolist() for journey in journeys)
    first, second = np.array(sorted({pair for route in routes for pair in pairwise(route)})).T
    n = len(graph)
    return np.isin(graph.starts * n + graph.costs.indices, first * n + second)


def by_letter(letter: str) -> tuple[int, str]:
    """What orders letters: Z comes before AA."""
    return len(letter), letter


def _within(less: Floats, more: Floats) -> bool:
    """Whether one change goes as far as another wherever it goes at all, or not as far.

    >>> _within(np.array([0.0, -2.0]), np.array([1.0, -3.0]))
    True
    """
    return bool(((less == 0) | (np.sign(less) * more >= np.abs(less))).all())


def _numbers(found: Multiverse, sets: Sequence[Ints]) -> list[int]:
    """Which journey leads to each of some sets."""
    places = {id(members): own for own, members in enumerate(found.destinations)}
    return [places[id(members)] for members in sets]


def _some(found: Multiverse, numbers: Sequence[int], routes: Routing) -> Multiverse:
    """Some of the ways, as if there were no others."""
    graph, factual = found.walkable_graph()
    sets = [found.destinations[i] for i in sorted(numbers)]
    ways = journeys_to(forward(graph, factual), sets, routes=routes)
    return replace(found, journeys=ways.journeys, destinations=ways.destinations)


def _groups(
    found: Multiverse, known: Sequence[int], coarseness: float = 0.0, spent: float = 0.0
) -> list[list[int]]:
    """Which ways are shown as one: at most seven groups, each with the way it is shown by first.

    The cheapest is shown, then those known before, then the cheapest of each family of others; of
    an overview, the cheapest of each of its families.
    """
    if coarseness and len(found) > 1:
        heads = sorted(min(family.members) for family in found.overview(coarseness, spent))
        return _alike(found, heads[:N_COLOURS], range(len(found)))
    if len(found) <= N_COLOURS:
        return [[number] for number in range(len(found))]
    families = found.families(n_families=N_COLOURS)
    heads = [min(family.members) for family in families]
    shown = list(dict.fromkeys([0, *known, *sorted(heads), *range(len(found))]))[:N_COLOURS]
    return _alike(found, shown, range(len(found)))


def _split(found: Multiverse, members: Sequence[int]) -> list[list[int]]:
    """The members of a group, each by itself, or in groups of their own."""
    return _alike(found, members[:N_COLOURS], members)


def _alike(found: Multiverse, shown: Sequence[int], members: Iterable[int]) -> list[list[int]]:
    """Every member with the one of those shown that it runs most alike."""
    groups = {number: [number] for number in shown}
    differences = direction_differences(found.journeys)
    for number in members:
        if number not in groups:
            groups[min(shown, key=lambda each: differences[number, each])].append(number)
    return list(groups.values())


def _rarity(explainer: FACElift, point: Floats) -> float:
    learnt = getattr(explainer, "plausibility_", None)  # journeys through records need none
    learnt = learnt or learn_plausibility(
        explainer.graph_.points, explainer.plausibility, explainer.terrain_.distance
    )
    return float(learnt.rarity(point[np.newaxis, :])[0])
