import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import facelift as fl
from facelift.models.doubts import Around
from facelift.views.page import document
from facelift.views.text import multiverse_text
from facelift.walking.guide import Guide
from facelift.walking.walk import Walk

LINE = np.arange(41.0)[:, np.newaxis]
WRONG = "The model is often wrong here"


def model(points):
    chance = np.asarray(points, dtype=float) / 40
    return np.hstack([1 - chance, chance])


def explained(truths):
    made = fl.FACElift(model, n_neighbors=2, n_counterfactuals=2)
    return made.fit(LINE, truths).explain([15.0])


@pytest.mark.parametrize(("truths", "said"), [(LINE[:, 0] > 28, True), (LINE[:, 0] >= 20, False)])
def test_text_letter_and_page_say_where_the_model_is_often_wrong(truths, said):
    multiverse = explained(truths)
    assert (WRONG in " ".join(multiverse_text(multiverse).replace("│", " ").split())) == said
    assert (WRONG in fl.views.letter(multiverse).text.replace("\n", " ")) == said
    shown = document(Guide(multiverse), Walk())
    assert any(WRONG in doubt for way in shown.ways for doubt in way.doubts) == said


def test_without_true_outcomes_nothing_is_said_of_errors():
    assert WRONG not in multiverse_text(explained(None))


@given(n=st.integers(1, 30), data=st.data())
def test_doubts_are_about_a_quarter_wrong_and_more_than_half_undone(n, data):
    undone, wrong = (data.draw(st.integers(0, n)) for _ in range(2))
    said = " ".join(Around(n, undone, float(wrong), n).doubts)
    assert (WRONG in said) == (n >= 10 and wrong / n >= 0.25)
    assert ("hangs by a thread" in said) == (undone / n > 0.5)
