"""One explanation on a graph of 100,000 records, against the algorithms as the paper reads.

    python -m tools.benchmarks.searches [--quick]

The straightforward version is NumPy and SciPy: one search from the factual, then for every pair of
journeys and every step a search from where it leads (Algorithm 5), nothing reused. It takes most
of a minute per case, so it is run on one case per line, ours on the same case and on a hundred.
"""

from __future__ import annotations

import sys
from itertools import pairwise
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
from scipy.sparse.csgraph import dijkstra

import facelift as fl
from facelift.models.oracle import Oracle
from facelift.steps.rows import Rows
from tools.benchmarks.measuring import Measurement, median_seconds, seconds, table
from tools.benchmarks.worlds import SHAPES, World, clustered

N_CASES = 100


def run(*, quick: bool = False) -> pd.DataFrame:
    """Ratios and medians at 50, 10 and 1 %, scattered and in one region."""
    points = clustered(20_000 if quick else 100_000)
    base = fl.FACElift(SHAPES["scattered"](points, 0.5)).fit(points)
    lines = [single_source(base.graph_)]
    for share in (0.5, 0.1, 0.01):
        for shape, make in SHAPES.items():
            lines += compared(base, make(points, share), f"{share:.0%} {shape}", share, quick=quick)
    return table(lines)


def compared(
    base: fl.FACElift, world: World, case: str, share: float, *, quick: bool
) -> list[Measurement]:
    """Ours against the straightforward version on one case, and our median over many."""
    explainer = with_outcomes(base, world)
    cases = world.declined(10 if quick else N_CASES)
    explainer.explain(cases[0])  # what is worked out once per graph and goal is not measured
    ours = median_seconds([lambda x=x: explainer.explain(x).opportunity for x in cases])
    multiverse = explainer.explain(cases[0])
    own = seconds(lambda: explainer.explain(cases[0]).opportunity)
    graph, factual = multiverse.walkable_graph()
    found: list[Any] = []
    theirs = seconds(
        lambda: found.append(straightforward(graph.costs, factual, world.good, len(multiverse))),
        repeats=1,
    )
    if not np.allclose(found[0], multiverse.opportunity):
        raise RuntimeError("both must compute the same")
    bar = 1e-3 if share == 0.5 and not quick else None
    name = f"n = {len(world.points):,}, {case}"
    return [
        Measurement("explain, median", name, ours * 1e3, "ms", bar and bar * 1e3),
        Measurement(
            "straightforward ÷ explain",
            name,
            theirs / own,
            "×",
            None if quick else 3_000,
            at_least=True,
            ratio=True,
        ),
    ]


def with_outcomes(base: fl.FACElift, world: World) -> fl.FACElift:
    """The same graph of records with another model's answers; the graph knows no model."""
    explainer = fl.FACElift(world, verify=False)  # a world knows all of its points, or none
    oracle = Oracle(world, base.terrain_, base.graph_.points, world(world.points), (0, 1))
    rows = Rows.fitted(explainer, base.terrain_, oracle, graph=base.graph_)
    return explainer._keep(rows, base.vertices_, share_rows=True, truths=None)


def straightforward(costs: Any, factual: int, candidates: Any, n_wanted: int) -> Any:
    """Opportunity potentials as Algorithms 4 and 5 read, with SciPy's searches."""
    away = dijkstra(costs, indices=factual)
    ends = np.argsort(np.where(candidates, away, np.inf), kind="stable")[:n_wanted]
    return np.array([[potential(costs, factual, a, b) for b in ends] for a in ends])


def route(costs: Any, start: int, end: int) -> list[int]:
    _, before = dijkstra(costs, indices=start, return_predecessors=True)
    vertices = [int(end)]
    while vertices[-1] != start:
        vertices.append(int(before[vertices[-1]]))
    return vertices[::-1]


def potential(costs: Any, factual: int, taken: int, compared: int) -> float:
    """Algorithm 5: the share of a journey walked until the cost left first stops falling."""
    journey = route(costs, factual, taken)
    steps = [float(costs[u, v]) for u, v in pairwise(journey)]
    left = dijkstra(costs, indices=factual)[compared]
    walked = 0.0
    for vertex, step in zip(journey[1:], steps, strict=True):
        after = dijkstra(costs, indices=vertex)[compared]
        if not after < left * (1 - 1e-9):
            break
        walked, left = walked + step, after
    return walked / sum(steps)


def single_source(graph: fl.Graph) -> Measurement:
    """A whole search: SciPy's, which small graphs get, against networkx."""
    ours = seconds(lambda: dijkstra(graph.costs, indices=0))
    network = nx.from_scipy_sparse_array(graph.costs, create_using=nx.DiGraph)
    theirs = seconds(lambda: nx.single_source_dijkstra_path_length(network, 0), repeats=1)
    case = f"n = {len(graph):,}"
    return Measurement("networkx ÷ SciPy, whole search", case, theirs / ours, "×", ratio=True)


if __name__ == "__main__":
    print(run(quick="--quick" in sys.argv).to_string(index=False))
