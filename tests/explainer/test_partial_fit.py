"""Adding rows to a fitted explainer: the same as having had all of them at once."""

from __future__ import annotations

from unittest.mock import patch

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.laws import examples

from facelift import FACElift, Terrain
from facelift.errors import InvalidData
from facelift.steps import rows


def table(rng: np.random.Generator, n: int) -> pd.DataFrame:
    """A coarse table: many rows are the same, many costs tie."""
    housing = pd.Categorical(rng.choice(["free", "own", "rent"], n), ["free", "own", "rent"])
    return pd.DataFrame(
        {
            "age": rng.integers(20, 30, n),
            "savings": rng.integers(0, 5, n) / 4,
            "income": rng.choice([0.0, 1.0, rng.random()], n),
            "housing": housing,
        }
    )


def model(rows: pd.DataFrame) -> np.ndarray:
    chance = np.clip(rows["savings"].to_numpy(dtype=float), 0.1, 0.9)
    return np.column_stack([1 - chance, chance])


def terrain_of(rows: pd.DataFrame, *, rules: bool) -> Terrain:
    terrain = Terrain.infer(rows)
    if not rules:
        return terrain
    terrain = terrain.increase_only("age").price("savings", increase=2.0).between("age", 22, 28)
    return terrain.forbid("housing", "own", "rent").require("savings <= 0.75 or age >= 23")


def state(explainer: FACElift) -> list[object]:
    costs = explainer.graph_.costs
    arrays = [
        explainer.graph_.points,
        costs.data,
        costs.indices,
        costs.indptr,
        explainer.probabilities_,
        explainer.vertices_,
        explainer.multiplicity_,
    ]
    return [(array.shape, array.tolist()) for array in arrays]


@given(
    seed=st.integers(0, 2**32 - 1),
    sizes=st.tuples(st.integers(1, 40), st.integers(1, 20), st.integers(1, 20)),
    n_neighbors=st.sampled_from([1, 3, 20, None]),
    edges=st.sampled_from(["out", "union", "mutual"]),
    edge_cost=st.sampled_from(["distance", "power"]),
    max_step=st.sampled_from([None, 0.6, 1.6]),
    rules=st.booleans(),
)
@settings(max_examples=examples(120), deadline=None)
def test_rows_added_in_parts_make_the_graph_of_all_at_once(
    seed, sizes, n_neighbors, edges, edge_cost, max_step, rules
):
    rng = np.random.default_rng(seed)
    rows = table(rng, sum(sizes))
    options = {
        "n_neighbors": n_neighbors,
        "edges": edges,
        "edge_cost": edge_cost,
        "max_step": 1.0 if n_neighbors is None and max_step is None else max_step,
    }
    terrain = terrain_of(rows.iloc[: sizes[0]], rules=rules)
    in_parts = FACElift(model, terrain, **options)
    first, second, _ = np.cumsum(sizes).tolist()
    for part in (slice(0, first), slice(first, second), slice(second, None)):
        in_parts.partial_fit(rows.iloc[part])
    at_once = FACElift(model, in_parts.terrain_, **options).fit(rows)
    assert state(in_parts) == state(at_once)


def test_the_first_call_is_a_fit_and_infers_the_terrain():
    rows = table(np.random.default_rng(0), 30)
    assert state(FACElift(model).partial_fit(rows)) == state(FACElift(model).fit(rows))


def test_the_terrain_stays_as_fitted_and_numbers_may_lie_outside_its_range():
    explainer = FACElift(model).fit(table(np.random.default_rng(0), 30))
    fitted = explainer.terrain_
    older = table(np.random.default_rng(1), 5).assign(age=60)
    explainer.partial_fit(older)
    assert explainer.terrain_ == fitted
    assert explainer.graph_.points[:, 0].max() > 1
    assert explainer.explain(older.iloc[0]).goal is not None


def test_the_model_is_asked_about_new_points_only():
    asked = []

    def counting(rows: pd.DataFrame) -> np.ndarray:
        asked.append(len(rows))
        return model(rows)

    first, second = table(np.random.default_rng(0), 40), table(np.random.default_rng(1), 40)
    explainer = FACElift(counting).fit(first)
    before = len(explainer.graph_)
    asked.clear()
    explainer.partial_fit(second)
    assert sum(asked) == len(explainer.graph_) - before
    asked.clear()
    explainer.partial_fit(second)
    assert not asked


def test_known_rows_only_count():
    rows = table(np.random.default_rng(0), 30)
    explainer = FACElift(model).fit(rows)
    graph = explainer.graph_
    explainer.partial_fit(rows.iloc[:7])
    assert explainer.graph_.costs.data.tolist() == graph.costs.data.tolist()
    assert len(explainer.vertices_) == 37
    assert explainer.multiplicity_.sum() == 37


def test_a_row_that_does_not_fit_leaves_the_explainer_as_it_was():
    explainer = FACElift(model).fit(table(np.random.default_rng(0), 30))
    before = state(explainer)
    stranger = table(np.random.default_rng(1), 3).astype({"housing": object})
    stranger.loc[1, "housing"] = "boat"
    with pytest.raises(InvalidData, match="boat"):
        explainer.partial_fit(stranger)
    assert state(explainer) == before


def test_rows_can_be_added_to_a_loaded_explainer(tmp_path):
    rng = np.random.default_rng(0)
    first, second = table(rng, 40), table(rng, 10)
    explainer = FACElift(model, n_neighbors=4).fit(first)
    explainer.save(tmp_path / "saved")
    loaded = FACElift.load(tmp_path / "saved", model=model)
    with patch.object(rows, "nearest_moves", side_effect=AssertionError("known from the graph")):
        assert state(loaded.partial_fit(second)) == state(explainer.partial_fit(second))


def test_a_folder_tells_which_edges_are_moves_and_an_older_one_need_not(tmp_path):
    rng = np.random.default_rng(0)
    first, second = table(rng, 40), table(rng, 10)
    explainer = FACElift(model, n_neighbors=4).fit(first)
    explainer.save(tmp_path / "told")
    with patch.object(rows.Rows, "nearest_edges", lambda *_: None):
        explainer.save(tmp_path / "older")
    told, older = (
        FACElift.load(tmp_path / name, model=model).steps_.nearest for name in ("told", "older")
    )
    assert told.tolist() == explainer.steps_.nearest.tolist()
    assert older is None
    loaded = FACElift.load(tmp_path / "told", model=model)
    with patch.object(rows, "moves_in", side_effect=AssertionError("known from the folder")):
        loaded.partial_fit(second)
    older = FACElift.load(tmp_path / "older", model=model).partial_fit(second)
    assert state(loaded) == state(older) == state(explainer.partial_fit(second))


def test_a_folder_tells_nothing_of_moves_that_other_parameters_would_not_make(tmp_path):
    changed = FACElift(model, n_neighbors=9).fit(table(np.random.default_rng(0), 40))
    changed.set_params(n_neighbors=3).save(tmp_path / "saved")
    assert FACElift.load(tmp_path / "saved", model=model).steps_.nearest is None


def test_rows_that_come_one_by_one_are_found_again():
    rng = np.random.default_rng(0)
    first, second = table(rng, 40), table(rng, 20).assign(income=rng.random(20))
    explainer = FACElift(model).fit(first)
    for i in range(len(second)):
        explainer.partial_fit(second.iloc[[i]])
    points = explainer.graph_.points
    assert explainer.oracle_.lookup.vertices(points).tolist() == list(range(len(points)))


def test_other_parameters_after_a_fit_count_for_all_rows():
    rng = np.random.default_rng(0)
    first, second = table(rng, 40), table(rng, 10)
    changed = FACElift(model, n_neighbors=9).fit(first).set_params(n_neighbors=3)
    straight = FACElift(model, changed.terrain_, n_neighbors=3).fit(pd.concat([first, second]))
    assert state(changed.partial_fit(second)) == state(straight)


@pytest.mark.parametrize("options", [{"edges": "out"}, {"edges": "mutual"}, {"edge_cost": "power"}])
def test_another_rule_for_edges_after_a_fit_counts_for_all_rows(options):
    rng = np.random.default_rng(0)
    first, second = table(rng, 40), table(rng, 10)
    changed = FACElift(model, n_neighbors=4).fit(first).set_params(**options)
    both = pd.concat([first, second])
    straight = FACElift(model, changed.terrain_, n_neighbors=4, **options).fit(both)
    assert state(changed.partial_fit(second)) == state(straight)


def test_states_of_actions_see_the_new_records_too():
    rng = np.random.default_rng(0)
    first, second = table(rng, 60), table(rng, 60)
    in_parts = FACElift(model, steps="actions").fit(first).partial_fit(second)
    both = pd.concat([first, second])
    at_once = FACElift(model, in_parts.terrain_, steps="actions").fit(both)
    assert in_parts.plausibility_.bound == at_once.plausibility_.bound
    assert state(in_parts) == state(at_once)
