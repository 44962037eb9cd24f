import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from tests.graph.random_worlds import stored_edges

from facelift import Graph
from facelift.errors import InvalidInput


def costs_of(edges, n):
    starts, ends = zip(*edges, strict=True) if edges else ((), ())
    data = np.array(list(edges.values()), dtype=float)
    return sparse.csr_array((data, (np.array(starts, int), np.array(ends, int))), shape=(n, n))


def small_graph():
    edges = {(0, 1): 3.0, (0, 2): 0.0, (2, 1): 1.5, (1, 0): 4.0}
    return Graph([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]], costs_of(edges, 3)), edges


@st.composite
def edge_sets(draw, n=6):
    pairs = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1))
    return draw(st.dictionaries(pairs, st.integers(0, 3).map(float), max_size=20))


def test_a_graph_holds_the_edges_it_was_given():
    graph, edges = small_graph()
    assert stored_edges(graph) == edges
    assert len(graph) == 3
    assert repr(graph) == "Graph(3 vertices, 4 edges, 2 coordinates)"


@given(edge_sets())
def test_an_explicit_zero_is_an_edge_and_a_missing_entry_is_none(edges):
    graph = Graph(np.zeros((6, 1)), costs_of(edges, 6))
    for u in range(6):
        ends, costs = graph.neighbors(u)
        expected = sorted((v, cost) for (start, v), cost in edges.items() if start == u)
        assert list(zip(ends.tolist(), costs.tolist(), strict=True)) == expected
        for v in range(6):
            assert graph.edge_cost(u, v) == edges.get((u, v), np.inf)


@given(edge_sets())
def test_the_reversed_graph_has_every_edge_turned_round(edges):
    graph = Graph(np.zeros((6, 1)), costs_of(edges, 6))
    turned = Graph(graph.points, graph.reversed)
    assert stored_edges(turned) == {(v, u): cost for (u, v), cost in edges.items()}


@given(edge_sets())
def test_starts_names_the_vertex_each_edge_leaves(edges):
    graph = Graph(np.zeros((6, 1)), costs_of(edges, 6))
    assert list(zip(graph.starts.tolist(), graph.costs.indices.tolist(), strict=True)) == sorted(
        edges
    )


@pytest.mark.parametrize("kind", [sparse.coo_array, sparse.csc_array, sparse.csr_matrix])
def test_any_sparse_format_is_accepted(kind):
    graph, edges = small_graph()
    assert stored_edges(Graph(graph.points, kind(graph.costs))) == edges


def test_integer_costs_and_points_become_floats():
    costs = sparse.csr_array(np.array([[0, 2], [1, 0]]))
    graph = Graph([[0], [1]], costs)
    assert graph.points.dtype == graph.costs.dtype == np.float64
    assert graph.edge_cost(0, 1) == 2.0


def test_unsorted_rows_are_sorted():
    matrix = sparse.csr_array((np.array([1.0, 2.0]), np.array([2, 1]), np.array([0, 2, 2, 2])))
    ends, costs = Graph(np.zeros((3, 1)), matrix).neighbors(0)
    assert (ends.tolist(), costs.tolist()) == ([1, 2], [2.0, 1.0])


@pytest.mark.parametrize(
    ("points", "costs", "message"),
    [
        (np.zeros((2, 1)), np.zeros((2, 2)), "scipy.sparse"),
        (np.zeros((2, 1)), [[0, 1], [0, 0]], "got list"),
        (np.zeros((2, 1)), sparse.csr_array((3, 3)), r"shape \(2, 2\).*got \(3, 3\)"),
        (np.zeros((2, 1)), sparse.csr_array((2, 3)), r"shape \(2, 2\)"),
        (np.zeros((2, 1)), sparse.csr_array([[0, -1.0], [0, 0]]), "zero or more"),
        (np.zeros((2, 1)), sparse.csr_array([[0, np.nan], [0, 0]]), "finite"),
        (np.zeros((2, 1)), sparse.csr_array([[0, np.inf], [0, 0]]), "finite"),
        (np.zeros(2), sparse.csr_array((2, 2)), "2 axes"),
        (np.zeros((2, 1, 1)), sparse.csr_array((2, 2)), "2 axes"),
        ([[0.0], [np.nan]], sparse.csr_array((2, 2)), "points must be finite"),
        ([[0.0], [np.inf]], sparse.csr_array((2, 2)), "points must be finite"),
        ([["a"], ["b"]], sparse.csr_array((2, 2)), "numbers"),
    ],
)
def test_what_cannot_be_a_graph_is_refused_with_the_reason(points, costs, message):
    with pytest.raises(InvalidInput, match=message):
        Graph(points, costs)


@pytest.mark.parametrize("part", ["data", "indices", "indptr"])
def test_the_costs_of_a_graph_cannot_be_written(part):
    graph, _ = small_graph()
    with pytest.raises(ValueError, match="read-only"):
        getattr(graph.costs, part)[0] = 1


def test_the_points_of_a_graph_cannot_be_written():
    graph, _ = small_graph()
    with pytest.raises(ValueError, match="read-only"):
        graph.points[0] = 1


def test_a_graph_does_not_follow_later_changes_of_what_it_was_made_from():
    points, costs = np.zeros((3, 1)), costs_of({(0, 1): 1.0}, 2)
    graph = Graph(points[:2], costs)
    points[:] = 9.0
    costs.data[:] = 9.0
    assert graph.points.tolist() == [[0.0], [0.0]]
    assert graph.edge_cost(0, 1) == 1.0


def test_making_a_graph_leaves_the_given_arrays_writable():
    points, costs = np.zeros((2, 1)), costs_of({(0, 1): 1.0}, 2)
    Graph(points, costs)
    assert points.flags.writeable
    assert costs.data.flags.writeable


def test_attach_adds_a_last_vertex_and_leaves_the_graph_as_it_was():
    graph, edges = small_graph()
    larger = graph.attach(np.array([5.0, 5.0]), np.array([2, 0]), np.array([0.0, 7.0]))
    assert stored_edges(larger) == {**edges, (3, 2): 0.0, (3, 0): 7.0}
    assert larger.points[3].tolist() == [5.0, 5.0]
    assert stored_edges(graph) == edges
    assert len(graph) == 3


def test_attach_to_nothing_gives_a_vertex_without_edges():
    graph, edges = small_graph()
    larger = graph.attach(np.array([5.0, 5.0]), np.empty(0, dtype=np.int64), np.empty(0))
    assert stored_edges(larger) == edges
    assert len(larger.neighbors(3)[0]) == 0


@given(edge_sets(), st.frozensets(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=9))
def test_without_takes_out_those_edges_only(edges, removed):
    graph = Graph(np.zeros((6, 1)), costs_of(edges, 6))
    smaller = graph.without(removed)
    assert stored_edges(smaller) == {p: c for p, c in edges.items() if p not in removed}
    assert stored_edges(graph) == edges


@given(edge_sets(), st.integers(0, 2**20 - 1))
def test_with_edges_keeps_those_edges_only(edges, bits):
    graph = Graph(np.zeros((6, 1)), costs_of(edges, 6))
    kept = np.array([bits >> i & 1 for i in range(graph.costs.nnz)], dtype=bool)
    expected = {p: edges[p] for p, keep in zip(sorted(edges), kept, strict=True) if keep}
    assert stored_edges(graph.with_edges(kept)) == expected
    assert stored_edges(graph) == edges
