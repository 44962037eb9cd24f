"""Searches on large graphs, against twenty good lines of SciPy and of numba.

    python -m tools.benchmarks.searches [--quick]

All give the same: the nearest candidates, the routes there, and the exact cost from every waypoint
to every destination. Theirs are what an expert writes in an afternoon: one search outward that
stops at the last destination wanted, then one back from each that stops when all waypoints are
settled. `cut` ones stop where a destination is as far as from the start, which is enough for
opportunity potentials and nothing else.
"""

from __future__ import annotations

import heapq
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import networkx as nx
import numpy as np
import pandas as pd
from numba import njit
from scipy.sparse.csgraph import dijkstra

import facelift as fl
from facelift.graph import search
from facelift.graph.routes import Wanted
from facelift.models import small_classifier
from facelift.models.oracle import Oracle
from facelift.steps.rows import Rows
from tools.benchmarks.measuring import Measurement, median_seconds, seconds, table
from tools.benchmarks.worlds import SHAPES, World, clustered

N_CASES, N_COMPARED, N_SLOW, N_DESTINATIONS = 100, 20, 3, 10


class Question(NamedTuple):
    """Which people of a graph head for which candidates."""

    name: str
    graph: fl.Graph
    candidates: Any
    people: Any


class Found(NamedTuple):
    """Ends by cost, the routes there one after the other, and what is left from there to each."""

    ends: Any
    lengths: Any
    vertices: Any
    remaining: Any


def run(*, quick: bool = False) -> pd.DataFrame:
    """Ratios and medians at 50, 10 and 1 %, scattered and in one region, and on Adult."""
    points = clustered(20_000 if quick else 100_000)
    base = fl.FACElift(SHAPES["scattered"](points, 0.5)).fit(points)
    lines = [single_source(base.graph_)]
    for share in (0.5, 0.1, 0.01):
        for shape, make in SHAPES.items():
            lines += compared(base, make(points, share), f"{share:.0%} {shape}", quick=quick)
    for question in adults():
        lines += raced(question, quick=quick)
    return table(lines)


def compared(base: fl.FACElift, world: World, case: str, *, quick: bool) -> list[Measurement]:
    """Our median over many people, from a row to its journeys, and the searches alone."""
    explainer = with_outcomes(base, world)
    cases = world.declined(10 if quick else N_CASES)
    explainer.explain(cases[0])  # what is worked out once per graph and goal is not measured
    ours = median_seconds([lambda x=x: explainer.explain(x).opportunity for x in cases])
    name = f"n = {len(world.points):,}, {case}"
    people = explainer.steps_.places(explainer.terrain_.encode(cases))
    question = Question(name, base.graph_, world.good, people)
    return [
        Measurement("explain, median", name, ours * 1e3, "ms"),
        *raced(question, quick=quick),
    ]


def adults() -> Iterator[Question]:
    """People of Adult who earn little, with and without rules, where there is the table."""
    if not (Path(os.environ.get("FACELIFT_DATA", "")) / "adult").exists():
        return
    adult = fl.datasets.load_adult(download_if_missing=False)
    X = adult.data.drop(columns=["fnlwgt", "education_num"])
    model, free = small_classifier(X, adult.target), fl.Terrain.infer(X)
    for name, terrain in {"rules": fl.datasets.adult_rules(free), "no rules": free}.items():
        explainer = fl.FACElift(model, terrain).fit(X)
        good = explainer.probabilities_[:, 1] >= 0.5
        near = np.isfinite(search.costs_to_any(explainer.graph_, good)) & ~good
        people = np.random.default_rng(0).permutation(np.flatnonzero(near))
        yield Question(f"Adult, {name}", explainer.graph_, good, people)


def raced(question: Question, *, quick: bool) -> list[Measurement]:
    """Our searches, and theirs for the same people; the medians of what they take by ours."""
    name, graph, candidates, people = question
    people = people[: 5 if quick else N_COMPARED]
    everywhere = search.costs_to_any(graph, candidates)

    def ours(person: int) -> Found:
        wanted = Wanted(N_DESTINATIONS)
        routes = search.nearest_routes(graph, person, candidates, wanted, lambda: everywhere)
        ends = routes.vertices[np.cumsum(routes.lengths) - 1]
        return Found(ends, routes.lengths, routes.vertices, routes.remaining)

    numba = Numba(graph, candidates)
    times = {
        "numba ÷ ours": (numba.exact, people),
        "numba, cut, ÷ ours": (numba.cut, people),
        "SciPy ÷ ours": (lambda person: by_scipy(graph, candidates, person), people[:N_SLOW]),
    }
    own = {person: least(ours, person) for person in people}
    milliseconds, bar = np.median([*own.values()]) * 1e3, 3.0 if name == "Adult, rules" else None
    lines = [Measurement("search, median", name, milliseconds, "ms", bar)]
    for what, (theirs, some) in times.items():
        if "cut" not in what:
            for person in some:
                check_same(ours(person), theirs(person))
        ratios = [least(theirs, person) / own[person] for person in some]
        bar = {"numba ÷ ours": 1.0, "SciPy ÷ ours": 3.0}.get(what)
        number = float(np.median(ratios))
        lines.append(Measurement(what, name, number, "×", bar, at_least=True, ratio=True))
    return lines


def least(work: Callable[[int], Any], person: int) -> float:
    """What a search takes, once it was done before."""
    work(person)
    return seconds(lambda: work(person), repeats=2)


def check_same(ours: Found, theirs: Found) -> None:
    """An error unless all destinations cost the same, and to get from each to each other."""
    starts = theirs.remaining[0], ours.remaining[0]
    if not np.allclose(np.sort(starts[0]), np.sort(starts[1])):
        raise RuntimeError("both must find destinations at the same cost")
    common = np.intersect1d(ours.ends, theirs.ends)
    between = [
        each.remaining[np.cumsum(each.lengths) - 1][np.ix_(places, places)]
        for each in (ours, theirs)
        for places in [[each.ends.tolist().index(end) for end in common]]
    ]
    if not np.allclose(*between):
        raise RuntimeError("both must find the same costs between destinations")


def with_outcomes(base: fl.FACElift, world: World) -> fl.FACElift:
    """The same graph of records with another model's answers; the graph knows no model."""
    explainer = fl.FACElift(world, verify=False)  # a world knows all of its points, or none
    oracle = Oracle(world, base.terrain_, base.graph_.points, world(world.points), (0, 1))
    rows = Rows.fitted(explainer, base.terrain_, oracle, graph=base.graph_)
    return explainer._keep(rows, base.vertices_, share_rows=True, truths=None)


def by_scipy(graph: fl.Graph, candidates: Any, start: int) -> Found:
    """Twenty lines: searches by SciPy that are cut, and go on farther where that was too near."""
    limit = graph.neighbors(start)[1].max(initial=0.0) or 1.0  # no farther than its neighbours
    while True:
        away, before = dijkstra(graph.costs, indices=start, limit=limit, return_predecessors=True)
        ends = np.flatnonzero(candidates & np.isfinite(away) & (np.arange(len(away)) != start))
        if len(ends) >= N_DESTINATIONS or np.isinf(limit):
            break
        limit = 2 * limit if limit < 64 * away[np.isfinite(away)].max() else np.inf
    ends = ends[np.argsort(away[ends], kind="stable")][:N_DESTINATIONS]
    routes = []
    for end in ends.tolist():
        route = [end]
        while route[-1] != start:
            route.append(int(before[route[-1]]))
        routes.append(route[::-1])
    vertices = np.concatenate(routes)
    limit = 2 * away[ends].max()
    left = dijkstra(graph.reversed, indices=ends, limit=limit)[:, vertices].T
    if np.isinf(left).any():  # too far, or no way at all
        left = dijkstra(graph.reversed, indices=ends)[:, vertices].T
    return Found(ends, np.array([len(route) for route in routes]), vertices, left)


class Numba:
    """Twenty compiled lines, and arrays that every search puts back as they were."""

    def __init__(self, graph: fl.Graph, candidates: Any) -> None:
        n, (there, back) = len(graph), (graph.costs, graph.reversed)
        self.edges = (there.indptr, there.indices, there.data)
        self.back = (back.indptr, back.indices, back.data)
        self.candidates, self.none = candidates, np.zeros(n, dtype=bool)
        self.space = (np.full(n, np.inf), np.empty(n, np.int32), np.empty(n, np.int32))

    def exact(self, start: int) -> Found:
        """With the exact costs from every waypoint."""
        return self._found(start, cut=False)

    def cut(self, start: int) -> Found:
        """With those no larger than from the start."""
        return self._found(start, cut=True)

    def _found(self, start: int, *, cut: bool) -> Found:
        arrays = self.edges, self.back, self.candidates
        return Found(*journeys(*arrays, start, self.none, self.space, cut))


@njit
def outward(edges, start, wanted, n_wanted, radius, space):  # type: ignore[no-untyped-def]
    """Costs from a vertex until so many wanted ones are settled: these, and how many touched."""
    indptr, indices, data = edges
    costs, before, touched = space
    heap = [(0.0, np.int32(start))]
    costs[start], touched[0], n = 0.0, start, 1
    found = [np.int32(0) for _ in range(0)]
    while heap and len(found) < n_wanted:
        cost, u = heapq.heappop(heap)
        if cost > costs[u]:
            continue
        if wanted[u] and u != start:
            found.append(u)
        for e in range(indptr[u], indptr[u + 1]):
            v, further = indices[e], cost + data[e]
            if further < costs[v] and further <= radius:
                if costs[v] == np.inf:
                    touched[n] = v
                    n += 1
                costs[v], before[v] = further, u
                heapq.heappush(heap, (further, v))
    return found, n


@njit
def journeys(edges, back, candidates, start, marked, space, cut):  # type: ignore[no-untyped-def]
    """The nearest candidates, the routes there, and what is left from there to each of them."""
    costs, before, touched = space
    found, n = outward(edges, start, candidates, N_DESTINATIONS, np.inf, space)
    ends, vertices = np.array(found), [np.int32(0) for _ in range(0)]
    lengths, away = np.zeros(len(ends), np.int64), costs[ends]
    for b in range(len(ends)):
        route = [ends[b]]
        while route[-1] != start:
            route.append(before[route[-1]])
        vertices.extend(route[::-1])
        lengths[b] = len(route)
    costs[touched[:n]] = np.inf
    for v in vertices:
        marked[v] = True
    n_marked = len(set(vertices))
    left = np.empty((len(vertices), len(ends)))
    for b in range(len(ends)):
        radius = away[b] if cut else np.inf
        _, n = outward(back, ends[b], marked, n_marked - 1, radius, space)
        for i in range(len(vertices)):
            left[i, b] = costs[vertices[i]]
        costs[touched[:n]] = np.inf
    for v in vertices:
        marked[v] = False
    return ends, lengths, np.array(vertices), left


def single_source(graph: fl.Graph) -> Measurement:
    """A whole search: SciPy's, which small graphs get, against networkx."""
    ours = seconds(lambda: dijkstra(graph.costs, indices=0))
    network = nx.from_scipy_sparse_array(graph.costs, create_using=nx.DiGraph)
    theirs = seconds(lambda: nx.single_source_dijkstra_path_length(network, 0), repeats=1)
    case = f"n = {len(graph):,}"
    return Measurement("networkx ÷ SciPy, whole search", case, theirs / ours, "×", ratio=True)


if __name__ == "__main__":
    print(run(quick="--quick" in sys.argv).to_string(index=False))
