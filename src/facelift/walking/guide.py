"""The guide: who is walked with, and the plan of every walk of theirs."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, is_dataclass, replace
from functools import cached_property
from numbers import Real
from threading import Lock
from typing import Any, Literal, TypeVar

import numpy as np
import pandas as pd

from facelift._arrays import Bools, Floats, fingerprint
from facelift.errors import InvalidInput, check_number, check_picture
from facelift.explainer import FACElift
from facelift.graph.graph import Graph
from facelift.graph.routes import forward
from facelift.models.oracle import Memory
from facelift.multiverse.exploration import Routing, described, journeys_to, plain_routes
from facelift.multiverse.frames import coordinate_rows, row_values
from facelift.multiverse.multiverse import Multiverse, Question
from facelift.multiverse.words import done
from facelift.terrain.feature import Feature
from facelift.walking import Option, Position
from facelift.walking.limits import Limits, RuledOut
from facelift.walking.plan import Plan, Start, changed
from facelift.walking.replanning import (
    Done,
    done_by,
    explained,
    row_at,
    undo_factor,
    undoing,
    until_open,
)
from facelift.walking.walk import (
    N_KEPT,
    Again,
    Crowd,
    Event,
    Move,
    Other,
    Overview,
    RuleOut,
    SetLimits,
    Take,
    Unfold,
    Walk,
    adopted,
    changes_key,
    changes_of,
    check_values,
    people,
    record_key,
    record_of,
    renamed,
    seen_from,
)

T = TypeVar("T")

N_REMEMBERED = 128
"""So many searches, starts and plans are kept: undoing and stepping on need no new search."""

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
    _remembered: dict[str, Any] = field(default_factory=dict, repr=False)
    _lock: Any = field(default_factory=Lock, repr=False)
    _memory: Memory = field(default_factory=Memory, repr=False)

    def __post_init__(self) -> None:
        if self.picture is not None and self.explainer is not None:
            check_picture(self.picture, len(self.explainer.terrain_.features))

    def plan(self, walk: Walk) -> Plan:
        """What is open from where a walk stands, with all its destinations named."""
        enough = self._with_enough_ways(walk)
        start, position = self._start(enough), self._position(enough)
        names = renamed(adopted(walk.names, start.keys, self._changed(walk)), start.keys)
        by_key = {name.key: name for name in names}
        point = self._origin(walk) if position is None else position.graph.points[position.vertex]
        named = tuple(by_key[key] for key in start.keys)
        walk = replace(walk, names=names)
        plan = Plan(walk, start, position, named, np.asarray(point), self)
        return self._remember(_key("plan", replace(walk, order=())), plan)

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
            case Other(values, correction):
                plan, asked = self.planned(walk), self._check_can_replan()
                check_values(values, plan.row, asked.terrain_, correction=correction)
                return self._elsewhere(walk, values, "correction" if correction else "other")
            case Again(n_ways):
                self._check_can_replan()
                return replace(self._settled(walk), n_ways=n_ways, unfolded=None)
            case Unfold(letter):
                return self._looked_into(walk, letter)
            case Overview(share):
                check_number("share", share, Real, "in [0, 1]", lambda each: 0 <= each <= 1)
                return replace(walk, overview=float(share), unfolded=None)

    def searched(self, walk: Walk) -> Multiverse:
        """All ways from where the present plan of a walk starts."""
        limits = walk.limits.of_terrain
        as_it_came = walk.origin is None and walk.n_ways is None and not walk.kept
        if as_it_came and limits == Limits():
            return self._recall("first", lambda: self._onward(self.multiverse))
        key = _key("ways", *self._searched_for(walk))
        return self._recall(key, lambda: self._explained(walk))

    def _searched_for(self, walk: Walk) -> tuple[Any, ...]:
        """All that decides what is found for the present plan of a walk."""
        limits, left = walk.limits.of_terrain, self._time_left(walk)
        return limits, walk.origin, walk.n_ways, walk.kept, self._done(walk), left

    def _time_left(self, walk: Walk) -> float | None:
        """The periods left when the present plan was made."""
        return self.time_left(walk, len(walk.past) - len(walk.walked))

    def time_left(self, walk: Walk, n_events: int) -> float | None:
        """The periods left after the first events of a walk; None where there is no deadline."""
        if walk.limits.deadline is None:
            return None
        periods = walk.limits.n_periods(self._check_can_replan().terrain_) or 0.0
        return max(0.0, periods - sum(event.time for event in walk.past[:n_events]))

    def _onward(self, found: Multiverse) -> Multiverse:
        """The ways on which no step takes back what another has done."""
        if self.explainer is None or not len(found):
            return found
        question = found.question
        graph, factual = found.walkable_graph()
        if question is None or (onward := self._outward(graph, question)).all():
            return found
        search = forward(graph.with_edges(onward), factual)
        ways = journeys_to(search, found.destinations, routes=self.routes)
        if not len(ways):
            return found
        found = replace(
            found, journeys=ways.journeys, destinations=ways.destinations, graph=search.graph
        )
        return _described(found, question)

    def _outward(self, graph: Graph, question: Question) -> Bools:
        explainer: FACElift = question.explainer
        return explainer.steps_.outward(graph, question.point)

    def _done(self, walk: Walk) -> Done:
        """What steps had done when the present plan was made, if it must not be undone."""
        before = walk.past[: len(walk.past) - len(walk.walked)]
        return done_by(before) if self.single_changes and walk.limits.undo is not True else {}

    def _looked_into(self, walk: Walk, letter: str | None) -> Walk:
        """The walk with the ways like one unfolded; all of them where it stands for itself."""
        every, inside = replace(walk, unfolded=None), replace(walk, unfolded=letter)
        return every if self._start(inside).keys == self._start(every).keys else inside

    def _start(self, walk: Walk) -> Start:
        """Where the present plan of a walk starts, and which ways are shown from there."""
        limits, unfolded = walk.limits.of_terrain, _unfolded(walk)
        key = _key("start", *self._searched_for(walk), unfolded, _overview(walk))
        return self._recall(key, lambda: self._started(walk, limits, unfolded))

    def _started(self, walk: Walk, limits: Limits, unfolded: str | None) -> Start:
        found = self.searched(walk)
        keys = self._keys(found, walk)
        return Start.of(
            found,
            keys,
            limits,
            kept=walk.kept,
            unfolded=unfolded,
            overview=_overview(walk),
            routes=self.routes,
        )

    def _keys(self, found: Multiverse, walk: Walk) -> list[str]:
        """What tells the ends of ways apart on every plan."""
        if not self.single_changes:
            return [record_key(int(journey.vertices[-1])) for journey in found]
        if not len(found):
            return []
        ends = np.stack([journey.counterfactual for journey in found])
        rows = row_values(self.decode(ends, walk))
        return [changes_key(self.case_row, row, self.features) for row in rows]

    def _position(self, walk: Walk) -> Position | None:
        """Where a walk stands; None where nothing was found."""
        start, limits, reach = self._start(walk), walk.limits, None
        passed = self._passed(walk, start)
        if limits.edges or passed:
            looked = _unfolded(walk), _overview(walk)
            key = _key("reach", limits, *self._searched_for(walk), *looked, passed)
            reach = self._recall(key, lambda: start.within(limits.edges, passed))
        return start.after(walk.walked, reach)

    def _passed(self, walk: Walk, start: Start) -> tuple[int, ...]:
        """The records one has been at, which no way leads back to."""
        if self.single_changes or walk.limits.undo or not (walk.passed or walk.walked):
            return ()
        first = () if start.shown.factual is None else (start.shown.factual,)
        return tuple(dict.fromkeys([*walk.passed, *first, *walk.walked]))

    def _with_enough_ways(self, walk: Walk) -> Walk:
        """The walk with more ways asked for where steps ruled out close all of those found."""
        if self.explainer is None or not walk.limits.edges:
            return walk

        def wanting(n_ways: int) -> Walk:
            return walk if n_ways == usual else replace(walk, n_ways=n_ways)

        def is_open(n_ways: int) -> bool:
            position = self._position(replace(wanting(n_ways), unfolded=None))
            return position is not None and bool(np.isfinite(position.remaining).any())

        usual = walk.n_ways or self.explainer.n_counterfactuals
        return wanting(
            until_open(lambda n_ways: len(self.searched(wanting(n_ways))), usual, is_open)
        )

    def _recall(self, key: str, work_out: Callable[[], T]) -> T:
        """What is remembered by a key; worked out if it is not."""
        known: T | None = self._remembered.get(key)
        return self._remember(key, work_out() if known is None else known)

    def _remember(self, key: str, value: T) -> T:
        """Keep a value; what was not looked at for longest is forgotten."""
        with self._lock:
            self._remembered.pop(key, None)
            self._remembered[key] = value
            while len(self._remembered) > N_REMEMBERED:
                self._remembered.pop(next(iter(self._remembered)))
        return value

    def warm(self) -> None:
        """Look for the first ways once more, so that what was said of states is remembered.

        Worth doing in the background: every later plan then asks about few new states.
        """
        if self.explainer is not None:
            self._explained(Walk())

    @property
    def explainer(self) -> FACElift | None:
        """Who can be asked for a new plan."""
        question = self.multiverse.question
        return None if question is None else question.explainer

    @property
    def single_changes(self) -> bool:
        """Whether a step changes one thing, so that a kind of change can be ruled out."""
        return self.explainer is not None and self.explainer.steps_.single_changes

    def _explained(self, walk: Walk) -> Multiverse:
        """A new search from where the present plan of a walk starts, within its limits."""
        explainer, point = self._asked(walk)
        found = explained(
            explainer,
            self.multiverse.goal,
            walk.limits.of_terrain,
            point,
            n_ways=walk.n_ways,
            memory=self._memory,
            done=self._done(walk),
            also=self._known(walk, explainer),
            on_the_way=bool(walk.past),
            deadline=self._time_left(walk),
            onward=not walk.limits.undo,
            keep_open=self.multiverse.kept,
        )
        question, undo = found.question, walk.limits.undo
        if not undo or question is None or found.graph is None:
            return found
        return replace(found, graph=undoing(found.graph, question, undo_factor(walk.limits)))

    def _known(self, walk: Walk, explainer: FACElift) -> pd.DataFrame | None:
        """The ends of ways known before, as rows of the table; None without any."""
        records = [i for i in map(record_of, walk.kept) if i is not None]
        if records:
            points = explainer.graph_.points[[i for i in records if i < len(explainer.graph_)]]
            return explainer.terrain_.to_pandas(points) if len(points) else None
        row = self.case_row
        rows = [{**row, **changes_of(key)} for key in walk.kept]
        rows = [each for each in rows if len(each) == len(row)]
        return self.frame(rows) if rows else None

    def frame(self, rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
        """Values by column as rows of the table."""
        here = self._one_row
        return pd.DataFrame(rows, columns=here.columns).astype(here.dtypes.to_dict())

    @cached_property
    def _one_row(self) -> pd.DataFrame:
        """The case as a row of the table."""
        return self._check_can_replan().terrain_.to_pandas(self._case[np.newaxis, :])

    @property
    def routes(self) -> Routing:
        """Which of equally cheap routes ways take."""
        return plain_routes if self.explainer is None else self.explainer.steps_.routes

    @cached_property
    def _case(self) -> Floats:
        """The point of the case."""
        if self.multiverse.question is not None:
            return np.asarray(self.multiverse.question.point)
        graph, factual = self.multiverse.walkable_graph()
        return np.asarray(graph.points[factual])

    @cached_property
    def case_row(self) -> dict[str, Any]:
        """The values of the case as it came, by column."""
        return row_values(self.decode(self._case[np.newaxis, :], Walk()))[0]

    def _origin(self, walk: Walk) -> Floats:
        """The point where the present plan of a walk starts."""
        return self._case if walk.origin is None else self._asked(walk)[1]

    def _asked(self, walk: Walk) -> tuple[FACElift, Floats]:
        """Who is asked for the present plan of a walk, and the point where it starts."""
        explainer = self._check_can_replan()
        if walk.origin is None:
            return explainer, self._case
        names = explainer.terrain_.schema.names
        if len(names) != len(walk.origin):
            raise InvalidInput(f"A row has {len(names)} values, got {len(walk.origin)}.")
        row = dict(zip(map(str, names), walk.origin, strict=True))
        return self._recall(_key("asked", walk.origin), lambda: self._asked_at(row))

    def _asked_at(self, row: Mapping[str, Any]) -> tuple[FACElift, Floats]:
        """Who is asked about a row, whose numbers stay as they are, and its point."""
        explainer = self._check_can_replan()
        values = {each.name: row[str(each.name)] for each in explainer.terrain_.features}
        point, terrain = explainer.terrain_.case(values)
        return explainer.keeping(terrain), point + 0.0

    @cached_property
    def features(self) -> Mapping[str, Feature]:
        """What columns are called, by name."""
        if self.explainer is not None:
            return self.explainer.terrain_.by_name
        return next((journey.features for journey in self.multiverse), {})

    @cached_property
    def fingerprint(self) -> str:
        """What tells this case, model and table from others."""
        answers = None if self.explainer is None else self.explainer.probabilities_
        return "-".join(fingerprint(part) for part in (self._case, answers) if part is not None)

    @cached_property
    def people(self) -> Mapping[str, Crowd]:
        """How many records have which values, by column; nobody where there is no explainer."""
        return {} if self.explainer is None else people(self.explainer)

    def decode(self, points: Floats, walk: Walk) -> pd.DataFrame:
        """Points of the present plan of a walk as rows of the table."""
        if self.explainer is not None:
            return self._asked(walk)[0].terrain_.to_pandas(points)
        decoders = (journey.decode for journey in self.multiverse)
        return next((each for each in decoders if each is not None), coordinate_rows)(points)

    def ask(self, points: Floats, walk: Walk) -> Floats | None:
        """What the model says of some points; most were judged when their ways were found."""
        if self.explainer is None:
            return None
        return self._asked(walk)[0].oracle_.remembering(self._memory).answers(points)

    def planned(self, walk: Walk) -> Plan:
        """The plan of a walk, remembered if it was shown."""
        return self._recall(_key("plan", replace(walk, order=())), lambda: self.plan(walk))

    def _offered(self, plan: Plan, vertex: int) -> Option:
        option = next((each for each in plan.options if each.end == vertex), None)
        if option is None:
            raise InvalidInput(f"The step to {vertex} is none of those offered here.")
        return option

    def _stepped(self, walk: Walk, vertex: int) -> Walk:
        plan = self.planned(walk)
        option = self._offered(plan, vertex)
        changes = () if self.picture else plan.changes(option.start, vertex)
        event = Event(
            "step",
            changes,
            option.cost,
            plan.figure,
            plan.figures[vertex],
            float(plan.waits(plan.start.position.graph.points[[vertex]])[-1]),
        )
        walked, past = (*walk.walked, vertex), (*walk.past, event)
        return replace(walk, walked=walked, past=past, names=plan.walk.names)

    def _ruled_out(self, walk: Walk, vertex: int) -> Walk:
        plan = self.planned(walk)
        option, limits = self._offered(plan, vertex), walk.limits
        if not self.single_changes:
            edges = (*limits.edges, (option.start, option.end))
            limits = replace(limits, edges=edges)
            return replace(walk, limits=limits, names=plan.walk.names)
        rule = self._rule(plan.changes(option.start, option.end))
        limits = replace(limits, ruled_out=(*limits.ruled_out, rule))
        return replace(self._settled(walk), limits=limits)

    def _rule(self, changes: Iterable[tuple[str, Any, Any]]) -> RuledOut:
        """The change that an action makes; of linked columns, the one that leads."""
        made = done(changes, self.features)
        by_name = {name: (before, after) for name, before, after in made}
        links = [] if self.explainer is None else self.explainer.terrain_.links
        leaders = [str(link[0]) for link in links if str(link[0]) in by_name]
        name = (leaders or list(by_name))[0]
        return RuledOut(name, *by_name[name])

    def _elsewhere(
        self, walk: Walk, values: Mapping[str, Any], kind: Literal["other", "correction"]
    ) -> Walk:
        plan = self.planned(walk)
        if unknown := set(values) - set(plan.row):
            raise InvalidInput(f"There is no column {sorted(unknown)[0]!r}.")
        explainer, point = self._asked_at({**plan.row, **values})
        row = row_at(explainer, point)
        there = replace(walk, origin=tuple(row.values()))
        after = replace(plan, walk=there, point=point, position=None).figure
        event = Event(kind, changed(plan.row, row), 0.0, plan.figure, after)
        settled = replace(self._settled(walk), past=(*walk.past, event))
        names = seen_from(settled.names, {}, self.case_row, row, self.features)
        old = [name.key for name in settled.names]
        kept = tuple(names[old.index(key)].key for key in settled.kept)
        return replace(settled, origin=there.origin, names=names, kept=kept)

    def _settled(self, walk: Walk) -> Walk:
        """The same walk with its plan starting where one stands now."""
        plan = self.planned(walk)
        names = seen_from(plan.walk.names, self._ends(plan), self.case_row, plan.row, self.features)
        first = sorted(names, key=lambda name: name.colour is not None)[-N_KEPT:]
        kept = tuple(name.key for name in names if name in first)
        named = replace(walk, names=names, kept=kept)
        if not walk.walked:
            return named
        n_records = len(self._check_can_replan().graph_)  # a case that is no record comes after
        edges = tuple(edge for edge in walk.limits.edges if max(edge) < n_records)
        passed = tuple(v for v in self._passed(walk, plan.start)[:-1] if v < n_records)
        limits = replace(walk.limits, edges=edges)
        origin = tuple(plan.row.values())
        return replace(named, origin=origin, walked=(), limits=limits, passed=passed)

    def _changed(self, walk: Walk) -> list[str]:
        """Columns that are not as they were at first where the present plan of a walk starts."""
        if walk.origin is None:
            return []
        here = dict(zip(self.case_row, walk.origin, strict=True))
        return [name for name, *_ in changed(self.case_row, here)]

    def _ends(self, plan: Plan) -> dict[str, str]:
        """The keys of where the ways of a plan end, by letter."""
        if not self.single_changes:
            return {}
        ends = [plan.values[int(journey.vertices[-1])] for journey in plan.ways]
        keys = [changes_key(self.case_row, row, self.features) for row in ends]
        return {name.letter: key for name, key in zip(plan.lines, keys, strict=True)}

    def _check_can_replan(self) -> FACElift:
        if self.explainer is None:
            raise InvalidInput(
                "These ways come from a graph, not from an explainer: they can be walked and steps "
                "ruled out, but there is nobody to ask for other ways."
            )
        return self.explainer


def _overview(walk: Walk) -> tuple[float, float]:
    """How coarse an overview one wants, and the effort spent, which makes it finer."""
    return (walk.overview, walk.effort) if walk.overview else (0.0, 0.0)


def _unfolded(walk: Walk) -> str | None:
    """The key of the family that one looks into."""
    names = {name.letter: name.key for name in walk.names}
    return None if walk.unfolded is None else names.get(walk.unfolded)


def _key(*values: Any) -> str:
    """A text that equal values share."""
    return json.dumps(values, sort_keys=True, default=_plain)


def _plain(value: Any) -> Any:
    return asdict(value) if is_dataclass(value) and not isinstance(value, type) else str(value)


def _described(found: Multiverse, question: Question) -> Multiverse:
    """The multiverse with what the model, and its committee, say along its ways."""
    steps, goal = question.explainer.steps_, found.goal
    if goal is None:
        return found
    places, _ = found.walkable_graph()
    return described(
        found,
        steps.terrain,
        lambda vertices: steps.oracle.answers(places.at(vertices)),
        agreement=lambda vertices: steps.oracle.agreement(places.at(vertices), goal),
        rarity=steps.rarity,
    )
