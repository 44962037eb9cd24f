"""Trying values on the page: answered while one drags, kept only when one says so."""

from __future__ import annotations

from time import process_time

import pytest

from facelift.views.trying import trial
from facelift.walking.walk import Other, Walk

from .conftest import Visit


def slide(visit, name, value):
    """Move a slider, as dragging it does."""
    visit.open(name)
    visit.page.locator(f"[data-key=try-{name}]").evaluate(
        "(slider, value) => { slider.value = value; slider.dispatchEvent(new Event('input')); }",
        str(value),
    )


def test_what_is_tried_is_never_seen_from_limits_that_are_gone(visit):
    page = visit.page
    page.evaluate(
        """() => {
          const ask = window.fetch;
          window.fetch = async (path, asked) => {
            const answer = await ask(path, asked);
            const late = path.includes("api/try") && asked.body.includes('"ways":true');
            if (late) await new Promise((resolve) => setTimeout(resolve, 1500));
            window.late = (window.late ?? 0) + late;
            return answer;
          };
        }"""
    )
    slide(visit, "duration", 30)
    page.wait_for_function("() => document.querySelector('.told').innerText.includes('would be')")
    page.wait_for_timeout(300)  # now the ways are asked for
    visit.settle(lambda: page.locator("label[for=ease-duration-never]").click())
    page.wait_for_function("() => window.late >= 2")
    page.wait_for_selector(".map.only-tried")
    assert "Duration" not in page.locator(".map").inner_text()


def test_another_width_still_shows_what_is_tried(visit):
    ends = "() => [...document.querySelectorAll('.map .end')].map(end => end.textContent).sort()"
    before = visit.page.evaluate(ends)
    slide(visit, "duration", 12)
    visit.page.wait_for_selector(".map.only-tried")
    tried = visit.page.evaluate(ends)
    assert tried != before
    wide = visit.page.locator(".map svg").bounding_box()["width"]
    visit.page.set_viewport_size({"width": 1180, "height": 900})
    visit.page.wait_for_function(
        f"() => document.querySelector('.map svg').getBoundingClientRect().width != {wide}"
    )
    visit.page.wait_for_timeout(200)
    assert visit.page.evaluate(ends) == tried


def test_a_value_is_tried_without_being_kept(visit):
    page = visit.page
    chance = page.locator(".header").inner_text()
    visit.settle(lambda: slide(visit, "duration", 30))
    page.wait_for_selector(".map.only-tried")
    assert "you would be at" in page.locator(".told").inner_text()
    assert visit.banner().startswith("Only trying.")
    assert page.locator(".header").inner_text() == chance
    assert page.locator(".history").count() == 1  # of the page as it would be, not shown
    assert not page.locator(".history").is_visible()
    assert page.locator("[data-key=take-0]").is_hidden()
    page.keyboard.press("Escape")
    assert page.locator(".trial").is_hidden()
    assert page.locator(".map.only-tried").count() == 0
    assert page.locator(".history").count() == 0
    assert page.locator(":focus").get_attribute("data-key") == "setting-duration"


def test_what_is_tried_can_be_said_to_be_so(visit):
    page = visit.page
    slide(visit, "duration", 30)
    page.wait_for_selector(".map.only-tried")
    told = page.locator(".told .big").inner_text().split()[0]
    visit.settle(lambda: page.get_by_role("button", name="This is how it is", exact=True).click())
    assert "Something else happened: Duration of the loan" in page.locator(".history").inner_text()
    assert f"chance {told}" in page.locator(".header").inner_text()
    assert page.locator(".trial").is_hidden()


def test_levels_are_tried_with_how_many_people_have_them(visit):
    page = visit.page
    visit.open("savings")
    assert "1,000 people" in page.locator(".trial").inner_text()
    now = page.locator(".told .big").inner_text()
    visit.settle(lambda: page.get_by_label("1000 DM or more").click())
    page.wait_for_function("now => document.querySelector('.told .big').innerText !== now", arg=now)
    assert "1000 DM or more" in page.locator(".told").inner_text()


def test_a_value_that_cannot_be_is_told_in_a_line(visit):
    page = visit.page
    visit.open("duration")
    page.get_by_label("Duration of the loan, exactly").fill("1e300")
    page.wait_for_selector(".told .fault")
    assert page.get_by_role("button", name="This is how it is", exact=True).is_disabled()
    visit.faults.clear()  # the browser notes that the server said no


def test_a_fixed_fact_can_be_put_right(visit):
    page = visit.page
    visit.open("residence")
    levels = page.locator(".trial .level input")
    now = levels.evaluate_all("all => all.findIndex(each => each.checked)")
    if levels.count():
        visit.settle(lambda: levels.nth(int(now == 0)).click())
    else:
        slide(visit, "residence", 1)
    page.wait_for_selector(".map.only-tried")
    visit.settle(lambda: page.get_by_role("button", name="Put it right").click())
    assert "Put right: Residence" in page.locator(".history").inner_text()


def test_six_degrees_of_difficulty_and_back(visit):
    page = visit.page
    visit.open("duration")
    assert page.locator(".ease-row label").all_inner_texts() == [
        "very easy",
        "easy",
        "normal",
        "hard",
        "very hard",
        "never",
    ]
    visit.settle(lambda: page.locator("label[for=ease-duration-very-hard]").click())
    assert page.locator("#ease-duration-very-hard").is_checked()
    assert "very hard" in page.locator("[data-key=setting-duration]").inner_text()
    visit.settle(lambda: page.get_by_role("button", name="Reset Duration of the loan").click())
    assert page.locator("#ease-duration-ok").is_checked()


def test_the_range_is_set_on_the_same_slider(visit):
    page = visit.page
    visit.open("duration")
    move = "(end) => { end.value = 36; end.dispatchEvent(new Event('change')); }"
    visit.settle(lambda: page.locator(".slides .own").first.evaluate(move))
    assert page.get_by_label("Duration of the loan, at least").input_value() == "36"
    assert "36 to 72 months" in page.locator("[data-key=setting-duration]").inner_text()


def test_dragging_is_answered_within_a_tenth_of_a_second_of_work(applicant):
    times = []
    for months in range(10, 40):
        start = process_time()
        trial(applicant, Walk(), Other({"duration": months}))
        times.append(process_time() - start)
    assert sorted(times)[len(times) // 2] < 0.1


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["duration", "savings"])
def test_axe_finds_nothing_while_trying(chromium, served, axe, name, scheme):
    tab = Visit(chromium, served.url, color_scheme=scheme, bypass_csp=True)
    tab.page.wait_for_selector(".card")
    if name == "duration":
        slide(tab, name, 30)
    else:
        tab.open(name)
        tab.page.locator(".level input").last.click()
    tab.page.wait_for_selector(".map.only-tried")
    assert axe(tab.page) == []
    tab.context.close()


@pytest.mark.parametrize("width", [1280, 390])
def test_nothing_is_wider_than_the_screen_while_trying(chromium, served, width):
    tab = Visit(chromium, served.url)
    tab.page.set_viewport_size({"width": width, "height": 800})
    tab.page.wait_for_selector(".card")
    slide(tab, "duration", 30)
    tab.page.wait_for_selector(".map.only-tried")
    assert tab.page.evaluate("document.documentElement.scrollWidth") <= width
    tab.context.close()
