"""The guide: who is walked with, and the plan of every walk of theirs."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from threading import Lock
from typing import Any

import numpy as np
import pandas as pd

from facelift._arrays import Floats
from facelift._checks import check_picture
from facelift.errors import InvalidInput
from facelift.explainer import FACElift
from facelift.models.oracle import Memory
from facelift.multiverse.exploration import Route, plain_route
from facelift.multiverse.frames import coordinate_rows
from facelift.multiverse.goal import Range
from facelift.multiverse.multiverse import Multiverse
from facelift.multiverse.ordering import most_open_route
from facelift.terrain import tables
from facelift.walking import families
from facelift.walking.limits import Limits, RuledOut, limited
from facelift.walking.names import destination_key, renamed
from facelift.walking.plan import Plan, changed, grouped, replayed
from facelift.walking.position import Position
from facelift.walking.walk import Again, Event, Move, Other, RuleOut, SetLimits, Take, Unfold, Walk

N_REMEMBERED = 64
"""So many multiverses are kept, so that undoing and stepping on need no new search."""

MANY_WAYS = 20
"""So many ways are looked for when somebody wants more."""


@dataclass(frozen=True, eq=False)
class Guide:
    """One case, its goal, and how people speak of them.

    Parameters
    ----------
    multiverse
        What `explain` gave for the case. Where it still knows its explainer, limits can be changed
        and plans made anew; else (a graph of one's own) it can only be walked.
    title
        Who it is about: "Applicant 4".
    facts
        Columns that say who it is, shown beside the title.
    words
        What outcomes are called: {"bad": "declined", "good": "approved"}.
    picture
        Height and width, where the columns of the table are the pixels of a picture.

    Examples
    --------
    >>> from facelift.toys import loan
    >>> guide = Guide(loan().multiverse(), title="Applicant")
    >>> plan = guide.plan(Walk())
    >>> [name.letter for name in plan.lines], len(plan.options)
    (['A', 'B', 'C'], 2)
    """

    multiverse: Multiverse
    title: str = "You"
    facts: tuple[str, ...] = ()
    words: Mapping[str, str] = field(default_factory=dict)
    picture: tuple[int, int] | None = None
    _remembered: dict[str, Multiverse] = field(default_factory=dict, repr=False)
    _lock: Any = field(default_factory=Lock, repr=False)
    _memory: Memory = field(default_factory=Memory, repr=False)

    def __post_init__(self) -> None:
        if self.picture is not None and self.explainer is not None:
            check_picture(self.picture, len(self.explainer.terrain_.features))

    def plan(self, walk: Walk) -> Plan:
        """What is open from where a walk stands, with all its destinations named."""
        found = self._searched_enough(walk)
        route = self._route
        groups = families.shown_as_one(found, walk, route)
        shown = found if groups is None else grouped(found, groups, route)
        keys = [destination_key(journey.counterfactual) for journey in shown]
        names = renamed(walk.names, keys)
        by_key = {name.key: name for name in names}
        position = None
        if len(shown):
            position = replayed(Position.start(shown), walk.walked, walk.limits.edges)
        point = self._point(walk) if position is None else position.graph.points[position.vertex]
        return Plan(
            replace(walk, names=names),
            shown,
            position,
            tuple(by_key[key] for key in keys),
            np.asarray(point),
            self._ask,
            self._decode,
            route,
            families.sizes(found, groups, keys),
        )

    def moved(self, walk: Walk, move: Move) -> Walk:
        """The walk after a move; one that is not possible is an error."""
        match move:
            case Take(vertex):
                return self._stepped(walk, vertex)
            case RuleOut(vertex):
                return self._ruled_out(walk, vertex)
            case SetLimits(limits):
                self._check_can_replan()
                return replace(self._settled(walk), limits=limits, unfolded=None)
            case Other(values):
                return self._elsewhere(walk, values)
            case Again(n_ways):
                self._check_can_replan()
                return replace(self._settled(walk), n_ways=n_ways, unfolded=None)
            case Unfold(letter):
                return replace(walk, unfolded=letter)

    def searched(self, walk: Walk) -> Multiverse:
        """All ways from where the present plan of a walk starts."""
        limits = replace(walk.limits, edges=())
        if walk.origin is None and walk.n_ways is None and limits == Limits():
            return self.multiverse
        asked = [asdict(limits), walk.origin, walk.n_ways]
        key = json.dumps(asked, sort_keys=True, default=str)
        with self._lock:
            known = self._remembered.get(key)
        if known is None:
            known = self._explained(walk)
            with self._lock:
                self._remembered[key] = known
                while len(self._remembered) > N_REMEMBERED:
                    self._remembered.pop(next(iter(self._remembered)))
        return known

    def _searched_enough(self, walk: Walk) -> Multiverse:
        """The same, with more of them where single steps ruled out close all of those found."""
        found = self.searched(walk)
        if self.explainer is None or not walk.limits.edges:
            return found
        asked = walk.n_ways or self.explainer.n_counterfactuals
        while len(found) >= asked and _is_stuck(found, walk):
            asked *= 2
            found = self.searched(replace(walk, n_ways=asked))
        return found

    def warm(self) -> None:
        """Look for the first ways once more, so that what was said of states is remembered.

        Worth doing in the background: every later plan then asks about few new states.
        """
        if self.single_changes:
            self._explained(Walk())

    @property
    def explainer(self) -> FACElift | None:
        """Who can be asked for a new plan."""
        question = self.multiverse.question
        return None if question is None else question.explainer

    @property
    def single_changes(self) -> bool:
        """Whether a step changes one thing, so that a kind of change can be ruled out."""
        return self.explainer is not None and self.explainer.steps == "actions"

    def under(self, walk: Walk) -> FACElift:
        """The explainer within the limits of a walk."""
        explainer = self._check_can_replan()
        terrain = limited(explainer.terrain_, walk.limits, self.origin_row(walk))
        more = {} if walk.n_ways is None else {"n_counterfactuals": walk.n_ways}
        return explainer.under(terrain, memory=self._memory, **walk.limits.parameters, **more)

    def origin_row(self, walk: Walk) -> dict[str, Any]:
        """The values where the present plan of a walk starts, by column."""
        frame = self._decode(self._point(walk)[np.newaxis, :])
        names = [str(name) for name in frame.columns]
        cells = frame.astype(object).where(frame.notna(), None).iloc[0].tolist()
        return dict(zip(names, cells, strict=True))

    @cached_property
    def target(self) -> Any:
        """The outcomes wanted, as the model's own labels; or the range of its numbers."""
        explainer, goal = self._check_can_replan(), self.multiverse.goal
        if isinstance(goal, Range):
            return goal.low, goal.high
        wanted = () if goal is None else goal.target
        return [label for label in explainer.classes_.tolist() if str(label) in wanted]

    def _explained(self, walk: Walk) -> Multiverse:
        explainer = self.under(walk)
        row = explainer.terrain_.to_pandas(self._point(walk)[np.newaxis, :])
        return explainer.explain(row, self.target)

    @property
    def _route(self) -> Route:
        return most_open_route if self.single_changes else plain_route

    @cached_property
    def _start(self) -> Floats:
        """The point of the case."""
        if self.multiverse.question is not None:
            return np.asarray(self.multiverse.question.point)
        graph, factual = self.multiverse.walkable_graph()
        return np.asarray(graph.points[factual])

    def _point(self, walk: Walk) -> Floats:
        """The point where the present plan of a walk starts."""
        if walk.origin is None:
            return self._start
        names = self._check_can_replan().terrain_.schema.names
        if len(names) != len(walk.origin):
            raise InvalidInput(f"A row has {len(names)} values, got {len(walk.origin)}.")
        return self._encoded(dict(zip(map(str, names), walk.origin, strict=True)))

    def _encoded(self, row: Mapping[str, Any]) -> Floats:
        terrain = self._check_can_replan().terrain_
        values = {feature.name: row[str(feature.name)] for feature in terrain.features}
        points = np.asarray(terrain.from_pandas(tables.one_row(values, terrain.schema)))
        return np.asarray(points[0] + 0.0)

    @cached_property
    def _decode(self) -> Callable[[Floats], pd.DataFrame]:
        if self.explainer is not None:
            return self.explainer.terrain_.to_pandas
        told = (journey.decode for journey in self.multiverse if journey.decode is not None)
        return next(told, coordinate_rows)

    def _ask(self, points: Floats) -> Floats | None:
        """What the model says of some points; most were judged when their ways were found."""
        if self.explainer is None:
            return None
        return self.explainer.oracle_.remembering(self._memory).answers(points)

    def _stepped(self, walk: Walk, vertex: int) -> Walk:
        plan = self.plan(walk)
        option = next((each for each in plan.options if each.end == vertex), None)
        if option is None:
            raise InvalidInput(f"The step to {vertex} is none of those offered here.")
        changes = () if self.picture else plan.changes(option.start, vertex)
        event = Event("step", changes, option.cost, plan.figure, plan.figures[vertex])
        return replace(
            plan.walk,
            walked=(*walk.walked, vertex),
            past=(*walk.past, event),
            names=plan.walk.names,
        )

    def _ruled_out(self, walk: Walk, vertex: int) -> Walk:
        plan = self.plan(walk)
        option = next((each for each in plan.options if each.end == vertex), None)
        if option is None:
            raise InvalidInput(f"The step to {vertex} is none of those offered here.")
        limits = walk.limits
        if not self.single_changes:
            edges = (*limits.edges, (option.start, option.end))
            return replace(plan.walk, limits=replace(limits, edges=edges))
        rule = self._rule(plan.changes(option.start, option.end))
        limits = replace(limits, ruled_out=(*limits.ruled_out, rule))
        return replace(self._settled(walk), limits=limits)

    def _rule(self, changes: Iterable[tuple[str, Any, Any]]) -> RuledOut:
        """The change that an action makes; of linked columns, the one that leads."""
        by_name = {name: (before, after) for name, before, after in changes}
        links = [] if self.explainer is None else self.explainer.terrain_.links
        leaders = [str(link[0]) for link in links if str(link[0]) in by_name]
        name = (leaders or list(by_name))[0]
        return RuledOut(name, *by_name[name])

    def _elsewhere(self, walk: Walk, values: Mapping[str, Any]) -> Walk:
        plan = self.plan(walk)
        if unknown := set(values) - set(plan.row):
            raise InvalidInput(f"There is no column {sorted(unknown)[0]!r}.")
        point = self._encoded({**plan.row, **values})
        row = plan.rows(point[np.newaxis, :])[0]
        after = replace(plan, point=point, position=None).figure
        event = Event("other", changed(plan.row, row), 0.0, plan.figure, after)
        settled = replace(self._settled(walk), past=(*walk.past, event))
        return replace(settled, origin=tuple(row.values()))

    def _settled(self, walk: Walk) -> Walk:
        """The same walk with its plan starting where one stands now."""
        plan = self.plan(walk)
        if not walk.walked:
            return plan.walk
        n_records = len(self._check_can_replan().graph_)  # a case that is no record comes after
        edges = tuple(edge for edge in walk.limits.edges if max(edge) < n_records)
        limits = replace(walk.limits, edges=edges)
        return replace(plan.walk, origin=tuple(plan.row.values()), walked=(), limits=limits)

    def _check_can_replan(self) -> FACElift:
        if self.explainer is None:
            raise InvalidInput(
                "These ways come from a graph, not from an explainer: they can be walked and steps "
                "ruled out, but there is nobody to ask for other ways."
            )
        return self.explainer


def _is_stuck(found: Multiverse, walk: Walk) -> bool:
    """Whether nothing that was found is in reach of where a walk stands."""
    position = replayed(Position.start(found), walk.walked, walk.limits.edges)
    return not np.isfinite(position.remaining).any()
