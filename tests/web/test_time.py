"""Time and certainty on the page: a deadline, a map along months, and how high one aims."""

from __future__ import annotations

import re

import pytest

from .conftest import Visit


def months(visit: Visit, n: str) -> None:
    field = visit.page.locator("[data-key=deadline]")
    field.fill(n)
    visit.settle(lambda: field.press("Enter"))


def test_somebody_in_a_hurry_sees_what_that_closes_and_what_is_left(visit):
    page, before = visit.page, visit.letters()
    assert "years" in page.locator(".ways").inner_text()
    months(visit, "12")
    assert visit.banner().startswith("You have at most 12 months now.")
    assert "years, and you have 12 months" in visit.banner()
    assert "years" not in " ".join(page.locator(".ways summary .small").all_inner_texts())
    assert set(visit.letters()) != set(before)
    page.reload()
    page.wait_for_selector(".card")
    assert page.locator("[data-key=deadline]").input_value() == "12"
    months(visit, "")
    assert visit.banner().startswith("Ways may take as long as they need.")
    assert set(before) <= set(visit.letters())


def test_the_time_that_steps_took_is_told_and_no_longer_left(visit):
    page = visit.page
    months(visit, "12")
    while page.locator("[data-key=take-0]").count():
        visit.settle(lambda: page.locator("[data-key=take-0]").click())
        if "month" in page.locator(".header .fact").last.inner_text():
            break
    else:
        pytest.fail("No step of this way takes time.")
    assert "left" in page.locator(".deadline").inner_text()


def test_the_map_runs_along_months_and_later_is_farther_right(visit):
    page = visit.page
    page.locator("[data-key=scale-time]").click()
    assert "time from here" in page.locator(".map").inner_text()
    ends = page.locator(".map .end")
    places = ends.evaluate_all("ends => ends.map(end => end.getBoundingClientRect().x)")
    told = list(zip(places, ends.all_text_contents(), strict=True))
    months = [x for x, words in told if "about" in words and "year" not in words]
    years = [x for x, words in told if "year" in words]
    assert max(months) < min(years)
    with page.expect_download() as download:
        page.locator("[data-key=export]").click()
        page.locator("[data-export=svg]").click()
    assert "time from here" in download.value.path().read_text(encoding="utf-8")


def test_who_wants_to_be_surer_aims_higher_and_what_decides_stays(visit):
    page = visit.page
    select = page.locator("[data-key=certainty]")
    assert "2 points to spare" in select.locator("option").first.inner_text()
    visit.settle(lambda: select.select_option("0.6"))
    assert visit.banner().startswith("You aim at 60% now.")
    assert "50% decides, ways aim at 60%" in page.locator(".header").inner_text()
    assert "is needed" not in visit.banner()


def test_what_most_ways_begin_with_is_advised(visit):
    told = visit.page.locator(".card .trunk")
    assert told.count() == 1
    assert re.match(
        r"(Whatever you choose later, do this first\. All |A good first step\. \d+ of the )",
        told.inner_text(),
    )


@pytest.mark.parametrize("width", [1280, 390])
def test_axe_finds_nothing_with_a_deadline_on_the_map_of_time(chromium, served, axe, width):
    tab = Visit(chromium, served.url, bypass_csp=True)
    tab.page.set_viewport_size({"width": width, "height": 900})
    tab.page.wait_for_selector(".card")
    months(tab, "12")
    if width > 1000:
        tab.page.locator("[data-key=scale-time]").click()
    assert axe(tab.page) == []
    tab.context.close()
