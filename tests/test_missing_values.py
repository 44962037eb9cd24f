"""Tables with missing values, from fit to page: models get NaN, journeys find what is missing."""

from __future__ import annotations

import json
from collections import Counter

import numpy as np
import pandas as pd
import polars as pl
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse.csgraph import shortest_path
from sklearn.ensemble import HistGradientBoostingClassifier
from tests.laws import examples

from facelift import FACElift, Multiverse, Terrain, baselines
from facelift.cli import commands
from facelift.errors import MissingValues
from facelift.views.page import document, to_json
from facelift.views.text import multiverse_text
from facelift.walking.guide import Guide
from facelift.walking.walk import RuleOut, Take, Walk
from facelift.web.messages import Step, read


@pytest.fixture(scope="module")
def people() -> pd.DataFrame:
    rng = np.random.default_rng(1)
    n = 240
    income = rng.integers(5, 50, n) * 100.0
    return pd.DataFrame(
        {
            "income": np.where(rng.random(n) < 0.25, np.nan, income),
            "debts": rng.integers(0, 6, n),
            "job": pd.Series(rng.choice(["none", "part", "full", None], n), dtype=object),
        }
    )


def good(rows: pd.DataFrame) -> np.ndarray:
    """A model that counts a missing income as the lowest, and says so of what it is given."""
    known = rows["income"].fillna(0.0)
    return 1 / (1 + np.exp(25 - known / 100 + 3 * rows["debts"] - 5 * (rows["job"] == "full")))


def model(rows: pd.DataFrame) -> np.ndarray:
    return np.column_stack([1 - good(rows), good(rows)])


PERSON = {"income": None, "debts": 3, "job": None}
KINDS = pytest.mark.parametrize("steps", ["rows", "actions"])


def explained(people, steps, **settings) -> Multiverse:
    terrain = Terrain.infer(people)
    explainer = FACElift(model, terrain, steps=steps, n_counterfactuals=4, **settings).fit(people)
    return explainer.explain(PERSON, target=1)


@KINDS
def test_models_are_given_what_is_missing(people, steps):
    asked = []

    def listening(rows):
        asked.append(rows.copy())
        return model(rows)

    FACElift(listening, steps=steps).fit(people).explain(PERSON, target=1)
    seen = pd.concat(asked)
    assert seen["income"].isna().any()
    assert seen["job"].isna().any()
    assert set(seen["income"].dropna()) <= {*people["income"].dropna(), *range(0, 10_000, 50)}
    assert not seen["debts"].isna().any()


def test_a_scikit_learn_model_that_takes_nan_just_works(people):
    frame = people.assign(job=people["job"].astype("category"))
    chosen = HistGradientBoostingClassifier(max_iter=20, categorical_features="from_dtype")
    chosen.fit(frame, good(people) > 0.5)
    found = FACElift(chosen, n_counterfactuals=2).fit(frame).explain(frame.iloc[0], target=True)
    assert len(found) == 2 or found.why_not.reason == "already there"


@KINDS
def test_journeys_find_what_is_missing_and_never_lose_what_is_there(people, steps):
    found = explained(people, steps)
    assert len(found) > 0
    known = people["income"].isna().sum()
    for journey in found:
        rows = journey.rows
        assert pd.isna(rows["income"].iloc[0])
        assert pd.isna(rows["job"].iloc[0])
        gone = rows[["income", "job"]].isna().to_numpy()
        assert not (gone[1:] & ~gone[:-1]).any()
        assert np.isfinite(journey.step_costs).all()
        assert journey.chances == pytest.approx(good(rows).to_numpy())
    assert known > 20
    assert any(not journey.rows["income"].isna().iloc[-1] for journey in found)


def test_waypoints_of_rows_are_records_with_their_holes(people):
    told = {tuple(map(str, row)) for row in people.astype(object).to_numpy().tolist()}
    for journey in explained(people, "rows"):
        rows = journey.rows.iloc[1:].astype(object).to_numpy().tolist()
        assert all(tuple(map(str, row)) in told for row in rows)


def test_a_column_that_may_not_change_stays_missing(people):
    explainer = FACElift(model, Terrain.infer(people).freeze("income"), steps="actions")
    found = explainer.fit(people).explain(PERSON, target=1)
    assert not found.journeys or all(j.rows["income"].isna().all() for j in found)


@KINDS
def test_frames_name_a_find_once_and_no_change_where_both_are_missing(people, steps):
    for journey in explained(people, steps):
        table = journey.to_frame()
        rows = journey.rows
        for name in ("income", "job"):
            steps_named = table.loc[table["feature"] == name, "step"].tolist()
            pairs = zip(rows[name][:-1], rows[name][1:], strict=True)
            expected = [
                i
                for i, (a, b) in enumerate(pairs, start=1)
                if pd.isna(a) != pd.isna(b) or (not pd.isna(a) and a != b)
            ]
            assert steps_named == expected


@KINDS
def test_documents_come_back_with_their_holes(people, steps):
    found = explained(people, steps)
    again = Multiverse.from_json(found.to_json())
    assert again.to_json() == found.to_json()
    assert again[0].rows["income"].isna().tolist() == found[0].rows["income"].isna().tolist()


@KINDS
def test_a_saved_explainer_knows_what_is_missing(people, steps, tmp_path):
    terrain = Terrain.infer(people).missing("income", found=0.5)
    explainer = FACElift(model, terrain, steps=steps, n_counterfactuals=3).fit(people)
    explainer.save(tmp_path / "saved")
    loaded = FACElift.load(tmp_path / "saved", model=model)
    assert loaded.terrain_.features == explainer.terrain_.features
    assert loaded.explain(PERSON, 1).to_json() == explainer.explain(PERSON, 1).to_json()


def test_many_people_with_and_without_holes_are_told_in_order(people):
    explainer = FACElift(model, n_counterfactuals=2).fit(people)
    some = people.iloc[:12]
    found = explainer.explain_many(some, target=1)
    one_by_one = [explainer.explain(some.iloc[[i]], target=1) for i in range(len(some))]
    assert [each.to_json() for each in found] == [each.to_json() for each in one_by_one]


def test_a_hole_where_there_was_none_is_an_error(people):
    explainer = FACElift(model).fit(people)
    with pytest.raises(MissingValues, match=r"debts \(1\)"):
        explainer.explain({**PERSON, "debts": None}, target=1)


def test_text_and_page_say_missing(people):
    found = explained(people, "actions")
    text = multiverse_text(found)
    assert "Income: missing → " in text
    assert "nan" not in text
    guide = Guide(found)
    shown = document(guide, Walk())
    assert (
        next(each for each in shown.settings.settings if each.name == "income").words == "missing"
    )
    assert "NaN" not in to_json(shown).decode()
    card = next(each for each in shown.cards.cards if each.changes[0].before == "missing")
    body = json.dumps(
        {
            "walk": json.loads(to_json(shown))["walk"],
            "move": {"kind": "take", "vertex": card.vertex},
        }
    )
    asked = read(Step, body.encode())
    moved = document(guide, asked.walk, asked.move)
    assert moved.header.n_steps == 1
    ruled = document(guide, shown.walk, RuleOut(card.vertex))
    name = card.changes[0].name
    assert not any(c.name == name for way in ruled.ways for c in way.changes)
    back = (
        document(guide, moved.walk, Take(moved.cards.cards[0].vertex))
        if moved.cards.cards
        else moved
    )
    assert json.loads(to_json(back))["schema"] == "facelift/walk/1"


@pytest.mark.parametrize("k", [3, 6])
def test_prototypes_of_tables_with_holes_are_nobody(people, k):
    explainer = FACElift(model).fit(people, share_rows=False, min_records=k)
    rows = explainer.terrain_.to_pandas(explainer.graph_.points)
    said = Counter(tuple(map(str, row)) for row in people.astype(object).to_numpy().tolist())
    shown = [tuple(map(str, row)) for row in rows.astype(object).to_numpy().tolist()]
    assert all(said[row] == 0 or said[row] >= k for row in shown)
    assert explainer.multiplicity_.min() >= k
    assert rows["income"].isna().any()


def test_baselines_that_make_states_up_want_complete_rows(people):
    with pytest.raises(MissingValues, match="income, job"):
        baselines.GrowingSpheres(model).fit(people)


def test_the_command_reads_tables_with_holes(people, tmp_path):
    path = tmp_path / "loans.csv"
    people.assign(risk=np.where(good(people) > 0.5, "good", "bad")).to_csv(path, index=False)
    row = int(np.flatnonzero(people["income"].isna() & people["job"].isna())[0])
    told = ["explain", path, "--target-column", "risk", "--target", "good", "--row", row, "--json"]
    done = CliRunner().invoke(commands, list(map(str, told)))
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["journeys"][0]["rows"][0][0] is None


@pytest.mark.parametrize("dtype", ["boolean", "Int64"])
def test_columns_of_pandas_that_may_be_missing_are_told_in_words(dtype):
    X = pd.DataFrame({"member": pd.array([0, 1, pd.NA, 1, 0, 1], dtype=dtype)})

    def members(rows):
        yes = rows["member"].to_numpy(dtype=float, na_value=0.0)
        return np.column_stack([1 - yes, yes])

    explainer = FACElift(members, steps="actions", plausibility=1.0).fit(X)
    multiverse = explainer.explain(X.iloc[[2]])
    assert "missing → " in multiverse._repr_html_()
    assert "missing → " in multiverse_text(multiverse)


def test_whole_numbers_of_polars_have_one_type_in_all_journeys_whether_some_are_missing_or_not():
    X = pl.DataFrame({"n": [1, None, 3, 4]})
    terrain = Terrain.infer(X).missing("n", lost=2.0)

    def many_or_unknown(rows):
        good = rows["n"].fill_null(9).to_numpy() >= 4
        return np.column_stack([~good, good]).astype(float)

    explainer = FACElift(many_or_unknown, terrain, steps="actions", plausibility=1.0).fit(X)
    multiverse = explainer.explain({"n": 1})
    assert [journey.rows["n"].isna().any() for journey in multiverse] == [False, True]
    assert {str(journey.rows["n"].dtype) for journey in multiverse} == {"Int64"}
    document = multiverse.to_json()
    assert Multiverse.from_json(document).to_json() == document


LEVELS = ["low", "mid", "high"]


def one_way_world(seed: int, steps: str) -> tuple[FACElift, pd.DataFrame]:
    """People whose savings may only rise and whose rank may only fall, and who may lose both."""
    rng = np.random.default_rng(seed)
    n = 25
    X = pd.DataFrame(
        {
            "savings": rng.integers(0, 6, n).astype(float),
            "rank": pd.Categorical(rng.choice(LEVELS, n), LEVELS, ordered=True),
            "age": rng.integers(20, 24, n),
        }
    )
    X.loc[rng.random(n) < 0.3, "savings"] = np.nan
    X.loc[rng.random(n) < 0.3, "rank"] = None
    X.loc[[0, 1], ["savings", "rank"]] = [[0.0, "low"], [5.0, "high"]]
    X.loc[2, ["savings", "rank"]] = None
    taste = rng.random((8, 4, 24))

    def odd(rows: pd.DataFrame) -> np.ndarray:
        places = rows["savings"].fillna(6).astype(int), rows["rank"].cat.codes, rows["age"] - 20
        chance = taste[places[0], places[1], places[2]]
        return np.column_stack([1 - chance, chance])

    terrain = Terrain.infer(X).increase_only("savings").decrease_only("rank")
    for name in ("savings", "rank"):
        terrain = terrain.missing(name, found=rng.choice([0.0, 0.5]), lost=rng.choice([0.0, 0.1]))
    if rng.random() < 0.3:
        terrain = terrain.transition("rank", "high", "mid", price=0.1)
    explainer = FACElift(odd, terrain, steps=steps, threshold=0.8, n_neighbors=4, plausibility=1.0)
    return explainer.fit(X), X


def in_order(values: pd.DataFrame) -> bool:
    """Whether savings that are known never fall, and known ranks never rise."""
    ranks = values["rank"].cat.codes[values["rank"].notna()]
    return bool(
        (values["savings"].dropna().diff().dropna() >= 0).all() and (np.diff(ranks) <= 0).all()
    )


@KINDS
@settings(max_examples=examples(15), deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_a_direction_holds_over_a_whole_journey(steps, seed):
    explainer, X = one_way_world(seed, steps)
    for multiverse in explainer.explain_many(X, target=1):
        for journey in multiverse:
            assert in_order(journey.rows), journey.rows


@settings(max_examples=examples(15), deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_no_way_through_records_leads_against_a_direction(seed):
    explainer, _ = one_way_world(seed, "rows")
    graph = explainer.graph_
    rows = explainer.terrain_.decode(graph.points)
    reached = np.isfinite(shortest_path(graph.costs, unweighted=True))
    known = rows["rank"].notna().to_numpy()
    savings, ranks = rows["savings"].to_numpy(), rows["rank"].cat.codes.to_numpy()
    fallen = savings[np.newaxis, :] < savings[:, np.newaxis]  # not where one is missing
    risen = (ranks[np.newaxis, :] > ranks[:, np.newaxis]) & known & known[:, np.newaxis]
    from_known = ~np.isnan(savings)[:, np.newaxis]
    assert not (reached & fallen & from_known).any()
    assert not (reached & risen).any()


def test_somebody_whose_value_is_missing_may_still_find_one():
    X = pd.DataFrame({"debts": [0.0, 1.0, 3.0, None]})
    terrain = Terrain.infer(X).decrease_only("debts").missing("debts", lost=0.1)

    def few(rows: pd.DataFrame) -> np.ndarray:
        good = (rows["debts"] <= 1).to_numpy()
        return np.column_stack([~good, good]).astype(float)

    for steps in ("rows", "actions"):
        explainer = FACElift(few, terrain, steps=steps, plausibility=1.0).fit(X)
        ends = [journey.rows["debts"].iloc[-1] for journey in explainer.explain({"debts": None})]
        assert sorted(ends) == [0.0, 1.0]
        assert not any(j.rows["debts"].isna().any() for j in explainer.explain({"debts": 3.0}))
