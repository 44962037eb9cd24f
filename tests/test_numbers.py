"""Models that predict a number: ranges as targets, and no word of chances."""

from __future__ import annotations

import json

import joblib
import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from facelift import FACElift, Multiverse, models
from facelift.cli import commands
from facelift.errors import InvalidInput, InvalidModel
from facelift.views.page import document, to_json
from facelift.views.report import exported
from facelift.views.text import multiverse_text
from facelift.walking.guide import Guide
from facelift.walking.walk import Take, Walk


@pytest.fixture(scope="module")
def flats() -> pd.DataFrame:
    rng = np.random.default_rng(3)
    return pd.DataFrame(
        {"size": rng.integers(30, 90, 150), "rooms": rng.integers(1, 6, 150)}, dtype=float
    )


def price(rows: pd.DataFrame) -> np.ndarray:
    return (3 * rows["size"] + 10 * rows["rooms"]).to_numpy()


@pytest.fixture(scope="module")
def model(flats):
    return make_pipeline(StandardScaler(), LinearRegression()).fit(flats, price(flats))


@pytest.mark.parametrize("steps", ["rows", "actions"])
@pytest.mark.parametrize("ends", [(200, 230), (220, None), (None, 150)])
def test_a_range_leads_where_a_classifier_of_being_in_it_leads(flats, steps, ends):
    low, high = (-np.inf if ends[0] is None else ends[0], np.inf if ends[1] is None else ends[1])

    def inside(rows):
        yes = ((price(rows) >= low) & (price(rows) <= high)).astype(float)
        return np.column_stack([1 - yes, yes])

    person = {"size": 55.0, "rooms": 2.0}
    by_range = FACElift(price, steps=steps, n_counterfactuals=4).fit(flats)
    by_class = FACElift(inside, steps=steps, n_counterfactuals=4).fit(flats)
    found, expected = by_range.explain(person, target=ends), by_class.explain(person, target=1)
    assert len(found) == len(expected) > 0
    for journey, other in zip(found, expected, strict=True):
        assert journey.vertices.tolist() == other.vertices.tolist()
        assert journey.predictions == pytest.approx(price(journey.rows))
        assert low <= journey.predictions[-1] <= high
        assert journey.chances is None


def test_regressors_pipelines_and_functions_answer_alike(flats, model):
    asked = [
        FACElift(each).fit(flats).explain(flats.iloc[1], (280, None)) for each in (model, price)
    ]
    assert asked[0].costs == pytest.approx(asked[1].costs)
    column = lambda rows: model.predict(rows)[:, np.newaxis]  # noqa: E731
    with pytest.raises(InvalidModel, match="one class only"):
        FACElift(column).fit(flats)


def test_a_regressor_of_one_output_column_will_do(flats):
    model = LinearRegression().fit(flats, price(flats)[:, np.newaxis])
    assert FACElift(model).fit(flats).probabilities_.shape == (len(flats.drop_duplicates()), 1)


def test_numbers_may_be_zero_and_one_at_single_states(flats):
    model = RandomForestRegressor(5, random_state=0).fit(flats, flats["size"] > 60)
    explainer = FACElift(model, n_counterfactuals=1).fit(flats)
    small = flats.iloc[int(np.argmin(flats["size"]))]
    assert explainer.explain(small, target=(1, None))[0].predictions[-1] == 1


@pytest.mark.parametrize("answer", [np.nan, np.inf])
def test_a_number_that_is_none_is_an_error(flats, answer):
    with pytest.raises(InvalidModel, match="NaN or infinity for 1 of 150 rows"):
        models.answers(lambda rows: np.where(np.arange(len(rows)) == 3, answer, 2.0), flats, 150)


def test_decisions_are_no_numbers(flats):
    with pytest.raises(InvalidModel, match="as labels or scores do"):
        FACElift(lambda rows: rows["size"] > 50).fit(flats)


def test_a_target_that_is_no_range_is_an_error(flats, model):
    explainer = FACElift(model).fit(flats)
    for target in (None, "good", 3):
        with pytest.raises(InvalidInput, match="target=\\(low, high\\)"):
            explainer.explain(flats.iloc[1], target)


@pytest.mark.parametrize("steps", ["rows", "actions"])
def test_nothing_found_names_the_nearest_number_and_no_chance(flats, model, steps):
    found = FACElift(model, steps=steps).fit(flats).explain(flats.iloc[1], target=(1e6, None))
    assert not found.journeys
    assert found.why_not.best_chance is None
    assert found.why_not.best_predicted == pytest.approx(
        price(flats).max() if steps == "rows" else model.predict(_row(found)).item()
    )
    assert "chance" not in str(found.why_not)
    assert "%" not in str(found.why_not)


def _row(found: Multiverse) -> pd.DataFrame:
    return found.question.explainer.terrain_.to_pandas(found.closest[np.newaxis, :])


@pytest.mark.parametrize("steps", ["rows", "actions"])
def test_a_saved_explainer_of_numbers_answers_as_before(flats, model, steps, tmp_path):
    explainer = FACElift(model, steps=steps, n_counterfactuals=3).fit(flats)
    explainer.save(tmp_path / "saved")
    loaded = FACElift.load(tmp_path / "saved", model=model)
    asked = flats.iloc[1], (250, None)
    assert loaded.explain(*asked).to_json() == explainer.explain(*asked).to_json()
    assert len(loaded.classes_) == 0


def test_frames_and_documents_speak_of_predictions(flats, model):
    found = FACElift(model, n_counterfactuals=3).fit(flats).explain(flats.iloc[1], (250, None))
    table = found.to_frame()
    assert "prediction" in table
    assert "probability" not in table
    again = Multiverse.from_json(found.to_json())
    assert again.to_json() == found.to_json()
    assert again.goal == found.goal
    assert [j.predictions.tolist() for j in again] == [j.predictions.tolist() for j in found]


@pytest.mark.parametrize("steps", ["rows", "actions"])
def test_no_view_calls_a_number_a_chance(flats, model, steps):
    explainer = FACElift(model, steps=steps, n_counterfactuals=3).fit(flats)
    found = explainer.explain({"size": 40.0, "rooms": 1.0}, (190, None))
    text = multiverse_text(found)
    assert "predicted now 130, needed 190 or more" in text
    assert "predicted now 130, needed 190 or more" in found._repr_html_()
    assert "chance" not in found._repr_html_() + found[0]._repr_html_()
    guide = Guide(found, title="Flat")
    shown = document(guide, Walk())
    moved = document(guide, shown.walk, Take(shown.cards.cards[0].vertex))
    assert shown.measure == "predicted"
    assert shown.header.outcome == "predicted 130"
    assert shown.header.outlook == "needs 190 or more"
    assert moved.history[0].outlook.startswith("predicted 130 → ")
    assert "chance" not in shown.cards.rankings
    told = json.loads(to_json(moved))
    assert _told_of("chance", told) == {None}
    assert (
        "chance"
        not in exported(guide, Walk(), "html")[0]
        .decode()
        .split("<section class='receipt'>")[0]
        .split("<h1>")[1]
    )


def test_no_way_to_a_range_is_said_in_numbers(flats, model):
    found = FACElift(model, steps="actions").fit(flats).explain(flats.iloc[1], (1000, None))
    shown = document(Guide(found), Walk())
    assert "The best has a predicted 290" in shown.nothing.text
    assert shown.nothing.text.endswith("; needed 1,000 or more.")
    assert shown.nothing.best is None


def _told_of(name: str, content: object) -> set[object]:
    """Every value that stands under a name anywhere in a document."""
    if isinstance(content, dict):
        here = {content[name]} if name in content else set()
        return here.union(*(_told_of(name, each) for each in content.values()))
    if isinstance(content, list):
        return set().union(*(_told_of(name, each) for each in content))
    return set()


def test_the_command_takes_a_range_and_trains_a_regressor(flats, tmp_path):
    path = tmp_path / "flats.csv"
    flats.assign(price=price(flats)).to_csv(path, index=False)
    told = ["explain", str(path), "--target-column", "price", "--row", "1", "--json"]
    done = CliRunner().invoke(commands, [*told, "--target", "230.."])
    assert done.exit_code == 0
    content = json.loads(done.stdout)
    assert content["goal"] == {"high": None, "low": 230.0}
    assert content["journeys"][0]["predictions"][-1] >= 230


def test_the_command_asks_a_regressor_for_a_range(flats, model, tmp_path):
    joblib.dump(model, tmp_path / "model.joblib")
    flats.to_csv(tmp_path / "flats.csv", index=False)
    told = ["explain", str(tmp_path / "flats.csv"), "--model", str(tmp_path / "model.joblib")]
    done = CliRunner().invoke(commands, [*told, "--trust-pickle", "--row", "1"])
    assert done.exit_code == 2
    assert "--target LOW..HIGH" in done.stderr
