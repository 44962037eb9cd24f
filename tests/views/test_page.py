"""The walk's document: the same bytes for the same walk, and every state told."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from facelift import FACElift, toys
from facelift.drawing.markup import map_svg
from facelift.views.page import document, schema, to_json
from facelift.walking.guide import Guide
from facelift.walking.limits import Limits
from facelift.walking.walk import Again, Other, SetLimits, Take, Unfold, Walk

ROOT = Path(__file__).parents[2]
GOLDEN = Path(__file__).parent / "golden"


@pytest.fixture
def golden(request):
    def check(name: str, text: str) -> None:
        path = GOLDEN / name
        if request.config.getoption("--renew-golden"):
            path.write_text(text, encoding="utf-8")
        assert text == path.read_text(encoding="utf-8")

    return check


def pretty(shown) -> str:
    """A document as JSON that can be read in review, numbers to six digits."""
    content = json.loads(to_json(shown), parse_float=lambda text: round(float(text), 6))
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def test_the_document_of_the_papers_loan_is_as_it_was(golden):
    golden(
        "walk_loan.json", pretty(document(Guide(toys.loan().multiverse(), title="Loan"), Walk()))
    )


def test_the_drawing_of_the_papers_loan_is_as_it_was(golden):
    shown = document(Guide(toys.loan().multiverse(), title="Loan"), Walk())
    golden("walk_loan.svg", map_svg(shown.maps["effort"], "Loan").replace("><", ">\n<") + "\n")


def test_the_types_of_the_script_are_those_of_the_document():
    sys.path.insert(0, str(ROOT / "tools"))
    try:
        from make_document_types import declarations
    finally:
        sys.path.pop(0)
    types = ROOT / "src" / "facelift" / "web" / "static" / "document.d.ts"
    assert types.read_text(encoding="utf-8") == declarations(schema())


def test_equal_walks_give_equal_bytes(guide):
    assert to_json(document(guide, Walk())) == to_json(document(guide, Walk()))


def test_every_state_is_told(guide, lending, people):
    start = document(guide, Walk())
    assert start.state == "walking"
    none = document(guide, Walk(), SetLimits(Limits(dict.fromkeys(people.columns, "never"))))
    assert none.state == "none"
    assert none.nothing.headline == "Within these limits, nothing leads to “granted”"
    assert "No change at all is left" in none.nothing.text
    there = document(guide, Walk(), Other({"income": 90.0, "savings": "high", "debts": 0}))
    assert there.state == "arrived"
    assert there.header.reached
    assert any("points above the 50% that decide" in note for note in there.notes)
    rich = people.iloc[[int(np.argmax(lending.chances()))]]
    already = document(Guide(guide.explainer.explain(rich, "granted")), Walk())
    assert already.state == "already"
    only = guide.explainer.under(guide.explainer.terrain_, n_counterfactuals=1)
    one = document(Guide(only.explain(guide.case_row, "granted")), Walk())
    assert one.state == "one way"
    assert "Only one way" in one.banner


def test_without_a_model_nothing_is_said_in_its_name():
    guide = Guide(toys.loan().multiverse())
    there = document(guide, Walk(), Take(1))
    assert there.state == "arrived"
    assert there.banner.endswith("You have arrived at a destination.")
    assert there.history[0].outlook == ""


def test_ways_that_are_folded_are_not_said_to_be_gone(lending, people):
    explainer = FACElift(lending.model, n_neighbors=30, n_counterfactuals=5).fit(people)
    row = int(np.argsort(lending.chances())[20])
    guide = Guide(explainer.explain(people.iloc[[row]], "granted"))
    few = document(guide, Walk())
    many = document(guide, few.walk, Again(16))
    assert "much like these" in many.banner
    assert "no longer" not in many.banner
    assert {badge.status for badge in many.badges} <= {"open", "aside"}
    family = next(way.letter for way in many.ways if way.similar > 1)
    inside = document(guide, many.walk, Unfold(family))
    assert inside.banner.startswith(f"These are the ways like {family}.")
    assert {badge.status for badge in inside.badges} <= {"open", "aside"}
    back = document(guide, inside.walk, Unfold(None))
    assert "no longer" not in back.banner
    shown = sorted(badge.letter for badge in back.badges if badge.status == "open")
    assert shown == sorted(way.letter for way in back.ways)


def test_a_case_unlike_anyone_is_told_so(guide):
    odd = document(guide, Walk(), Other({"income": 500.0, "debts": 40}))
    assert any("Hardly anyone in the data is like this case" in note for note in odd.notes)
    assert not any("Hardly anyone" in note for note in document(guide, Walk()).notes)


def test_a_proof_is_told_in_one_sentence():
    line = np.arange(11.0)[:, np.newaxis]
    model = LogisticRegression().fit(line, line[:, 0] > 4)
    found = FACElift(model, steps="actions").fit(line).explain([2.0])
    notes = document(Guide(found), Walk()).notes
    assert "How sure is this? No way with less effort exists." in notes


def test_no_more_ways_are_said_to_be_apart_than_there_are(guide):
    shown = document(guide, Walk())
    for move in (Take(shown.cards.recommended), SetLimits(Limits({"income": "hard"})), Again(2)):
        after = document(guide, shown.walk, move)
        said = " ".join(after.notes)
        if found := re.search(r"(?:all|\d+ of these) (\d+) ways", said):
            assert int(found[1]) == len(after.ways)
        if found := re.search(r"(\d+) of these (\d+) ways", said):
            assert 1 < int(found[1]) < int(found[2])
        assert all(curve.points[0][1] == 1 for curve in after.curves)  # all is open at first


def test_undo_says_which_move_it_took_back(guide):
    start = document(guide, Walk())
    hard = document(guide, start.walk, SetLimits(Limits({"income": "hard"})))
    taken = document(guide, hard.walk, Take(hard.cards.recommended))
    assert hard.undone == ("Taken back. Income is hard now. Everything is as it was before that.")
    assert taken.undone.startswith("Taken back. Step taken: ")
    assert "Income is hard" not in taken.undone
