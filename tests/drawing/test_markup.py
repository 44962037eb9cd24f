"""Tables and elements: what comes from data is escaped, what is HTML already is not."""

from __future__ import annotations

import pytest

from facelift.drawing.markup import Html, bare_table, card, element, text_table


@pytest.mark.parametrize(
    "made",
    [
        bare_table(["<b>"], [["<b>"]], caption="<b>"),
        element("p", "<b>", title="<b>"),
        card("<b>"),
    ],
)
def test_what_comes_from_data_is_escaped_everywhere(made):
    assert "<b>" not in made
    assert "&lt;b&gt;" in made


def test_html_is_put_into_html_as_it_is():
    assert "<td><p>a</p></td>" in bare_table(["a"], [[element("p", "a")]])
    assert card(Html("<br>")).endswith("<div class='facelift-card'><br></div>")


def test_a_table_without_a_caption_has_none():
    assert "caption" not in bare_table(["a"], [])


def test_columns_of_a_text_table_are_as_wide_as_their_widest_cell():
    assert text_table(["a", "bb"], [["ccc", 1], ["", 22]]).splitlines() == [
        "a    bb",
        "ccc  1",
        "     22",
    ]
