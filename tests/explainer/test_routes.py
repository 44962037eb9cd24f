import numpy as np
import pytest

import facelift as fl
from facelift.walking.guide import Guide
from facelift.walking.walk import Walk

ROOM = [[x, y] for x in range(5) for y in range(5)]


def rising(points):
    """The chance rises with both coordinates alike."""
    chance = np.asarray(points, dtype=float).sum(axis=1) / 8
    return np.column_stack([1 - chance, chance])


@pytest.fixture(scope="module")
def explainer():
    made = fl.FACElift(
        rising, steps="actions", n_counterfactuals=3, plausibility=1.0, threshold=0.6
    )
    return made.fit(np.array(ROOM, dtype=float))


def test_further_routes_make_the_same_changes_in_another_order(explainer):
    multiverse = explainer.explain([1.0, 1.0], routes=3)
    assert any(multiverse.variants)
    for journey, further in zip(multiverse, multiverse.variants, strict=True):
        for variant in further:
            assert variant.vertices[[0, -1]].tolist() == journey.vertices[[0, -1]].tolist()
            assert variant.n_steps == journey.n_steps
            assert variant.cost == pytest.approx(journey.cost)
            assert variant.vertices.tolist() != journey.vertices.tolist()
            assert variant.chances[-1] == journey.chances[-1]
            assert variant.rows is not None


def test_without_routes_nothing_is_different(explainer):
    plain, one = explainer.explain([1.0, 1.0]), explainer.explain([1.0, 1.0], routes=1)
    assert plain.variants == one.variants == ()
    assert "route" not in plain.to_frame()
    assert plain.to_json() == one.to_json()
    assert "variants" not in plain.to_json()


def test_frame_json_and_batch_have_them_too(explainer):
    multiverse = explainer.explain([1.0, 1.0], routes=2)
    (batch,) = explainer.explain_many([[1.0, 1.0]], routes=2)
    assert batch.to_json() == multiverse.to_json()
    read = fl.Multiverse.from_json(multiverse.to_json())
    assert read.to_json() == multiverse.to_json()
    table = multiverse.to_frame()
    assert table.equals(read.to_frame())
    lengths = [(own, route, way.n_steps) for own, route, way in multiverse.routes]
    told = table.groupby(["journey", "route"])["step"].max()
    assert [(*index, steps) for index, steps in told.items()] == lengths


def test_the_walk_offers_them_from_where_one_stands(explainer):
    multiverse = explainer.explain([1.0, 1.0], routes=2)
    guide = Guide(multiverse)
    plan = guide.plan(Walk())
    assert [len(some) for some in plan.variants] == [len(some) for some in multiverse.variants]
    assert all(each.vertices[0] == 0 for some in plan.variants for each in some)
    assert [len(some) for some in Guide(explainer.explain([1.0, 1.0])).plan(Walk()).variants] == [
        0
    ] * len(multiverse)


def test_through_records_they_pass_others_and_keep_to_the_slack():
    made = fl.FACElift(rising, n_neighbors=4, n_counterfactuals=3, threshold=0.6)
    multiverse = made.fit(np.array(ROOM, dtype=float)).explain([0.0, 0.0], routes=fl.Variety(3))
    assert any(multiverse.variants)
    for journey, further in zip(multiverse, multiverse.variants, strict=True):
        for variant in further:
            assert variant.cost <= 1.25 * journey.cost * (1 + 1e-9)
            assert variant.remaining[:-1, variant.own].all()
