"""The page in other languages: whatever it says comes from the catalogue."""

from __future__ import annotations

import json
import re

import pytest
from tests.language.pseudo import Pseudo, english_words, pseudo
from tests.web.conftest import Visit
from tools.catalogues import scripted

from facelift.errors import InvalidInput
from facelift.language import LANGUAGES
from facelift.web import messages
from facelift.web.messages import walked

DATA = {"facelift", "Applicant", "DM", "SVG", "PNG", "JSON"}
"""What is no sentence: names, units and formats."""

DATE = re.compile(r"[^\W\d]+\.? \d{4}")
"""A month and a year, as the browser writes them."""

SEEN = """() => {
  const told = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const parent = walker.currentNode.parentElement;
    if (!parent.closest("script, style, noscript, .language, .plans select, kbd"))
      told.push(walker.currentNode.data);
  }
  for (const element of document.body.querySelectorAll("*"))
    for (const name of ["aria-label", "title", "alt", "placeholder"])
      if (element.getAttribute(name)) told.push(element.getAttribute(name));
  return told;
}"""


@pytest.fixture
def strange(chromium, served, monkeypatch):
    """The page in a language that has letters of its own."""
    monkeypatch.setattr(messages, "language_of", pseudo)
    context = chromium.new_context(viewport={"width": 1280, "height": 900}, locale="de-DE")
    page = context.new_page()
    page.route("**/words/de.json", lambda route: route.fulfill(json=_words()))
    page.goto(served.url)
    page.wait_for_selector(".card")
    yield page
    context.close()


def _words() -> dict[str, object]:
    said = Pseudo().gettext
    known: dict[str, object] = {}
    for message in scripted():
        if isinstance(message, str):
            known.setdefault(message, said(message))
        else:
            known[message[0]] = [said(message[0]), said(message[1])]
    return known


def untranslated(page) -> dict[str, set[str]]:
    """Texts with words that bypassed the catalogue."""
    texts = [DATE.sub("", text) for text in page.evaluate(SEEN)]
    found = {text: english_words(text) - DATA for text in texts}
    return {text: words for text, words in found.items() if words}


def test_the_first_screen_comes_from_the_catalogue(strange):
    assert untranslated(strange) == {}


def test_so_do_a_step_taken_a_value_tried_and_a_way_opened(strange):
    strange.click("[data-key=take-0]")
    strange.wait_for_selector(".history")
    strange.click("[data-key^=setting-] >> nth=0")
    strange.click("[data-key^=way-] >> nth=0")
    strange.wait_for_selector(".steps")
    assert untranslated(strange) == {}


@pytest.mark.parametrize("name", ["compare", "export", "help", "other"])
def test_so_do_dialogs(strange, name):
    strange.click(f"[data-key={name}]")
    strange.wait_for_selector("dialog[open]")
    assert untranslated(strange) == {}


def test_so_does_a_plan(strange):
    strange.click("[data-key^=star-] >> nth=0")
    strange.click("[data-key=plans]")
    strange.wait_for_selector(".checklist")
    assert untranslated(strange) == {}


@pytest.mark.parametrize("code", LANGUAGES)
def test_the_browser_chooses_and_people_choose_otherwise(chromium, served, code):
    visit = Visit(chromium, served.url, locale=code)
    visit.page.wait_for_selector(".card")
    assert visit.page.evaluate("document.documentElement.lang") == code
    other = "fr" if code != "fr" else "pl"
    with visit.page.expect_navigation():
        visit.page.select_option("[data-key=language]", other)
    visit.page.wait_for_selector(".card")
    assert visit.page.evaluate("document.documentElement.lang") == other
    visit.context.close()


@pytest.mark.parametrize("code", ["de", "fr", "pl", "es"])
def test_a_walk_is_the_same_in_every_language(applicant, code):
    english = json.loads(walked(applicant, b"{}")[0])
    told = json.loads(walked(applicant, json.dumps({"spoken": code}).encode())[0])
    assert told["walk"] == english["walk"]
    assert told["banner"] != english["banner"]


def test_no_other_language_is_taken(applicant):
    with pytest.raises(InvalidInput, match="spoken"):
        walked(applicant, b'{"spoken": "xx"}')
