"""My plans: ways that are starred, along time, as a checklist, and what is taken along."""

from __future__ import annotations

import pytest

from .conftest import Visit


def starred(tab: Visit, *letters: str) -> None:
    """Star some ways and open the plans."""
    for letter in letters:
        tab.page.locator(f"[data-key=star-{letter}]").click()
    tab.page.get_by_role("button", name="My plans").click()
    tab.page.wait_for_selector(".plans .checklist")


def test_a_starred_way_is_a_plan_with_a_checklist(visit):
    page = visit.page
    assert page.get_by_role("button", name="My plans").is_disabled()
    starred(visit, "A")
    steps = page.locator(".checklist li")
    assert steps.count() >= 1
    assert "If this falls through" in steps.first.inner_text()
    page.locator(".checklist input").first.check()
    page.wait_for_selector(".checklist li.done")
    assert "1 of" in page.locator(".plans h3").first.inner_text()


def test_plans_are_named_and_survive_a_reload(visit):
    page = visit.page
    starred(visit, "A", "B")
    name = page.get_by_label("Name of this plan")
    name.fill("Until spring")
    name.press("Enter")
    page.wait_for_selector(".plans .choice :text('Until spring')")
    page.get_by_label("Begin on").fill("2027-01-15")
    page.locator(".plans").press("Tab")
    page.wait_for_function("() => location.hash.length > 100")
    page.wait_for_timeout(300)
    page.reload()
    page.wait_for_selector(".card")
    assert page.locator("[data-key=star-B]").get_attribute("aria-pressed") == "true"
    page.get_by_role("button", name="My plans").click()
    page.wait_for_selector(".plans .choice :text('Until spring')")
    assert page.get_by_label("Begin on").input_value() == "2027-01-15"


def test_two_plans_stand_side_by_side_and_go_again(visit):
    page = visit.page
    starred(visit, "A", "B")
    assert page.locator(".plans .compare thead th").count() == 2
    assert "Plan 1: way A" in page.locator(".timeline").text_content()
    page.get_by_role("button", name="Remove").click()
    page.wait_for_selector(".plans .compare", state="detached")
    page.get_by_role("button", name="Remove").click()
    page.wait_for_selector(".dialog", state="hidden")
    assert page.locator(".star[aria-pressed=true]").count() == 0


def test_letter_and_dates_can_be_taken_along(visit, tmp_path):
    page = visit.page
    starred(visit, "A")
    page.get_by_label("Language of the letter").select_option("de")
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Letter, one page").click()
    waiting.value.save_as(tmp_path / "letter.html")
    assert "Sehr geehrte" in (tmp_path / "letter.html").read_text(encoding="utf-8")
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Dates for my calendar").click()
    waiting.value.save_as(tmp_path / "plan.ics")
    dates = (tmp_path / "plan.ics").read_text(encoding="utf-8")
    assert dates.count("BEGIN:VEVENT") == page.locator(".checklist li").count()


def test_the_plan_prints_alone_and_without_buttons(visit):
    page = visit.page
    starred(visit, "A", "B")
    page.emulate_media(media="print")
    assert page.locator(".checklist").is_visible()
    for part in (".header", ".map", ".limits", ".next", ".plans button >> nth=0"):
        assert not page.locator(part).is_visible()


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_axe_finds_nothing_in_plans_and_links(chromium, served, axe, width, scheme):
    tab = Visit(chromium, served.url, color_scheme=scheme, bypass_csp=True)
    tab.page.set_viewport_size({"width": width, "height": 800})
    tab.page.wait_for_selector(".card")
    starred(tab, "A", "B")
    assert axe(tab.page) == []
    assert tab.page.evaluate("document.documentElement.scrollWidth") <= width
    tab.page.locator(".dialog .close").click()
    tab.page.get_by_role("button", name="Share").click()
    assert axe(tab.page) == []
    tab.context.close()


def test_who_arrives_takes_a_letter_that_asks_to_decide_anew(visit, tmp_path):
    page = visit.page
    while page.locator("[data-key=take-0]").count():
        visit.settle(lambda: page.keyboard.press("1"))
    assert page.locator(".afterwards h3").first.inner_text() == "Check that your facts are right"
    assert page.locator(".chart circle").count() == page.locator(".history li").count() + 1
    page.get_by_label("Language of the letter").select_option("de")
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Letter, one page").click()
    waiting.value.save_as(tmp_path / "letter.html")
    written = (tmp_path / "letter.html").read_text(encoding="utf-8")
    assert "Bitte entscheiden Sie neu" in written
    page.get_by_role("button", name="Report …").click()
    assert page.locator("[data-export=html]").is_visible()
