"""Ordinary rules keep what people cannot change, and leave them ways."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import facelift as fl
from facelift import FACElift, Terrain, datasets
from facelift.models import small_classifier


@pytest.fixture(scope="module")
def people(data_home):
    return datasets.load_adult(data_home)


@pytest.fixture(scope="module")
def holders(data_home):
    return datasets.load_credit_default(data_home)


def test_the_rules_of_german_credit_freeze_what_cannot_change_and_let_age_only_grow():
    terrain = datasets.german_credit_rules(Terrain.infer(datasets.load_german_credit().data))
    frozen = {feature.name for feature in terrain.features if feature.frozen}
    assert frozen == {"sex", "foreign_worker", "residence", "purpose"}
    grows = {f.name for f in terrain.features if f.decrease == np.inf and f.increase < np.inf}
    assert grows == {"age", "checking_account", "savings"}


def test_the_rules_of_adult_keep_what_people_cannot_change(people):
    terrain = datasets.adult_rules(Terrain.infer(people.data))
    frozen = {feature.name for feature in terrain.features if feature.frozen}
    assert frozen == {"sex", "race", "native_country", "marital_status", "relationship"}
    grows = {f.name for f in terrain.features if f.decrease == np.inf and f.increase < np.inf}
    assert grows == {"age", "education", "education_num"}
    assert terrain.feature("fnlwgt").increase == 0.0


def test_the_rules_of_adult_let_nothing_become_unknown(people):
    terrain = datasets.adult_rules(Terrain.infer(people.data))
    known = people.data.iloc[[0]]
    for name in ("workclass", "occupation"):
        lost = known.assign(**{name: pd.Categorical(["unknown"], dtype=known[name].dtype)})
        there, back = terrain.encode(known), terrain.encode(lost)
        assert terrain.cost(there, back)[0] == np.inf
        assert terrain.cost(back, there)[0] < np.inf


def test_the_rules_of_adult_need_neither_weights_nor_the_number_of_the_education(people):
    table = people.data.drop(columns=["fnlwgt", "education_num"])
    terrain = datasets.adult_rules(Terrain.infer(table))
    assert len(terrain.features) == 12


def test_the_rules_of_credit_default_keep_what_people_cannot_change(holders):
    terrain = datasets.credit_default_rules(Terrain.infer(holders.data))
    frozen = {feature.name for feature in terrain.features if feature.frozen}
    assert frozen == {"sex", "education", "marriage"}
    assert terrain.feature("age").decrease == np.inf
    assert terrain.feature("credit_limit").increase == np.inf


def test_ordinary_rules_of_credit_default_leave_most_people_a_way(holders):
    """The model is a plain rule, so that the test is about the terrain alone."""
    X = holders.data.iloc[:3000]

    def model(rows: pd.DataFrame) -> np.ndarray:
        good = (rows["delay_september"] <= 0).to_numpy(dtype=float)
        return np.column_stack([1 - good, good])

    terrain = datasets.credit_default_rules(Terrain.infer(X))
    explainer = FACElift(model, terrain, n_counterfactuals=1).fit(X)
    rejected = X[X["delay_september"] > 0].iloc[:100]
    ways = [len(multiverse) for multiverse in explainer.explain_many(rejected, target=1)]
    assert np.mean(ways) >= 0.85  # no record on the way may have a longer delay in any month


def test_the_rules_of_heloc_keep_the_past(data_home):
    terrain = datasets.heloc_rules(Terrain.infer(datasets.load_heloc(data_home).data))
    frozen = {feature.name for feature in terrain.features if feature.frozen}
    assert frozen == {
        "ExternalRiskEstimate",
        "NumTrades60Ever2DerogPubRec",
        "NumTrades90Ever2DerogPubRec",
        "MaxDelqEver",
    }
    assert terrain.feature("MSinceOldestTradeOpen").decrease == np.inf
    assert terrain.feature("NetFractionRevolvingBurden").decrease < np.inf


def test_pixels_keep_their_own_scale_whatever_was_seen():
    rng = np.random.default_rng(0)
    seen = rng.random((50, 6)) * [1, 0.5, 0.1, 0, 1, 0.2]
    terrain = datasets.pixel_rules(Terrain.infer(seen))
    points = np.asarray(terrain.encode(seen))
    np.testing.assert_array_equal(points, seen)
    np.testing.assert_array_equal(terrain.decode(points), seen)
    distances = np.sqrt(((seen[0] - seen) ** 2).sum(axis=1))
    np.testing.assert_allclose(terrain.cost(points[0], points), distances)


def test_who_somebody_is_is_marked_personal():
    terrain = datasets.german_credit_rules(Terrain.infer(datasets.load_german_credit().data))
    marked = [feature.name for feature in terrain.features if feature.personal]
    assert marked == ["sex", "foreign_worker"]
    assert all(terrain.feature(name).frozen for name in marked)


WORSE = {
    "savings": [
        "1000 DM or more",
        "500 to 1000 DM",
        "100 to 500 DM",
        "under 100 DM",
        "unknown or none",
    ],
    "employment": ["unemployed"],
    "job": ["unskilled, resident", "unskilled, non-resident"],
    "property": ["none or unknown"],
    "credit_history": ["delays in the past", "critical account"],
}
"""Levels from better to worse, by what they mean."""


@pytest.mark.harness
@pytest.mark.parametrize(("steps", "share"), [("actions", 0.9), ("rows", 0.45)])
def test_no_way_of_any_declined_applicant_makes_them_worse_off(steps, share):
    credit = fl.datasets.load_german_credit()
    model = small_classifier(credit.data, credit.target)
    terrain = fl.datasets.german_credit_rules(fl.Terrain.infer(credit.data))
    explainer = fl.FACElift(model, terrain, steps=steps, n_counterfactuals=5).fit(credit.data)
    declined = credit.data[model.predict(credit.data) == "bad"]
    found = explainer.explain_many(declined, "good")
    assert sum(len(multiverse) > 0 for multiverse in found) > share * len(declined)
    changes = pd.concat([multiverse.to_frame() for multiverse in found])
    for name, levels in WORSE.items():
        some = changes[changes["feature"] == name]
        pairs = [[levels.index(v) if v in levels else -1 for v in some[c]] for c in ("from", "to")]
        assert (np.array(pairs[1]) <= np.array(pairs[0])).all(), name
    assert all(journey.chances[-1] >= 0.52 * (1 - 1e-9) for each in found for journey in each)
