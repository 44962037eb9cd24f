"""Where two ways run together, part and meet again: one row for each pair of journeys."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from facelift import geometry
from facelift._arrays import Floats
from facelift.multiverse.journey import Journey

CLOSE = 0.1
"""Ways nearer than this share of the shorter one's length run together, unless told otherwise."""

COLUMNS = [
    "a",
    "b",
    "shared_steps",
    "shared_cost",
    "meets_again",
    "shared_proportion",
    "converges",
    "direction_difference",
    "affinity",
    "strays",
]


def pair_table(
    journeys: Sequence[Journey], epsilon: float | None, n_sections: int, weights: Floats | None
) -> pd.DataFrame:
    """A row for each pair of journeys, the cheaper as `a`."""
    stations = [geometry.resample(journey.waypoints, n_sections) for journey in journeys]
    rows = [
        _in_graph(journeys[a], journeys[b])
        | _in_space(journeys[a], journeys[b], stations[a], stations[b], epsilon, weights)
        for a, b in combinations(range(len(journeys)), 2)
    ]
    named = [
        {"a": a, "b": b} | row
        for (a, b), row in zip(combinations(range(len(journeys)), 2), rows, strict=True)
    ]
    return pd.DataFrame(named, columns=COLUMNS)


def _in_graph(a: Journey, b: Journey) -> dict[str, Any]:
    """Steps and cost that both begin with, and the step after which `a` is on b's way again."""
    shorter = min(len(a.vertices), len(b.vertices))
    same = a.vertices[:shorter] == b.vertices[:shorter]
    steps = int(shorter if same.all() else np.argmin(same)) - 1
    later = np.flatnonzero(np.isin(a.vertices[steps + 1 :], b.vertices[steps + 1 :]))
    return {
        "shared_steps": steps,
        "shared_cost": float(a.step_costs[:steps].sum()),
        "meets_again": float(later[0] + steps + 1) if len(later) else np.nan,
    }


def _in_space(
    a: Journey,
    b: Journey,
    stations_a: Floats,
    stations_b: Floats,
    epsilon: float | None,
    weights: Floats | None,
) -> dict[str, Any]:
    """What their polylines say, station by station (SPEC 7)."""
    near = CLOSE * min(map(geometry.length, (a.waypoints, b.waypoints)))
    within = near if epsilon is None else epsilon
    met = geometry.convergence(stations_a, stations_b, within)
    difference = geometry.direction_difference(stations_a, stations_b, weights)
    return {
        "shared_proportion": geometry.shared_proportion(stations_a, stations_b, within),
        "converges": np.nan if met is None else met / len(stations_a),
        "direction_difference": difference,
        "strays": max(geometry.strays(each.waypoints, len(stations_a)) for each in (a, b)),
        "affinity": _affinity(difference, a.waypoints[0], stations_a, stations_b, weights),
    }


def _affinity(
    difference: float, start: Floats, a: Floats, b: Floats, weights: Floats | None
) -> float:
    """1 where both run alike, 0 where they run in opposite directions.

    Two ways differ by at most what each of them differs from staying at the start.
    """
    still = np.broadcast_to(start, a.shape)
    most = sum(geometry.direction_difference(each, still, weights) for each in (a, b))
    return 1.0 if most == 0 else max(0.0, 1.0 - difference / most)
