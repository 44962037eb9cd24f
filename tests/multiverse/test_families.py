from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse
from tests.laws import examples
from tests.multiverse.slow_multiverse import general_graph

import facelift as fl
from facelift import geometry
from facelift.errors import InvalidInput
from facelift.multiverse.families import common_trunk, direction_differences
from facelift.multiverse.journey import Journey
from facelift.toys import fork, line, loan

seeds = st.integers(0, 2**32 - 1)


def random_multiverse(seed, n=14):
    return fl.explore(general_graph(np.random.default_rng(seed), n), 0, range(1, n))


def slow_differences(multiverse, n_sections=20):
    stations = [geometry.resample(journey.waypoints, n_sections) for journey in multiverse]
    return np.array(
        [[geometry.direction_difference(a, b) for b in stations] for a in stations]
    ).reshape(len(stations), len(stations))


def slow_clusters(differences, stop):
    """Join the two groups that are nearest on average, until `stop(groups, distance)`."""
    groups = [{i} for i in range(len(differences))]
    while len(groups) > 1:
        pairs = [
            (differences[np.ix_(sorted(a), sorted(b))].mean(), i, j)
            for i, a in enumerate(groups)
            for j, b in enumerate(groups)
            if i < j
        ]
        nearest, i, j = min(pairs)
        if stop(groups, nearest):
            break
        groups[i] |= groups.pop(j)
    return sorted(map(sorted, groups))


def members_of(families):
    return [list(family.members) for family in families]


@given(seeds)
@settings(max_examples=examples(30))
def test_differences_are_those_of_every_pair_and_symmetric(seed):
    multiverse = random_multiverse(seed)
    found = direction_differences(multiverse.journeys)
    assert found == pytest.approx(slow_differences(multiverse))
    assert (found == found.T).all()
    assert not np.diag(found).any()


@given(seed=seeds, threshold=st.floats(0, 3))
@settings(max_examples=examples(50))
def test_journeys_are_joined_while_they_differ_less_than_the_threshold(seed, threshold):
    multiverse = random_multiverse(seed)
    expected = slow_clusters(slow_differences(multiverse), lambda _, nearest: nearest > threshold)
    assert members_of(multiverse.families(threshold)) == expected


@given(seed=seeds, count=st.integers(1, 15))
@settings(max_examples=examples(50))
def test_journeys_are_joined_until_that_many_families_are_left(seed, count):
    multiverse = random_multiverse(seed)
    expected = slow_clusters(slow_differences(multiverse), lambda groups, _: len(groups) <= count)
    assert members_of(multiverse.families(n_families=count)) == expected


@given(seed=seeds, count=st.integers(1, 5))
def test_every_journey_is_in_exactly_one_family_in_order_of_its_first_member(seed, count):
    multiverse = random_multiverse(seed)
    members = members_of(multiverse.families(n_families=count))
    assert sorted(i for family in members for i in family) == list(range(len(multiverse)))
    assert members == sorted(members)


@given(seed=seeds, count=st.integers(1, 4))
@settings(max_examples=examples(50))
def test_the_representative_is_the_member_nearest_to_all_others(seed, count):
    multiverse = random_multiverse(seed)
    differences = slow_differences(multiverse)
    for family in multiverse.families(n_families=count):
        sums = {a: sum(differences[a, b] for b in family.members) for a in family.members}
        assert sums[family.representative] == pytest.approx(min(sums.values()))
        assert family.representative in family.members


@given(seed=seeds, count=st.integers(1, 4))
@settings(max_examples=examples(50))
def test_the_trunk_is_what_all_members_walk_before_they_part(seed, count):
    multiverse = random_multiverse(seed)
    for family in multiverse.families(n_families=count):
        routes = [multiverse[i].vertices.tolist() for i in family.members]
        trunk = family.trunk.tolist()
        assert trunk[0] == 0
        assert all(route[: len(trunk)] == trunk for route in routes)
        longer = {tuple(route[: len(trunk) + 1]) for route in routes}
        assert len(longer) > 1 or len(trunk) == min(map(len, routes))


def ways_on_a_lattice(seed, unit=1.0, shift=0.0):
    """Many ways are equally far apart here."""
    rng = np.random.default_rng(seed)
    points = rng.integers(0, 3, size=(10, 2)).astype(float)
    costs = rng.integers(1, 4, size=(10, 10)) * (rng.random((10, 10)) < 0.5)
    np.fill_diagonal(costs, 0)
    graph = fl.Graph(points * unit + shift, sparse.csr_array(costs.astype(float)))
    ends = [v for v in range(1, 8) if (points[v] != points[0]).any()]
    return fl.explore(graph, 0, ends)


def every_order_of_ties(differences, threshold):
    """All clusterings that average linkage can end with, equally near pairs in any order."""
    ends, seen, left = set(), set(), [frozenset((i,) for i in range(len(differences)))]
    while left:
        groups = left.pop()
        if groups in seen:
            continue
        seen.add(groups)
        apart = {(a, b): differences[np.ix_(a, b)].mean() for a in groups for b in groups if a < b}
        least = min(apart.values(), default=np.inf)
        if least > threshold * (1 + 1e-8):
            ends.add(groups)
            continue
        near = [pair for pair, each in apart.items() if each <= least * (1 + 1e-8) + 1e-12]
        left += [groups - {a, b} | {tuple(sorted(a + b))} for a, b in near]
    return ends


@given(seed=seeds, coarseness=st.sampled_from([0.25, 0.5, 0.8, 1.0]))
@settings(max_examples=examples(100))
def test_of_equally_near_ways_any_are_joined_first_and_nothing_else(seed, coarseness):
    multiverse = ways_on_a_lattice(seed)
    differences = slow_differences(multiverse)
    threshold = coarseness * differences.max(initial=0.0)
    found = frozenset(tuple(each) for each in members_of(multiverse.overview(coarseness)))
    assert not found or found in every_order_of_ties(differences, threshold)


@pytest.mark.parametrize("seed", range(60))
def test_families_do_not_depend_on_the_unit_or_origin_of_coordinates(seed):
    told = [
        [
            [(each.members, each.representative) for each in families]
            for coarseness in (0.0, 0.25, 0.5, 0.8, 1.0)
            if len(multiverse)
            for families in (multiverse.overview(coarseness), multiverse.families(n_families=3))
        ]
        for multiverse in (
            ways_on_a_lattice(seed),
            ways_on_a_lattice(seed, unit=3.0),
            ways_on_a_lattice(seed, unit=0.7, shift=5.3),
        )
    ]
    assert told[0] == told[1] == told[2]


def test_at_threshold_zero_each_journey_is_a_family_unless_identical():
    alone = loan().multiverse().families(0.0)
    assert members_of(alone) == [[0], [1], [2]]
    assert [family.trunk.tolist() for family in alone] == [[0, 1], [0, 4, 2], [0, 4, 5, 6, 3]]
    twice = fl.explore(loan().graph, 0, [2, 1, 2])
    assert members_of(twice.families(0.0)) == [[0], [1, 2]]


def test_at_a_huge_threshold_all_journeys_are_one_family():
    (family,) = loan().multiverse().families(1e9)
    assert family.members == (0, 1, 2)
    assert family.trunk.tolist() == [0]


def test_journeys_that_share_a_trunk_are_a_family():
    families = fork().multiverse().families(n_families=2)
    assert members_of(families) == [[0, 2], [1]]
    assert families[0].trunk.tolist() == [0, 1, 2]


def test_a_single_journey_is_its_own_family():
    (family,) = fl.explore(loan().graph, 0, [3]).families(0.5)
    assert (family.members, family.representative) == ((0,), 0)
    assert family.trunk.tolist() == [0, 4, 5, 6, 3]


def test_the_common_trunk_of_a_journey_and_its_beginning_is_that_beginning():
    routes = [np.array([0, 4, 5, 6]), np.array([0, 4, 5])]
    assert common_trunk(routes).tolist() == [0, 4, 5]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "either"),
        ({"threshold": 1.0, "n_families": 2}, "either"),
        ({"threshold": -0.1}, "threshold must be 0 or more, got -0.1"),
        ({"threshold": np.nan}, "threshold must be 0 or more"),
        ({"n_families": 0}, "n_families must be 1 or more, got 0"),
    ],
)
@pytest.mark.parametrize("destinations", [[1, 2, 3], [1]])
def test_families_that_cannot_be_are_refused_with_the_reason(options, message, destinations):
    with pytest.raises(InvalidInput, match=message):
        fl.explore(loan().graph, 0, destinations).families(**options)


# Branching of a journey, SPEC 6


def slow_branching(others, discount, scale):
    """Mean over the waypoints between of −log(mean cost left to those in reach ÷ scale)."""
    start = np.mean([left for left in others[0] if np.isfinite(left)]) if scale is None else scale
    total = 0.0
    for i, row in enumerate(others[1:-1], start=1):
        reachable = [left for left in row if np.isfinite(left)]
        if not reachable:
            return -np.inf
        total -= discount**i * np.log(np.mean(reachable) / start)
    return total / (len(others) - 2)


@given(seed=seeds, discount=st.sampled_from([0.5, 1.0, 1.5]), scale=st.sampled_from([None, 1.0]))
def test_branching_is_the_formula_over_the_waypoints_in_between(seed, discount, scale):
    multiverse = random_multiverse(seed, 10)
    ends = [journey.vertices[-1] for journey in multiverse if journey.n_steps > 1]
    multiverse = fl.explore(multiverse.graph, 0, ends[-3:])
    for journey, found in zip(multiverse, multiverse.branching(discount, scale), strict=True):
        others = np.delete(journey.remaining, journey.own, axis=1)
        if not others.size or (others == 0).any():  # no alternative, or one stands on it
            continue
        assert found == pytest.approx(slow_branching(others, discount, scale))


def test_branching_of_the_loan_figure():
    found = loan().multiverse().branching(scale=1.0)
    assert np.isnan(found[0])  # a direct journey has nothing in between
    assert found[1] == pytest.approx(-np.log(8))  # from x4 only x3 is left, at cost 8


def random_ways(seed, n=14, c=6):
    return fl.explore(general_graph(np.random.default_rng(seed), n), 0, range(1, c + 1))


def test_the_fork_shares_its_first_two_steps():
    trunk = fork().multiverse().trunk()
    assert trunk.journey.vertices[: trunk.n_steps + 1].tolist() == [0, 1, 2]
    assert (trunk.ways, trunk.keeps_open, trunk.cost, trunk.excess) == ((0, 2), (0, 2), 2.0, 0.0)


def test_the_loan_closes_the_way_that_does_not_share_the_first_step():
    trunk = loan().multiverse().trunk()
    assert trunk.ways == trunk.keeps_open == (1, 2)


def test_the_trunk_is_the_same_however_small_costs_are():
    world = fork()
    tiny = fl.explore(world.graph.weighed(world.graph.costs.data * 1e-12), 0, world.destinations)
    assert tiny.trunk().ways == world.multiverse().trunk().ways


def test_a_free_first_step_is_on_all_ways_that_it_takes_no_farther():
    costs = sparse.csr_array(([0.0, 1.0, 1.0, 1.0], ([0, 1, 2, 2], [1, 2, 3, 4])), shape=(5, 5))
    trunk = fl.explore(fl.Graph(np.arange(10.0).reshape(5, 2), costs), 0, [3, 4]).trunk()
    assert (trunk.n_steps, trunk.ways) == (2, (0, 1))


def test_a_single_way_has_no_trunk():
    records, model = line()
    multiverse = fl.FACElift(model, n_neighbors=2, n_counterfactuals=1).fit(records).explain([2.0])
    assert len(multiverse) == 1
    assert multiverse.trunk() is None


def test_an_empty_multiverse_has_no_trunk():
    records, model = line()
    terrain = fl.Terrain.infer(records).freeze("x0")
    assert fl.FACElift(model, terrain).fit(records).explain([2.0]).trunk() is None


def test_a_trunk_can_be_asked_to_be_on_a_way():
    multiverse = loan().multiverse()
    assert multiverse.trunk(on=2).ways == (1, 2)
    assert multiverse.trunk(on=0) is None


@pytest.mark.laws
@settings(max_examples=examples(40))
@given(st.integers(0, 2**32 - 1), st.floats(0, 0.5))
def test_what_the_trunk_claims_is_true_of_the_graph(seed, slack):
    multiverse = random_ways(seed)
    trunk = multiverse.trunk(slack)
    if trunk is None:
        return
    assert 1 < len(trunk.ways) > len(multiverse) / 2
    assert 0 < trunk.n_steps < trunk.journey.n_steps
    assert trunk.cost == pytest.approx(trunk.journey.step_costs[: trunk.n_steps].sum())
    left = trunk.journey.remaining[trunk.n_steps]
    for way in trunk.ways:
        assert trunk.cost + left[way] <= multiverse[way].cost * (1 + trunk.excess) * (1 + 1e-9)
    assert trunk.excess <= slack + 1e-9
    assert trunk.keeps_open == tuple(np.flatnonzero(np.isfinite(left)))
    assert set(trunk.ways) <= set(trunk.keeps_open)
    steps = trunk.journey.remaining[: trunk.n_steps + 1, list(trunk.ways)]
    assert (np.diff(steps, axis=0) < 0).all()  # each step helps each of them


@pytest.mark.laws
@settings(max_examples=examples(20))
@given(st.integers(0, 2**32 - 1))
def test_no_beginning_is_on_more_ways(seed):
    multiverse = random_ways(seed)
    trunk = multiverse.trunk(0.0)
    most = 0 if trunk is None else len(trunk.ways)
    for journey in multiverse:
        for k in range(1, journey.n_steps):
            spent = journey.step_costs[:k].sum()
            on = np.isclose(spent + journey.remaining[k], journey.remaining[0], rtol=1e-12)
            assert on.sum() <= max(most, 1, len(multiverse) / 2)


coordinates = st.integers(-4, 4).map(float)


def multiverse_through(*routes, points):
    """Journeys through these vertices, each step as long as it is."""
    journeys = []
    for number, route in enumerate(routes):
        waypoints = points[list(route)]
        costs = np.linalg.norm(np.diff(waypoints, axis=0), axis=1)
        remaining = np.zeros((len(route), len(routes)))
        journeys.append(Journey(np.array(route), waypoints, costs, remaining, number))
    return fl.Multiverse(tuple(journeys), tuple(np.array([route[-1]]) for route in routes))


def test_ways_that_part_and_meet_again():
    points = np.array([[0, 0], [1, 0], [2, 1], [2, -1], [3, 0], [4, 0], [4, 1]], dtype=float)
    pairs = multiverse_through((0, 1, 2, 4, 5), (0, 1, 3, 4, 6), points=points).pairs()
    pair = pairs.iloc[0]
    assert (pair.a, pair.b, pair.shared_steps, pair.shared_cost) == (0, 1, 1, 1.0)
    assert pair.meets_again == 3
    assert pair.converges > pair.shared_proportion > 0


def test_ways_that_part_for_good_never_meet():
    pairs = fork().multiverse().pairs().set_index(["a", "b"])
    assert pairs["meets_again"].isna().all()
    assert pairs.loc[(0, 2), "shared_steps"] == 2
    assert pairs.loc[(0, 1), "shared_cost"] == 0


def test_ways_in_opposite_directions_have_no_affinity():
    points = np.array([[0.0, 0.0], [2.0, 0.0], [-2.0, 0.0]])
    pair = multiverse_through((0, 1), (0, 2), points=points).pairs().iloc[0]
    assert pair.affinity == pytest.approx(0.0)
    assert pair.shared_proportion < 0.5


def test_weights_of_early_sections_forgive_late_differences():
    points = np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 1.0], [2.0, -1.0]])
    ways = multiverse_through((0, 1, 2), (0, 1, 3), points=points)
    even, early = ways.pairs(), ways.pairs(weights=fl.geometry.early(20, 0.7))
    assert early["affinity"][0] > even["affinity"][0]


def test_a_single_way_has_no_pairs():
    assert len(multiverse_through((0, 1), points=np.eye(2)).pairs()) == 0


@given(arrays(np.float64, (6, 2), elements=coordinates), st.permutations(range(1, 6)))
def test_affinity_is_a_share_and_does_not_mind_the_order(points, order):
    one, two = (0, *order[:3]), (0, *order[2:])
    forth = multiverse_through(one, two, points=points).pairs().iloc[0]
    back = multiverse_through(two, one, points=points).pairs().iloc[0]
    assert 0 <= forth.affinity <= 1
    assert forth.affinity == pytest.approx(back.affinity)
    assert forth.shared_steps == back.shared_steps
    assert multiverse_through(one, one, points=points).pairs()["affinity"][0] == 1
