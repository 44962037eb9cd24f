"""How wide words are, and where they break."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from facelift.drawing import parts, width, wrapped

words = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Zs"]) | st.just(" "))


@given(words)
def test_parts_are_all_of_the_words(said):
    assert "".join(parts(said)) == said


@given(words, st.floats(10, 300))
def test_nothing_is_lost_by_wrapping_and_only_a_single_part_is_too_wide(said, room):
    lines = wrapped(said, room)
    assert "".join(lines).replace(" ", "").replace("·", "") == said.replace(" ", "").replace(
        "·", ""
    )
    assert all(width(line) <= room or len(parts(line)) == 1 for line in lines)


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("NetFractionRevolvingBurden", ("NetFraction", "Revolving", "Burden")),
        ("→ management or self-employed", ("→ management", "or self-", "employed")),
        ("about 3 years · medium effort", ("about 3 years", "medium effort")),
    ],
)
def test_long_names_break_where_words_end(said, found):
    assert wrapped(said, 115) == found
