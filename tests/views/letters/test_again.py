"""The letter of somebody who arrived tells what changed, what was wrong and what the model says."""

from __future__ import annotations

import pytest
from tests.views.letters.world import explained

from facelift.views.letters import LANGUAGES, letter_again

NOW = {"savings": 900, "months": 12, "sex": "female"}


@pytest.fixture(scope="module")
def multiverse():
    return explained()


def test_what_changed_and_what_the_model_says_are_told(multiverse):
    told = letter_again(multiverse, NOW, 0.735)
    changed, figures, ask = told.sections
    assert changed.points == (
        ("Savings", "900 DM instead of 300"),
        ("Duration of the loan", "12 months instead of 48"),
    )
    assert "was 22 in 100 and is 74 in 100 now" in figures.paragraphs[0]
    assert "You need at least 50 in 100." in figures.paragraphs[0]
    assert "have a person look at it" in ask.paragraphs[0]
    assert ("Savings", "900 DM") in told.facts


def test_what_was_wrong_is_told_apart(multiverse):
    told = letter_again(multiverse, NOW, None, {"months": 12})
    assert [section.title for section in told.sections] == [
        "What has changed since",
        "What was wrong before",
        "If the answer is still no",
    ]
    assert told.sections[1].points == (("Duration of the loan", "12 months instead of 48"),)


def test_what_was_put_right_and_then_changed_is_told_as_both(multiverse):
    told = letter_again(multiverse, {**NOW, "months": 48}, None, {"savings": 600})
    assert told.sections[0].points == (("Savings", "900 DM instead of 600"),)
    assert told.sections[1].points == (("Savings", "600 DM instead of 300"),)
    assert "not the same any more" in told.opening


def test_where_facts_were_only_wrong_nothing_is_said_to_have_changed(multiverse):
    told = letter_again(multiverse, NOW, None, {"savings": 900, "months": 12})
    assert told.sections[0].title == "What was wrong before"
    assert "Some of the facts you used were wrong." in told.opening


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_it_is_one_page_in_every_language(multiverse, language):
    told = letter_again(multiverse, NOW, 0.735, language=language)
    assert f'lang="{language}"' in told.html
    assert told.text.count("\n") < 60
    if language != "en":
        assert "decide anew" not in told.text
