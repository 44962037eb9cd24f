"""Will it last? Destinations that several models agree on, counted by brute force."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from facelift import FACElift, Multiverse, best, lasting, models
from facelift.cli import commands
from facelift.errors import InvalidInput, InvalidModel
from facelift.steps.base import Request
from facelift.storage import sealed
from facelift.views.page import document
from facelift.views.text import multiverse_text
from facelift.walking.guide import Guide
from facelift.walking.walk import Walk


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    rng = np.random.default_rng(5)
    return pd.DataFrame({"savings": rng.integers(0, 20, 120), "debt": rng.integers(0, 20, 120)})


@pytest.fixture(scope="module")
def outcome(table) -> np.ndarray:
    noise = np.random.default_rng(6).normal(0, 4, len(table))
    return np.where(table["savings"] - table["debt"] + noise > 3, "good", "bad")


@pytest.fixture(scope="module")
def model(table, outcome):
    return RandomForestClassifier(8, max_depth=3, random_state=0).fit(table, outcome)


@pytest.fixture(scope="module")
def members(model, table, outcome):
    return models.committee(model, table, outcome, n=5)


PERSON = {"savings": 2, "debt": 15}


def share(members, rows: pd.DataFrame) -> np.ndarray:
    """Share of the members that say good, one model and one row after the other."""
    said = [
        [member.predict_proba(rows.iloc[[i]])[0, list(member.classes_).index("good")] >= 0.5]
        for member in members
        for i in range(len(rows))
    ]
    return np.array(said).reshape(len(members), len(rows)).mean(axis=0)


@pytest.mark.parametrize("steps", ["rows", "actions"])
@pytest.mark.parametrize("needed", [0.0, 0.6, 1.0])
def test_every_destination_is_agreed_on_by_enough_members(table, model, members, steps, needed):
    explainer = FACElift(
        model, steps=steps, committee=models.Committee(members, needed), n_counterfactuals=6
    ).fit(table)
    found = explainer.explain(PERSON, target="good")
    assert len(found) > 0
    for journey in found:
        assert journey.agreement == pytest.approx(share(members, journey.rows))
        assert journey.agreement[-1] >= needed
        assert journey.chances[-1] >= 0.5


@pytest.mark.parametrize("needed", [0.2, 0.8, 1.0])
def test_candidates_are_those_that_brute_force_counts(table, model, members, needed):
    explainer = FACElift(model, committee=models.Committee(members, needed)).fit(table)
    goal = explainer.explain(PERSON, target="good").goal
    mask = explainer.steps_.candidates(goal, Request.of(explainer)).mask
    rows = explainer.terrain_.to_pandas(explainer.graph_.points)
    expected = (model.predict(rows) == "good") & (share(members, rows) >= needed - 1e-9)
    assert mask.tolist() == expected.tolist()


def test_asking_a_committee_changes_no_journey_unless_it_must_agree(table, model, members):
    alone = FACElift(model).fit(table).explain(PERSON, target="good")
    asked = FACElift(model, committee=members).fit(table).explain(PERSON, target="good")
    assert [j.vertices.tolist() for j in asked] == [j.vertices.tolist() for j in alone]
    assert alone[0].agreement is None


def test_a_committee_of_the_model_itself_always_agrees(table, model):
    found = FACElift(model, committee=models.Committee([model] * 3, 1.0)).fit(table)
    alone = FACElift(model).fit(table)
    journeys = found.explain(PERSON, target="good"), alone.explain(PERSON, target="good")
    assert [j.vertices.tolist() for j in journeys[0]] == [j.vertices.tolist() for j in journeys[1]]
    assert all(journey.agreement[-1] == 1 for journey in journeys[0])


@pytest.mark.parametrize("steps", ["rows", "actions"])
def test_too_little_agreement_is_said_with_the_most_there_is(table, model, steps):
    never = lambda rows: np.column_stack([np.ones(len(rows)), np.zeros(len(rows))])  # noqa: E731
    never.classes_ = model.classes_
    explainer = FACElift(model, steps=steps, committee=models.Committee([model, never], 0.9))
    why_not = explainer.fit(table).explain(PERSON, target="good").why_not
    assert why_not.reason == "no candidate"
    assert "90% of the committee agree on none of them" in why_not.message
    assert "the most that agree on one are 50%" in why_not.message
    assert "0.500" in why_not.hint
    loosened = explainer.set_params(committee=explainer.committee.needing(0.5)).fit(table)
    assert len(loosened.explain(PERSON, target="good")) > 0


def test_who_is_accepted_by_the_model_alone_is_shown_ways_that_last(table, model, members):
    explainer = FACElift(model, committee=models.Committee(members, 1.0)).fit(table)
    rows = explainer.terrain_.to_pandas(explainer.graph_.points)
    shaky = np.flatnonzero((model.predict(rows) == "good") & (share(members, rows) < 1))
    firm = np.flatnonzero((model.predict(rows) == "good") & (share(members, rows) == 1))
    assert explainer.explain(rows.iloc[shaky[0]], target="good")[0].agreement[-1] == 1
    there = explainer.explain(rows.iloc[firm[0]], target="good").why_not
    assert there.reason == "already there"


def test_frames_documents_text_and_page_tell_the_agreement(table, model, members):
    explainer = FACElift(model, steps="actions", committee=members, n_counterfactuals=3)
    found = explainer.fit(table).explain(PERSON, target="good")
    shares = found[0].to_frame().set_index("step")["agreement"]
    assert shares.iloc[-1] == found[0].agreement[-1]
    again = Multiverse.from_json(found.to_json())
    assert [j.agreement.tolist() for j in again] == [j.agreement.tolist() for j in found]
    assert "agree: share of other models" in multiverse_text(found)
    way = document(Guide(found), Walk()).ways[0]
    assert way.lasts == f"{round(5 * found[0].agreement[-1])} of 5 other models agree"


def test_the_most_lasting_journey_is_a_criterion(table, model, members):
    found = FACElift(model, committee=members).fit(table).explain(PERSON, target="good")
    means = [journey.agreement[1:].mean() for journey in found]
    assert lasting(found).tolist() == means
    assert best(found, lasting).agreement[1:].mean() == max(means)


@pytest.mark.parametrize("steps", ["rows", "actions"])
def test_rows_added_later_and_other_rules_ask_the_same_committee(table, model, members, steps):
    whole = FACElift(model, steps=steps, committee=models.Committee(members, 0.8)).fit(table)
    first = FACElift(model, whole.terrain_, steps=steps, committee=models.Committee(members, 0.8))
    first.fit(table.iloc[:60]).partial_fit(table.iloc[60:])
    assert np.array_equal(first.oracle_.committee_known, whole.oracle_.committee_known)
    other = whole.under(whole.terrain_.freeze("debt"), committee=whole.committee.needing(0.4))
    assert other.oracle_.min_agreement == 0.4
    assert other.oracle_.committee_known is whole.oracle_.committee_known


def test_a_saved_explainer_is_given_its_committee_again(table, model, members, tmp_path):
    explainer = FACElift(model, committee=models.Committee(members, 0.6)).fit(table)
    explainer.save(tmp_path / "saved")
    with pytest.raises(InvalidInput, match="needs a committee"):
        FACElift.load(tmp_path / "saved", model=model)
    loaded = FACElift.load(tmp_path / "saved", model=model, committee=members)
    asked = PERSON, "good"
    assert loaded.explain(*asked).to_json() == explainer.explain(*asked).to_json()


def test_a_committee_of_one_value_is_saved_with_the_share_it_needs(table, model, members, tmp_path):
    whole = models.Committee(members, min_agreement=0.6)
    explainer = FACElift(model, committee=whole).fit(table)
    explainer.save(tmp_path / "saved")
    with pytest.raises(InvalidInput, match="needs a committee"):
        FACElift.load(tmp_path / "saved", model=model)
    expected = explainer.explain(PERSON, "good").to_json()
    for given in (whole, members):
        loaded = FACElift.load(tmp_path / "saved", model=model, committee=given)
        assert loaded.explain(PERSON, "good").to_json() == expected


def test_a_folder_that_says_nonsense_of_agreement_is_one_clear_error(table, model, tmp_path):
    FACElift(model).fit(table).save(tmp_path / "saved")
    document = json.loads((tmp_path / "saved" / "explainer.json").read_text())
    del document["checksum"]
    for nonsense in ("all", 1.5, [1], None):
        document["parameters"]["min_agreement"] = nonsense
        (tmp_path / "saved" / "explainer.json").write_text(sealed(document))
        with pytest.raises(InvalidInput, match="min_agreement"):
            FACElift.load(tmp_path / "saved", model=model)


def test_numbers_have_committees_too(table):
    target = table["savings"] - table["debt"]
    model = LinearRegression().fit(table, target)
    members = models.committee(model, table, target + np.arange(120) % 7, n=4)
    explainer = FACElift(model, committee=models.Committee(members, 0.75)).fit(table)
    journey = explainer.explain(PERSON, target=(5, None))[0]
    said = np.mean([member.predict(journey.rows) >= 5 for member in members], axis=0)
    assert journey.agreement == pytest.approx(said)


def test_bridges_keep_to_what_the_committee_agrees_on(table, model, members):
    explainer = FACElift(model, committee=models.Committee(members, 1.0)).fit(table)
    found = explainer.bridge(PERSON, table, target="good")
    ends = pd.concat([journey.rows.iloc[[-1]] for journey in found])
    assert (share(members, ends) == 1).all()


# Making one


def test_a_committee_is_the_same_every_time_and_its_members_differ(table, outcome, model):
    twice = [models.committee(model, table, outcome, n=4) for _ in range(2)]
    said = [[member.predict_proba(table) for member in each] for each in twice]
    assert np.array_equal(said[0], said[1])
    assert not np.array_equal(said[0][0], said[0][1])
    assert not np.array_equal(
        said[0],
        [
            m.predict_proba(table)
            for m in models.committee(model, table, outcome, n=4, random_state=9)
        ],
    )


def test_every_member_knows_every_class_however_rare(table):
    rare = np.array(["common"] * 119 + ["rare"])
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(table, rare)
    for member in models.committee(model, table, rare, n=8):
        assert member.classes_.tolist() == ["common", "rare"]


def test_the_model_itself_is_not_touched(table, outcome, model):
    before = model.predict_proba(table)
    models.committee(model, table, outcome, n=1)
    assert np.array_equal(model.predict_proba(table), before)


def test_what_cannot_be_fitted_again_is_an_error(table, outcome):
    with pytest.raises(InvalidModel, match="a list of your own models"):
        models.committee(lambda rows: rows, table, outcome)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"committee": []}, "at least one"),
        ({"committee": models.Committee([len], 1.5)}, "in [0, 1]"),
    ],
)
def test_a_committee_that_cannot_be_right_is_one_clear_error(table, model, given, words):
    with pytest.raises(InvalidInput) as caught:
        FACElift(model, **given).fit(table)
    assert words in str(caught.value)


def test_members_with_other_classes_are_an_error(table, outcome, model):
    other = clone(model).fit(table, np.where(outcome == "good", "yes", "no"))
    with pytest.raises(InvalidModel, match="Member 1 of the committee knows other classes"):
        FACElift(model, committee=[model, other]).fit(table)


def test_the_command_fits_a_committee(table, outcome, tmp_path):
    path = tmp_path / "loans.csv"
    table.assign(risk=outcome).to_csv(path, index=False)
    row = int(np.flatnonzero(outcome == "bad")[0])
    told = ["explain", path, "--target-column", "risk", "--target", "good", "--row", row, "--json"]
    done = CliRunner().invoke(commands, list(map(str, [*told, "--committee", 3])))
    assert done.exit_code == 0, done.output
    shares = json.loads(done.stdout)["journeys"][0]["agreement"]
    assert all(round(3 * each, 9) in (0, 1, 2, 3) for each in shares)
    done = CliRunner().invoke(commands, list(map(str, [*told, "--min-agreement", 0.5])))
    assert done.exit_code == 2
