"""The navigator in a real browser: every interaction, by mouse and by keyboard alone."""

from __future__ import annotations


def test_the_page_opens_with_header_map_and_cards(visit):
    page = visit.page
    assert page.locator("h1").inner_text() == "Applicant 4"
    assert "declined" in page.locator(".header").inner_text()
    assert page.locator(".card").count() == 4
    assert page.locator(".card.recommended").count() == 1
    assert sorted(visit.letters()) == list("ABCDEFG")
    assert visit.banner().startswith("7 ways to “approved”.")
