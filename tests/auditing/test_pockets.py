import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.test_choosing import multiverse_of

import facelift as fl
from facelift.auditing.pockets import differences
from facelift.errors import InvalidInput
from facelift.multiverse.whynot import no_route
from facelift.toys import fork
from facelift.views.audits import audit_json
from facelift.views.plot import pockets as drawn

POINTS = np.array([[x, y] for x in range(7) for y in range(3)], dtype=float)


def two_ends(points):
    """The outcome lies at both ends of a corridor."""
    chance = np.abs(np.asarray(points)[:, 0] - 3) / 3
    return np.column_stack([1 - chance, chance])


@pytest.fixture(scope="module")
def explainer():
    across = fl.Terrain.infer(POINTS).freeze("x1")
    made = fl.FACElift(two_ends, across, n_neighbors=4, n_counterfactuals=1, threshold=0.9)
    return made.fit(POINTS)


def test_people_on_both_sides_of_a_corridor_are_two_pockets(explainer):
    people = POINTS[(POINTS[:, 0] > 0) & (POINTS[:, 0] < 6) & (POINTS[:, 0] != 3)]
    found = fl.pockets(explainer.explain_many(people, target=1))
    assert found["people"].tolist() == [6, 6]
    for _, row in found.iterrows():
        side = people[list(row["members"]), 0] > 3
        assert side.all() or not side.any()
        assert row["changes"].startswith("x0 rises" if side.all() else "x0 falls")


def test_who_has_no_way_is_a_pocket_of_their_own():
    nobody = fl.Multiverse((), (), why_not=no_route(1, 1))
    found = fl.pockets([nobody, fork().multiverse(), nobody], names=["a", "b", "c"])
    assert found["members"].tolist() == [("b",), ("a", "c")]
    assert found["ways"].tolist() == [3, 0]
    assert found["changes"].iloc[1] == "no way"
    assert len(drawn(found).patches) == 2


def test_nobody_has_no_pockets():
    assert len(fl.pockets([])) == 0
    with pytest.raises(InvalidInput, match="near"):
        fl.pockets([], near=2.0)


angles = st.lists(st.floats(0, 6.28), min_size=1, max_size=3)


def person(turns):
    """Somebody whose ways lead in some directions."""
    found = multiverse_of([1] * len(turns))
    ends = [np.array([[0.0, 0.0], [np.cos(turn), np.sin(turn)]]) for turn in turns]
    ways = tuple(replace(way, waypoints=end) for way, end in zip(found, ends, strict=True))
    return replace(found, journeys=ways)


@given(st.lists(angles, min_size=1, max_size=6), st.floats(0, 1), st.randoms())
def test_pockets_part_all_people_whatever_their_order(people, near, rng):
    found = fl.pockets([person(each) for each in people], near=near)
    members = [member for row in found["members"] for member in row]
    assert sorted(members) == list(range(len(people)))
    assert found["people"].sum() == len(people)
    assert found["people"].tolist() == sorted(found["people"], reverse=True)
    apart = differences([person(each) for each in people])
    assert ((apart >= 0) & (apart <= 1)).all()
    assert np.allclose(apart, apart.T)
    order = rng.sample(range(len(people)), len(people))
    again = differences([person(people[i]) for i in order])
    np.testing.assert_allclose(again, apart[np.ix_(order, order)], atol=1e-12)


def test_opposite_ways_are_as_far_apart_as_can_be_and_equal_ones_are_not_apart():
    assert differences([person([0.0]), person([np.pi])])[0, 1] == pytest.approx(1)
    assert differences([person([0.0, 1.0]), person([1.0, 0.0])])[0, 1] == pytest.approx(0)


def test_an_audit_has_them_where_asked(explainer):
    side = np.where(POINTS[:, 0] > 3, "right", "left")
    found = fl.Audit.of(explainer, POINTS, by=side, target=1, pockets=True, min_size=1)
    assert found.pockets["people"].sum() == found.groups["rejected"].sum()
    assert json.loads(audit_json(found))["pockets"][0]["people"] == found.pockets["people"][0]
    assert "x0" in repr(found)
    assert fl.Audit.of(explainer, POINTS, by=side, target=1, min_size=1).pockets is None
    frame = fl.audit(explainer, POINTS, by=side, target=1, pockets=True, min_size=1)
    assert frame.attrs["pockets"].equals(found.pockets)


def test_branching_over_representatives_counts_near_copies_once():
    multiverse = fork().multiverse()
    families = multiverse.families(n_families=2)
    assert [family.members for family in families] == [(0, 2), (1,)]
    told = fl.branching(multiverse, families=families)
    alone = fl.explore(multiverse.graph, 0, [multiverse[i].vertices[-1] for i in (0, 1)])
    assert told[0] == pytest.approx(alone.branching()[0], nan_ok=True)
