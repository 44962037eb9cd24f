"""The data behind every plot, under the same names, in the table's own units and with letters.

A frame each; of pictures an array. Whatever `fl.views.plot` draws can be had here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from facelift._arrays import Floats
from facelift.choosing import USUAL, Criterion, front, named
from facelift.errors import InvalidInput, check_picture
from facelift.multiverse.frames import waypoint_rows
from facelift.multiverse.journey import Journey
from facelift.multiverse.multiverse import Multiverse
from facelift.multiverse.words import letter

__all__ = [
    "criteria",
    "opportunity",
    "pictures",
    "stays_open",
    "steps",
    "surface",
    "trade_off",
    "world",
]


def opportunity(multiverse: Multiverse) -> pd.DataFrame:
    """Opportunity potential by letter: heading for the row, one also comes towards the column.

    >>> from facelift.toys import loan
    >>> opportunity(loan().multiverse()).round(2)
    compared    A     B     C
    taken
    A         1.0  0.00  0.00
    B         0.0  1.00  0.57
    C         0.0  0.88  1.00
    """
    names = [letter(number) for number in range(len(multiverse))]
    return pd.DataFrame(
        multiverse.opportunity,
        index=pd.Index(names, name="taken", dtype=object),
        columns=pd.Index(names, name="compared", dtype=object),
    )


def stays_open(multiverse: Multiverse) -> pd.DataFrame:
    """What stays open along every way, over the share of its cost travelled.

    `open` is the share of alternatives that every step so far brought nearer, `in_reach` the share
    that can still be reached at all.

    >>> from facelift.toys import loan
    >>> stays_open(loan().multiverse()).query("way == 'C'").round(2)
      way  step  travelled  open  in_reach
    5   C     0       0.00   1.0       1.0
    6   C     1       0.50   0.5       0.5
    7   C     2       0.88   0.5       0.5
    8   C     3       0.94   0.0       0.0
    9   C     4       1.00   0.0       0.0
    """
    parts = [
        pd.DataFrame(
            {
                "way": letter(number),
                "step": journey.step_of,
                "travelled": _travelled(journey),
                "open": journey.open_share,
                "in_reach": journey.reachable_share,
            }
        )
        for number, journey in enumerate(multiverse)
    ]
    columns = ["way", "step", "travelled", "open", "in_reach"]
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=columns)


def trade_off(multiverse: Multiverse) -> pd.DataFrame:
    """What every way costs and how much of it serves the others; `front` ways are beaten by none.

    >>> from facelift.toys import loan
    >>> trade_off(loan().multiverse()).round(2)
      way  cost  opportunity  front
    0   A   3.0         0.00   True
    1   B  14.0         0.29   True
    2   C  16.0         0.44   True
    """
    beaten_by_none = np.isin(np.arange(len(multiverse)), front(multiverse))
    return pd.DataFrame(
        {
            "way": [letter(number) for number in range(len(multiverse))],
            "cost": multiverse.costs,
            "opportunity": multiverse.scores,
            "front": beaten_by_none,
        }
    )


def criteria(
    multiverse: Multiverse, by: Mapping[str, Criterion] | Sequence[Criterion] = USUAL
) -> pd.DataFrame:
    """What every way scores by each criterion; `front` ways are beaten by none on all of them.

    >>> import facelift as fl
    >>> multiverse = fl.toys.loan().multiverse()
    >>> criteria(multiverse, [fl.proximity, fl.opportunity, fl.lateness]).round(2)
      way  proximity  opportunity  lateness  front
    0   A       -3.0         0.00       0.0   True
    1   B      -14.0         0.29       0.0   True
    2   C      -16.0         0.44       0.0   True
    """
    chosen = named(by)
    told = {name: np.asarray(each(multiverse), dtype=np.float64) for name, each in chosen.items()}
    unbeaten = front(multiverse, list(chosen.values()))
    letters = [letter(number) for number in range(len(multiverse))]
    beaten_by_none = np.isin(np.arange(len(multiverse)), unbeaten)
    return pd.DataFrame({"way": letters, **told, "front": beaten_by_none})


def steps(journey: Journey) -> pd.DataFrame:
    """The columns that a journey changes, as rows, with their value at every waypoint.

    >>> from facelift.toys import loan
    >>> steps(loan().multiverse()[1])
    step  now    1    2
    x0    0.0  4.0  7.0
    x1    0.0  0.0  3.0
    """
    rows = waypoint_rows(journey.in_steps).astype(object)
    rows.columns = rows.columns.map(str)
    changing = [name for name in rows.columns if (rows[name] != rows[name].iloc[0]).any()]
    names = pd.Index(["now", *range(1, len(rows))], name="step", dtype=object)
    return rows[changing].set_axis(names, axis=0).T


def pictures(journey: Journey, shape: tuple[int, int]) -> Floats:
    """The waypoints of a journey as pictures of ink from 0 to 1; shape (k, height, width).

    The lowest value on the journey is paper, the highest full ink.

    >>> from facelift.toys import loan
    >>> pictures(loan().multiverse()[0], (1, 2)).tolist()
    [[[0.0, 0.0]], [[0.0, 1.0]]]
    """
    values = waypoint_rows(journey.in_steps).to_numpy(dtype=np.float64)
    check_picture(shape, values.shape[1])
    low, high = values.min(), values.max()
    return np.asarray((values.reshape(-1, *shape) - low) / ((high - low) or 1.0))


def world(multiverse: Multiverse) -> pd.DataFrame:
    """The waypoints of all ways in a world of two numbers, with their way and step.

    >>> from facelift.toys import loan
    >>> world(loan().multiverse()).head(2)
      way  step   x0   x1
    0   A     0  0.0  0.0
    1   A     1  0.0  3.0
    """
    parts = [
        waypoint_rows(journey.in_steps).assign(way=letter(number), step=range(journey.n_steps + 1))
        for number, journey in enumerate(multiverse)
    ]
    if not parts:
        return pd.DataFrame(columns=["way", "step"])
    _check_plane(parts[0].drop(columns=["way", "step"]))
    places = pd.concat(parts, ignore_index=True)
    return places[["way", "step", *places.columns[:2]]]


def surface(multiverse: Multiverse, n_points: int = 80) -> pd.DataFrame:
    """What the model says over a grid of a world of two numbers; empty without a model.

    A row per point: where it is, and the chance there (or the number predicted).

    >>> import facelift as fl
    >>> points = fl.toys.moons(60).points
    >>> def model(points):
    ...     low = 1 / (1 + np.exp(10 * (points[:, 1] - 0.25)))
    ...     return np.column_stack([1 - low, low])
    >>> multiverse = fl.FACElift(model, n_neighbors=5).fit(points).explain(points[10], target=1)
    >>> surface(multiverse, n_points=5).shape
    (25, 3)
    """
    question, goal = multiverse.question, multiverse.goal
    if question is None or goal is None:
        return pd.DataFrame()
    terrain = question.explainer.terrain_
    _check_plane(terrain.to_pandas(question.point[np.newaxis, :]))
    grid = _grid(question.explainer.graph_.points, n_points)
    answers = question.explainer.oracle_.ask(grid)
    names = [str(feature.name) for feature in terrain.features]
    raw = [f.low + grid[:, i] * f.span for i, f in enumerate(terrain.features)]
    return pd.DataFrame({names[0]: raw[0], names[1]: raw[1], goal.measure: goal.figures(answers)})


def _grid(points: Floats, n_points: int) -> Floats:
    """A grid over points and a little beyond; shape (n_points², 2)."""
    low, high = points.min(axis=0), points.max(axis=0)
    margin = 0.06 * (high - low)
    axes = np.linspace(low - margin, high + margin, n_points)
    x, y = np.meshgrid(axes[:, 0], axes[:, 1])
    return np.stack([x.ravel(), y.ravel()], axis=1)


def _check_plane(rows: pd.DataFrame) -> None:
    numeric = [kind for kind in rows.dtypes if isinstance(kind, np.dtype) and kind.kind in "iuf"]
    if len(rows.columns) != 2 or len(numeric) != 2:
        raise InvalidInput(
            f"A world on paper has two numeric columns, this table has {len(rows.columns)} "
            f"({len(numeric)} numeric); plot.journeys shows any."
        )


def _travelled(journey: Journey) -> NDArray[np.float64]:
    """Share of the cost travelled at each waypoint; (k,). Free journeys go by their steps."""
    costs = journey.step_costs if journey.cost > 0 else np.ones(len(journey.step_costs))
    return np.concatenate([[0.0], np.cumsum(costs) / costs.sum()]) if len(costs) else np.zeros(1)
