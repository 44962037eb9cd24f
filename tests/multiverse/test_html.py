"""What a notebook shows of a multiverse: static, escaped, and true to its journeys."""

from __future__ import annotations

from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest

from facelift import FACElift, Multiverse, Terrain, toys
from facelift.multiverse.html import lines, shown
from facelift.multiverse.words import PIPS, steps_in_words

NASTY = "<img src=x onerror=alert(1)>&\"'"


class Reader(HTMLParser):
    """What a browser would see: tags, attributes, and the text of table cells."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.tables: list[list[list[str]]] = []
        self.words: list[str] = []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        if tag == "table":
            self.tables.append([])
        if tag == "tr":
            self.tables[-1].append([])
        if tag in ("td", "th"):
            self.tables[-1][-1].append("")

    def handle_data(self, data):
        self.words.append(data)
        if self.tables and self.tables[-1] and self.tables[-1][-1]:
            self.tables[-1][-1][-1] += data


def read(value) -> Reader:
    reader = Reader()
    reader.feed(value._repr_html_())
    return reader


@pytest.fixture(scope="module")
def granted(lending, people):
    terrain = Terrain.infer(people).freeze("town").increase_only("savings")
    explainer = FACElift(lending.model, terrain, steps="actions", n_counterfactuals=4).fit(people)
    return explainer.explain(people.iloc[[int(np.argsort(lending.chances())[20])]], "granted")


def test_it_has_a_map_and_tables_and_no_script(granted):
    seen = read(granted)
    assert "svg" in seen.tags
    assert seen.tags.count("details") == len(granted)
    assert not {"script", "iframe", "object", "embed", "link", "form"} & set(seen.tags)
    assert not [name for name, _ in seen.attributes if name.startswith("on")]
    assert not [value for name, value in seen.attributes if name in ("href", "src") and value]


def test_its_pips_are_those_of_the_text(granted):
    tables = read(granted).tables[1:]
    for table, journey in zip(tables, granted, strict=True):
        marks = ["".join(c for c in row if c in PIPS.values()) for row in table[1:]]
        assert marks == [step.pips for step in steps_in_words(journey)]
        assert table[0][4:-1] == list("ABCD")


def test_its_overview_has_a_row_per_journey(granted):
    overview = read(granted).tables[0]
    assert [row[0] for row in overview[1:]] == ["A", "B", "C", "D"]
    assert [float(row[2]) for row in overview[1:]] == granted.costs.round(2).tolist()


def test_the_map_has_every_letter(granted):
    words = read(granted).words
    assert [line.letter for line in lines(granted)] == list("ABCD")
    assert set("ABCD") <= set(words)
    assert "you" in words


def test_all_text_is_escaped():
    table = pd.DataFrame({NASTY: [0.0, 1.0, 2.0, 3.0], "b": pd.Categorical([NASTY, "y"] * 2)})

    def model(frame):
        high = (frame[NASTY].to_numpy() > 1.5).astype(float)
        return np.column_stack([1 - high, high])

    explainer = FACElift(model, n_neighbors=2, n_counterfactuals=2).fit(table)
    multiverse = explainer.explain(table.iloc[[0]], 1)
    for value in (multiverse, multiverse[0], explainer.terrain_):
        seen = read(value)
        assert "img" not in seen.tags
        assert NASTY.replace("<", "").replace(">", "")[:7] in "".join(seen.words)


def test_an_empty_multiverse_says_why():
    empty = toys.loan()
    multiverse = toys.GraphWorld(empty.graph, 1, (2,)).multiverse()
    seen = read(multiverse)
    assert "svg" not in seen.tags
    assert str(multiverse.why_not) in "".join(seen.words)


def test_a_multiverse_read_from_json_shows_the_same(granted):
    again = Multiverse.from_json(granted.to_json())
    assert again._repr_html_() == granted._repr_html_()


def test_more_than_seven_ways_are_shown_as_families(lending, people):
    explainer = FACElift(lending.model, n_neighbors=16, n_counterfactuals=12).fit(people)
    many = explainer.explain(people.iloc[[int(np.argsort(lending.chances())[5])]], "granted")
    assert len(many) == 12
    drawn = shown(many)
    assert 1 < len(drawn) <= 7
    assert sum(drawn.values()) == 12
    families = many.families(n_families=7)
    assert set(drawn) == {min(family.members) for family in families}
    seen = read(many)
    assert len(seen.tables[0]) == 13
    assert seen.tags.count("details") == len(drawn)
    assert any("similar" in words for words in seen.words)


def test_a_journey_shows_its_steps(granted):
    table = read(granted[0]).tables[0]
    assert len(table) == granted[0].n_steps + 1
    assert float(table[1][2]) == pytest.approx(granted[0].in_steps.step_costs[0], abs=0.005)


def test_very_many_changes_are_counted():
    points = np.vstack([np.zeros(30), np.ones(30)])
    model = lambda rows: np.column_stack([1 - rows[:, 0], rows[:, 0]])  # noqa: E731
    multiverse = FACElift(model, n_neighbors=1, n_counterfactuals=1).fit(points).explain(points[0])
    assert read(multiverse[0]).tables[0][1][1] == "30 things change"
