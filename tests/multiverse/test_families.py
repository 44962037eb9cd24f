import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.laws import examples
from tests.multiverse.slow_multiverse import general_graph

import facelift as fl
from facelift import geometry
from facelift.errors import InvalidInput
from facelift.multiverse.families import common_trunk, direction_differences
from facelift.toys import fork, loan

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
