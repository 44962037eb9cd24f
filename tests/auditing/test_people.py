"""An audit says of people what explaining everybody one by one says."""

import numpy as np
import pandas as pd
import pytest
from tests.auditing.worlds import fitted, model, people

import facelift as fl
from facelift.errors import InvalidInput, UnknownColumn
from facelift.graph import search
from facelift.steps.base import Request


def slow_people(explainer, X, target=1):
    """Everybody's numbers, from one explanation each and plain loops."""
    found = {}
    candidates = explainer.probabilities_[:, target] >= explainer.needed
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


def test_fields_are_audited_person_by_person():
    X = people(60)[["income", "debts"]].assign(sex=lambda own: own["income"] // 10 % 2)
    terrain = fl.Terrain.infer(X).freeze("sex")

    def lender(frame):
        return model(frame.assign(age=40))

    explainer = fl.FACElift(lender, terrain, steps="field", n_neighbors=8, n_counterfactuals=2)
    audit = check(explainer.fit(X), X.head(20))
    assert audit.people["coverage"].any()


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
    with pytest.raises(InvalidInput, match="Column 'sex' has missing values"):
        fl.audit(fitted(X), X, by=by, target=1)
