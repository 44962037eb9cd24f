"""The ground that ways run over: how empty it is, how firm their ends, how often the model errs.

Figure 1 of the paper compares journeys by these. All of them ask the records that the explainer was
fitted to, by Euclidean distance on points.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from facelift import geometry
from facelift._arrays import Floats, Ints, chunks
from facelift.errors import InvalidInput
from facelift.models.doubts import NEARBY, around, share_interval
from facelift.multiverse.goal import Goal, Range
from facelift.multiverse.journey import Journey
from facelift.multiverse.multiverse import Multiverse

CONFIDENCE = 0.95
"""How often the interval of the share that the model gets wrong is to hold the true one."""


def ground(multiverse: Multiverse, nearby: int = NEARBY) -> pd.DataFrame:
    """What records say of the ground that each journey runs over; one row per journey.

    `emptiest` is the largest distance from a place on the way to the nearest record, straight
    stretches between waypoints included. Of the `nearby` records nearest to its end, `undone` is
    the share that the model denies the outcome, and `wrong` of the `known` rows whose true outcome
    `fit(X, y)` was given are those that the model gets wrong: NaN and 0 where it was given none.
    `low` and `high` are the ends of the 95 % interval of the share wrong.

    >>> from facelift import FACElift
    >>> line = np.arange(11.0)[:, np.newaxis]
    >>> model = lambda x: np.hstack([x < 6, x >= 6]).astype(float)
    >>> truth = [0, 0, 0, 0, 0, 1, 1, 1, 0, 1, 1]
    >>> explainer = FACElift(model, n_neighbors=2, n_counterfactuals=2).fit(line, truth)
    >>> ground(explainer.explain([3.0]), nearby=4).round(2)
       journey  emptiest  undone  wrong  known   low  high
    0        0      0.05    0.50    1.0      4  0.01  0.76
    1        1      0.05    0.25    2.0      4  0.09  0.91
    """
    explainer, goal = _explainer(multiverse), multiverse.goal
    rows = [
        [number, *_measured(journey, explainer, goal, nearby)]
        for number, journey in enumerate(multiverse)
        if goal is not None
    ]
    told = pd.DataFrame(rows, columns=["journey", "emptiest", "undone", "wrong", "known"])
    known = told["known"].to_numpy(dtype=np.float64)
    wrong = np.where(known > 0, told["wrong"], 0.0).astype(np.float64)
    low, high = share_interval(wrong, known, CONFIDENCE)
    return told.assign(low=low, high=high)


def feasibility(multiverse: Multiverse) -> Floats:
    """Nearness of records all along the way: minus the distance at its emptiest stretch.

    >>> from facelift import FACElift
    >>> line = np.arange(11.0)[:, np.newaxis]
    >>> explainer = FACElift(lambda x: np.hstack([10 - x, x]) / 10, n_neighbors=2).fit(line)
    >>> feasibility(explainer.explain([3.0])).round(2).tolist()
    [-0.05, -0.05, -0.05, -0.05, -0.05]
    """
    points = _explainer(multiverse).graph_.points
    return -np.array([_emptiest(journey, points) for journey in multiverse], dtype=np.float64)


def stability(multiverse: Multiverse) -> Floats:
    """Firmness of the end: the share of the nearest records that have the outcome, too.

    >>> from facelift import FACElift
    >>> line = np.arange(41.0)[:, np.newaxis]
    >>> explainer = FACElift(lambda x: np.hstack([40 - x, x]) / 40, n_neighbors=2).fit(line)
    >>> stability(explainer.explain([15.0])).round(2).tolist()[::3]
    [0.55, 0.7, 0.9, 1.0]
    """
    return 1.0 - ground(multiverse)["undone"].to_numpy(dtype=np.float64)


def correctness(multiverse: Multiverse) -> Floats:
    """The share of rows around the end that the model gets right; NaN without true outcomes.

    >>> from facelift import FACElift
    >>> line = np.arange(41.0)[:, np.newaxis]
    >>> model = lambda x: np.hstack([40 - x, x]) / 40
    >>> explainer = FACElift(model, n_neighbors=2).fit(line, line[:, 0] > 28)
    >>> correctness(explainer.explain([15.0])).round(2).tolist()[::3]
    [0.55, 0.55, 0.55, 0.55]
    """
    told = ground(multiverse)
    wrong, known = (told[name].to_numpy(dtype=np.float64) for name in ("wrong", "known"))
    shares = np.full(len(known), np.nan)
    return np.asarray(1.0 - np.divide(wrong, known, out=shares, where=known > 0))


def _explainer(multiverse: Multiverse) -> Any:
    """The explainer that was asked, which knows the records."""
    if multiverse.question is None:
        raise InvalidInput(
            "This multiverse knows no records: it was made by hand or read from JSON; "
            "ask an explainer (FACElift.explain)."
        )
    return multiverse.question.explainer


def _measured(journey: Journey, explainer: Any, goal: Goal | Range, nearby: int) -> list[Any]:
    """Emptiest stretch, share undone nearby, rows that the model gets wrong, rows known."""
    found = around(explainer, journey.waypoints[-1], goal, nearby)
    emptiest = _emptiest(journey, explainer.graph_.points)
    return [emptiest, found.undone / found.n_records, found.wrong, found.known]


def _emptiest(journey: Journey, points: Floats) -> float:
    """The largest distance from a place on the way to the nearest record."""
    starts, moves = journey.waypoints[:-1], np.diff(journey.waypoints, axis=0)
    squares = (points**2).sum(axis=1)
    farthest = 0.0
    for part in chunks(len(starts), len(points)):
        # Squared distance of records from `start + share * move`, but for what all have in common.
        first, more = squares - 2 * starts[part] @ points.T, -2 * moves[part] @ points.T
        for start, move, *line in zip(starts[part], moves[part], first, more, strict=True):
            shares, records = _turns(*line)
            places = start + shares[:, np.newaxis] * move
            farthest = max(farthest, float(geometry.distances(places, points[records]).max()))
    return farthest


def _turns(first: Floats, more: Floats) -> tuple[Floats, Ints]:
    """Where on a step, as a share of it, another record becomes the nearest; and the nearest there.

    With its ends, these are the only places that may be the emptiest: between them the distance to
    one record rises last. Of lines `first + share * more` it is where the least of all bends.

    >>> shares, records = _turns(np.array([0.0, 1.0, 8.0]), np.array([0.0, -2.0, -10.0]))
    >>> shares.tolist(), records.tolist()
    ([0.0, 1.0, 0.5, 0.875], [0, 2, 0, 1])
    """
    low, high = int(np.argmin(first)), int(np.argmin(first + more))
    shares, records = [0.0, 1.0], [low, high]
    asked = [(low, high, np.flatnonzero((more < more[low]) & (more > more[high])))]
    while asked:
        before, after, between = asked.pop()
        if more[before] <= more[after]:
            continue
        share = float((first[after] - first[before]) / (more[before] - more[after]))
        share = min(max(share, 0.0), 1.0)  # of lines that are all but the same it may be anything
        left = first[between] + share * more[between]
        if len(between) and left.min() < first[before] + share * more[before]:
            middle = int(between[np.argmin(left)])
            slopes = more[between]
            asked.append((middle, after, between[slopes < more[middle]]))
            asked.append((before, middle, between[slopes > more[middle]]))
        else:
            shares.append(share)
            records.append(before)
    return np.array(shares), np.array(records, dtype=np.int64)
