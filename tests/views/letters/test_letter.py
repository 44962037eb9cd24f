"""Letters tell what the library found, in sentences of the catalogue, and nothing else."""

from __future__ import annotations

import datetime as dt
import re
from html.parser import HTMLParser
from itertools import product
from math import ceil
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression
from tests.language.pseudo import pseudo
from tests.views.letters.world import Lending, explained, people

import facelift as fl
from facelift.choosing import recommended
from facelift.errors import InvalidInput
from facelift.language import language_of
from facelift.models.doubts import NEARBY
from facelift.multiverse.frames import changes
from facelift.toys import line, loan
from facelift.views import letters
from facelift.views.letters import LANGUAGES, REGIMES, letter, sections
from facelift.views.letters.content import Case

GOLDEN = Path(__file__).parent / "golden"
GIVEN = {
    "sender": "Musterbank\nMarktplatz 4, 50667 Köln",
    "recipient": "Erika Example\nLindenweg 12",
    "date": dt.date(2026, 7, 1),
    "reference": "K-2026-00001",
    "contact": "M. Winter",
    "subject": "48/300",
    "person": False,
    "authority": "BfDI, Bonn",
}


class Visible(HTMLParser):
    """The text that a browser shows."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.hidden = False

    def handle_starttag(self, tag, attrs):  # noqa: ARG002
        self.hidden = tag == "style"

    def handle_data(self, data):
        self.texts += [] if self.hidden else [data]

    def handle_endtag(self, tag):  # noqa: ARG002
        self.hidden = False


def visible(html: str) -> str:
    reader = Visible()
    reader.feed(html)
    return " ".join(" ".join(reader.texts).split())


def committee_of(multiverse_of=explained):
    return multiverse_of(committee=[Lending(), Lending(), Lending()])


def predicted() -> fl.Multiverse:
    table = people()
    worth = LinearRegression().fit(table[["months"]], 2000 - 30 * table["months"])
    explainer = fl.FACElift(worth, steps="actions").fit(table[["months"]])
    return explainer.explain(table[["months"]].iloc[[-1]], (1200, None))


@pytest.mark.parametrize(("language", "regime"), [("en", "eu"), ("de", "us"), ("pl", "plain")])
def test_a_letter_reads_as_it_did(multiverse, language, regime, request):
    told = letter(multiverse, language=language, regime=regime, **GIVEN)
    text = re.sub(r"\b[0-9a-f]{16}\b", "…", told.text)
    path = GOLDEN / f"letter_{language}_{regime}.txt"
    if request.config.getoption("--renew-golden"):
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("regime", REGIMES)
def test_every_sentence_comes_from_the_catalogue(multiverse, no_way, monkeypatch, regime):
    monkeypatch.setattr(letters, "language_of", pseudo)
    cases = [multiverse, no_way, committee_of(), predicted(), explained(steps="rows")]
    for case in cases:
        told = letter(case, regime=regime)
        for text in (told.text, visible(told.html)):
            for _, digits in told.fingerprints:
                text = text.replace(digits, "")
            words = set(re.findall(r"[A-Za-z]+", text))
            assert words <= {"DM", *"ABCDEFGHIJ"}, words


@pytest.mark.parametrize(("language", "regime"), list(product(LANGUAGES, REGIMES)))
def test_declined_applicants_get_letters(declined, language, regime):
    for multiverse in declined:
        told = letter(multiverse, language=language, regime=regime, n_ways=3)
        shown = visible(told.html)
        for section in told.sections:
            assert section.title in told.text
            assert section.title in shown
        assert "{" not in told.text + shown
        assert len(told.facts) == 20


def test_every_number_is_the_librarys_own(declined):
    for multiverse in declined:
        told = letter(multiverse, regime="plain", n_ways=3, person=False)
        known = {"100", str(len(multiverse)), "50", "52"} | set(map(str, range(1, len(multiverse))))
        trunk = multiverse.trunk(on=recommended(multiverse)) if len(multiverse) else None
        shares = [multiverse.proof.gap or 0.0, 0.0 if trunk is None else trunk.excess]
        known |= {str(ceil(100 * share)) for share in shares}
        undone = fl.ground(multiverse)["undone"] if len(multiverse) else []
        known |= {str(NEARBY), *(str(round(NEARBY * share)) for share in undone)}
        for journey in multiverse:
            known |= {journey.outlook(0).rstrip("%"), journey.outlook(-1).rstrip("%")}
            for step in changes(journey):
                for _, before, after in step:
                    for value in (before, after):
                        words = f"{value:g}" if isinstance(value, int | float) else str(value)
                        known |= set(re.findall(r"[\d.]+", words))
            if journey.times is not None:
                spans = np.subtract.outer(journey.times, journey.times)
                known |= {f"{span * k:g}" for span in spans.ravel() for k in (1, 12, 1 / 12)}
        text = " ".join(
            " ".join(
                [
                    *section.paragraphs,
                    *section.below,
                    *(" ".join([way.time, *way.steps, way.note]) for way in section.ways),
                ]
            )
            for section in told.sections
        )
        found = set(re.findall(r"\d+(?:\.\d+)?", text.replace(",", "")))
        assert found <= known, found - known


def test_no_frozen_personal_column_is_advised(declined):
    for multiverse in declined:
        features = multiverse.question.explainer.terrain_.features
        personal = [each.label for each in features if each.personal and each.frozen]
        assert personal
        for regime in REGIMES:
            told = letter(multiverse, regime=regime, n_ways=3)
            advice = [step for part in told.sections for way in part.ways for step in way.steps]
            for section in told.sections:
                advice += [re.sub("We do not ask.*", "", each) for each in section.paragraphs]
            for name in personal:
                assert name not in " ".join(advice)


def test_the_recommended_way_stands_first_and_the_next_differs_most(multiverse):
    ways = letter(multiverse).sections[2].ways
    assert ways[0].title == f"Way {'ABCD'[recommended(multiverse)]}: our advice"
    assert [[step.partition(":")[0] for step in way.steps] for way in ways] == [
        ["Duration of the loan"],
        ["Savings"],
    ]


def test_a_way_of_ones_own_choice_stands_first(multiverse):
    ways = letter(multiverse, multiverse[2]).sections[2].ways
    assert ways[0].title == "Way C"


def test_the_trunk_is_on_the_way_that_stands_first(multiverse):
    for number, journey in enumerate(multiverse):
        trunk = multiverse.trunk(on=number)
        paragraphs = letter(multiverse, journey).sections[2].paragraphs
        assert bool(paragraphs) == (trunk is not None)
        if trunk is not None:
            assert number in trunk.ways
            assert f"{len(trunk.ways)} of the 4 ways we found can begin so" in paragraphs[0]


def test_times_are_told_where_rates_are_given(multiverse):
    told = letter(multiverse)
    assert told.sections[2].ways[1].time == "about 12 months"
    assert multiverse[0].times[-1] == 12
    assert "times" in told.sections[3].paragraphs[0]
    timeless = fl.Terrain.infer(people()).freeze("sex")
    assert "times" not in letter(explained(timeless)).text


def test_what_ages_by_itself_is_no_advice(declined):
    aged = 0
    for multiverse in declined:
        for journey in multiverse:
            steps = [[name for name, *_ in step] for step in changes(journey)]
            if not any("age" in step and len(step) > 1 for step in steps) or ["age"] in steps:
                continue
            aged += 1
            told = letter(multiverse, journey, n_ways=1)
            assert "Age:" not in "".join(told.sections[2].ways[0].steps)
    assert aged


def test_what_is_not_given_is_a_place_to_fill_in(multiverse):
    blank, filled = letter(multiverse).text, letter(multiverse, **GIVEN).text
    assert blank.count("[") == 10
    assert re.findall(r"\[.*?\]", filled) == ["[signature]"]
    assert "1 July 2026" in filled


def test_equal_input_gives_an_equal_letter(multiverse):
    assert letter(multiverse).html == letter(explained()).html


def test_where_there_is_no_way_the_letter_says_so_and_how_sure_that_is(no_way):
    told = letter(no_way)
    text = " ".join(told.text.split())
    assert told.sections[1].title == "What counted"
    assert told.sections[2].title == "No way found"
    assert "It puts the chance of “good” at 22 in 100" in text
    assert "It is proven that there is no way under these rules." in text


def test_where_no_way_shows_reasons_the_creditor_has_to_name_them(no_way):
    reasons = letter(no_way, regime="us").text.partition("Principal reasons")[2]
    assert "[the specific principal reasons for the decision]" in reasons


def test_a_committee_is_counted():
    told = letter(committee_of()).sections[3].paragraphs[0]
    assert "Of 3 models made in the same way, 3 agree on way A." in told


def test_a_predicted_number_is_told_with_its_range():
    told = letter(predicted())
    assert "It predicts 560. We need 1,200 or more." in told.text.replace("\n", " ")
    assert "is predicted." in told.sections[2].ways[0].note


def test_a_proof_through_records_claims_no_more():
    told = letter(explained(steps="rows")).sections[3].paragraphs[0]
    assert "chain of similar cases" in told or "not proven" in told


def test_a_way_out_of_a_batch_or_a_file_gets_a_letter(multiverse):
    read = fl.Multiverse.from_json(multiverse.to_json())
    assert letter(read).sections[2] == letter(multiverse).sections[2]


def test_a_graph_of_ones_own_gets_a_letter():
    told = letter(loan().multiverse())
    assert "The decision follows from the facts about you." in told.text
    assert [name for name, _ in told.fingerprints] == ["answer"]


def test_wrong_arguments_are_refused(multiverse):
    with pytest.raises(InvalidInput, match="no language 'dk'"):
        letter(multiverse, language="dk")
    with pytest.raises(InvalidInput, match="no regime 'uk'"):
        letter(multiverse, regime="uk")
    with pytest.raises(InvalidInput, match="1 to 3 ways"):
        letter(multiverse, n_ways=4)
    with pytest.raises(InvalidInput, match="none of this multiverse"):
        letter(multiverse, explained()[0])


def test_who_has_the_outcome_gets_no_letter():
    records, model = line()
    has_it = fl.FACElift(model, n_neighbors=2).fit(records).explain([8.0], 1)
    with pytest.raises(InvalidInput, match="no decision to explain"):
        letter(has_it)


def test_names_and_levels_cannot_break_the_page():
    table = people().rename(columns={"months": "<script>alert(1)</script>"})
    model = Lending()
    explainer = fl.FACElift(
        lambda rows: model.predict_proba(rows.set_axis(people().columns, axis=1)),
        fl.Terrain.infer(table).freeze("sex"),
        steps="actions",
    ).fit(table)
    html = letter(explainer.explain(table.iloc[[10]], 1), subject="<b>&").html
    assert "<script" not in html
    assert "<b>&" not in html


def test_letters_of_many_people_carry_all_fingerprints(multiverse):
    explainer = multiverse.question.explainer
    case = pd.DataFrame([[300, 48, "female"]], columns=["savings", "months", "sex"])
    (one,) = explainer.explain_many(case)
    assert letter(one).fingerprints == letter(explainer.explain(case)).fingerprints
    assert len(letter(one).fingerprints) == 4


@pytest.mark.parametrize(
    ("language", "said"),
    [("en", "5,000 DM instead of 5,951"), ("de", "5.000\u00a0DM statt 5.951")],
)
def test_thousands_are_parted_alike_before_and_after(language, said):
    case = Case(explained(), language_of(language))
    assert said in case.change(("savings", 5951, 5000))


def test_all_that_the_only_way_changes_is_told():
    rows = np.vstack([np.zeros((5, 6)), np.ones((5, 6))])
    frame = pd.DataFrame(rows, columns=list("abcdef"))
    model = line()[1]
    explainer = fl.FACElift(lambda x: model(x.to_numpy()[:, :1] * 10), n_neighbors=1).fit(frame)
    told = letter(explainer.explain(frame.iloc[0], target=1)).text
    assert "The way we found changes: A; B; C; D; E; F." in told


@pytest.mark.parametrize(("others", "told"), [(14, 1), (9, 2)])
def test_a_doubt_that_ways_share_is_told_once(multiverse, monkeypatch, others, told):
    ends = iter([14, others, 14, others])

    def around(*_):
        return SimpleNamespace(doubts=[f"It hangs by a thread: {next(ends)}."])

    monkeypatch.setattr(sections, "around", around)
    text = " ".join(letter(multiverse, n_ways=2).text.split())
    assert len(re.findall(r"At the end of ways? .{1,9}: It hangs", text)) == told
    assert ("At the end of ways" in text) == (told == 1)


def test_a_proof_is_of_the_numbers_looked_at(multiverse, no_way):
    said = "That is said of the numbers we looked at, not of those between."
    assert said in " ".join(letter(multiverse).text.split())
    assert said not in " ".join(letter(no_way).text.split())  # no number may change there


def test_doubts_of_the_same_way_are_told_together(multiverse, monkeypatch):
    doubts = ["The model is often wrong here.", "It hangs by a thread."]
    monkeypatch.setattr(sections, "around", lambda *_: SimpleNamespace(doubts=doubts))
    text = " ".join(letter(multiverse, n_ways=1).text.split())
    assert "At the end of way B: The model is often wrong here. It hangs by a thread." in text


def test_what_most_ways_do_without_is_not_often_needed():
    rows = np.vstack([np.zeros((5, 5)), np.eye(5), np.eye(5)[[0, 0]] + np.eye(5)[[1, 2]]])
    frame = pd.DataFrame(rows, columns=list("abcde"))

    def model(x):  # two of the ways change a, of five
        reached = (x.to_numpy().sum(axis=1) >= 1).astype(float)
        return np.column_stack([1 - reached, reached])

    explainer = fl.FACElift(model, n_neighbors=6, n_counterfactuals=7).fit(frame)
    multiverse = explainer.explain(frame.iloc[0], target=1)
    assert len(multiverse) == 7
    assert "often takes" not in letter(multiverse).text
