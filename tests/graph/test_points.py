"""Privacy: no waypoint is the row of fewer than k people, and every prototype stands for k."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.laws import examples

from facelift import FACElift, Terrain, datasets
from facelift.cli import commands
from facelift.errors import InvalidInput
from facelift.graph.points import Lookup, distinct_points, grouped, prototypes, without_rare_values


def world(seed: int, n: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    levels = ["low", "mid", "high"]
    return pd.DataFrame(
        {
            "age": rng.integers(18, 18 + rng.integers(3, 60), n),
            "debt": rng.random(n).round(int(rng.integers(1, 4))),
            "score": rng.normal(size=n),
            "savings": pd.Categorical(rng.choice(levels, n), levels, ordered=True),
            "home": rng.choice(["own", "rent", "free"], n, p=[0.6, 0.3, 0.1]),
            "foreign": rng.random(n) < 0.2,
        }
    )


def model(rows: pd.DataFrame) -> np.ndarray:
    good = 1 / (1 + np.exp(30 - rows["age"] + 20 * rows["debt"] - 5 * (rows["home"] == "own")))
    return np.column_stack([1 - good, good])


def told(frame: pd.DataFrame) -> list[tuple[str, ...]]:
    """Rows as people read them: with nine digits, no more."""
    return [
        tuple(f"{v:.9g}" if isinstance(v, float) else str(v) for v in row)
        for row in frame.itertuples(index=False)
    ]


SMALL = settings(max_examples=examples(25), deadline=None)


@SMALL
@given(seed=st.integers(0, 2**32 - 1), k=st.integers(2, 7), columns=st.integers(1, 6))
def test_no_prototype_is_the_row_of_fewer_than_k_and_each_stands_for_k(seed, k, columns):
    X = world(seed, 60).iloc[:, :columns]
    terrain = without_rare_values(Terrain.infer(X), np.asarray(Terrain.infer(X).encode(X)), k)
    try:
        found = prototypes(np.asarray(terrain.encode(X)), terrain, k)
    except InvalidInput:
        assume(False)
    people, shown = Counter(told(X)), Counter(told(terrain.to_pandas(found)))
    assert all(people[row] == 0 or people[row] >= k for row in shown)
    assert all(count >= k for count in shown.values())
    assert sum(shown.values()) == len(X)
    assert np.array_equal(np.asarray(terrain.encode(terrain.decode(found))), found)


@SMALL
@given(seed=st.integers(0, 2**32 - 1), k=st.integers(1, 9), n=st.integers(1, 80))
def test_groups_have_k_rows_and_are_split_as_long_as_they_can_be(seed, k, n):
    points = np.random.default_rng(seed).integers(0, 5, (n, 3)) / 4
    groups = grouped(points, k)
    for group in range(groups.max() + 1):
        members = points[groups == group]
        assert len(members) >= min(k, n)
        for column in members.T:  # no cut leaves k rows on both sides
            sides = [((column < at).sum(), (column >= at).sum()) for at in np.unique(column)[1:]]
            assert all(min(side) < k for side in sides)


def test_prototypes_are_the_middle_of_their_rows_whatever_their_order():
    X = world(4, 80)
    terrain = without_rare_values(Terrain.infer(X), np.asarray(Terrain.infer(X).encode(X)), 4)
    points = np.asarray(terrain.encode(X))
    order = np.random.default_rng(0).permutation(80)
    assert prototypes(points[order], terrain, 4) == pytest.approx(
        prototypes(points, terrain, 4)[order]
    )


@pytest.mark.parametrize("steps", ["rows", "actions"])
def test_no_waypoint_of_an_explainer_that_shares_no_rows_is_a_rare_row(steps):
    X, k = world(1, 300), 5
    explainer = FACElift(model, steps=steps, n_neighbors=6, n_counterfactuals=5)
    explainer.fit(X, share_rows=False, min_records=k)
    assert explainer.multiplicity_.min() >= k
    assert explainer.multiplicity_.sum() == len(X)
    people, shown = Counter(told(X)), 0
    for i in np.flatnonzero(model(X)[:, 1] < 0.5)[:10]:
        for journey in explainer.explain(X.iloc[i], target=1):
            shown += 1
            for row in told(journey.rows.iloc[1:]):
                assert people[row] == 0 or people[row] >= k
    assert shown > 5


def test_by_default_waypoints_are_real_records():
    X = world(1, 200)
    explainer = FACElift(model, n_counterfactuals=2).fit(X)
    row = X.iloc[int(np.argmin(model(X)[:, 1]))]
    assert explainer.share_rows_
    assert set(told(explainer.explain(row, target=1)[0].rows)) <= set(told(X))


def test_rules_hold_for_prototypes():
    X = world(2, 300)
    terrain = Terrain.infer(X).increase_only("age").freeze("foreign").require("age >= 20")
    explainer = FACElift(model, terrain, n_counterfactuals=5).fit(X, share_rows=False)
    rejected = X[(model(X)[:, 1] < 0.5) & (X["age"] >= 20)]
    for journey in explainer.explain(rejected.iloc[0], target=1):
        rows = journey.rows
        assert (rows["age"].diff().dropna() >= 0).all()
        assert len(set(rows["foreign"])) == 1
        assert (rows["age"] >= 20).all()


@pytest.mark.parametrize("steps", ["rows", "actions"])
def test_what_is_saved_holds_no_row_and_no_number_of_few(tmp_path, steps):
    X, k = world(1, 300), 5
    explainer = FACElift(model, steps=steps).fit(X, share_rows=False, min_records=k)
    explainer.save(tmp_path / "saved")
    loaded = FACElift.load(tmp_path / "saved", model=model)
    people = Counter(told(X))
    rows = loaded.terrain_.to_pandas(np.load(next((tmp_path / "saved").rglob("points.npy"))))
    assert all(people[row] == 0 or people[row] >= k for row in told(rows))
    for feature in loaded.terrain_.features:
        if feature.kind == "numeric":
            values = X[feature.name].to_numpy()
            assert feature.seen is None
            assert (values <= feature.low).sum() >= k
            assert (values >= feature.high).sum() >= k
            assert all((values == stop).sum() not in range(1, k) for stop in feature.stops)
    text = (tmp_path / "saved" / "explainer.json").read_text()
    assert not any(f"{value!r}" in text for value in X["score"].tolist() if _alone(X, value))
    assert not loaded.share_rows_
    row = X.iloc[0]
    assert loaded.explain(row, 1).to_json() == explainer.explain(row, 1).to_json()


def test_what_is_kept_of_rows_is_what_fit_and_the_guide_to_privacy_say(tmp_path):
    X = world(1, 300)
    X.loc[7, "home"] = "a castle"
    explainer = FACElift(model).fit(X, share_rows=False)
    explainer.save(tmp_path / "saved")
    saved = np.load(next((tmp_path / "saved").rglob("vertices.npy")))
    assert saved.tolist() == explainer.vertices_.tolist()
    assert len(saved) == len(X)
    assert "a castle" in (tmp_path / "saved" / "explainer.json").read_text()
    guide = (Path(__file__).parents[2] / "docs/how-to/privacy.md").read_text(encoding="utf-8")
    for words in (FACElift.fit.__doc__, guide):
        private = " ".join(words.lower().split())
        assert "names of columns and levels" in private
        assert "row belongs to which" in private


def _alone(X: pd.DataFrame, score: float) -> bool:
    """Whether a score is neither end of the range that k rows reach."""
    ordered = sorted(X["score"])
    return score not in (ordered[4], ordered[-5])


def test_rows_cannot_be_added_to_prototypes():
    X = world(1, 100)
    explainer = FACElift(model).fit(X, share_rows=False)
    with pytest.raises(InvalidInput, match="shares no rows"):
        explainer.partial_fit(X)
    assert not explainer.under(explainer.terrain_.freeze("age")).share_rows_


def test_german_credit_has_prototypes_that_are_nobody():
    X = datasets.load_german_credit().data
    explainer = FACElift(lambda rows: np.column_stack([rows["age"] < 40, rows["age"] >= 40]))
    explainer.fit(X, share_rows=False)
    people = Counter(told(X))
    shown = told(explainer.terrain_.to_pandas(explainer.graph_.points))
    assert len(shown) > 50
    assert all(people[row] == 0 or people[row] >= 5 for row in shown)


@pytest.mark.parametrize(
    ("n", "k", "words"),
    [(9, 5, "need 10 rows or more, got 9"), (50, 1, "2 or more"), (50, 2.5, "2 or more")],
)
def test_a_group_that_cannot_be_is_one_clear_error(n, k, words):
    with pytest.raises(InvalidInput, match=words):
        FACElift(model).fit(world(0, n), share_rows=False, min_records=k)


def test_a_table_in_which_everybody_is_alone_everywhere_is_an_error():
    X = pd.DataFrame({"age": np.repeat(np.arange(20), 2)})
    with pytest.raises(InvalidInput, match="somebody's row"):
        FACElift(lambda rows: np.column_stack([rows < 9, rows >= 9])).fit(X, share_rows=False)


def test_the_command_shows_prototypes(tmp_path):
    X = world(1, 200)
    X.assign(risk=np.where(model(X)[:, 1] > 0.5, "good", "bad")).to_csv(
        tmp_path / "loans.csv", index=False
    )
    row = int(np.argmin(model(X)[:, 1]))
    asked = ["explain", tmp_path / "loans.csv", "--target-column", "risk", "--target", "good"]
    asked += ["--row", row, "--steps", "rows", "--prototypes", 5, "--json"]
    done = CliRunner().invoke(commands, list(map(str, asked)))
    assert done.exit_code == 0, done.output
    ages = Counter(map(tuple, X.astype(object).to_numpy().tolist()))
    journeys = json.loads(done.stdout)["journeys"]
    assert all(ages[tuple(row)] == 0 for journey in journeys for row in journey["rows"][1:])


seeds = st.integers(0, 2**32 - 1)


@given(seed=seeds, n=st.integers(1, 40), m=st.integers(1, 3))
def test_distinct_points_are_in_order_of_first_appearance_with_their_multiplicity(seed, n, m):
    rows = np.random.default_rng(seed).integers(-1, 2, size=(n, m)) * 1.0
    points, place, counts = distinct_points(rows)
    expected = list(dict.fromkeys(map(tuple, rows.tolist())))
    assert list(map(tuple, points.tolist())) == expected
    assert [expected[i] for i in place] == list(map(tuple, rows.tolist()))
    assert counts.tolist() == [list(map(tuple, rows.tolist())).count(row) for row in expected]


def test_minus_zero_is_zero():
    points, place, counts = distinct_points(np.array([[0.0, 1.0], [-0.0, 1.0], [1.0, -0.0]]))
    assert len(points) == 2
    assert place.tolist() == [0, 0, 1]
    assert counts.tolist() == [2, 1]


def test_many_points_are_looked_up_at_once(monkeypatch):
    points = np.array([[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]])
    sought = np.array([[4.0, 5.0], [9.0, 9.0], [-0.0, 1.0]])
    assert Lookup(points).vertices(sought).tolist() == [2, -1, 0]
    monkeypatch.setattr(
        "facelift.graph.points.hashes_of", lambda given: np.zeros(len(given), dtype=np.uint64)
    )  # everything collides
    assert Lookup(points).vertices(sought).tolist() == [2, -1, 0]
