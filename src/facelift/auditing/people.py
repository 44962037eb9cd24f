"""The people of an audit: groups, who is rejected, what lies before each, what they must change."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import Any

import numpy as np
import pandas as pd
from joblib import effective_n_jobs

from facelift._arrays import Bools, Floats, Ints
from facelift._progress import streamed, tracked
from facelift.auditing.prospects import Prospects, Scale, all_at_once, one_by_one, scales
from facelift.errors import InvalidData, InvalidInput, UnknownColumn, nearest_name
from facelift.explainer import FACElift
from facelift.graph.building import all_attached
from facelift.graph.graph import Graph
from facelift.graph.search import in_reach, labels_of_everybody
from facelift.multiverse.goal import Goal, Range
from facelift.multiverse.multiverse import Multiverse
from facelift.questions.resilience import resilience
from facelift.steps.base import Located, Request, Steps, cases_or_faults
from facelift.steps.rows import Rows
from facelift.terrain import tables
from facelift.terrain.prices import Prices

MAX_GROUPS = 50
"""More groups than that are no groups."""


@dataclass(frozen=True, eq=False)
class People:
    """Everybody's group, and of the rejected their group, answers, values and needs.

    `places` are the rows of the table that were looked at, `everybody` their groups; `rows` those
    of the rejected, `answers` what the model says of them, `values` what each measure does, NaN
    where it says nothing; `needed` (p, f) is whether their cheapest way changes a feature.
    """

    goal: Goal | Range
    index: pd.Index[Any]
    places: Ints
    everybody: Ints
    rows: Ints
    groups: Ints
    answers: Floats
    values: Mapping[str, Floats]
    needed: Bools
    features: list[Hashable]
    notes: tuple[str, ...]

    def needs(self, n_groups: int) -> Floats:
        """Share of each group's people with a way whose cheapest one changes a feature; (k, f)."""
        covered = self.values["coverage"] > 0
        totals = np.zeros((n_groups, self.needed.shape[1]))
        np.add.at(totals, self.groups, self.needed)
        sizes = np.bincount(self.groups[covered], minlength=n_groups)
        return np.asarray(totals / np.maximum(sizes, 1)[:, np.newaxis])

    def regrouped(self, groups: Groups) -> People:
        """The same people in other groups, given for every row of the table."""
        numbers = groups.numbers
        return replace(self, everybody=numbers[self.places], groups=numbers[self.rows])

    def with_more(self, more: People) -> People:
        """These people and others of the same table."""
        values = {name: np.append(self.values[name], more.values[name]) for name in self.values}
        return replace(
            self,
            places=np.append(self.places, more.places),
            everybody=np.append(self.everybody, more.everybody),
            rows=np.append(self.rows, more.rows),
            groups=np.append(self.groups, more.groups),
            answers=np.concatenate([self.answers, more.answers]),
            values=values,
            needed=np.concatenate([self.needed, more.needed]),
        )

    def to_frame(self, names: Groups) -> pd.DataFrame:
        """One row per rejected person, with the index of the table."""
        content = {self.goal.measure: self.goal.figures(self.answers), **self.values}
        frame = pd.DataFrame(content, index=self.index[self.rows])
        labels = [_as_tuple(name) for name in names.names]
        for place, name in enumerate(names.names.names):
            column = [labels[group][place] for group in self.groups]
            frame.insert(place, "group" if name is None else name, column)
        return frame


@dataclass(frozen=True, eq=False)
class Readable:
    """The rows of a table that make sense: their places in it, cases, and the model's answers."""

    index: pd.Index[Any]
    places: Ints
    cases: list[Located]
    answers: Floats
    goal: Goal | Range
    notes: tuple[str, ...]

    @classmethod
    def of(cls, explainer: FACElift, table: pd.DataFrame, target: Any) -> Readable:
        """What a table holds, and the outcome wanted of it."""
        if explainer.verify:
            explainer.oracle_.check_records()
        places, cases, notes = _readable(explainer, table)
        answers = _answers(explainer, cases)
        goal = _goal(explainer, target, answers)
        return cls(table.index, places, cases, answers, goal, notes)

    @property
    def reached(self) -> Bools:
        """Who has the outcome already."""
        return self.goal.outcome.reached(self.answers)

    def only(self, some: Ints) -> Readable:
        """Some of them, by their number among the readable."""
        cases = [self.cases[i] for i in some.tolist()]
        return replace(self, places=self.places[some], cases=cases, answers=self.answers[some])


def surveyed(
    explainer: FACElift,
    readable: Readable,
    groups: Groups,
    *,
    n_resilience: int = 0,
    rng: np.random.Generator | None = None,
    progress: bool | None = None,
) -> People:
    """What an audit needs to know of people; resilience of a few of each group."""
    goal, answers = readable.goal, readable.answers
    rejected = np.flatnonzero(~readable.reached)
    cases = [readable.cases[i] for i in rejected]
    own, numbers = _points(explainer, cases), groups.numbers[readable.places[rejected]]
    weighed = scales(explainer.terrain_, explainer.graph_.points, explainer.multiplicity_)
    found, n_destinations, pools = _prospects(
        explainer, cases, numbers, goal, list(weighed.values()), progress
    )
    shares = np.divide(
        n_destinations, pools, out=np.zeros(len(pools)), where=pools > 0, dtype=np.float64
    )
    values = {
        "coverage": np.isfinite(found.cost).astype(np.float64),
        "cost": found.cost,
        **{f"cost_{name}": found.scaled[:, i] for i, name in enumerate(weighed) if i},
        "destinations": n_destinations.astype(np.float64),
        "destinations_share": shares,
        "opportunity": found.opportunity,
        "commitment": found.commitment,
        "resilience": np.full(len(own), np.nan),
    }
    if n_resilience and rng is not None:
        asked = _drawn(numbers, np.flatnonzero(values["coverage"]), n_resilience, rng)
        explain = partial(explained, explainer, goal)
        for i in tracked(asked, len(asked), "independent ways", show=progress):
            values["resilience"][i] = resilience(explain(cases[i])).n_independent
    needed, features = _needed(explainer, own, found)
    return People(
        goal,
        readable.index,
        readable.places,
        groups.numbers[readable.places],
        readable.places[rejected],
        numbers,
        answers[rejected],
        values,
        needed,
        features,
        readable.notes,
    )


def _drawn(groups: Ints, places: Ints, n: int, rng: np.random.Generator) -> list[int]:
    """At most n places of each group, drawn at random, in ascending order."""
    shuffled = rng.permutation(places)
    own = [shuffled[groups[shuffled] == group][:n].tolist() for group in np.unique(groups)]
    return sorted(chain.from_iterable(own))


def _readable(
    explainer: FACElift, table: pd.DataFrame
) -> tuple[Ints, list[Located], tuple[str, ...]]:
    """Places and cases of the rows that make sense, and a note about the others."""
    terrain = explainer.terrain_
    found = cases_or_faults(terrain, tables.conform(table, terrain.schema))
    readable = [(i, each) for i, each in enumerate(found) if not isinstance(each, InvalidData)]
    inside = _admissible(explainer, [case for _, case in readable])
    kept = [readable[i] for i in np.flatnonzero(inside)]
    left_out = len(found) - len(kept)
    note = f"{left_out} rows are left out: unreadable, or outside the rules themselves."
    places = np.array([i for i, _ in kept], dtype=np.int64)
    return places, [(point + 0.0, own) for _, (point, own) in kept], (note,) if left_out else ()


def _points(explainer: FACElift, cases: Sequence[Located]) -> Floats:
    """The points of cases; shape (n, m)."""
    width = explainer.terrain_.n_coordinates
    return np.array([point for point, _ in cases]).reshape(len(cases), width)


def _kept(explainer: FACElift, cases: Sequence[Located]) -> Iterator[tuple[int, Floats, Steps]]:
    """Cases whose numbers are kept as they are: their place, point and steps."""
    for i, (point, terrain) in enumerate(cases):
        if terrain is not explainer.terrain_:
            yield i, point[np.newaxis, :], explainer.steps_.keeping(terrain)


def _admissible(explainer: FACElift, cases: Sequence[Located]) -> Bools:
    """Whether cases are within the rules themselves; shape (n,)."""
    points = _points(explainer, cases)
    inside = explainer.terrain_.admissible(points) if len(points) else np.empty(0, dtype=bool)
    for i, point, steps in _kept(explainer, cases):
        inside[i] = steps.terrain.admissible(point)[0]
    return inside


def _answers(explainer: FACElift, cases: Sequence[Located]) -> Floats:
    """What the model says of cases; of records, what it said when it was fitted."""
    answers = explainer.oracle_.recorded(_points(explainer, cases))
    for i, point, steps in _kept(explainer, cases):
        answers[i] = steps.oracle.answers(point)[0]
    return answers


def _goal(explainer: FACElift, target: Any, answers: Floats) -> Goal | Range:
    """The outcome wanted; where none is named, the other one of what everybody has."""
    if target is None and len(np.unique(answers.argmax(axis=1))) > 1:
        raise InvalidInput(
            "These people have different outcomes: name the one wanted as target, one of "
            f"{explainer.classes_.tolist()}."
        )
    current = answers.mean(axis=0) if len(answers) else np.zeros(len(explainer.classes_))
    return explainer.oracle_.goal(target, current, explainer.threshold, explainer.margin)


def _prospects(
    explainer: FACElift,
    cases: list[Located],
    groups: Ints,
    goal: Goal | Range,
    weighed: list[Scale],
    progress: bool | None,
) -> tuple[Prospects, Ints, Ints]:
    """What lies before people, how many destinations are in their reach, and of how many."""
    explain, steps, wanted = (
        partial(explained, explainer, goal),
        explainer.steps_,
        Request.of(explainer),
    )
    points = _points(explainer, cases)

    def each() -> Prospects:
        found = tracked(
            streamed(explain, cases, explainer.n_jobs), len(cases), "people", show=progress
        )
        return one_by_one(found, points, weighed)

    if not isinstance(steps, Rows) or not steps.shares_graph:  # everybody has a graph of their own
        found = each()
        return found, found.n_ways, np.full(len(points), explainer.n_counterfactuals)
    candidates = steps.candidates(goal, wanted)
    graph, vertices = _everybody(steps, candidates.graph, points)
    mask = np.append(candidates.mask, np.zeros(len(graph) - len(candidates.mask), dtype=bool))
    counts, pools = in_reach(graph, mask, vertices, groups)
    labels = labels_of_everybody(graph, mask, wanted)
    if labels is None:
        return each(), counts, pools[groups]
    found = all_at_once(
        labels,
        vertices,
        weighed,
        lambda vertex: explain(cases[np.flatnonzero(vertices == vertex)[0]]),
        n_threads=effective_n_jobs(explainer.n_jobs),
    )
    return found, counts, pools[groups]


def explained(explainer: FACElift, goal: Goal | Range, case: Located) -> Multiverse:
    """The journeys of somebody; whether the model is still the same was asked before."""
    point, terrain = case
    steps = explainer.steps_.keeping(terrain)
    return steps.multiverse(steps.case(point), goal, Request.of(explainer))


def _everybody(rows: Rows, graph: Graph, points: Floats) -> tuple[Graph, Ints]:
    """A graph with everybody in it, and who is which vertex."""
    vertices = rows.oracle.lookup.vertices(points)
    new = np.flatnonzero(vertices < 0)
    if not len(new):
        return graph, vertices
    vertices[new] = len(graph) + np.arange(len(new))
    return all_attached(
        graph, points[new], rows.neighbourhood, rows.enterable, rows.index
    ), vertices


def _needed(explainer: FACElift, points: Floats, found: Prospects) -> tuple[Bools, list[Hashable]]:
    """Whether the cheapest way of each person changes each feature that is not free."""
    prices = explainer.terrain_.prices
    parts = zip(explainer.terrain_.features, explainer.terrain_.slices, strict=True)
    priced = [(feature.name, part) for feature, part in parts if not _is_free(prices, part)]
    moved = np.isfinite(found.cost)[:, np.newaxis] & (found.ends != points)
    columns = [moved[:, part].any(axis=1) for _, part in priced]
    return np.stack(columns, axis=1), [name for name, _ in priced]


def _is_free(prices: Prices, part: slice) -> bool:
    """Whether changing a feature costs nothing, so that a change of it says nothing."""
    in_block = any(block.coordinates == part and block.prices.any() for block in prices.blocks)
    return not (in_block or prices.increase[part].any() or prices.decrease[part].any())


def _as_tuple(name: Any) -> tuple[Any, ...]:
    return name if isinstance(name, tuple) else (name,)


@dataclass(frozen=True, eq=False)
class Groups:
    """The group of every person, by number, and the names of the groups."""

    numbers: Ints
    names: pd.Index[Any]

    def __len__(self) -> int:
        return len(self.names)


def grouped(X: Any, by: Any, columns: Sequence[Hashable]) -> tuple[pd.DataFrame, Groups]:
    """The table with its known columns, and the groups of its rows.

    `by` is a column or a list of columns (known or beside the known ones), or one value per row (a
    frame: several, of which each combination is a group).
    """
    frame, schema = tables.describe(X)
    if schema.container == "array" and frame.shape[1] == len(columns):
        frame = frame.set_axis(list(columns), axis=1)
    labels = _labels(frame, by)
    for name, gone in labels.isna().any().items():
        if gone:
            said = "by" if name in (None, 0) else f"Column {str(name)!r}"
            raise InvalidInput(
                f"{said} has missing values; every person needs a group: fill or drop them."
            )
    found = labels.groupby(list(labels.columns), observed=True, sort=True)
    names = found.size().index
    if len(names) > MAX_GROUPS:
        raise InvalidInput(
            f"by gives {len(names)} groups, {MAX_GROUPS} at most are of use; cut numbers into "
            "bands, such as by=pd.cut(X['age'], [0, 25, 40, 100]) or --by age:25,40."
        )
    known = frame[[name for name in frame.columns if name in columns]]
    return known, Groups(np.asarray(found.ngroup(), dtype=np.int64), names)


def _labels(frame: pd.DataFrame, by: Any) -> pd.DataFrame:
    """The values that make the groups, one column or several, in the order of the table."""
    if isinstance(by, pd.DataFrame):
        _check_length(by, frame)
        return by.reset_index(drop=True)
    if isinstance(by, Hashable) and not isinstance(by, tuple) and not hasattr(by, "__array__"):
        by = [by]
    if isinstance(by, list | tuple) and all(_is_name(name, frame) for name in by):
        return frame[list(by)].reset_index(drop=True)
    if isinstance(by, list | tuple) and len(by) != len(frame):
        unknown = next(name for name in by if not _is_name(name, frame))
        raise UnknownColumn(
            f"There is no column {unknown!r} to group by; {nearest_name(unknown, frame.columns)}"
        )
    values = by if isinstance(by, pd.Series) else pd.Series(by)
    _check_length(values, frame)
    name = "group" if values.name is None else values.name
    return values.reset_index(drop=True).to_frame(name)


def _check_length(given: pd.DataFrame | pd.Series[Any], frame: pd.DataFrame) -> None:
    if len(given) != len(frame):
        raise InvalidInput(f"by must hold one value per row of X ({len(frame)}), got {len(given)}.")


def _is_name(name: object, frame: pd.DataFrame) -> bool:
    return isinstance(name, Hashable) and name in frame.columns
