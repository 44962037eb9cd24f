"""Certificates hold for the model they are about, and for nothing else."""

import json

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from tests.steps.test_proof import small_world

import facelift as fl
from facelift.errors import DamagedFile, InvalidInput, InvalidModel
from facelift.models.proving.certificate import Unproven
from facelift.steps.certified import check_document


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
                check_document(json.dumps(document), model)
            refused += 1
    assert refused > 3


def test_a_bound_that_the_proof_does_not_reach_is_refused():
    model, _, document = certified(2, "boosting")
    document["claim"]["bound"] *= 2
    with pytest.raises(Unproven, match="is claimed"):
        check_document(json.dumps(document), model)


def test_a_price_below_zero_is_refused():
    made = [certified(seed, "boosting") for seed in range(60)]
    model, _, document = next(each for each in made if each and each[2]["proof"]["multipliers"])
    document["proof"]["multipliers"][0]["threshold"] = -1.0
    with pytest.raises(Unproven, match="below zero"):
        check_document(json.dumps(document), model)


def test_another_model_is_refused():
    _, _, document = certified(2, "boosting")
    other = certified(3, "boosting")[0]
    with pytest.raises(InvalidModel, match="differently"):
        check_document(json.dumps(document), other)
    with pytest.raises(InvalidModel, match="cannot be read"):
        check_document(json.dumps(document), lambda table: table)


def test_a_damaged_certificate_is_refused():
    model, _, document = certified(2, "boosting")
    with pytest.raises(DamagedFile, match="no certificate"):
        check_document("{}", model)
    with pytest.raises(DamagedFile, match="damaged"):
        check_document("{", model)
    for key in set(document) - {"schema", "rules", "max_steps"}:
        with pytest.raises(DamagedFile, match="damaged"):
            check_document(json.dumps({k: v for k, v in document.items() if k != key}), model)


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
