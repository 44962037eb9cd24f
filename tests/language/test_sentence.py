"""Sentences made without a language: English text that other languages can tell."""

from __future__ import annotations

import json
import pickle

from facelift.language import (
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


def test_text_that_is_no_sentence_stays():
    assert told("chance") == "chance"


def test_braces_in_names_are_no_places_for_values():
    assert say("{name} never changes", name="{total}") == "{total} never changes"


def test_a_sentence_travels_to_other_processes():
    sentence = say("let {name} rise", name=label("Savings"))
    travelled = pickle.loads(pickle.dumps(sentence))  # noqa: S301  (our own)
    assert told(travelled) == "„Ersparnisse“ steigen lassen"
