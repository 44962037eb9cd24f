"""The map as a browser draws it: no word is cut, covers another or leaves the picture."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd
import pytest

from facelift import FACElift, Terrain, datasets
from facelift.drawing.markup import map_svg
from facelift.models import small_classifier
from facelift.views.page import Document, document
from facelift.walking.guide import Guide
from facelift.walking.walk import Walk

N_PEOPLE = {"german": 20, "heloc": 5, "adult": 5}

FAULTS = """
() => [...document.querySelectorAll('svg')].flatMap((svg, map) => {
  const frame = svg.getBoundingClientRect();
  const texts = [...svg.querySelectorAll('text')].filter((text) => text.textContent.trim());
  const boxes = texts.map((text) => [text.textContent, text.getBoundingClientRect()]);
  const out = boxes.filter(([, box]) => box.left < frame.left - 0.5 || box.right > frame.right + 0.5
    || box.top < frame.top - 2 || box.bottom > frame.bottom + 2)
    .map(([words]) => [map, words, 'cut']);
  const over = boxes.flatMap(([one, a], i) => boxes.slice(i + 1)
    .filter(([, b]) => a.left < b.right - 0.5 && b.left < a.right - 0.5
      && a.top + 3 < b.bottom - 3 && b.top + 3 < a.bottom - 3)
    .map(([two]) => [map, one, two]));
  return [...out, ...over];
})
"""
"""Words that are cut or cover each other; lines of words may come as near as lines of a text."""


def first_screens(name: str, data_home: Any) -> Iterator[Document]:
    """What people see first who are declined, by the rules of their table."""
    table = (
        datasets.load_german_credit()
        if name == "german"
        else {"heloc": datasets.load_heloc, "adult": datasets.load_adult}[name](data_home)
    )
    X, y = table.data, table.target
    if len(X) > 3000:
        X, y = X.iloc[:3000], y[:3000]
    target = {"german": "good", "heloc": "Good", "adult": ">50K"}[name]
    rules = {
        "german": datasets.german_credit_rules,
        "heloc": datasets.heloc_rules,
        "adult": datasets.adult_rules,
    }[name]
    model = small_classifier(X, y)
    explainer = FACElift(
        model, rules(Terrain.infer(X)), steps="actions", n_counterfactuals=7, patience="quick"
    ).fit(X)
    declined = pd.Series(model.predict(X)) != target
    for row in declined[declined].index[: N_PEOPLE[name]]:
        yield document(Guide(explainer.explain(X.iloc[[row]], target)), Walk())


@pytest.mark.parametrize("name", N_PEOPLE)
def test_no_word_of_a_first_screen_is_cut_or_covered(chromium, data_home, name):
    shown = [each for each in first_screens(name, data_home) if each.ways]
    assert shown
    drawn = [each for one in shown for each in (*one.maps.values(), one.upright)]
    page = chromium.new_page()
    page.set_content("".join(f"<p>{map_svg(each, 'map')}</p>" for each in drawn))
    assert page.evaluate(FAULTS) == []
    words = page.locator("text").all_text_contents()
    assert not [each for each in words if "…" in each]
    page.close()
