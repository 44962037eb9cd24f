"""What a proof says of ways of actions is true of every state that there is."""

import json
from dataclasses import replace
from functools import cache
from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.compose import make_column_transformer
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
)
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier
from tests.laws import examples

import facelift as fl
from facelift.errors import DamagedFile, InvalidInput, InvalidModel
from facelift.models.proving.certificate import Unproven
from facelift.steps import proof
from facelift.steps.base import Request
from facelift.steps.lattice import Lattice
from facelift.steps.proof import Prover, _Attempt, check_document, sealed
from facelift.steps.register import Register

CLOSE = 1e-8
WORDS = ["none", "course", "clerk"]


def small_table(rng):
    """Few rows of two numbers, a rank and a word, so that not everything is plausible."""
    n = 60
    table = pd.DataFrame(
        {
            "debt": rng.integers(0, 5, n),
            "income": np.round(rng.normal(3, 1, n), 1),
            "grade": pd.Categorical.from_codes(rng.integers(0, 3, n), list("abc"), ordered=True),
            "job": pd.Categorical.from_codes(rng.integers(0, 3, n), WORDS),
        }
    )
    gain = table["income"] - table["debt"] + table["grade"].cat.codes * (table["job"] == "clerk")
    return table, (gain + rng.normal(0, 0.5, n) > 1).to_numpy()


def small_model(kind, table, wanted):
    words = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore", sparse_output=False), ["grade", "job"]),
        remainder=StandardScaler(),
    )
    made = {
        "tree": DecisionTreeClassifier(max_depth=4, random_state=0),
        "forest": RandomForestClassifier(7, max_depth=4, random_state=0),
        "boosting": HistGradientBoostingClassifier(max_iter=12, min_samples_leaf=4),
        "several classes": HistGradientBoostingClassifier(max_iter=8, min_samples_leaf=4),
        "number": HistGradientBoostingRegressor(max_iter=12, min_samples_leaf=4),
        "logistic": LogisticRegression(),
    }
    if kind == "several classes":
        wanted = wanted + 2 * (table["debt"] > 3)
    model = make_pipeline(words, made.get(kind, made["logistic"])).fit(table, wanted)
    return model.predict_proba if kind == "a function" else model


def small_terrain(rng, table, ageing):
    terrain = fl.Terrain.infer(table)
    changes = [
        lambda t: t.freeze("grade"),
        lambda t: t.increase_only("income"),
        lambda t: t.price("debt", decrease=0.3),
        lambda t: t.forbid("job", "none", "clerk"),
        lambda t: t.require("debt <= income + 1.5"),
        lambda t: t.price("job", 0.0),
    ]
    if ageing:
        changes.append(lambda t: t.rate("income", 0.4, per="year").ages("debt", 1, per="year"))
    for change in changes:
        if rng.random() < 0.4:
            terrain = change(terrain)
    return terrain


def small_world(seed, kind, *, ageing=True):
    """A case of a small table, and all that is admissible and succeeds around it."""
    rng = np.random.default_rng(seed)
    table, wanted = small_table(rng)
    if wanted.all() or not wanted.any():
        return None
    explainer = fl.FACElift(
        small_model(kind, table, wanted),
        small_terrain(rng, table, ageing),
        steps="actions",
        n_counterfactuals=int(rng.integers(1, 5)),
        threshold=float(rng.choice([0.5, 0.6, 0.9])),
        max_steps=None if rng.random() < 0.5 else int(rng.integers(1, 6)),
        max_states=int(rng.choice([5, 60, 5000])),
        plausibility=float(rng.choice([0.8, 0.95])),
    ).fit(table)
    allowed = explainer.terrain_.admissible(explainer.terrain_.encode(table))
    answers = explainer.probabilities_[explainer.vertices_]
    declined = np.flatnonzero((answers[:, min(1, answers.shape[1] - 1)] < 0.5) & allowed)
    return (explainer, table.iloc[[rng.choice(declined)]]) if len(declined) else None


def target_of(explainer):
    """What is wanted of a model: a class, or of a number that it is high."""
    return 1 if len(explainer.classes_) else (0.5, None)


def successes(explainer, row):
    """Every admissible state that succeeds: the lattice, the states and their costs."""
    point, terrain = explainer.terrain_.case(row)
    steps = explainer.keeping(terrain).steps_
    case = steps.case(point)
    goal = steps.oracle.goal(
        target_of(explainer), case.answers, explainer.threshold, explainer.margin
    )
    lattice = Lattice.of(terrain, point)
    states = np.array(list(product(*(range(len(each)) for each in lattice.ladders))))
    register = steps.register(case, goal, Request.of(explainer))
    good = register.admissible(states) & (lattice.n_steps(states) <= register.max_steps)
    places = register.ask(states)
    good &= register.wins[places]
    return lattice, states[good], lattice.costs(states[good])


def false_claims(explainer, row):
    """What a proof says that is not so."""
    found = explainer.explain(row, target_of(explainer))
    if found.why_not is not None and found.why_not.reason == "already there":
        return []
    told, (lattice, states, costs) = found.proof, successes(explainer, row)
    least = costs.min(initial=np.inf)
    wrong = []
    if told.kind == "cheapest" and least < found[0].cost * (1 - CLOSE):
        wrong.append("cheapest")
    if least < told.bound * (1 - CLOSE):
        wrong.append(told.kind)
    if told.kind == "within" and found[0].cost > least * (1 + told.gap) * (1 + CLOSE):
        wrong.append("gap")
    if told.all_destinations and told.kind == "cheapest" and len(found) > 1:
        ends = [journey.waypoints[-1] for journey in found]
        cheaper = states[costs < found.costs[-1] * (1 - CLOSE)]
        listed = states[[np.abs(lattice.points(states) - end).sum(1).argmin() for end in ends]]
        parts = [lattice.parts(cheaper, each) for each in listed]
        if len(cheaper) and not np.any(parts, axis=0).all():
            wrong.append("all destinations")
    return wrong


KINDS = ["tree", "forest", "boosting", "logistic", "several classes", "number", "a function"]


@pytest.mark.parametrize("kind", KINDS)
@given(seed=st.integers(0, 10**6))
@settings(max_examples=examples(25), deadline=None)
def test_no_state_contradicts_a_proof(kind, seed):
    world = small_world(seed, kind)
    if world is not None:
        assert false_claims(*world) == []


def reached(explainer, row):
    """How many states admissible single changes lead to, and whether one of them succeeds."""
    point, terrain = explainer.terrain_.case(row)
    steps = explainer.keeping(terrain).steps_
    case = steps.case(point)
    goal = steps.oracle.goal(
        target_of(explainer), case.answers, explainer.threshold, explainer.margin
    )
    register = steps.register(case, goal, Request.of(explainer))
    lattice = register.lattice
    states = np.array(list(product(*(range(len(each)) for each in lattice.ladders))))
    good = register.admissible(states) & (lattice.n_steps(states) <= register.max_steps)
    good |= (states == 0).all(axis=1)
    states = states[good]
    beside = (states[:, np.newaxis] != states[np.newaxis]).sum(axis=2) == 1
    known, frontier = np.zeros(len(states), dtype=bool), (states == 0).all(axis=1)
    while frontier.any():
        known |= frontier
        frontier = beside[frontier].any(axis=0) & ~known
    places = register.ask(states[known])  # which replaces the wins
    return int(known.sum()), bool(register.wins[places].any())


def test_nobody_who_can_get_there_is_told_that_there_is_no_way():
    """By a search that goes to all that is within reach, and asks no structure of the model."""
    told = 0
    for seed in range(examples(120)):
        world = small_world(seed, "a function")
        if world is None:
            continue
        explainer, row = world
        limits = {"max_states": 2, "patience": 50_000, "plausibility": 0.4}
        hurried = explainer.under(explainer.terrain_, **limits)
        found = hurried.explain(row, target=1)
        if found.why_not is not None and found.why_not.reason == "already there":
            continue
        if found.proof.is_none:
            n_reached, succeeds = reached(hurried, row)
            assert not succeeds
            survey = str(found.why_not.certificate)
            told += f" {n_reached:,} state" in survey and "within reach" in survey
    assert told > 3


def test_proofs_are_of_all_kinds():
    """What the law above is tried on: else it would say little."""
    missing = {"cheapest", "nothing below", "no way at all", "all destinations"}
    for seed, kind in product(range(25), ("tree", "boosting")):
        if missing and (world := small_world(seed, kind)):
            told = world[0].explain(world[1], target=1).proof
            missing -= {told.kind}
            missing -= {"no way at all"} if told.bound == np.inf else set()
            missing -= {"all destinations"} if told.all_destinations else set()
    assert missing == set()


def alone(monkeypatch):
    """Have proofs made without what the search knows, which seldom leaves anything to find."""
    true = Prover.bound

    def forgetful(self, _):
        known = self.register
        told, limit = (known.judge, known.answers[0]), known.max_steps
        empty = Register(self.lattice, *told, max_steps=limit)
        made.append(true(replace(self, register=empty), 0.0))
        return made[-1]

    made = []
    monkeypatch.setattr(Prover, "bound", forgetful)
    return made


def false_bounds(made, explainer, row):
    """Bounds above the cost of the cheapest success."""
    made.clear()
    explainer.explain(row, target_of(explainer))
    least = successes(explainer, row)[2].min(initial=np.inf)
    return [bound for bound in made if least < bound.least * (1 - CLOSE)]


@pytest.mark.parametrize("kind", ["boosting", "logistic"])
def test_no_state_contradicts_a_proof_from_nothing(kind, monkeypatch):
    made = alone(monkeypatch)
    worlds = [small_world(seed, kind) for seed in range(examples(160))]
    assert not any(false_bounds(made, *world) for world in worlds if world)


def none_accepted(_, states):
    return np.zeros(len(states), dtype=bool)


def never_stranded(_, states):
    return states[:0]


@pytest.mark.parametrize(
    ("name", "sabotaged"),
    [("accept", none_accepted), ("_with_way", never_stranded), ("_short_enough", never_stranded)],
)
def test_a_proof_that_leaves_states_out_is_noticed(monkeypatch, name, sabotaged):
    made = alone(monkeypatch)
    monkeypatch.setattr(_Attempt, name, sabotaged)
    worlds = (small_world(seed, "boosting") for seed in range(20))
    assert any(false_bounds(made, *world) for world in worlds if world)


def line_of(model, **parameters):
    line = pd.DataFrame({"x": np.arange(11.0), "y": np.tile([0.0, 1.0], 6)[:11]})
    return fl.FACElift(model, steps="actions", **parameters).fit(line), line


def test_of_a_model_that_cannot_be_read_the_radius_is_what_is_proven():
    def chances(table):
        share = (table["x"] + table["y"]).to_numpy() / 12
        return np.column_stack([1 - share, share])

    explainer, line = line_of(chances)
    told = explainer.explain(line.iloc[[1]], target=1).proof
    assert (told.kind, told.all_destinations) == ("cheapest", True)
    hurried = explainer.under(explainer.terrain_, max_states=1, patience=1)
    told = hurried.explain(line.iloc[[1]], target=1).proof
    assert told.kind == "nothing below"
    assert told.sentence.endswith("more is not proven: this model cannot be read.")


def test_what_is_left_to_look_at_may_cost_as_much_as_the_cheapest_way():
    """A tie up to rounding is a tie: the first way is the cheapest, not "at most 1% more"."""
    ninths = np.array(list(product(range(11), range(11)))) / 9

    def chances(table):
        good = (np.asarray(table)[:, 0] >= 8 / 9).astype(float)
        return np.column_stack([1 - good, good])

    limits = {"patience": 1, "n_counterfactuals": 1, "max_states": 20}
    found = fl.FACElift(chances, steps="actions", **limits).fit(ninths).explain(ninths[0], 1)
    assert (found[0].cost, found.proof.kind) == (pytest.approx(0.9), "cheapest")


def test_who_cannot_get_anywhere_is_told_so_whatever_the_model():
    """Nothing beside somebody is plausible, and there are far too many states to look at."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(300, 12)).round(2)).rename(columns=str)
    X.iloc[0] = 9.0

    def chances(table):
        good = (np.asarray(table)[:, :4].sum(axis=1) < 0).astype(float)
        return np.column_stack([1 - good, good])

    terrain = fl.Terrain.infer(X)
    for name in X:
        terrain = terrain.levels(name, [-2.0, 0.0, 2.0, 20.0, 30.0]).increase_only(name)
    found = fl.FACElift(chances, terrain, steps="actions").fit(X).explain(X.iloc[[0]], 1)
    assert found.proof.is_none
    assert "the 1 state within reach was looked at" in str(found.why_not.certificate)


def test_who_is_cut_off_from_all_successes_is_told_so_once_all_states_were_looked_at():
    """Real records succeed, but nothing plausible lies between: a proof, not only a bound."""
    rng = np.random.default_rng(0)
    X = np.vstack([rng.integers(0, 3, (40, 2)), rng.integers(8, 11, (40, 2))]).astype(float)

    def chances(table):
        good = (np.asarray(table)[:, 0] > 5).astype(float)
        return np.column_stack([1 - good, good])

    found = fl.FACElift(chances, steps="actions").fit(X).explain(X[0], 1)
    assert str(found.proof) == "No way exists under these rules."
    assert "9 states within reach were looked at" in str(found.why_not.certificate)


def test_a_model_that_can_be_read_is_read_once(monkeypatch):
    line = pd.DataFrame({"x": np.arange(11.0)})
    model = LogisticRegression().fit(line, line["x"] > 5)
    explainer = fl.FACElift(model, steps="actions").fit(line)
    read = []
    from facelift.models import oracle

    true = oracle.read
    monkeypatch.setattr(oracle, "read", lambda *a, **k: read.append(1) or true(*a, **k))
    kinds = {each.proof.kind for each in explainer.explain_many(line.iloc[:4], target=True)}
    assert kinds == {"cheapest"}
    assert len(read) == 1


def test_what_was_read_wrongly_proves_nothing(monkeypatch):
    """A score that misses successes the model told of is not used."""
    world = small_world(3, "boosting")
    world[0].set_params(max_states=1)  # or all states are looked at, and nothing is left to read
    true = Prover._reads_right
    asked = []
    monkeypatch.setattr(
        Prover, "_reads_right", lambda *a: asked.append(true(*a)) or false_reading(*a)
    )

    def false_reading(prover, search):
        search.problem.score.__dict__["least"] = 1e9
        return true(prover, search)

    told = world[0].explain(world[1], target=1).proof
    assert asked == [True]
    assert proof.UNREADABLE in told.sentence or told.kind == "cheapest"


def test_ways_through_records_are_the_cheapest_there():
    line = np.arange(11.0)[:, np.newaxis]
    explainer = fl.FACElift(lambda x: np.hstack([10 - x, x]) / 10, n_neighbors=2).fit(line)
    told = explainer.explain([2.0]).proof
    assert (told.kind, told.all_destinations) == ("cheapest", True)
    assert told.sentence == "No chain of similar records takes less effort."
    limited = explainer.under(explainer.terrain_, max_steps=3).explain([2.0]).proof
    assert limited.kind == "not proven"
    frozen = explainer.under(explainer.terrain_.freeze("x0")).explain([2.0]).proof
    assert (frozen.kind, frozen.bound) == ("nothing below", np.inf)


def test_who_has_the_outcome_has_nothing_to_do():
    explainer, line = line_of(lambda t: np.column_stack([t["x"] < 5, t["x"] >= 5]).astype(float))
    assert explainer.explain(line.iloc[[8]], target=1).proof.sentence == "Nothing needs to change."


def check_forged(document, model):
    """Check a document that somebody changed, and sealed again."""
    return check_document(json.dumps(sealed(document)), model)


def certified(seed, kind):
    """A model and a certificate of one of its cases, None where nothing is to be done."""
    world = small_world(seed, kind, ageing=False)
    if world is None:
        return None
    explainer, row = world
    found = explainer.explain(row, target=1)
    if found.why_not is not None and found.why_not.reason == "already there":
        return None
    return explainer.model, found, json.loads(fl.views.certificate(found))


@cache
def first_with_multipliers():
    """The first seed of boosting whose certificate has multipliers: most have none."""
    found = ((seed, certified(seed, "boosting")) for seed in range(60))
    return next(seed for seed, made in found if made and made[2]["proof"]["multipliers"])


@pytest.mark.parametrize("kind", ["tree", "forest", "boosting", "logistic"])
def test_certificates_hold(kind):
    made = [each for each in (certified(seed, kind) for seed in range(12)) if each]
    assert len(made) > 5
    for model, found, document in made:
        checked = check_document(json.dumps(document), model)
        assert checked.n_boxes >= 1
        assert checked.none == (found.proof.bound == np.inf)
        if not checked.none:
            assert checked.bound == pytest.approx(found.proof.bound)


def test_no_more_can_be_claimed():
    refused = 0
    for seed in range(12):
        made = certified(seed, "boosting")
        if made and made[1].proof.kind == "cheapest":
            model, _, document = made
            for place in (document["claim"], document["proof"]):
                place["bound"] *= 1.05
            with pytest.raises(Unproven):
                check_forged(document, model)
            refused += 1
    assert refused > 3


def test_a_bound_that_the_proof_does_not_reach_is_refused():
    model, _, document = certified(2, "boosting")
    document["claim"]["bound"] *= 2
    with pytest.raises(Unproven, match="is claimed"):
        check_forged(document, model)


def test_a_price_below_zero_is_refused():
    model, _, document = certified(first_with_multipliers(), "boosting")
    document["proof"]["multipliers"][0]["threshold"] = -1.0
    with pytest.raises(Unproven, match="below zero"):
        check_forged(document, model)


def test_another_model_is_refused():
    _, _, document = certified(2, "boosting")
    other = certified(3, "boosting")[0]
    with pytest.raises(InvalidModel, match="differently"):
        check_document(json.dumps(document), other)
    with pytest.raises(InvalidModel, match="cannot be read"):
        check_document(json.dumps(document), lambda table: table)


def test_a_model_of_another_table_is_refused_as_such():
    _, _, document = certified(2, "boosting")
    table = pd.DataFrame({"x": np.arange(11.0), "y": np.arange(11.0)})
    other = make_pipeline(
        make_column_transformer((StandardScaler(), ["x"]), remainder="passthrough"),
        LogisticRegression(),
    ).fit(table, table["x"] > 4)
    with pytest.raises(InvalidModel, match="does not take the rows of the certificate"):
        check_document(json.dumps(document), other)


def test_a_damaged_certificate_is_refused():
    model, _, document = certified(2, "boosting")
    with pytest.raises(DamagedFile, match="no certificate"):
        check_document("{}", model)
    with pytest.raises(DamagedFile, match="damaged"):
        check_document("{", model)
    for key in set(document) - {"schema", "rules", "max_steps", "seal"}:
        with pytest.raises(DamagedFile, match="damaged"):
            check_forged({k: v for k, v in document.items() if k != key}, model)


def places_in(value, path=()):
    """The way to every number and text of a document."""
    if isinstance(value, dict | list):
        for key, each in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places_in(each, (*path, key))
    else:
        yield path


def test_a_certificate_that_was_changed_anywhere_is_refused():
    model, _, document = certified(2, "boosting")
    paths = list(places_in(document))
    kinds = {tuple(key for key in path if isinstance(key, str)): path for path in paths}
    for path in [*kinds.values(), *paths[:: len(paths) // 40]]:
        forged = json.loads(json.dumps(document))
        *way, last = path
        place = forged
        for key in way:
            place = place[key]
        value = place[last]
        place[last] = value + "x" if isinstance(value, str) else 1.5 * float(value or 0) + 1
        with pytest.raises(DamagedFile):
            check_document(json.dumps(forged), model)


def test_what_cannot_be_unpacked_is_damaged():
    model, _, document = certified(first_with_multipliers(), "boosting")
    shares = document["proof"]["multipliers"][0]["shares"]
    document["proof"]["multipliers"][0]["shares"] = shares[:10] + shares[11:] + "A"
    with pytest.raises(DamagedFile, match="damaged"):
        check_forged(document, model)


def test_another_outcome_cannot_be_claimed():
    model, _, document = certified(2, "boosting")
    document["claim"]["target"] = ["0"]
    with pytest.raises(Unproven, match="outcome"):
        check_forged(document, model)


def test_what_only_a_search_proves_has_no_certificate():
    line = np.arange(11.0)[:, np.newaxis]
    found = fl.FACElift(lambda x: np.hstack([10 - x, x]) / 10, steps="actions").fit(line)
    with pytest.raises(InvalidInput, match="no certificate of this result"):
        fl.views.certificate(found.explain([2.0]))


def test_arrays_are_certified_too():
    line = np.arange(11.0)[:, np.newaxis]
    model = LogisticRegression().fit(line, line[:, 0] > 4)
    found = fl.FACElift(model, steps="actions").fit(line).explain([2.0])
    assert check_document(fl.views.certificate(found), model).bound == found[0].cost


def test_a_usual_search_that_knows_a_success_gets_a_longer_proof():
    explainer, row = small_world(3, "boosting")
    point, terrain = explainer.terrain_.case(row)
    steps = explainer.keeping(terrain).steps_
    case = steps.case(point)
    goal = steps.oracle.goal(1, case.answers, explainer.threshold, explainer.margin)
    register = steps.register(case, goal, Request.of(explainer))
    prover = Prover(register, goal, terrain.decode, None, 1_000)
    assert (prover.units, replace(prover, work=10**8).units) == (1_000, 10**8)
    register.cheapest = 1.0
    assert (prover.units, replace(prover, work=10**8).units) == (2_000, 10**8)
