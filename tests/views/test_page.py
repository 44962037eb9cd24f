"""The document of a walk: golden, versioned, and true to what was computed."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from facelift import FACElift, Terrain, toys
from facelift.drawing.svg import map_svg
from facelift.views.page import document, schema, to_json
from facelift.views.report import exported, report
from facelift.walking import Again, Guide, Limits, Other, SetLimits, Take, Unfold, Walk

ROOT = Path(__file__).parents[2]
GOLDEN = Path(__file__).parent / "golden"


@pytest.fixture(scope="module")
def guide(lending, people):
    terrain = Terrain.infer(people).freeze("town").increase_only("savings")
    explainer = FACElift(lending.model, terrain, steps="actions", n_counterfactuals=4).fit(people)
    row = int(np.argsort(lending.chances())[20])
    multiverse = explainer.explain(people.iloc[[row]], "granted")
    return Guide(multiverse, title="Ada", facts=("income", "debts"), words={"declined": "no"})


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


def test_cards_say_what_the_options_do(guide):
    shown, plan = document(guide, Walk()), guide.plan(Walk())
    options = {option.end: option for option in plan.options}
    for card in shown.cards.cards:
        option = options[card.vertex]
        effects = {plan.names[b].letter: effect for b, effect in enumerate(option.effects)}
        assert {pip.letter: pip.effect for pip in card.pips} == effects
        assert card.effort == option.cost
        closed = [letter for letter, effect in effects.items() if effect == "closed"]
        assert card.closes.split() == sorted(closed)
        assert card.no_return == (2 * len(closed) > len(effects))
        for letter in effects:
            assert letter in card.words


def test_at_most_four_cards_and_one_recommended(guide):
    shown = document(guide, Walk())
    assert all(len(ranking) <= 4 for ranking in shown.cards.rankings.values())
    assert [card.tag != "" for card in shown.cards.cards].count(True) == 1
    tagged = next(card for card in shown.cards.cards if card.tag)
    assert tagged.vertex == shown.cards.recommended == shown.cards.rankings["open"][0]


def test_rankings_follow_what_they_are_called(guide):
    shown = document(guide, Walk())
    cards = {card.vertex: card for card in shown.cards.cards}
    by_effort = [cards[v].effort for v in shown.cards.rankings["effort"]]
    by_chance = [cards[v].after for v in shown.cards.rankings["chance"]]
    assert by_effort == sorted(by_effort)
    assert by_chance == sorted(by_chance, reverse=True)


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
    assert any("points above what is needed" in note for note in there.notes)
    rich = people.iloc[[int(np.argmax(lending.chances()))]]
    already = document(Guide(guide.explainer.explain(rich, "granted")), Walk())
    assert already.state == "already"
    one = document(guide, Walk(), Again(1))
    assert one.state == "one way"
    assert "Only one way" in one.banner


def test_without_a_model_nothing_is_said_in_its_name():
    guide = Guide(toys.loan().multiverse())
    there = document(guide, Walk(), Take(1))
    assert there.state == "arrived"
    assert there.banner == "You have arrived: this is a destination."
    assert there.history[0].outlook == ""


def test_ways_that_are_folded_are_not_said_to_be_gone(lending, people):
    explainer = FACElift(lending.model, n_neighbors=30, n_counterfactuals=5).fit(people)
    row = int(np.argsort(lending.chances())[20])
    guide = Guide(explainer.explain(people.iloc[[row]], "granted"))
    few = document(guide, Walk())
    many = document(guide, few.walk, Again(16))
    assert "much like these" in many.banner
    assert "No longer" not in many.banner
    assert all(badge.status == "open" for badge in many.badges)
    family = next(way.letter for way in many.ways if way.similar > 1)
    inside = document(guide, many.walk, Unfold(family))
    assert inside.banner.startswith(f"Family {family}: ")
    assert all(badge.status == "open" for badge in inside.badges)
    back = document(guide, inside.walk, Unfold(None))
    assert "No longer" not in back.banner
    assert sorted(badge.letter for badge in back.badges) == sorted(w.letter for w in back.ways)


def test_a_case_unlike_anyone_is_told_so(guide):
    odd = document(guide, Walk(), Other({"income": 500.0, "debts": 40}))
    assert any("unlike anyone in the data" in note for note in odd.notes)
    assert not any("unlike anyone" in note for note in document(guide, Walk()).notes)


def test_nothing_says_how_close_one_can_get(guide):
    limits = Limits({"income": "never", "employed": "never"}, chance=0.999)
    none = document(guide, Walk(), SetLimits(limits))
    assert none.state == "none"
    assert none.nothing.closest
    assert none.header.chance < none.nothing.best < 0.999
    assert "situations you could get to were checked" in none.nothing.text
    words = [each.words for each in none.nothing.loosen]
    assert "Let “Income” change" in words
    assert "Accept a chance of 50%" in words


def test_limits_list_what_may_change_and_what_is_fixed(guide):
    settings = document(guide, Walk()).settings
    assert settings.fixed == ("Town",)
    savings = next(each for each in settings.settings if each.name == "savings")
    assert savings.direction == "can only rise"
    assert savings.levels == ("none", "low", "high")
    assert savings.ease == "ok"


def test_the_curve_ends_where_the_way_does(guide):
    shown = document(guide, Walk())
    ways = {way.letter: way for way in shown.ways}
    for curve in shown.curves:
        assert curve.points[-1][0] == pytest.approx(ways[curve.letter].effort, abs=1e-5)
        shares = [share for _, share in curve.points]
        assert shares == sorted(shares, reverse=True)


def test_the_matrix_is_the_multiverses_own(guide):
    matrix = document(guide, Walk()).matrix
    assert matrix.letters == ("A", "B", "C", "D")
    assert np.array(matrix.cells) == pytest.approx(guide.multiverse.opportunity, abs=1e-6)
    assert np.array(matrix.means) == pytest.approx(guide.multiverse.scores, abs=1e-6)


def test_a_report_holds_what_steps_lead_to(guide):
    text = report(guide, Walk())
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
    text = report(Guide(explainer.explain(odd.iloc[[row]], "granted"), title="<i>Ada"), Walk())
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


@pytest.mark.parametrize("kind", ["json", "html", "svg"])
def test_without_values_nobody_can_be_told_from_an_export(guide, kind):
    income = str(guide.plan(Walk()).row["income"])
    walk = guide.moved(Walk(), Other({"debts": 3}))
    with_values = exported(guide, walk, kind)[0].decode()
    without = exported(guide, walk, kind, values=False)[0].decode()
    assert income not in without
    assert "Ada" not in without
    assert "Ada" in with_values


def test_every_step_names_the_nearest_way_to_go_on_to(guide):
    plan = guide.plan(Walk())
    letters = [name.letter for name in plan.lines]
    for way in document(guide, Walk()).ways:
        journey = plan.ways[letters.index(way.letter)]
        for left, step in zip(journey.remaining[1:], way.steps, strict=True):
            others = [
                (cost, letter)
                for cost, letter in zip(left, letters, strict=True)
                if letter != way.letter
            ]
            cost, letter = min(others, key=lambda each: each[0])
            assert step.fallback == (f"{letter} ({cost:.2f})" if np.isfinite(cost) else "–")
