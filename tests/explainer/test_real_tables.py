"""Real tables: German Credit, breast cancer, digits."""

from __future__ import annotations

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import facelift as fl
from facelift import FACElift, Terrain


def test_german_credit_journeys_obey_its_rules_and_most_declined_have_one(credit):
    declined = np.flatnonzero(credit.chances() < 0.5)[:40]
    many = credit.explainer.explain_many(credit.X.iloc[declined], "good")
    assert np.mean([len(m) > 0 for m in many]) >= 0.45  # few records are better off in all ways
    for multiverse in many:
        for journey in multiverse:
            rows = journey.rows
            for name in ("sex", "foreign_worker", "residence", "purpose"):
                assert (rows[name] == rows[name].iloc[0]).all()
            assert rows["age"].is_monotonic_increasing
            assert credit.model.predict(rows.iloc[[-1]])[0] == "good"


def test_with_ordinary_rules_nearly_all_declined_have_a_journey_through_records(credit):
    terrain = Terrain.infer(credit.X).increase_only("age")
    terrain = terrain.freeze("sex", "foreign_worker", "residence")
    explainer = FACElift(credit.model, terrain, n_counterfactuals=4).fit(credit.X)
    declined = np.flatnonzero(credit.chances() < 0.5)[:40]
    many = explainer.explain_many(credit.X.iloc[declined], "good")
    assert np.mean([len(multiverse) > 0 for multiverse in many]) >= 0.9


def test_breast_cancer_measurements_can_be_walked():
    cancer = fl.datasets.load_breast_cancer()
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(cancer.data, cancer.target)
    explainer = FACElift(model, n_neighbors=10, n_counterfactuals=4, edge_cost="power")
    multiverse = explainer.fit(cancer.data).explain(cancer.data.iloc[[0]], "benign")
    assert len(multiverse) == 4
    originals = set(map(tuple, cancer.data.to_numpy().tolist()))
    for journey in multiverse:
        assert journey.n_steps >= 2
        assert journey.chances[0] < 0.5 <= journey.chances[-1]
        assert set(map(tuple, journey.rows.to_numpy().tolist())) <= originals


def test_digits_turn_into_the_digit_asked_for():
    digits = fl.datasets.load_digits()
    X, y = digits.data.to_numpy()[:600], digits.target.to_numpy()[:600]
    model = LogisticRegression(max_iter=300).fit(X, y)
    terrain = Terrain.infer(X)
    explainer = FACElift(model, terrain, n_neighbors=8, n_counterfactuals=3).fit(X)
    eight = X[int(np.flatnonzero(y == 8)[0])]
    for digit in (3, 9):
        multiverse = explainer.explain(eight, digit)
        assert len(multiverse) == 3
        for journey in multiverse:
            assert journey.probabilities.shape[1] == 10
            assert journey.probabilities[-1, digit] >= 0.5
            assert model.predict(journey.rows.to_numpy()[-1:])[0] == digit
