"""An audit says of groups what explaining everybody one by one says."""

import numpy as np
import pandas as pd
import pytest

import facelift as fl
from facelift.auditing.comparison import NUMBERS
from facelift.errors import InvalidInput, UnknownColumn
from facelift.graph import search
from facelift.steps.base import Request


def people(n=140, seed=0, *, coarse=False):
    """People of two groups; women (w) start with less, and sex cannot be changed."""
    rng = np.random.default_rng(seed)
    sex = rng.choice(["w", "m"], n, p=[0.4, 0.6])
    income = rng.normal(np.where(sex == "w", 35, 42), 9, n)
    return pd.DataFrame(
        {
            "income": (income / 5).round() * 5 if coarse else income.round(2),
            "debts": rng.integers(0, 4, n),
            "age": rng.integers(20, 60, n) if not coarse else rng.integers(2, 6, n) * 10,
            "sex": sex,
            "note": rng.random(n).round(3) if not coarse else rng.integers(0, 2, n) / 2,
        }
    )


def model(frame):
    score = (frame["income"] - 40) / 6 - 0.7 * frame["debts"] + 0.02 * (frame["age"] - 40)
    good = 1 / (1 + np.exp(-score.to_numpy(dtype=float)))
    return np.column_stack([1 - good, good])


def fitted(X, **options):
    terrain = fl.Terrain.infer(X).freeze("sex").increase_only("age").price("note", 0.0)
    settings = {"n_neighbors": 4, "n_counterfactuals": 4, **options}
    return fl.FACElift(model, terrain, **settings).fit(X)


def slow_people(explainer, X, target=1):
    """Everybody's numbers, from one explanation each and plain loops."""
    found = {}
    candidates = explainer.probabilities_[:, target] >= 0.5
    for i in range(len(X)):
        multiverse = explainer.explain(X.iloc[i], target)
        if multiverse.why_not is not None and multiverse.why_not.reason == "already there":
            continue
        values = {"coverage": float(len(multiverse) > 0), "cost": np.nan}
        values |= {"opportunity": np.nan, "commitment": np.nan}
        if len(multiverse):
            values["cost"] = multiverse[0].cost
        if len(multiverse) > 1:
            chosen = fl.best(multiverse)
            values["opportunity"] = multiverse.scores[chosen.own]
            values["commitment"] = fl.geometry.branching_delay(
                chosen.step_costs, chosen.alternatives
            )
        if explainer.steps == "rows":
            rows, wanted = explainer.steps_, Request.of(explainer)
            case = rows.case(explainer.terrain_.point(X.iloc[i]))
            local = rows.local(case, multiverse.goal, wanted)
            graph, start = local.graph, local.source
            reached = np.isfinite(fl.graph.forward(graph, start).costs[: len(candidates)])
            values["reached"] = frozenset(np.flatnonzero(reached & candidates).tolist())
            values["destinations"] = len(values["reached"])
        else:
            values["destinations"] = len(multiverse)
        found[X.index[i]] = values
    return pd.DataFrame(found).T


def check(explainer, X, by="sex"):
    audit = fl.Audit.of(explainer, X, by=by, target=1, n_resamples=3)
    slow = slow_people(explainer, X)
    assert audit.people.index.tolist() == slow.index.tolist()
    for name in audit.measures:
        ours, theirs = audit.people[name].to_numpy(), slow[name].to_numpy(dtype=float)
        assert np.allclose(ours, theirs, equal_nan=True), name
        means = slow[name].astype(float).groupby(X.loc[slow.index, by]).mean()
        assert np.allclose(audit.groups[name], means, equal_nan=True), name
    if explainer.steps == "rows":
        pools = slow.groupby(X.loc[slow.index, by])["reached"].agg(lambda s: len(set().union(*s)))
        shares = slow["destinations"] / X.loc[slow.index, by].map(pools)
        assert np.allclose(audit.people["destinations_share"], shares.astype(float))
    return audit


@pytest.mark.parametrize("compiled_from", [1, 10**9])
@pytest.mark.parametrize(
    "options",
    [{}, {"stop_at_first": True}, {"edge_cost": "power", "edges": "out"}, {"min_separation": 0.2}],
)
def test_numbers_are_those_of_everybody_one_by_one(options, compiled_from, monkeypatch):
    monkeypatch.setattr(search, "COMPILED_FROM", compiled_from)
    X = people()
    check(fitted(X, **options), X)


def test_more_ways_than_there_are_destinations_are_all_of_them(monkeypatch):
    monkeypatch.setattr(search, "COMPILED_FROM", 1)
    X = people()
    many, every = (check(fitted(X, n_counterfactuals=n), X) for n in (10**12, len(X)))
    pd.testing.assert_frame_equal(many.people, every.people)


@pytest.mark.parametrize("seed", range(3))
def test_ties_and_free_moves_change_nothing(seed, monkeypatch):
    monkeypatch.setattr(search, "COMPILED_FROM", 1)
    X = people(100, seed, coarse=True)
    check(fitted(X, n_neighbors=3), X)


def test_free_moves_that_cannot_be_undone_change_nothing(monkeypatch):
    monkeypatch.setattr(search, "COMPILED_FROM", 1)
    X = people(100, 5, coarse=True)
    terrain = fl.Terrain.infer(X).freeze("sex").price("note", increase=0.0, decrease=9.0)
    terrain = terrain.price("age", increase=0.0, decrease=9.0).price("debts", increase=0.0)
    check(fl.FACElift(model, terrain, n_neighbors=3, n_counterfactuals=4).fit(X), X)


@pytest.mark.parametrize("compiled_from", [1, 10**9])
def test_people_outside_the_table_can_be_audited(compiled_from, monkeypatch):
    monkeypatch.setattr(search, "COMPILED_FROM", compiled_from)
    X = people()
    check(fitted(X.iloc[:100]), X.iloc[80:])


def test_actions_are_audited_person_by_person():
    X = people(80)[["income", "debts", "sex"]]
    terrain = fl.Terrain.infer(X).freeze("sex").levels("income", step=10)

    def lender(frame):
        return model(frame.assign(age=40))

    explainer = fl.FACElift(lender, terrain, steps="actions", n_counterfactuals=3).fit(X)
    audit = check(explainer, X.head(40))
    assert (audit.people["destinations_share"] == audit.people["destinations"] / 3).all()


def test_independent_ways_are_counted_for_some_of_each_group():
    X = people()
    explainer = fitted(X)
    audit = fl.Audit.of(explainer, X, by="sex", target=1, n_resamples=3, n_resilience=4)
    counted = audit.people["resilience"].dropna()
    assert audit.people.loc[counted.index].groupby("sex").size().tolist() == [4, 4]
    for row, count in counted.items():
        assert count == fl.resilience(explainer.explain(X.loc[[row]], 1)).n_independent
    assert np.allclose(audit.groups["resilience"], counted.groupby(X["sex"]).mean())
    assert "resilience" in audit.shown()[0]
    again = fl.Audit.of(explainer, X, by="sex", target=1, n_resamples=3, n_resilience=4)
    pd.testing.assert_frame_equal(audit.people, again.people)
    other = fl.Audit.of(explainer, X, by="sex", target=1, n_resamples=3)
    assert "resilience" not in other.measures
    numbers = [name for name in audit.groups if not name.startswith("resilience")]
    pd.testing.assert_frame_equal(audit.groups[numbers], other.groups[numbers])


def test_needs_count_what_the_cheapest_way_changes():
    X = people()
    explainer = fitted(X)
    audit = fl.Audit.of(explainer, X, by="sex", target=1, n_resamples=2)
    changed = {}
    for i in audit.people.index:
        multiverse = explainer.explain(X.loc[i], 1)
        if len(multiverse):
            rows = multiverse[0].rows
            changed[i] = rows.iloc[0] != rows.iloc[-1]
    theirs = pd.DataFrame(changed).T.groupby(X.loc[list(changed), "sex"]).mean()
    assert "note" not in audit.needs.columns  # it costs nothing
    assert np.allclose(audit.needs, theirs[audit.needs.columns].astype(float))
    assert (audit.needs["sex"] == 0).all()
    most = audit.needs.loc["w"].idxmax()
    assert audit.groups.loc["w", "needed"].startswith(most)


def test_rejected_are_counted_among_all():
    X = people()
    found = fl.audit(fitted(X), X, by="sex", target=1, n_resamples=2)
    rejected = pd.Series(model(X)[:, 1] < 0.5).groupby(X["sex"].to_numpy())
    assert found["n"].tolist() == X["sex"].value_counts().sort_index().tolist()
    assert found["rejected"].tolist() == rejected.sum().tolist()
    assert np.allclose(found["rejected_share"], rejected.mean())


def test_the_same_seed_gives_the_same_audit_and_another_other_intervals():
    X = people()
    explainer = fitted(X)
    first, again, other = (
        fl.audit(explainer, X, by="sex", target=1, n_resamples=50, random_state=seed)
        for seed in (1, 1, 2)
    )
    pd.testing.assert_frame_equal(first, again)
    values = list(NUMBERS)
    assert np.array_equal(first[values], other[values], equal_nan=True)
    assert not np.array_equal(first["cost_low"], other["cost_low"])


def test_intervals_hold_their_number_and_shrink_with_more_people():
    X = people(400)
    few, many = X.head(100), X
    widths = []
    explainer = fitted(X)
    for part in (few, many):
        found = fl.audit(explainer, part, by="sex", target=1, n_resamples=400)
        for name in ("coverage", "cost", "destinations", "opportunity"):
            assert (found[f"{name}_low"] <= found[name]).all()
            assert (found[name] <= found[f"{name}_high"]).all()
        widths.append((found["cost_high"] - found["cost_low"]).mean())
    assert widths[1] < widths[0]


def test_the_order_of_people_and_the_names_of_groups_do_not_matter():
    X = people()
    explainer = fitted(X)
    plain = fl.audit(explainer, X, by="sex", target=1, n_resamples=2)
    mixed = X.sample(frac=1, random_state=0)
    renamed = mixed["sex"].map({"w": "a", "m": "b"})
    other = fl.audit(explainer, mixed, by=renamed, target=1, n_resamples=2)
    for name in (*NUMBERS, "n", "rejected", "needed"):
        ours, theirs = plain.loc[["w", "m"], name], other.loc[["a", "b"], name]
        assert ours.tolist() == pytest.approx(theirs.tolist(), nan_ok=True), name


def test_groups_come_from_columns_lists_series_and_arrays():
    X = people()
    explainer = fitted(X)

    def run(table, by):
        return fl.audit(explainer, table, by=by, target=1, n_resamples=2)

    by_name = run(X, "sex")
    assert by_name.index.name == "sex"
    assert run(X, X["sex"]).equals(by_name)
    assert np.array_equal(run(X, X["sex"].to_numpy())["cost"], by_name["cost"])
    bands = pd.cut(X["age"], [0, 35, 100], labels=["young", "old"])
    both = run(X.assign(band=bands), ["sex", "band"])  # a column the explainer does not know
    assert both.index.names == ["sex", "band"]
    assert ("w", "young") in both.index
    assert both["n"].sum() == len(X)


@pytest.mark.parametrize(
    ("by", "error", "words"),
    [
        ("sx", UnknownColumn, "did you mean 'sex'"),
        (["sex", "agee"], UnknownColumn, "did you mean 'age'"),
        (["a", "b", "c"], UnknownColumn, "no column 'a'"),
        (np.zeros(3), InvalidInput, "one value per row"),
        ("income", InvalidInput, "bands"),
    ],
)
def test_groups_that_cannot_be_are_one_clear_line(by, error, words):
    X = people()
    with pytest.raises(error, match=words):
        fl.audit(fitted(X), X, by=by, target=1)


def test_missing_groups_are_refused():
    X = people()
    by = X["sex"].where(X.index > 3)
    with pytest.raises(InvalidInput, match="missing values"):
        fl.audit(fitted(X), X, by=by, target=1)


def test_the_outcome_may_be_left_out_when_all_have_the_same():
    X = people()
    explainer = fitted(X)
    with pytest.raises(InvalidInput, match="target="):
        fl.audit(explainer, X, by="sex")
    rejected = X[model(X)[:, 1] < 0.5]
    found = fl.audit(explainer, rejected, by="sex", n_resamples=2)
    assert (found["rejected_share"] == 1).all()


@pytest.mark.parametrize(
    "wrong", [{"n_resamples": 0}, {"confidence": 1.0}, {"n_strata": 0}, {"min_size": -1}]
)
def test_parameters_are_checked(wrong):
    X = people()
    with pytest.raises(InvalidInput, match=next(iter(wrong))):
        fl.audit(fitted(X), X, by="sex", target=1, **wrong)


def test_small_groups_and_rows_left_out_are_noted():
    X = people()
    explainer = fitted(X)
    rare = X["sex"].mask(X.index < 4, "other")
    table = X.astype({"sex": object})
    table.loc[100, "sex"] = "unheard of"
    found = fl.audit(explainer, table, by=rare, target=1, n_resamples=2)
    notes = found.attrs["notes"]
    assert any(note.startswith("other: ") and "too few" in note for note in notes)
    assert any(note.startswith("1 rows are left out") for note in notes)
    assert found["n"].sum() == len(X) - 1


def test_nobody_rejected_is_a_finding():
    X = people()
    explainer = fitted(X)
    accepted = X[model(X)[:, 1] >= 0.5]
    found = fl.audit(explainer, accepted, by="sex", target=1, n_resamples=3)
    assert (found["rejected"] == 0).all()
    assert found["cost"].isna().all()
    assert repr(fl.Audit.of(explainer, accepted, by="sex", target=1, n_resamples=3))


def test_a_conclusion_that_turns_round_with_the_share_is_named():
    """Group a: ten towns with ten destinations each; group b: one town with four."""
    towns = [f"town {i}" for i in range(11)]
    rows = [
        {"group": "b" if town == towns[-1] else "a", "town": town, "score": score}
        for town in towns
        for score in range(-40 if town == towns[-1] else -5, 4 if town == towns[-1] else 10)
    ]
    X = pd.DataFrame(rows)
    terrain = fl.Terrain.infer(X).freeze("group", "town")

    def decide(frame):
        good = (frame["score"] >= 0).to_numpy(dtype=float)
        return np.column_stack([1 - good, good])

    explainer = fl.FACElift(decide, terrain, n_neighbors=2, n_counterfactuals=2).fit(X)
    found = fl.audit(explainer, X, by="group", target=1, n_resamples=50)
    assert found["destinations"].tolist() == [10, 4]
    assert found["destinations_share"].tolist() == [0.1, 1]
    (note,) = [note for note in found.attrs["notes"] if "share of what anybody" in note]
    assert note.startswith(
        "a: easier by mean number of destinations in reach (10 against 4), harder"
    )


def test_an_audit_reads_as_a_table():
    X = people()
    audit = fl.Audit.of(fitted(X), X, by="sex", target=1, n_resamples=5)
    lines = repr(audit).splitlines()
    assert lines[0].split()[:3] == ["group", "people", "rejected"]
    assert lines[1].startswith("m ")
    assert "<table" in audit._repr_html_()
    assert audit.to_frame() is audit.groups


def test_a_range_of_a_predicted_number_can_be_audited():
    X = people()

    def income(frame):
        return frame["income"].to_numpy(dtype=float) - 2.0 * frame["debts"].to_numpy(dtype=float)

    terrain = fl.Terrain.infer(X).freeze("sex")
    explainer = fl.FACElift(income, terrain, n_neighbors=4, n_counterfactuals=3).fit(X)
    audit = fl.Audit.of(explainer, X, by="sex", target=(45, None), n_resamples=3)
    assert (audit.people["predicted"] < 45).all()
    assert audit.groups["rejected"].sum() == (income(X) < 45).sum()
    first = explainer.explain(X.loc[audit.people.index[0]], (45, None))
    assert audit.people["cost"].iloc[0] == pytest.approx(first[0].cost)
