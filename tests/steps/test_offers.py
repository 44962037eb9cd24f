"""What is offered where no way was found holds: whoever takes it finds what was promised."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import facelift as fl
from facelift.multiverse.certificate import offer_lines
from facelift.views.text import multiverse_text

MOST = 1 + 1e-9


def world(seed, steps, *, read=False):
    """A hurried search of a small table with few rules, and somebody who is declined."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.integers(0, 6, (60, 4)), columns=list("abcd")).astype(float)
    weights = rng.normal(size=4)

    def chances(rows):
        good = 1 / (1 + np.exp(-(rows.to_numpy() - 2.5) @ weights))
        return np.column_stack([1 - good, good])

    model = chances
    if read:
        from sklearn.linear_model import LogisticRegression

        model = LogisticRegression().fit(X, chances(X)[:, 1] > 0.5)
    terrain = fl.Terrain.infer(X)
    for name in rng.choice(list("abcd"), rng.integers(0, 4), replace=False):
        terrain = terrain.freeze(str(name))
    explainer = fl.FACElift(
        model,
        terrain,
        steps=steps,
        n_neighbors=int(rng.integers(1, 6)),
        threshold=float(rng.choice([0.5, 0.9])),
        max_steps=[None, 1, 2][rng.integers(3)],
        plausibility=float(rng.choice([0.3, 0.7, 0.95])),
        patience=int(rng.choice([1, 400, 2000])),
    ).fit(X)
    worst = int(np.argmin(explainer.probabilities_[explainer.vertices_, 1]))
    return explainer, X, X.iloc[[worst]]


def taken(explainer, X, row, offer):
    """What somebody finds who takes an offer."""
    ((name, value),) = offer.parameters.items()
    if name == "freeze":
        other = explainer.under(explainer.terrain_.freeze(*value))
    elif name == "steps":
        other = fl.FACElift(**{**explainer.get_params(deep=False), "steps": value}).fit(X)
    else:
        other = explainer.under(explainer.terrain_, **offer.parameters)
    return other.explain(row, 1)


@pytest.mark.parametrize("steps", ["rows", "actions"])
@pytest.mark.parametrize("read", [False, True])
def test_who_takes_an_offer_finds_what_was_promised(steps, read):
    seen = set()
    for seed in range(30):
        explainer, X, row = world(seed, steps, read=read)
        multiverse = explainer.explain(row, 1)
        if multiverse.why_not is None:
            continue
        for offer in multiverse.why_not.offers:
            found = taken(explainer, X, row, offer)
            seen.add((offer.kind, offer.helps))
            if offer.helps:
                assert found[0].cost <= offer.tried.effort * MOST, (seed, offer)
            elif offer.tried.to_the_end:
                assert not len(found), (seed, offer)
    kinds = {"actions"} if steps == "rows" else {"rows", "more steps"}
    assert {(kind, helps) for kind in kinds for helps in (True, False)} <= seen


def test_offers_come_in_order_and_search_longer_first():
    explainer, _, row = world(2, "actions")
    hurried = explainer.under(explainer.terrain_, patience=1, threshold=0.99, max_steps=4)
    why_not = hurried.explain(row, 1).why_not
    order = ["longer", "leave out", "rows", "rarer", "more steps"]
    kinds = [offer.kind for offer in why_not.offers]
    assert kinds == [kind for kind in order if kind in kinds]
    assert kinds[0] == "longer"


def test_where_no_way_is_proven_nobody_is_sent_to_search_longer():
    X = pd.DataFrame({"a": np.arange(40.0) % 8, "b": np.arange(40.0) % 5})
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression().fit(X, X["a"] > 4)
    terrain = fl.Terrain.infer(X).freeze("a")
    explainer = fl.FACElift(model, terrain, steps="actions", patience=1, max_states=1).fit(X)
    multiverse = explainer.explain({"a": 0.0, "b": 0.0}, True)
    assert multiverse.proof.is_none
    assert {"longer", "leave out"}.isdisjoint(each.kind for each in multiverse.why_not.offers)
    assert str(multiverse.why_not.certificate).startswith("Proven: no way")
    text = multiverse_text(multiverse)
    assert text.count("exists under these rules") == 1
    assert "was found" not in text
    assert "max_states" not in text


def test_more_steps_are_offered_where_our_own_limit_stands_in_the_way():
    X = pd.DataFrame({f"c{i}": np.arange(40.0) % 2 for i in range(9)})

    def chances(rows):
        good = (rows.to_numpy().sum(axis=1) >= 9).astype(float)
        return np.column_stack([1 - good, good])

    for name in X:  # states between the two kinds of people there are
        X = pd.concat([X, pd.DataFrame({each: [float(each <= name)] for each in X})])
    explainer = fl.FACElift(chances, steps="actions", plausibility=1).fit(X)
    why_not = explainer.explain(dict.fromkeys(X, 0.0), 1).why_not
    (offer,) = [each for each in why_not.offers if each.kind == "more steps"]
    assert offer.parameters == {"max_steps": 10}
    assert offer.helps
    few = explainer.under(explainer.terrain_.freeze("c7", "c8")).explain(dict.fromkeys(X, 0.0), 1)
    assert "more steps" not in {each.kind for each in few.why_not.offers}
    assert "max_steps" in why_not.hint
    assert "max_steps" not in few.why_not.hint


def test_offers_are_told_and_read_back():
    explainer, _, row = world(2, "actions")
    multiverse = explainer.under(explainer.terrain_, threshold=0.99).explain(row, 1)
    lines = offer_lines(multiverse.why_not.offers)
    assert lines
    text = " ".join(multiverse_text(multiverse).split())
    assert all(" ".join(line.split()) in text for line in lines)
    again = fl.Multiverse.from_json(multiverse.to_json())
    assert offer_lines(again.why_not.offers) == lines
    assert again.to_json() == multiverse.to_json()
