"""Certificates hold, survive JSON, and do not when anything in them is changed."""

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.laws import examples
from tests.models.proving.test_search import random_problem

from facelift.errors import InvalidInput
from facelift.models.proving.certificate import ProofCertificate, Unproven, check
from facelift.models.proving.search import Search


def recorded(problem, accept=None, *, alone=False):
    search = Search(problem, accept=accept, record=True)
    if alone:
        search._descend = lambda _: None
    assert search.run().proven
    return search.certificate


def checked(certificate, problem):
    document = json.loads(json.dumps(certificate.to_dict()))
    return check(
        ProofCertificate.from_dict(document), problem.score, problem.factual, problem.levels
    )


def refused(certificate, problem):
    try:
        checked(certificate, problem)
    except Unproven:
        return True
    return False


@given(st.integers(0, 10**9), st.booleans(), st.booleans())
@settings(max_examples=examples(200), deadline=None)
def test_certificates_hold(seed, some, alone):
    problem = random_problem(seed)
    accept = (lambda states: states.sum(axis=1) % 3 != 1) if some else None
    assert checked(recorded(problem, accept, alone=alone), problem) >= 1


@given(st.integers(0, 10**9))
@settings(max_examples=examples(100), deadline=None)
def test_no_more_is_proven_than_is_true(seed):
    """Claim a bound above the cheapest success: the check finds the box that holds it."""
    problem = random_problem(seed)
    certificate = recorded(problem)
    if certificate.bound < problem.most:
        assert refused(replace(certificate, bound=certificate.bound * 1.01 + 1e-6), problem)


def test_what_was_rejected_is_part_of_the_proof():
    refusals = 0
    for seed in range(60):
        problem = random_problem(seed)
        certificate = recorded(problem, lambda states: states.sum(axis=1) % 3 != 1)
        cheaper = problem.cost(certificate.rejected) < certificate.bound * (1 - 1e-6)
        if cheaper.any():
            refusals += 1
            assert refused(replace(certificate, rejected=certificate.rejected[:0]), problem)
    assert refusals > 5


def test_changed_multipliers_are_noticed():
    """Shares that count for less, or nothing, no longer close the boxes they were made for."""
    noticed = tried = 0
    for seed in range(200):
        problem = random_problem(seed)
        certificate = recorded(problem, alone=True)
        if certificate.multipliers:
            tried += 1
            none = [replace(each, threshold=0.0) for each in certificate.multipliers]
            noticed += refused(replace(certificate, multipliers=tuple(none)), problem)
    assert noticed > tried / 4


@pytest.mark.parametrize("reason", ["dead", "pruned", "states", "because"])
def test_a_reason_that_does_not_hold_is_noticed(reason):
    for seed in range(20):
        problem = random_problem(seed)
        certificate = recorded(problem)
        if certificate.bound < problem.most:  # a success costs that much: claim a little more
            claim = replace(certificate, bound=certificate.bound * 1.01 + 1e-6)
            assert refused(replace(claim, branching={"reason": reason}), problem)


def test_a_search_that_is_not_done_has_no_certificate():
    problem = random_problem(3)
    with pytest.raises(InvalidInput, match="records"):
        _ = Search(problem).certificate
    assert np.isfinite(recorded(problem).bound)
