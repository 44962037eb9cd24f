"""The page for everybody: what is seen first is read first, and nothing needs colour or a mouse."""

from __future__ import annotations

import re
from typing import Any

import pytest

from .conftest import Visit

PHONE = {"width": 390, "height": 844}
PARTS = "header", "banner", "next", "map", "limits"


@pytest.fixture
def phone(chromium, served):
    tab = Visit(chromium, served.url)
    tab.page.set_viewport_size(PHONE)
    tab.page.wait_for_selector("[data-columns=one]")
    yield tab
    tab.context.close()
    assert tab.faults == []


def order(page: Any, measure: str) -> list[float]:
    return [page.locator(f".navigator .{part}").first.evaluate(measure) for part in PARTS]


def test_on_a_phone_reading_order_is_the_order_seen(phone):
    tops = order(phone.page, "e => e.getBoundingClientRect().top + scrollY")
    places = order(phone.page, "e => [...document.querySelectorAll('*')].indexOf(e)")
    assert tops == sorted(tops)
    assert places == sorted(places)


PRESSED = "button, select, summary, label[for^=ease], .dial input, .bound, input[type=search]"
SMALL = f"""() => [...document.querySelectorAll("{PRESSED}")]
    .filter((each) => each.checkVisibility())
    .map((each) => [each.innerText, each.getBoundingClientRect()])
    .filter(([_, box]) => box.width && (box.width < 44 || box.height < 44))
    .map(([words, box]) => [words, box.width, box.height])"""
"""What is smaller than a thumb needs."""

BOXES = """() => [...document.querySelectorAll("input:is([type=checkbox], [type=radio])")]
    .filter((each) => each.checkVisibility({ opacityProperty: true }))
    .map((each) => each.getBoundingClientRect().height)"""


def test_on_a_phone_a_thumb_finds_what_can_be_pressed(phone):
    assert phone.page.evaluate(SMALL) == []
    phone.open("duration")
    assert phone.page.evaluate(SMALL) == []
    phone.page.locator("[data-key=star-A]").click()
    phone.page.locator("[data-key=plans]").click()
    phone.page.wait_for_selector(".timeline")
    assert phone.page.evaluate(SMALL) == []
    boxes = phone.page.evaluate(BOXES)
    assert boxes
    assert min(boxes) >= 24


def test_on_a_phone_limits_stay_where_they_are_when_one_is_tried(phone):
    row = phone.page.locator(".setting:visible").first
    before = row.evaluate("e => e.getBoundingClientRect().top + scrollY")
    row.click()
    phone.page.wait_for_selector(".trial h2")
    assert row.evaluate("e => e.getBoundingClientRect().top + scrollY") == before


def test_on_a_phone_no_table_is_scrolled_to_compare_ways(phone):
    wide = phone.page.locator(".comparison .scroll").evaluate("e => e.scrollWidth - e.clientWidth")
    assert wide <= 0


def test_on_the_smallest_phone_figures_do_not_run_into_each_other(chromium, served):
    """In German a chance is written with a space: "63 %54 %" was read in the table of ways."""
    context = chromium.new_context(viewport={"width": 320, "height": 800}, locale="de")
    page = context.new_page()
    page.goto(served.url)
    page.wait_for_selector(".card")
    beyond = """cells => cells.filter((cell) => {
      const text = document.createRange();
      text.selectNodeContents(cell.firstChild);
      return text.getBoundingClientRect().right > cell.getBoundingClientRect().right + 0.5;
    }).map((cell) => cell.innerText)"""
    figures = page.locator(".comparison tbody td")
    assert figures.count() > 20
    assert figures.evaluate_all(beyond) == []
    context.close()


def test_on_a_phone_a_step_is_in_view_before_scrolling(phone):
    take = phone.page.locator("[data-key=take-0]").bounding_box()
    assert take["y"] + take["height"] <= PHONE["height"]


def test_on_a_phone_the_answer_to_a_click_is_in_view(phone):
    page = phone.page
    button = page.locator("[data-key=take-1]")
    button.scroll_into_view_if_needed()
    phone.settle(button.click)
    page.wait_for_timeout(100)
    box = page.locator(".banner").bounding_box()
    assert 0 <= box["y"] < PHONE["height"] - 40
    assert box["height"] < PHONE["height"] / 5


def test_on_a_phone_what_can_be_tried_is_in_view_below_the_banner(phone):
    page = phone.page
    phone.settle(lambda: page.locator("[data-key=take-1]").click())
    page.locator(".setting:visible").first.click()
    page.wait_for_timeout(100)
    banner = page.locator(".banner").bounding_box()
    top = page.locator(".trial h2").bounding_box()["y"]
    assert banner["y"] + banner["height"] <= top < PHONE["height"] / 2


def test_on_a_phone_notes_are_unfolded_by_a_button(phone):
    page = phone.page
    assert not page.locator(".notes").is_visible()
    page.locator("[data-key=notes]").click()
    assert page.locator(".notes").is_visible()


def test_on_a_phone_the_months_of_a_plan_can_be_read(phone):
    page = phone.page
    page.locator(".star").first.click()
    page.locator("[data-key=plans]").click()
    letters = page.locator(".timeline .name").first.evaluate(
        "e => e.getScreenCTM().a * parseFloat(getComputedStyle(e).fontSize)"
    )
    assert letters >= 11


def test_on_a_phone_the_map_stands_upright_within_the_screen(phone):
    page = phone.page
    assert page.locator(".drawing.is-upright").count() == 1
    right = page.locator(".drawing").evaluate("e => e.getBoundingClientRect().right")
    assert right <= PHONE["width"]


def test_a_scale_is_chosen_only_where_the_map_has_one(phone):
    scale = phone.page.locator("[data-key=scale-time]")
    assert not scale.is_visible()  # an upright map goes by steps
    phone.page.set_viewport_size({"width": 1440, "height": 900})
    scale.wait_for(state="visible")


@pytest.mark.parametrize("width", [320, 390, 768, 1280, 1440, 2560])
def test_letters_of_the_map_keep_their_size(chromium, served, width):
    tab = Visit(chromium, served.url)
    tab.page.set_viewport_size({"width": width, "height": 900})
    tab.page.wait_for_timeout(200)
    found = tab.page.locator(".drawing .value").first.evaluate(
        "e => e.getScreenCTM().a * parseFloat(getComputedStyle(e).fontSize)"
    )
    assert 11 <= found <= 15
    assert tab.page.evaluate("document.documentElement.scrollWidth") <= width
    tab.context.close()


def test_single_keys_can_be_switched_off(visit):
    page = visit.page
    page.keyboard.press("?")
    page.get_by_label("Single keys act").uncheck()
    page.keyboard.press("Escape")
    drawn = page.locator(".navigator").get_attribute("data-drawn")
    for key in ("1", "b", "c", "e", "?"):
        page.keyboard.press(key)
    page.wait_for_timeout(300)
    assert not page.locator("dialog").is_visible()
    assert page.locator(".navigator").get_attribute("data-drawn") == drawn
    page.get_by_role("button", name="Help").click()
    page.get_by_label("Single keys act").check()
    page.keyboard.press("Escape")
    visit.settle(lambda: page.keyboard.press("1"))


def test_the_next_step_is_two_keys_away(visit):
    page = visit.page
    page.keyboard.press("Tab")
    assert page.locator(":focus").inner_text() == "Skip to the next step"
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.locator(":focus").evaluate("e => Boolean(e.closest('.next'))")


def test_pointing_at_a_step_shows_what_it_advances_and_leaving_shows_it_no_more(visit):
    page = visit.page
    card = page.locator(".card").first
    nearer = card.locator(".pip.nearer").all_inner_texts()
    card.hover()
    after = card.locator("p strong").first.inner_text()
    assert page.locator(".previewing").inner_text().endswith(f" → {after}")  # which of several
    marked = page.locator(".stroke.advanced").evaluate_all("all => all.map(e => e.dataset.letters)")
    assert set(marked) == set(nearer)
    width = page.locator(".stroke.advanced").first.evaluate("e => getComputedStyle(e).strokeWidth")
    assert width == "6px"
    page.locator(".brand").hover()
    assert page.locator(".advanced, .aside, .closing").count() == 0
    page.locator("[data-key=take-0]").focus()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Tab")
    assert page.locator(".stroke.advanced").count() > 0


def test_in_forced_colours_marks_differ_by_more_than_colour(chromium, served):
    tab = Visit(chromium, served.url, forced_colors="active")
    page = tab.page
    page.wait_for_selector(".card")
    ground = "e => getComputedStyle(e).backgroundColor"
    nearer = page.locator(".legend .pip.nearer").evaluate(ground)
    open_ = page.locator(".legend .pip.open").evaluate(ground)
    assert nearer != open_
    pressed = page.locator(".choice [aria-pressed=true]").first.evaluate(ground)
    other = page.locator(".choice [aria-pressed=false]").first.evaluate(ground)
    assert pressed != other
    tab.context.close()


def test_pointing_at_a_step_moves_nothing(visit):
    page = visit.page
    places = "all => all.map(e => e.getBoundingClientRect().top + scrollY)"
    parts = page.locator(".map-box, .map-head button, .ways")
    before = parts.evaluate_all(places)
    for card in page.locator(".card").all():
        card.hover()
        assert page.locator(".previewing").is_visible()
        assert parts.evaluate_all(places) == before


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_in_forced_colours_everything_has_the_colours_of_the_system(chromium, served, scheme):
    tab = Visit(chromium, served.url, forced_colors="active", color_scheme=scheme)
    page = tab.page
    page.wait_for_selector(".card")
    system = page.evaluate(
        """() => Object.fromEntries(["CanvasText", "Highlight", "HighlightText"].map((name) => {
            document.body.style.color = name;
            return [name, getComputedStyle(document.body).color];
        }))"""
    )
    painted = "all => [...new Set(all.map(e => getComputedStyle(e).fill))]"
    assert page.locator(".map :is(.name, .value, .axis, .badge)").evaluate_all(painted) == [
        system["CanvasText"]
    ]
    look = "e => [getComputedStyle(e).backgroundColor, getComputedStyle(e).color]"
    pressed = [system["Highlight"], system["HighlightText"]]
    assert page.locator("[data-key=take-0]").evaluate(look) == pressed
    page.locator(".star").first.click()
    assert page.locator(".star[aria-pressed=true]").evaluate(look) == pressed
    tab.context.close()


def test_fields_and_boxes_are_dark_in_the_dark(visit):
    scheme = visit.page.locator(".navigator").evaluate("e => getComputedStyle(e).colorScheme")
    assert scheme == "light dark"


def test_what_is_open_and_what_closes_are_two_things(visit):
    visit.settle(lambda: visit.page.keyboard.press("4"))
    rows = visit.page.locator(".stays-open td:has(.closes)").all_inner_texts()
    assert rows
    assert all(re.search(r"\bopen\s+closes\b", row) for row in rows)


def test_words_of_ways_not_chosen_are_as_readable_as_others(visit):
    page = visit.page
    page.locator(".end").first.click()
    faded = page.locator(".end.dimmed").evaluate_all(
        "all => all.filter(e => Number(getComputedStyle(e).opacity) < 1).length"
    )
    assert page.locator(".end.dimmed").count() > 0
    assert faded == 0


def test_on_paper_there_are_ways_and_no_controls(visit):
    page = visit.page
    page.emulate_media(media="print")
    assert page.locator(".map .drawing").is_visible()
    assert page.locator(".ways").is_visible()
    assert not page.locator(".limits").is_visible()
    assert not page.get_by_role("button", name="Look for more ways").is_visible()


def arrive(tab: Visit) -> None:
    for _ in range(12):
        if tab.page.locator("[data-state=arrived]").count():
            return
        tab.settle(lambda: tab.page.locator("[data-key=take-0]").click())


@pytest.mark.parametrize("width", [390, 1280])
def test_arriving_keeps_the_map_and_axe_finds_nothing(chromium, served, node_modules, width):
    tab = Visit(chromium, served.url, bypass_csp=True, reduced_motion="reduce")
    page = tab.page
    page.set_viewport_size({"width": width, "height": 844})
    arrive(tab)
    assert "The way you walked" in page.locator(".map").inner_text()
    assert page.locator(".arrived .stroke").count() > 0
    assert "Will it last?" in page.locator(".map").inner_text()
    page.evaluate((node_modules / "axe-core" / "axe.min.js").read_text(encoding="utf-8"))
    found = page.evaluate("axe.run()")
    assert [rule["id"] for rule in found["violations"]] == []
    tab.context.close()
