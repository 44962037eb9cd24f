"""Ways on which no step takes back what another has done."""

from __future__ import annotations

import numpy as np

from facelift import FACElift


def test_onward_no_edge_takes_back_what_another_did(lending, people):
    explainer = FACElift(lending.model, steps="actions", n_counterfactuals=5).fit(people)
    person = people.iloc[[int(np.argsort(lending.chances())[20])]]
    free, onward = (explainer.explain(person, "granted", onward=each) for each in (False, True))

    def leads_on(found):
        return explainer.steps_.outward(found.graph, found.question.point)

    assert not leads_on(free).all()  # or there would be nothing to see
    assert leads_on(onward).all()
    assert np.allclose(onward.costs, free.costs)  # nobody goes back on a cheapest way
    assert onward.proof == free.proof


def test_through_records_every_step_leads_on(lending, people):
    person = people.iloc[[int(np.argsort(lending.chances())[20])]]
    free, onward = (
        lending.explainer.explain(person, "granted", onward=each) for each in (False, True)
    )
    assert [j.vertices.tolist() for j in free] == [j.vertices.tolist() for j in onward]
