"""Results and constraints of DiCE, real and by their shape, as multiverses and terrains."""

from __future__ import annotations

import json
import warnings
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from sklearn.linear_model import LinearRegression, LogisticRegression
from tests.interop.conftest import COLUMNS

from facelift import FACElift, Terrain, from_alibi, from_dice
from facelift.cli import commands
from facelift.errors import InvalidInput, UnknownColumn


def test_real_dice_is_told_as_journeys_within_the_same_rules(X, y, model, explainer):
    dice_ml = pytest.importorskip("dice_ml", reason="DiCE comes with the extra peers")
    rejected = X[(model.predict(X) == 0) & (X["savings"] <= 80)].iloc[:2]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # DiCE's own, about frames
        data = dice_ml.Data(
            dataframe=X.assign(y=y),
            continuous_features=["age", "savings", "debt"],
            outcome_name="y",
        )
        dice = dice_ml.Dice(data, dice_ml.Model(model=model, backend="sklearn"), method="random")
        result = dice.generate_counterfactuals(
            rejected, total_CFs=4, desired_class="opposite", random_seed=0, verbose=False, **COLUMNS
        )
    multiverses = from_dice(result, explainer)
    assert len(multiverses) == 2
    for multiverse, example, (_, row) in zip(
        multiverses, result.cf_examples_list, rejected.iterrows(), strict=True
    ):
        proposed = example.final_cfs_df[X.columns].astype(str).to_numpy().tolist()
        assert len(multiverse) >= 1
        for journey in multiverse:
            assert journey.rows.iloc[0].to_dict() == row.to_dict()
            assert journey.rows.iloc[-1].astype(str).tolist() in proposed
            assert (journey.rows["age"] == row["age"]).all()
            assert (journey.rows["savings"] <= 80).all()
            assert journey.chances[-1] >= 0.5


def dice_result(X, *tables) -> SimpleNamespace:
    return SimpleNamespace(
        cf_examples_list=[
            SimpleNamespace(test_instance_df=X.iloc[[0]].assign(y=0), final_cfs_df=table)
            for table in tables
        ]
    )


def person(X, **values) -> dict:
    return {**X.iloc[0].to_dict(), **values}


@pytest.fixture(scope="module")
def poor(X, model) -> pd.DataFrame:
    return X[(model.predict(X) == 0) & (X["savings"] <= 80)].reset_index(drop=True)


def test_forbidden_and_failing_proposals_are_left_out(poor, explainer):
    good = person(poor, savings=79, debt=1)
    older = person(poor, age=59 if poor["age"][0] != 59 else 58, savings=79, debt=1)
    table = pd.DataFrame([good, older, person(poor, savings=80, debt=99), person(poor)])
    (found,) = from_dice(dice_result(poor, table.assign(y=1)), explainer)
    assert [journey.rows.iloc[-1].to_dict() for journey in found] == [good]


def test_text_in_the_place_of_numbers_and_levels_is_understood(poor, explainer):
    table = pd.DataFrame([person(poor, savings=79, debt=1)])
    (plain,) = from_dice(dice_result(poor, table), explainer)
    (text,) = from_dice(dice_result(poor, table.astype(str)), explainer)
    assert plain.to_json() == text.to_json()


def test_a_query_without_counterfactuals_is_an_empty_multiverse(poor, explainer):
    found = from_dice(dice_result(poor, None, pd.DataFrame(columns=poor.columns)), explainer)
    assert [str(each.why_not)[:10] for each in found] == ["DiCE found"] * 2


def test_proposals_that_all_fail_say_so(poor, explainer):
    (found,) = from_dice(dice_result(poor, poor.iloc[[0]].assign(debt=99)), explainer)
    assert found.why_not.reason == "no candidate"
    assert "The only state that was tried" in found.why_not.message


def test_who_is_there_already_needs_no_bridge(X, model, explainer):
    rich = X[(model.predict(X) == 1) & (X["savings"] <= 80)].iloc[[0]]
    assert explainer.bridge(rich, rich, target=1).why_not.reason == "already there"


def test_dice_for_numbers_gives_its_own_range(X):
    numbers = X.drop(columns="job")
    model = LinearRegression().fit(numbers, numbers["savings"] - numbers["debt"])
    explainer = FACElift(model).fit(numbers)
    table = pd.DataFrame([{"age": 30, "savings": 90, "debt": 10}])
    example = SimpleNamespace(
        test_instance_df=pd.DataFrame([{"age": 30, "savings": 10, "debt": 60, "y": -50.0}]),
        final_cfs_df=table,
        desired_range=[70, 90],
    )
    (found,) = from_dice(SimpleNamespace(cf_examples_list=[example]), explainer)
    assert found[0].predictions[-1] == pytest.approx(80)
    assert str(found.goal) == "70 to 90"


def test_a_table_of_dice_with_other_columns_is_an_error(poor, explainer):
    with pytest.raises(InvalidInput, match="lacks the column 'job'"):
        from_dice(dice_result(poor, poor.iloc[[0]].drop(columns="job")), explainer)


def test_the_command_leads_to_counterfactuals_of_a_file(X, y, tmp_path):
    X.assign(y=y).to_csv(tmp_path / "loans.csv", index=False)
    row = int(np.flatnonzero(y == 0)[0])
    end = {**X.iloc[row].to_dict(), "savings": 95, "debt": 2, "job": "full"}
    pd.DataFrame([{**end, "y": 1}]).to_csv(tmp_path / "dice.csv", index=False)
    told = ["explain", tmp_path / "loans.csv", "--target-column", "y", "--row", row, "--json"]
    told += ["--counterfactuals", tmp_path / "dice.csv", "--target", "1"]
    done = CliRunner().invoke(commands, list(map(str, told)))
    assert done.exit_code == 0, done.output
    (journey,) = json.loads(done.stdout)["journeys"]
    assert journey["rows"][-1] == list(end.values())


def test_only_what_may_vary_is_not_frozen(X):
    terrain = Terrain.infer(X, features_to_vary=["savings", "job"])
    assert [f.name for f in terrain.features if f.frozen] == ["age", "debt"]
    assert Terrain.infer(X, features_to_vary="all") == Terrain.infer(X)


def test_a_permitted_range_bounds_numbers_and_levels(X):
    terrain = Terrain.infer(X, permitted_range={"savings": [5, 50], "job": ["part", "full"]})
    assert (terrain.feature("savings").lower, terrain.feature("savings").upper) == (5, 50)
    rows = X.iloc[[0, 0, 0]].assign(job=["none", "part", "full"])
    points = np.asarray(terrain.encode(rows))
    finite = np.isfinite(terrain.cost(points[:, np.newaxis], points))
    assert finite.tolist() == [[True, True, True], [False, True, True], [False, True, True]]


def test_what_is_immutable_is_frozen_whatever_may_vary(X):
    terrain = Terrain.infer(X, features_to_vary=["age", "job"], immutable_features=["job"])
    assert [f.name for f in terrain.features if not f.frozen] == ["age"]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"features_to_vary": ["savigns"]}, "savings"),
        ({"features_to_vary": "savings"}, "takes a list"),
        ({"immutable_features": ["x"]}, "no column 'x'"),
        ({"permitted_range": {"savings": [1, 2, 3]}}, r"\[low, high\]"),
        ({"permitted_range": {"job": "part"}}, "list of levels"),
        ({"permitted_range": {"job": ["prat"]}}, "part"),
        ({"permitted_range": {"savings": [9, 2]}}, "upside down"),
    ],
)
def test_a_constraint_that_cannot_be_right_is_one_clear_error(X, given, words):
    with pytest.raises((InvalidInput, UnknownColumn), match=words):
        Terrain.infer(X, **given)


@pytest.fixture(scope="module")
def plane() -> FACElift:
    points = np.random.default_rng(0).random((200, 2)).round(2)
    model = lambda x: np.column_stack([x.sum(axis=1) < 1, x.sum(axis=1) >= 1])  # noqa: E731
    return FACElift(model).fit(points)


@pytest.mark.parametrize(
    "others",
    [
        {0: [], 1: [{"X": np.array([[0.9, 0.8]]), "class": 1}]},
        {0: [np.array([[0.9, 0.8]])], 1: []},
        [np.array([0.9, 0.8])],
    ],
    ids=["Counterfactual", "CounterfactualProto", "plain"],
)
def test_what_alibi_found_on_the_way_counts_too(plane, others):
    data = {"cf": {"X": np.array([[0.6, 0.6]]), "class": 1}, "all": others}
    found = from_alibi(SimpleNamespace(data=data), plane, x=[0.1, 0.2])
    ends = [plane.terrain_.decode(journey.waypoints)[-1].tolist() for journey in found]
    assert sorted(ends) == [[0.6, 0.6], [0.9, 0.8]]


def test_an_explanation_may_hold_the_case_itself(plane):
    data = {"orig": {"X": np.array([[0.1, 0.2]])}, "cf": {"X": np.array([[0.6, 0.6]])}}
    found = from_alibi(SimpleNamespace(data=data), plane)
    assert plane.terrain_.decode(found[0].waypoints)[0].tolist() == [0.1, 0.2]


def test_alibi_may_have_found_nothing(plane):
    found = from_alibi(SimpleNamespace(data={"cf": None, "all": {0: []}}), plane, x=[0.1, 0.2])
    assert str(found.why_not).startswith("alibi found no")


def test_arrays_of_alibi_fit_frames_by_their_place(X):
    numbers = X.drop(columns="job")
    model = LogisticRegression(max_iter=500).fit(numbers, numbers["savings"] > numbers["debt"])
    explainer = FACElift(model).fit(numbers)
    data = {"cf": {"X": np.array([[30.0, 90.0, 10.0]])}}
    found = from_alibi(data, explainer, x={"age": 30, "savings": 10, "debt": 60}, target=True)
    assert found[0].rows.iloc[-1].tolist() == [30, 90, 10]


def test_what_is_no_result_is_one_clear_error(plane):
    with pytest.raises(InvalidInput, match="cf_examples_list"):
        from_dice({}, plane)
    with pytest.raises(InvalidInput, match="'cf'"):
        from_alibi([1], plane)
    with pytest.raises(InvalidInput, match="give it as x"):
        from_alibi({"cf": {"X": [[0.6, 0.6]]}}, plane)
