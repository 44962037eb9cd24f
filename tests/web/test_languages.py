"""The page in other languages: whatever it says comes from the catalogue."""

from __future__ import annotations

import json
import re

import pytest
from tests.crowd import applicants, door
from tests.language.pseudo import Pseudo, english_words, pseudo
from tests.web.conftest import Visit
from tests.web.test_notebook import Corner
from tools.catalogues import SCRIPT, scripted

from facelift.cli.explore import Bench
from facelift.errors import InvalidInput
from facelift.language import LANGUAGES
from facelift.views import report
from facelift.views.inline import static
from facelift.walking.walk import Walk
from facelift.web import messages
from facelift.web.messages import walked
from facelift.web.server import serve
from facelift.web.tables import Tables

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
def strange_tab(chromium, monkeypatch):
    """A tab in which everything is in a language that has letters of its own."""
    monkeypatch.setattr(messages, "language_of", pseudo)
    context = chromium.new_context(
        viewport={"width": 1280, "height": 900}, locale="de-DE", accept_downloads=True
    )
    page = context.new_page()
    page.route("**/words/de.json", lambda route: route.fulfill(json=_words()))
    yield page
    context.close()


@pytest.fixture
def strange(strange_tab, served):
    """The page of a walk in such a language."""
    strange_tab.goto(served.url)
    strange_tab.wait_for_selector(".card")
    return strange_tab


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
    strange.click("[data-key=setting-duration]")
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


def test_so_do_a_deadline_the_map_of_time_and_a_higher_aim(strange):
    strange.click("[data-key=scale-time]")
    strange.fill("[data-key=deadline]", "12")
    strange.press("[data-key=deadline]", "Enter")
    strange.wait_for_selector(".navigator[data-drawn='3']")
    strange.select_option("[data-key=certainty]", "0.6")
    strange.wait_for_selector(".navigator[data-drawn='4']")
    assert untranslated(strange) == {}


def test_so_does_the_calendar_of_a_plan(strange):
    strange.click("[data-key^=star-] >> nth=0")
    strange.click("[data-key=plans]")
    with strange.expect_download() as dates:
        strange.click("[data-key=plan-dates]")
    told = dates.value.path().read_text(encoding="utf-8").splitlines()
    said = [line.partition(":")[2] for line in told if line.startswith(("SUMMARY", "DESCR"))]
    assert said
    assert set().union(*map(english_words, said)) <= DATA


def test_so_does_everybody(strange_tab):
    page, crowd = strange_tab, serve(door(60), browser=False)
    page.goto(crowd.url)
    page.wait_for_selector(".people[data-done=true] .groups", timeout=120_000)
    page.locator(".person").first.click()
    page.wait_for_selector(".side .quiet")
    for details in page.locator(".side details").all():
        details.locator("summary").click()
    page.wait_for_selector(".side [role=status] p", timeout=60_000)
    left = untranslated(page)
    crowd.stop()
    columns = {word for name in applicants(2).columns for word in name.capitalize().split("_")}
    values = english_words(" ".join(applicants(60).astype(str).to_numpy().ravel()))
    names = {"People", "Loans", "Who", "gets", "loan"} | columns | values
    assert {text: words - names for text, words in left.items() if words - names} == {}


def test_so_do_the_rules_of_a_table(strange_tab, tmp_path):
    page = strange_tab
    applicants(60).to_csv(tmp_path / "loans.csv", index=False)
    brought = serve(Tables({}, None, Bench(3, "actions")), browser=False)
    page.goto(brought.url)
    page.set_input_files("#file", tmp_path / "loans.csv")
    page.wait_for_selector(".rules .columns")
    page.evaluate("document.querySelectorAll('pre, code, option').forEach((each) => each.remove())")
    left = untranslated(page)
    brought.stop()
    columns = {word for name in applicants(2).columns for word in name.capitalize().split("_")}
    values = english_words(" ".join(applicants(60).astype(str).to_numpy().ravel()))
    names = {"CSV", "csv", "loans", "rules", "toml", *columns, *values}
    names |= {word.lower() for word in columns}
    assert {text: words - names for text, words in left.items() if words - names} == {}


def test_so_does_a_report(applicant, chromium, tmp_path, monkeypatch):
    language, words = pseudo("de"), json.dumps(_words())
    monkeypatch.setattr(report, "static", lambda name: words if "words" in name else static(name))
    content, _ = report.exported(applicant, Walk(), "html", language=language)
    (tmp_path / "report.html").write_bytes(content)
    page = chromium.new_page()
    page.goto((tmp_path / "report.html").as_uri())
    page.wait_for_selector(".card")
    page.evaluate("document.querySelectorAll('.receipt td + td, pre').forEach((e) => e.remove())")
    assert untranslated(page) == {}
    page.close()


def test_a_picture_of_the_map_is_in_the_language_too(applicant):
    content, _ = report.exported(applicant, Walk(), "svg", language=pseudo("de"))
    texts = re.findall(r">([^<]+)<", content.decode())
    assert set().union(*map(english_words, texts)) <= DATA


@pytest.mark.parametrize("code", ["de", "pl"])
def test_a_widget_speaks_the_language_of_the_browser(chromium, applicant, code):
    corner = Corner(chromium, applicant, ["one"], locale=code)
    corner.page.wait_for_selector("#one .card")
    words = json.loads(static(f"words/{code}.json"))
    assert words["Next step"] in corner.page.locator("#one .next").inner_text()
    told = corner.page.locator("#one .banner p").first.inner_text()
    assert told == json.loads(walked(applicant, json.dumps({"spoken": code}).encode())[0])["banner"]
    corner.page.close()


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


def test_no_style_sheet_says_anything():
    """What a style sheet says is in no catalogue."""
    sheets = {path.name: path.read_text("utf-8") for path in SCRIPT.rglob("*.css")}
    assert len(sheets) > 3
    said = {
        name: re.findall(r'content: "[^"]*[A-Za-z]{2}[^"]*"', text) for name, text in sheets.items()
    }
    assert not any(said.values()), said


def test_no_class_is_a_translated_word():
    scripts = [path.read_text("utf-8") for path in SCRIPT.rglob("*.js")]
    assert not [found for text in scripts for found in re.findall(r"class: [^,}]*\bsay\(", text)]


BOXES = ".panel, .dialog, .loosen td, .matrix tr :not(.unseen), button"


@pytest.mark.parametrize("code", ["en", "de", "es", "fr", "pl"])
def test_the_header_is_one_row_and_the_decision_two_lines(chromium, served, code):
    tab = Visit(chromium, served.url, locale=code)
    tab.page.set_viewport_size({"width": 1440, "height": 900})
    tab.page.wait_for_selector(".card")
    tools, fact = (tab.page.locator(f".header .{each}") for each in ("tools", "decision"))
    outlook = fact.locator(".small").last.bounding_box()
    assert tools.bounding_box()["y"] < outlook["y"]
    assert outlook["height"] < 3 * 17
    tab.context.close()


HIDDEN_WORDS = f"""() => [...document.querySelectorAll("{BOXES}")]
    .filter((each) => each.checkVisibility() && each.scrollWidth > each.clientWidth + 1)
    .map((each) => each.className + ": " + each.textContent)"""
"""What is wider than the box it stands in."""


@pytest.mark.parametrize(("code", "width"), [("de", 390), ("de", 320), ("pl", 320), ("fr", 320)])
def test_in_long_words_nothing_is_wider_than_a_phone(chromium, served, code, width):
    tab = Visit(chromium, served.url, locale=code)
    tab.page.set_viewport_size({"width": width, "height": 800})
    tab.page.wait_for_selector(".card")
    scrolled = "document.documentElement.scrollWidth"
    assert tab.page.evaluate(scrolled) <= width
    assert tab.page.evaluate(HIDDEN_WORDS) == []
    tab.page.keyboard.press("c")
    assert tab.page.evaluate(HIDDEN_WORDS) == []
    tab.page.keyboard.press("Escape")
    tab.open("duration")
    assert tab.page.evaluate(HIDDEN_WORDS) == []
    assert tab.page.evaluate(scrolled) <= width
    rows = tab.page.locator("[data-key^=setting-]")
    for name in rows.evaluate_all("rows => rows.map(row => row.dataset.key.slice(8))"):
        if not tab.page.locator(".nothing").count():
            tab.never(name)
    tab.page.wait_for_selector(".loosen .effort")
    assert tab.page.evaluate(scrolled) <= width
    assert tab.page.evaluate(HIDDEN_WORDS) == []
    told = tab.page.locator(".loosen tbody td:first-child").evaluate_all(
        "all => all.map(e => e.getBoundingClientRect().width)"
    )
    assert min(told) > width / 2
    tab.context.close()


@pytest.mark.parametrize("code", ["es", "en"])
def test_the_word_at_the_start_of_the_map_is_never_cut(chromium, served, code):
    tab = Visit(chromium, served.url, locale=code)
    tab.page.wait_for_selector(".card")
    word, map_ = tab.page.locator(".map .you text, .map-box").evaluate_all(
        "all => all.map(e => e.getBoundingClientRect().left).reverse()"
    )
    assert word >= map_
    tab.context.close()
