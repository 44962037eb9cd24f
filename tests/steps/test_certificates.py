"""Why not: certificates against trying every set of rules, and verified on German Credit."""

from __future__ import annotations

import pickle
from itertools import chain, combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from tests.laws import examples
from tests.terrain.strict_terrain import strict_terrain, table, with_gaps
from tools.benchmarks.whynot import FROZEN

import facelift as fl
from facelift.multiverse.certificate import Certificate
from facelift.terrain.rulebook import MAX_RULES, Rule, terrain_rules, without
from facelift.views.text import multiverse_text

seeds = st.integers(0, 2**32 - 1)


class Lottery:
    """A model that says yes to some rows, by a number drawn for every combination of values."""

    classes_ = np.array(["no", "yes"])

    def __init__(self, seed, share):
        self.table = np.random.default_rng(seed).random((5, 3, 3)) < share

    def predict_proba(self, rows):
        amount = np.nan_to_num(rows["amount"].to_numpy(float), nan=4.0)
        codes = rows["level"].cat.codes.to_numpy(), rows["kind"].cat.codes.to_numpy()
        yes = self.table[amount.astype(int), *codes]  # what is missing counts as the last
        chance = np.where(yes, 0.9, 0.2 + 0.05 * amount)
        return np.column_stack([1 - chance, chance])


def world(seed, **parameters):
    rng = np.random.default_rng(seed)
    X = table(rng, 22)
    if rng.random() < 0.4:
        X = with_gaps(rng, X)
    model = Lottery(seed, 0.2)
    row = X.iloc[[0]]
    terrain = strict_terrain(rng, X, row.iloc[0])
    if not terrain.admissible(terrain.encode(row))[0] or model.predict_proba(row)[0, 1] > 0.5:
        assume(False)
    if rng.random() < 0.5:
        X = X.iloc[1:].reset_index(drop=True)  # the case is no record
    return fl.FACElift(model, terrain, **parameters).fit(X), row


def subsets(rules):
    return chain.from_iterable(combinations(rules, size) for size in range(len(rules) + 1))


def by_brute_force(explainer, row, relaxed_steps):
    """Every smallest set of rules under which the explainer itself finds a journey, by its cost."""
    rules = list(terrain_rules(explainer.terrain_))
    if explainer.max_steps is not None:
        rules.append(Rule("steps", limit=float(explainer.max_steps)))
    found = {}
    for chosen in subsets(rules):
        if any(set(other) <= set(chosen) for other in found):
            continue
        more = {"max_steps": relaxed_steps} if any(r.kind == "steps" for r in chosen) else {}
        terrain = without(explainer.terrain_, chosen)
        multiverse = explainer.under(terrain, **more).explain(row, "yes")
        if len(multiverse):
            found[chosen] = multiverse[0].cost
    return {frozenset(rules): cost for rules, cost in found.items()}


def assert_exact(explainer, row, relaxed_steps=None):
    multiverse = explainer.explain(row, "yes")
    assume(not len(multiverse))
    certificate = multiverse.why_not.certificate
    if explainer.steps == "rows":
        assert certificate.complete
    assume(certificate.complete)  # unless a category may be reached by several chains
    found = {frozenset(each.rules): each.cost for each in certificate.relaxations}
    assert found == pytest.approx(by_brute_force(explainer, row, relaxed_steps))
    costs = [each.cost for each in certificate.relaxations]
    assert costs == sorted(costs)
    return certificate


@given(
    seeds,
    st.integers(1, 4),
    st.sampled_from(["union", "out", "mutual"]),
    st.sampled_from([None, None, 1, 2]),
    st.sampled_from(["distance", "power"]),
)
@settings(max_examples=examples(25))
def test_through_records_the_smallest_sets_are_those_of_brute_force(seed, k, edges, most, cost):
    explainer, row = world(seed, n_neighbors=k, edges=edges, max_steps=most, edge_cost=cost)
    assert_exact(explainer, row)


@given(seeds, st.sampled_from([0.4, 0.8]))
@settings(max_examples=examples(8))
def test_within_a_largest_step_they_are_too(seed, most):
    explainer, row = world(seed, n_neighbors=None, max_step=most)
    assert_exact(explainer, row)


@given(seeds, st.sampled_from([None, None, 1, 2]))
@settings(max_examples=examples(20))
def test_of_single_actions_they_are_too(seed, most):
    explainer, row = world(seed, steps="actions", max_steps=most, plausibility=0.8)
    assert_exact(explainer, row, None if most is None else most + 3)


def gap_world(seed, **parameters):
    """Two clouds of points, the outcome in the far one, and sometimes a direction one cannot go."""
    rng = np.random.default_rng(seed)
    clouds = rng.random((2, 8, 2)) * 0.3
    clouds[1] += rng.choice([0.0, 0.6], 2)
    points = clouds.reshape(16, 2)

    def model(rows):
        yes = np.isin(rows[:, 0], points[12:, 0])
        return np.column_stack([~yes, yes]).astype(float)

    terrain = fl.Terrain.infer(points)
    if rng.random() < 0.4:
        terrain = terrain.increase_only("x0")
    if rng.random() < 0.4:
        terrain = terrain.between("x1", -1.0, float(points[:, 1].max()) - 0.05)
    start = points[np.argmin(points.sum(axis=1))]
    return fl.FACElift(model, terrain, **parameters).fit(points), start


@given(
    seeds,
    st.integers(1, 3),
    st.sampled_from(["union", "out", "mutual"]),
    st.sampled_from([None, None, 0.1, 0.3]),
)
@settings(max_examples=examples(60), suppress_health_check=[HealthCheck.filter_too_much])
def test_a_bridge_is_the_cheapest_missing_step_and_crossing_it_opens_a_journey(
    seed, k, edges, most
):
    explainer, start = gap_world(seed, n_neighbors=k, edges=edges, max_step=most)
    multiverse = explainer.explain(start)
    assume(not len(multiverse))
    bridge = multiverse.why_not.certificate.bridge
    assume(bridge is not None)
    points = explainer.graph_.points
    cost = explainer.terrain_.cost(points[bridge.start], points[bridge.end])
    assert bridge.cost == pytest.approx(float(cost))
    needed = {"n_neighbors": bridge.n_neighbors, "max_step": bridge.max_step}
    more = {name: value for name, value in needed.items() if value is not None}
    assert more
    assert len(explainer.under(explainer.terrain_, **more).explain(start))


@given(seeds, st.sampled_from(["rows", "actions"]), st.sampled_from([None, 1]))
@settings(max_examples=examples(25), suppress_health_check=[HealthCheck.filter_too_much])
def test_the_threshold_that_would_do_does_and_none_above_it(seed, steps, most):
    explainer, row = world(seed, steps=steps, n_neighbors=3, max_steps=most)
    multiverse = explainer.explain(row, "yes")
    assume(not len(multiverse))
    threshold = multiverse.why_not.certificate.threshold
    assume(threshold is not None)
    lower = explainer.under(explainer.terrain_, threshold=threshold).explain(row, "yes")
    higher = explainer.under(explainer.terrain_, threshold=threshold + 1e-6).explain(row, "yes")
    assert len(lower)
    assert not len(higher)


def test_where_nothing_has_the_outcome_no_rule_is_blamed():
    rng = np.random.default_rng(0)
    X = table(rng, 22)
    explainer = fl.FACElift(Lottery(0, 0.0), fl.Terrain.infer(X).freeze("kind")).fit(X)
    why_not = explainer.explain(X.iloc[[0]], "yes").why_not
    assert why_not.kind == "no candidate"
    assert why_not.relaxations == ()
    assert "whatever the rules" in str(why_not.certificate)
    assert why_not.to_frame().empty


def test_rules_on_who_somebody_is_are_not_said_to_make_no_difference():
    X = pd.DataFrame({"origin": ["here", "there"] * 30, "hours": np.arange(60) // 2 % 5})

    def model(frame):
        chance = np.where(frame["origin"] == "here", 0.9, 0.1)
        return np.column_stack([1 - chance, chance])

    for personal in (False, True):
        terrain = fl.Terrain.infer(X).freeze("origin").personal(*["origin"] * personal)
        explainer = fl.FACElift(model, terrain, steps="actions").fit(X)
        lines = explainer.explain(X.iloc[[1]]).why_not.certificate.lines()
        others = any(line.endswith("leads there, whatever the other rules.") for line in lines)
        assert others == personal
        assert not any(line.endswith("whatever the rules.") for line in lines)


@pytest.mark.parametrize("steps", ["rows", "actions"])
@pytest.mark.parametrize("rule", ["bound", "requirement"])
@pytest.mark.parametrize("least", [38, 45])
def test_rules_beyond_those_that_have_a_bit_are_never_broken(steps, rule, least):
    rng = np.random.default_rng(1)
    others = {f"x{i}": np.zeros(80) for i in range(MAX_RULES // 2)}
    X = pd.DataFrame(
        {"savings": rng.integers(0, 40, 80), **others, "age": rng.integers(20, 60, 80)}
    )
    X.loc[0, ["savings", "age"]] = 5, 35
    terrain = fl.Terrain.infer(X).freeze("savings", *others)
    last = {"bound": terrain.between("age", 20, 40), "requirement": terrain.require("age <= 40")}

    def model(frame):
        good = (frame["savings"] >= 20) & (frame["age"] >= least)
        return np.column_stack([~good, good])

    explainer = fl.FACElift(model, last[rule], steps=steps, plausibility=1.0).fit(X)
    relaxations = explainer.explain(X.iloc[[0]]).why_not.relaxations
    assert bool(relaxations) == (least <= 40)
    for each in relaxations:
        assert each.journey.rows["age"].max() <= 40


def line(terrain, **parameters):
    points = np.linspace(0, 1, 11)[:, np.newaxis]

    def model(rows):
        return np.column_stack([rows[:, 0] < 0.75, rows[:, 0] >= 0.75])

    return fl.FACElift(model, terrain(fl.Terrain.infer(points)), **parameters).fit(points)


def test_kinds_tell_rules_from_gaps_and_from_steps():
    frozen = line(lambda t: t.decrease_only("x0"), n_neighbors=2).explain([0.2]).why_not
    assert (frozen.reason, frozen.kind) == ("no route", "rules")
    assert [str(rule) for each in frozen.relaxations for rule in each.rules] == ["x0 never rises"]
    short = line(lambda t: t, n_neighbors=2, max_steps=2).explain([0.2]).why_not
    assert short.kind == "too many steps"
    assert [str(each) for each in short.relaxations] == [
        "allow more than 2 steps (6 steps, effort 0.60)"
    ]
    bound = line(lambda t: t.between("x0", 0, 0.5), n_neighbors=2).explain([0.2]).why_not
    assert (bound.reason, bound.kind) == ("no candidate", "rules")
    assert bound.relaxations[0].rules == (Rule("upper", "x0", limit=0.5),)


def test_a_gap_says_what_would_cross_it():
    points = np.array([[0.0], [0.1], [0.2], [0.8], [0.9], [1.0]])

    def model(rows):
        return np.column_stack([rows[:, 0] < 0.85, rows[:, 0] >= 0.85])

    explainer = fl.FACElift(model, n_neighbors=1).fit(points)
    why_not = explainer.explain([0.0]).why_not
    bridge = why_not.certificate.bridge
    assert why_not.kind == "not connected"
    assert (bridge.n_here, bridge.n_there) == (2, 3)
    assert bridge.cost == pytest.approx(0.6)
    assert "2 states are in reach; from 3 others there is a way on" in str(bridge)
    assert bridge.n_neighbors == 3


def test_relaxations_can_be_explained_under():
    explainer = line(lambda t: t.decrease_only("x0"), n_neighbors=2)
    relaxation = explainer.explain([0.2]).why_not.relaxations[0]
    again = explainer.under(relaxation.terrain, **relaxation.parameters).explain([0.2])
    assert again[0].cost == relaxation.cost
    assert np.array_equal(again[0].waypoints, relaxation.journey.waypoints)
    assert np.array_equal(again[0].chances, relaxation.journey.chances)


def test_a_certificate_is_searched_for_only_when_asked():
    explainer = line(lambda t: t.decrease_only("x0"), n_neighbors=2)
    why_not = explainer.explain([0.2]).why_not
    assert "certificate" not in vars(why_not)
    assert str(why_not)
    assert "certificate" not in vars(why_not)
    assert why_not.certificate is why_not.certificate


def test_what_travels_does_not_carry_all_records():
    explainer = line(lambda t: t.decrease_only("x0"), n_neighbors=2)
    why_not = explainer.explain([0.2]).why_not
    travelled = pickle.loads(pickle.dumps(why_not))  # noqa: S301  (our own)
    assert travelled == why_not
    assert travelled.certificate is None
    assert travelled.kind == "no route"


@pytest.mark.parametrize("steps", ["rows", "actions"])
def test_json_carries_the_certificate(steps):
    rng = np.random.default_rng(4)
    X = table(rng, 22)
    terrain = fl.Terrain.infer(X).freeze("amount", "level", "kind")
    explainer = fl.FACElift(Lottery(4, 0.2), terrain, steps=steps).fit(X)
    row = X[explainer.model.predict_proba(X)[:, 1] < 0.5].head(1)
    multiverse = explainer.explain(row, "yes")
    text = multiverse.to_json()
    again = fl.Multiverse.from_json(text)
    assert again.to_json() == text
    assert str(again.why_not.certificate) == str(multiverse.why_not.certificate)
    assert again.why_not.to_frame().equals(multiverse.why_not.to_frame())


@pytest.mark.harness
@pytest.mark.parametrize("steps", ["rows", "actions"])
def test_on_german_credit_every_certificate_is_verified(credit, steps):
    terrain = credit.explainer.terrain_.freeze(*FROZEN)
    explainer = fl.FACElift(credit.model, terrain, steps=steps, n_counterfactuals=3)
    explainer.fit(credit.X)
    declined = credit.X[credit.chances() < 0.5]
    declined = declined.iloc[:60:6] if steps == "rows" else declined.iloc[::2]
    verified = 0
    for _, person in declined.iterrows():
        multiverse = explainer.explain(person, "good")
        if len(multiverse):
            continue
        for relaxation in multiverse.why_not.relaxations[:4]:
            under = explainer.under(relaxation.terrain, **relaxation.parameters)
            cost = under.explain(person, "good")[0].cost
            assert cost == pytest.approx(relaxation.cost) or (
                steps == "actions" and cost < relaxation.cost  # what is climbed to may be cheaper
            )
            verified += 1
            for rule in relaxation.rules[:2]:
                kept = without(terrain, set(relaxation.rules) - {rule})
                if steps == "rows" and verified < 8:
                    assert not len(explainer.under(kept).explain(person, "good"))
    assert verified > (20 if steps == "rows" else 3)


def test_in_words_it_says_what_to_relax_and_the_way_that_opens():
    multiverse = line(lambda t: t.decrease_only("x0"), n_neighbors=2).explain([0.2])
    text = multiverse_text(multiverse, title="Row 2")
    assert "No way: None of the 3 destinations that have the outcome is in reach" in text
    assert "Every way through the records breaks a rule." in text
    assert "1. let X0 rise (6 steps, effort 0.60)" in text
    assert "The way that the first of them opens:" in text
    assert "X0: 0.2 → 0.3 (chance 0% → 0%)" in text


def test_where_relaxed_rules_cannot_be_weighed_the_certificate_says_what_is_known():
    """Without the rule there would be a move, of which the edge cost does not say what it costs."""
    X = pd.DataFrame({"sex": [False, True]})
    terrain = fl.Terrain.infer(X).freeze("sex")

    def model(rows):
        good = rows["sex"].to_numpy(dtype=float)
        return np.column_stack([1 - good, good])

    def no_weight(edges):
        if len(edges.starts):
            raise fl.errors.InvalidInput("These moves have no weight.")
        return edges.moves

    explainer = fl.FACElift(model, terrain, n_neighbors=5, edge_cost=no_weight).fit(X)
    certificate = explainer.explain(X[:1]).why_not.certificate
    assert (certificate.kind, certificate.relaxations) == ("rules", ())
    assert not certificate.complete


def test_a_search_that_saw_not_all_does_not_say_that_every_way_breaks_a_rule():
    assert str(Certificate("rules")).startswith("Every way breaks a rule.")
    told = str(Certificate("rules", complete=False))
    assert told.startswith("No way within the rules was found.")
    assert "Every way" not in told


def jobs(**parameters):
    """Two records in a line of jobs, of which only the last has the outcome."""
    X = pd.DataFrame(
        [(job, s) for job in ("none", "course", "clerk") for s in range(6)] * 3,
        columns=["job", "s"],
    )

    def model(rows):
        chance = np.where(rows["job"] == "clerk", 0.9, 0.1)
        return np.column_stack([1 - chance, chance])

    terrain = fl.Terrain.infer(X).freeze("s").forbid("job", "none", "clerk")
    return fl.FACElift(model, terrain, n_counterfactuals=1, **parameters).fit(X)


@pytest.mark.parametrize("steps", ["rows", "actions"])
def test_a_category_is_reached_through_others_where_the_direct_change_is_forbidden(steps):
    multiverse = jobs(steps=steps).explain({"job": "none", "s": 2})
    assert multiverse[0].rows["job"].tolist() == ["none", "course", "clerk"]


def test_a_certificate_does_not_say_that_nothing_has_the_outcome_where_records_have_it():
    """From where this case stands every single change is unlike any record."""
    X = pd.DataFrame({"a": [0.0] * 9 + [9.0] * 30, "b": [0.0] * 9 + [9.0] * 30})
    X += np.random.default_rng(0).normal(size=(39, 2)).round(2) * 0.1

    def model(rows):
        good = rows["a"].to_numpy() > 5
        return np.column_stack([~good, good]).astype(float)

    explainer = fl.FACElift(model, steps="actions", plausibility=0.5).fit(X)
    why_not = explainer.explain(X.iloc[[0]], 1).why_not
    text = str(why_not.certificate)
    assert why_not.kind == "out of reach"
    assert "Nothing has the outcome" not in text
    assert text.startswith("Proven: no way exists under these rules;")
    assert "No way of up to 7 single changes through plausible states, none undone," in text
    assert "rows" in [offer.kind for offer in why_not.offers]
    alone = fl.FACElift(model, fl.Terrain.infer(X).freeze("a", "b"), steps="actions").fit(X)
    alone = alone.explain(X.iloc[[0]], 1).why_not
    assert "the only state there is was looked at" in str(alone.certificate)


def people(**parameters):
    X = pd.DataFrame({"race": ["a", "b"] * 8, "job": [*["cook"] * 8, *["judge"] * 8]})

    def model(rows):
        good = (rows["race"] == "b").to_numpy()
        return np.column_stack([~good, good]).astype(float)

    terrain = fl.Terrain.infer(X).freeze("race", "job")
    return fl.FACElift(model, terrain, **parameters), X


@pytest.mark.parametrize("steps", ["rows", "actions"])
def test_rules_on_who_somebody_is_are_never_offered_and_that_is_said(steps):
    explainer, X = people(steps=steps)
    why_not = explainer.fit(X).explain(X.iloc[[0]], 1).why_not
    assert any("race" in str(rule) for each in why_not.relaxations for rule in each.rules)
    explainer.terrain = explainer.terrain.personal("race")
    multiverse = explainer.fit(X).explain(X.iloc[[0]], 1)
    why_not = multiverse.why_not
    assert not why_not.relaxations
    assert "Rules on who somebody is are kept: Race." in str(why_not.certificate)
    again = fl.Multiverse.from_json(multiverse.to_json())
    assert str(again.why_not.certificate) == str(why_not.certificate)


def test_where_other_chains_might_lead_there_no_certificate_claims_to_be_complete():
    """Of two chains of jobs only the cheapest is tried; through the other there may be a way."""
    jobs = ["none", "course", "school", "clerk"]
    X = pd.DataFrame([(job, s) for job in jobs for s in range(4)] * 3, columns=["job", "s"])

    def model(rows):
        chance = np.where((rows["job"] == "clerk") & (rows["s"] > 2), 0.9, 0.1)
        return np.column_stack([1 - chance, chance])

    def certificate(table):
        terrain = fl.Terrain.infer(table).freeze("s").forbid("job", "none", "clerk")
        explainer = fl.FACElift(model, terrain, steps="actions").fit(table)
        return explainer.explain({"job": "none", "s": 1}, 1).why_not.certificate

    assert not certificate(X).complete
    assert "Every" not in str(certificate(X))
    only = certificate(X[X["job"] != "school"])
    assert only.complete
    assert "\nEvery way of up to 7 single changes through plausible states" in str(only)
