"""Reports and receipts, with values and without."""

from __future__ import annotations

import json

import numpy as np
import pytest

from facelift import FACElift
from facelift.views.page import document, to_json
from facelift.views.report import exported
from facelift.walking.guide import Guide
from facelift.walking.limits import Limits
from facelift.walking.walk import Other, Take, Walk


def test_a_report_holds_what_steps_lead_to(guide):
    text = exported(guide, Walk(), "html")[0].decode()
    told = json.loads(text.partition('id="told">')[2].partition("</script>")[0])
    first = told["first"]["cards"]["cards"][0]["vertex"]
    expected = json.loads(to_json(document(guide, Walk(), Take(first))))
    assert told["answers"][str(first)]["ways"] == expected["ways"]
    assert "http://" not in text.replace("http://www.w3.org/2000/svg", "")
    assert "https://" not in text


def test_words_from_a_table_cannot_end_the_report(lending, people):
    odd = people.rename(columns={"town": "</script><b>town"})
    explainer = FACElift(lending.model, steps="actions", n_counterfactuals=2).fit(odd)
    row = int(np.argsort(lending.chances())[20])
    guide = Guide(explainer.explain(odd.iloc[[row]], "granted"), title="<i>Ada")
    text = exported(guide, Walk(), "html")[0].decode()
    assert text.count("</script>") == 2
    assert "<b>town" not in text
    assert "<i>Ada" not in text


def test_a_receipt_tells_model_data_rules_and_limits(guide):
    limits = Limits({"debts": "never"})
    told = json.loads(exported(guide, Walk(limits), "json")[0])["receipt"]
    assert told["limits"] == {"ease": {"debts": "never"}}
    assert told["model"].startswith("Lender ")
    assert 'change = "never"' in told["rules"]
    assert told["goal"] == "granted"
    assert told["n_records"] == 160
    again = json.loads(exported(guide, Walk(limits), "json")[0])["receipt"]
    assert (told["data"], told["model"]) == (again["data"], again["model"])


def test_a_receipt_names_facts_put_right(guide):
    other = {"Aarau": "Bern", "Bern": "Aarau"}[guide.plan(Walk()).row["town"]]
    walk = guide.moved(Walk(), Other({"town": other}, correction=True))
    assert f"→ {other}" in json.loads(exported(guide, walk, "json")[0])["receipt"]["corrected"]
    assert "Facts put right by the person" in exported(guide, walk, "html")[0].decode()
    assert "Facts put right" not in exported(guide, Walk(), "html")[0].decode()


@pytest.mark.parametrize("kind", ["json", "html", "svg"])
def test_without_values_nobody_can_be_told_from_an_export(guide, kind):
    income = str(guide.plan(Walk()).row["income"])
    walk = guide.moved(Walk(), Other({"debts": 3}))
    with_values = exported(guide, walk, kind)[0].decode()
    without = exported(guide, walk, kind, values=False)[0].decode()
    assert income not in without
    assert "Ada" not in without
    assert "Ada" in with_values
