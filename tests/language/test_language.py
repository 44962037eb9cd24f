"""Values as each language writes them, and sentences that other languages can tell."""

from __future__ import annotations

import datetime as dt
import json
import pickle
import re
from pathlib import Path

import pytest
from babel.dates import format_date
from babel.messages.pofile import read_po
from babel.numbers import format_decimal
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.laws import examples

import facelift.language
from facelift.language import (
    LANGUAGES,
    Language,
    count,
    joined,
    label,
    language_of,
    percent,
    quantity,
    say,
    time,
)

CATALOGUES = Path(facelift.language.__file__).parent / "catalogues"

WHOLE = st.integers(100, 999) | st.integers(10_000, 10**12)
"""Four digits stand without a separator in some languages, which babel's patterns do not know."""


@pytest.mark.laws
@settings(max_examples=examples(50))
@given(WHOLE, st.integers(0, 99), st.sampled_from(LANGUAGES))
def test_numbers_are_written_as_unicode_says(whole, cents, code):
    value = whole + cents / 100
    said = language_of(code).number(value, grouped=True)
    assert said == format_decimal(round(value, 2), format="#,##0.##", locale=code)


@pytest.mark.laws
@settings(max_examples=examples(50))
@given(st.dates(dt.date(1900, 1, 1)), st.sampled_from(LANGUAGES))
def test_dates_are_written_as_unicode_says(day, code):
    locale = "en_GB" if code == "en" else code
    assert language_of(code).date(day) == format_date(day, "long", locale=locale)


@pytest.mark.parametrize(
    ("value", "said"),
    [(48.0, "48"), (0.123456, "0.1235"), (2012, "2012"), (-1.5, "−1.5"), (0, "0")],
)
def test_a_number_has_the_digits_that_people_say(value, said):
    assert language_of("en").number(value) == said


def test_units_have_the_form_that_the_number_asks_for():
    said = [language_of("pl").quantity(n, "months").replace("\xa0", " ") for n in (1, 3, 5, 22)]
    assert said == ["1 miesiąc", "3 miesiące", "5 miesięcy", "22 miesiące"]
    assert language_of("de").quantity(1, "months").replace("\xa0", " ") == "1 Monat"


def test_signs_of_money_stand_where_the_language_has_them():
    said = [language_of(code).quantity(1500, "€").replace("\xa0", " ") for code in ("en", "de")]
    assert said == ["€1,500", "1.500 €"]


def test_cents_have_two_digits():
    assert [language_of("en").quantity(each, "€") for each in (1490.2, -0.5)] == [
        "€1,490.20",
        "−€0.50",
    ]
    assert language_of("fr").quantity(1490.2, "months").startswith("1\u202f490,2\xa0")


def test_times_are_whole():
    english = language_of("en")
    assert english.time(1.0, "month") == "about 1 month"
    assert english.time(2.5, "year") == "about 30 months"
    assert english.time(0.0, "year") == ""
    assert english.time(3.0, "sprint") == "3 × sprint"


IDEAS = {
    "effort": {"de": "aufwand", "es": "esfuerzo", "fr": "effort", "pl": "wysił"},
    "step": {"de": "schritt", "es": "paso", "fr": "étape", "pl": "krok"},
    "ways": {"de": "weg", "es": "camino", "fr": "voie", "pl": "dr[oó](g|dz)"},
}
"""What an idea is called in each language, by its stem."""


@pytest.mark.parametrize("code", LANGUAGES[1:])
@pytest.mark.parametrize("idea", IDEAS)
def test_an_idea_has_one_word_in_each_language(idea, code):
    """German once said Aufwand on the page and Mühe in the letter, French chemin and voie."""
    path = CATALOGUES / code / "LC_MESSAGES" / "facelift.po"
    with path.open("rb") as file:
        told = [(m.id, m.string) for m in read_po(file) if m.id]
    others = [
        said
        for english, said in told
        if re.search(rf"\b{idea}", re.sub(r"\{\w*\}", "", str(english)))
        and not re.search(IDEAS[idea][code], str(said).lower())
    ]
    assert not others


GERMAN = language_of("de")


def told(sentence: str, language: Language = GERMAN) -> str:
    return language.tell(sentence).replace("\xa0", " ")


def test_a_sentence_is_english_text():
    sentence = say("keeps {n} of {total} ways open", n=2, total=7)
    assert sentence == "keeps 2 of 7 ways open"
    assert json.loads(json.dumps([sentence])) == ["keeps 2 of 7 ways open"]


def test_what_is_put_into_a_sentence_is_told_with_it():
    change = say(
        "{name}: {before} → {after}",
        name=label("Savings"),
        before=say("missing"),
        after=quantity(1500, "months"),
    )
    step = say(
        "{step} ({facts})", step=change, facts=joined([say("chance {chance}", chance="52%")])
    )
    assert step == "Savings: missing → 1,500 months (chance 52%)"
    assert told(step) == "Ersparnisse: fehlt → 1.500 Monate (Chance 52%)"


def test_numbers_shares_and_times_are_written_as_the_language_does():
    assert told(percent(0.5196, 2)) == "51,96 %"
    assert told(time(2.5, "year")) == "etwa 30 Monate"
    assert told(count("{n} state is in reach", "{n} states are in reach", 1234)) == (
        "1.234 Zustände sind erreichbar"
    )


def test_a_column_is_not_called_what_a_button_of_that_name_is():
    assert told(say("Share")) == "Teilen"
    assert [told(label(name)) for name in ("Share", "Back", "Savings")] == [
        "Share",
        "Back",
        "Ersparnisse",
    ]


def test_text_that_is_no_sentence_stays():
    assert told("chance") == "chance"


def test_braces_in_names_are_no_places_for_values():
    assert say("{name} never changes", name="{total}") == "{total} never changes"


def test_a_sentence_travels_to_other_processes():
    sentence = say("let {name} rise", name=label("Savings"))
    travelled = pickle.loads(pickle.dumps(sentence))  # noqa: S301  (our own)
    assert told(travelled) == "„Ersparnisse“ steigen lassen"
