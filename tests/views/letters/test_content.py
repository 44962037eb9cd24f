"""Letters as text and on paper: narrow lines, nothing from elsewhere, one page."""

from __future__ import annotations

import re
import shutil
from itertools import product

import pytest

from facelift.cli.explain import _print
from facelift.views.letters import LANGUAGES, REGIMES, letter
from facelift.views.letters.content import WIDTH

ADDRESSES = {
    "sender": "Musterbank\nMarktplatz 4, 50667 Köln\n0221 555 0100",
    "recipient": "Erika Example\nLindenweg 12\n50674 Köln",
    "contact": "M. Winter, 0221 555 0112",
    "authority": "The Federal Commissioner for Data Protection, Graurheindorfer Str. 153, Bonn",
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_lines_of_text_are_narrow(multiverse, language):
    told = letter(multiverse, language=language, **ADDRESSES)
    assert max(map(len, told.text.splitlines())) <= WIDTH
    assert told.text == str(told)


def test_the_page_needs_nothing_from_elsewhere(multiverse):
    html = letter(multiverse).html
    assert not re.search(r"https?:|src=|href=|url\(|@import|<script", html)
    assert '<html lang="en">' in html


def test_a_notebook_shows_the_page_apart(multiverse):
    shown = letter(multiverse)._repr_html_()
    assert shown.startswith("<iframe srcdoc=")
    assert "<main" not in shown


@pytest.mark.harness
@pytest.mark.skipif(shutil.which("chromium") is None, reason="needs Chromium")
@pytest.mark.parametrize(("language", "regime"), list(product(LANGUAGES, REGIMES)))
def test_the_longest_letter_is_one_page_and_its_facts_another(declined, tmp_path, language, regime):
    letters = [
        letter(each, language=language, regime=regime, person=False, **ADDRESSES)
        for each in declined
    ]
    _print(max(letters, key=lambda told: len(told.text)).html, tmp_path / "letter.pdf")
    pages = re.findall(rb"/Type\s*/Page\b", (tmp_path / "letter.pdf").read_bytes())
    assert len(pages) == 2
