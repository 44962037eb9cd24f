"""An audit as a whole: its numbers, notes and conclusions."""

import numpy as np
import pandas as pd
import pytest
from tests.auditing.worlds import fitted, model, people

import facelift as fl
from facelift.auditing.comparison import NUMBERS
from facelift.errors import InvalidInput


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


def test_the_outcome_may_be_left_out_when_all_have_the_same():
    X = people()
    explainer = fitted(X)
    with pytest.raises(InvalidInput, match="wanted as target"):
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
    assert lines[0].split()[:3] == ["sex", "people", "rejected"]
    assert lines[1].startswith("m ")
    assert "<table" in audit._repr_html_()
    assert audit.to_frame() is audit.groups


def test_it_is_said_where_nobody_has_a_way_from_record_to_record():
    X = people().assign(born=lambda X: np.arange(len(X)) / 7)
    terrain = fl.Terrain.infer(X).freeze("born")
    explainer = fl.FACElift(lambda rows: model(rows.drop(columns="born")), terrain).fit(X)
    notes = fl.audit(explainer, X, by="sex", target=1, n_resamples=2).attrs["notes"]
    assert "born never changes and differs between most" in notes[0]
    free = fl.FACElift(lambda rows: model(rows.drop(columns="born"))).fit(X)
    notes = fl.audit(free, X, by="sex", target=1, n_resamples=2).attrs["notes"]
    assert not any("Nobody has a way" in note for note in notes)
