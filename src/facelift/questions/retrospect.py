"""How did I get here? Journeys from people who have the outcome to where somebody stands.

The same graph, read in the direction of time: every step is one the rules allow. The last fork is
the last waypoint with the outcome from which another step would have kept it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any, overload

import numpy as np
import pandas as pd

from facelift._arrays import Bools, Floats, Ints
from facelift.errors import InvalidInput, check_number
from facelift.explainer import FACElift
from facelift.graph.building import Neighbourhood, moves_from
from facelift.graph.edge_costs import Edges
from facelift.graph.graph import Graph
from facelift.graph.routes import Wanted
from facelift.multiverse.exploration import nearest_journeys
from facelift.multiverse.frames import Change, row_changes, waypoint_rows
from facelift.multiverse.goal import Goal, Range
from facelift.multiverse.journey import Journey
from facelift.multiverse.words import FEW_CHANGES, and_more, in_words
from facelift.steps.base import Case
from facelift.steps.rows import Rows
from facelift.terrain.prices import Prices


@dataclass(frozen=True, eq=False)
class Fork:
    """The last waypoint of a history with the outcome from which another step would have kept it.

    `waypoint` counts from 0; `vertex` is where the other step leads, `cost` what it costs, `figure`
    what the model says there, `changes` what would have changed, `taken` what did.
    """

    waypoint: int
    vertex: int
    cost: float
    figure: float
    changes: tuple[Change, ...]
    taken: tuple[Change, ...]


@dataclass(frozen=True, eq=False)
class History:
    """A journey from somebody who has the outcome to where one stands.

    `figures` (k,) is what the model says at every waypoint, `kept` (k,) whether that is the
    outcome; `fork` is None where no other step would have kept it.
    """

    journey: Journey
    figures: Floats
    kept: Bools
    fork: Fork | None

    @property
    def last(self) -> int:
        """The last waypoint with the outcome."""
        return int(np.flatnonzero(self.kept)[-1])

    @property
    def changes(self) -> list[list[Change]]:
        """What every step changed."""
        return row_changes(self.rows)

    @property
    def rows(self) -> pd.DataFrame:
        """The waypoints in the table's own units."""
        return waypoint_rows(self.journey)


@dataclass(frozen=True, eq=False)
class Retrospect(Sequence[History]):
    """Histories of one case, the likeliest (cheapest) first; empty where nobody could have come.

    `goal` is the outcome that was lost, `figure` what the model says of the case.

    Examples
    --------
    >>> line = np.arange(11.0)[:, np.newaxis]
    >>> model = lambda x: np.hstack([10 - x, x]) / 10
    >>> explainer = FACElift(model, n_neighbors=2).fit(line)
    >>> found = retrospect(explainer, [2.0], n_histories=1)
    >>> print(found)
    1. From a record with 1 (50.0%):
       1. X0: 5 → 4 (40.0%)  ← here it was lost
       2. X0: 4 → 3 (30.0%)
       3. X0: 3 → 2 (20.0%)
       Last fork: before step 1; X0: 5 → 6 instead would have kept it (60.0%).
    """

    histories: tuple[History, ...]
    goal: Goal | Range
    figure: float

    def __len__(self) -> int:
        return len(self.histories)

    @overload
    def __getitem__(self, index: int) -> History: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[History, ...]: ...
    def __getitem__(self, index: int | slice) -> History | tuple[History, ...]:
        return self.histories[index]

    def to_frame(self) -> pd.DataFrame:
        """One row per history, step and feature; `kept`: whether one had the outcome after it.

        >>> line = np.arange(11.0)[:, np.newaxis]
        >>> model = lambda x: np.hstack([10 - x, x]) / 10
        >>> explainer = FACElift(model, n_neighbors=2).fit(line)
        >>> found = retrospect(explainer, [2.0], n_histories=1)
        >>> found.to_frame()[["step", "feature", "from", "to", "chance", "kept", "fork"]]
           step feature  from   to  chance   kept   fork
        0     1      x0   5.0  4.0     0.4  False   True
        1     2      x0   4.0  3.0     0.3  False  False
        2     3      x0   3.0  2.0     0.2  False  False
        """
        names = ["step", "feature", "from", "to", self.goal.measure, "cost", "kept", "fork"]
        tables = [pd.DataFrame(_records(history), columns=names) for history in self]
        for number, table in enumerate(tables):
            table.insert(0, "history", number)
        empty = pd.DataFrame(columns=["history", *names])
        return pd.concat(tables, ignore_index=True) if tables else empty

    def to_json(self) -> str:
        """The histories as a JSON document.

        >>> line = np.arange(11.0)[:, np.newaxis]
        >>> model = lambda x: np.hstack([10 - x, x]) / 10
        >>> explainer = FACElift(model, n_neighbors=2).fit(line)
        >>> found = retrospect(explainer, [2.0], n_histories=1)
        >>> list(json.loads(found.to_json()))
        ['version', 'goal', 'chance', 'histories']
        """
        content = {
            "version": 1,
            "goal": str(self.goal),
            self.goal.measure: self.figure,
            "histories": [_document(history) for history in self],
        }
        return json.dumps(content, ensure_ascii=False, default=_plain)

    def __str__(self) -> str:
        if not self.histories:
            return f"No record with {self.goal} leads to this case by steps that the rules allow."
        return "\n".join(
            _history_text(self.goal, n, history) for n, history in enumerate(self, start=1)
        )


def retrospect(
    explainer: FACElift, x: Any, target: Any = None, *, n_histories: int = 5
) -> Retrospect:
    """How somebody like those who have the outcome could have come to where x stands.

    Parameters
    ----------
    explainer
        A fitted explainer of journeys through records (steps="rows").
    x
        One row of a frame, a Series, a mapping or a 1-D array, in or outside the table.
    target
        The outcome that was lost, as in `explain`; None for the other of two.
    n_histories
        How many: those from the nearest records that have the outcome, by the cost of the way here
        (and `min_separation` apart, as the explainer has it).

    Examples
    --------
    >>> from facelift.toys import moons
    >>> points = moons(200).points
    >>> model = lambda points: np.column_stack([points[:, 1] > 0.25, points[:, 1] <= 0.25])
    >>> explainer = FACElift(model, n_neighbors=5).fit(points)
    >>> found = retrospect(explainer, points[0], n_histories=2)
    >>> [history.journey.n_steps for history in found]
    [3, 4]
    >>> found[0].last, found[0].fork.waypoint
    (0, 0)
    """
    check_number("n_histories", n_histories, Integral, "1 or more", lambda v: v >= 1)
    if not isinstance(explainer.steps_, Rows):
        raise InvalidInput("Histories run through records: fit an explainer with steps='rows'.")
    point, terrain = explainer.terrain_.case(x)
    rows = explainer.steps_.keeping(terrain)
    case = rows.case(point + 0.0)
    goal = rows.oracle.goal(target, case.answers, explainer.threshold)
    figure = float(goal.figures(case.answers[np.newaxis, :])[0])
    if goal.reached(case.answers):
        raise InvalidInput(f"Nothing was lost: the model gives {goal} ({goal.words(figure)}).")
    kept = goal.reached(rows.oracle.known)
    wanted = Wanted(n_histories, explainer.min_separation, explainer.max_steps)
    back, vertex = _placed(rows, case)
    found = nearest_journeys(back, vertex, kept, wanted)
    histories = tuple(_history(rows, case, goal, kept, journey) for journey in found)
    return Retrospect(histories, goal, figure)


def _placed(rows: Rows, case: Case) -> tuple[Graph, int]:
    """The graph turned round, with the case in it."""
    back = Graph(rows.graph.points, rows.graph.reversed)
    if case.vertex is not None:
        return back, case.vertex
    neighbourhood = rows.neighbourhood
    turned = Neighbourhood(
        _turned(neighbourhood.prices), neighbourhood.n_neighbors, max_step=neighbourhood.max_step
    )
    everywhere = np.ones(len(back), dtype=bool)
    _, starts, moves = moves_from(case.point[np.newaxis, :], back.points, turned, everywhere)
    near = moves <= (neighbourhood.max_step or np.inf)
    starts, moves = starts[near], moves[near]
    nearby = np.vstack([back.points[starts], case.point])
    last, places = np.full(len(starts), len(starts)), np.arange(len(starts))
    edges = Edges(nearby, places, last, moves, len(back), neighbourhood.n_neighbors)
    return back.attach(case.point, starts, neighbourhood.edge_cost(edges)), len(back)


def _turned(prices: Prices) -> Prices:
    """Prices by which going there costs what coming from there does."""
    blocks = tuple(
        replace(block, prices=np.ascontiguousarray(block.prices.T)) for block in prices.blocks
    )
    return Prices(prices.decrease, prices.increase, blocks, prices.gaps)


def _history(rows: Rows, case: Case, goal: Goal | Range, kept: Bools, found: Journey) -> History:
    """A journey on the graph turned round, told in the direction of time."""
    vertices, steps = found.vertices[::-1].copy(), found.step_costs[::-1].copy()
    left = np.append(np.cumsum(found.step_costs)[::-1], 0.0)[:, np.newaxis]
    answers = rows.answers(case, vertices)
    journey = Journey(
        vertices,
        found.waypoints[::-1].copy(),
        steps,
        left,
        0,
        probabilities=answers,
        decode=rows.terrain.to_pandas,
        features=rows.terrain.by_name,
    )
    has_it = goal.reached(answers)
    fork = _fork(rows, goal, kept, vertices, np.flatnonzero(has_it), journey)
    return History(journey, goal.figures(answers), has_it, fork)


def _fork(
    rows: Rows,
    goal: Goal | Range,
    kept: Bools,
    vertices: Ints,
    with_it: Ints,
    journey: Journey,
) -> Fork | None:
    """The last waypoint with the outcome that has another step to somebody who has it, too."""
    for i in with_it[::-1].tolist():
        ends, costs = rows.graph.neighbors(int(vertices[i]))
        others = kept[ends] & (ends != vertices[i + 1])
        if others.any():
            place = np.flatnonzero(others)[np.argmin(costs[others])]
            end = int(ends[place])
            points = np.vstack([journey.waypoints[[i, i + 1]], rows.graph.points[[end]]])
            frame = rows.terrain.to_pandas(points)
            taken, changes = (tuple(row_changes(frame.iloc[[0, j]])[0]) for j in (1, 2))
            figure = float(goal.figures(rows.oracle.known[[end]])[0])
            return Fork(i, end, float(costs[place]), figure, changes, taken)
    return None


def _records(history: History) -> Iterator[tuple[Any, ...]]:
    """Every change of a history."""
    costs = history.journey.step_costs.tolist()
    for i, step in enumerate(history.changes):
        at_fork = history.fork is not None and history.fork.waypoint == i
        for change in step:
            yield i + 1, *change, history.figures[i + 1], costs[i], history.kept[i + 1], at_fork


def _history_text(goal: Goal | Range, number: int, history: History) -> str:
    """A history in words."""
    figures = [goal.words(figure) for figure in history.figures]
    lines = [f"{number}. From a record with {goal} ({figures[0]}):"]
    for i, step in enumerate(history.changes):
        mark = "  ← here it was lost" if i == history.last else ""
        lines.append(f"   {i + 1}. {_words(step)} ({figures[i + 1]}){mark}")
    fork = history.fork
    if fork is None:
        lines.append("   No other step on this way would have kept it.")
    else:
        lines.append(
            f"   Last fork: before step {fork.waypoint + 1}; {_words(fork.changes)} instead would "
            f"have kept it ({goal.words(fork.figure)})."
        )
    return "\n".join(lines)


def _words(step: Sequence[Change]) -> str:
    """The changes of a step, or the first three of many."""
    words = [str(each) for each in in_words(step)]
    return "; ".join(words) if len(words) <= FEW_CHANGES else and_more(words)


def _document(history: History) -> dict[str, Any]:
    fork = history.fork
    return {
        "vertices": history.journey.vertices.tolist(),
        "cost": history.journey.cost,
        "figures": history.figures.tolist(),
        "steps": [[list(change) for change in step] for step in history.changes],
        "last": history.last,
        "fork": None
        if fork is None
        else {
            "waypoint": fork.waypoint,
            "vertex": fork.vertex,
            "cost": fork.cost,
            "figure": fork.figure,
            "changes": [list(change) for change in fork.changes],
        },
    }


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else str(value)
