"""The multiverse the slow way, with networkx and the words of SPEC 4 and 5; only for tests.

It shares no code with facelift: of a graph it reads `costs`, nothing else.
"""

from itertools import pairwise

import networkx as nx
import numpy as np
from scipy import sparse

from facelift import Graph


def random_graph(rng, n, *, share=0.25, costs=(1, 2, 3), dtype=float):
    """A directed graph whose edge costs are drawn from `costs`."""
    starts, ends = np.nonzero((rng.random((n, n)) < share) & ~np.eye(n, dtype=bool))
    data = rng.choice(np.array(costs, dtype=dtype), size=len(starts))
    return Graph(rng.random((n, 2)), sparse.csr_array((data, (starts, ends)), shape=(n, n)))


def general_graph(rng, n, *, share=0.25):
    """A directed graph whose costs have no ties."""
    starts, ends = np.nonzero((rng.random((n, n)) < share) & ~np.eye(n, dtype=bool))
    data = rng.uniform(0.5, 2.0, size=len(starts))
    return Graph(rng.random((n, 2)), sparse.csr_array((data, (starts, ends)), shape=(n, n)))


def digraph(graph):
    """The same graph for networkx."""
    matrix = graph.costs.tocoo()
    other = nx.DiGraph()
    other.add_nodes_from(range(matrix.shape[0]))
    triples = zip(*(each.tolist() for each in (*matrix.coords, matrix.data)), strict=True)
    other.add_weighted_edges_from(triples)
    return other


def slow_routes(graph, factual, destinations):
    """For each destination in reach (cost, end, route, members), cheapest first.

    Costs must be positive: of all cheapest routes, the shortest, then the one with the smaller
    numbers read from its end.
    """
    net = digraph(graph)
    lengths = nx.single_source_dijkstra_path_length(net, factual)
    found = []
    for members in destinations:
        reached = [(lengths[v], v) for v in sorted(members) if v in lengths]
        if reached:
            cost, end = min(reached)
            routes = nx.all_shortest_paths(net, factual, end, weight="weight")
            route = min(routes, key=lambda route: (len(route), route[::-1]))
            found.append((cost, end, route, sorted(members)))
    return sorted(found, key=lambda each: each[:2])


def walked_share(net, route, members):
    """Algorithm 5 word by word: share of the route before the cost left first stops falling."""
    costs = [net[u][v]["weight"] for u, v in pairwise(route)]
    left = [_left(net, vertex, members) for vertex in route]
    walked = 0
    for i, cost in enumerate(costs):
        if not left[i + 1] < left[i] * (1 - 1e-9):
            break
        walked += cost
    return walked / sum(costs)


def _left(net, vertex, members):
    lengths = nx.single_source_dijkstra_path_length(net, vertex)
    return min(lengths.get(member, np.inf) for member in members)


def slow_opportunity(graph, routes):
    """The matrix of opportunity potentials of `slow_routes`."""
    net = digraph(graph)
    return np.array(
        [[walked_share(net, route, members) for *_, members in routes] for _, _, route, _ in routes]
    ).reshape(len(routes), len(routes))


def graph_of(edges, n):
    """A graph of edges given as {(from, to): cost}."""
    starts, ends = zip(*edges, strict=True)
    data = np.array(list(edges.values()), dtype=float)
    return Graph(np.zeros((n, 1)), sparse.csr_array((data, (starts, ends)), shape=(n, n)))


def routes_of(multiverse):
    """The vertices of every journey."""
    return [journey.vertices.tolist() for journey in multiverse]
