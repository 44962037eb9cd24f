"""A walk in the address: reload, back, forward, bookmarks, two tabs, restarts and links."""

from __future__ import annotations

import pytest

from facelift.web.server import serve

from .conftest import Visit
from .test_trying import slide


def steps(tab):
    """How many steps the header says were taken."""
    text = tab.page.locator(".header").inner_text()
    return next(word for word in ("0 steps", "1 step", "2 steps") if word in text)


def take(tab):
    old = tab.page.url
    tab.settle(lambda: tab.page.locator("[data-key=take-0]").click())
    tab.page.wait_for_function("old => location.href !== old", arg=old)


def shows(tab, text):
    tab.page.wait_for_function(
        "text => document.querySelector('.header')?.innerText.includes(text)", arg=text
    )


def test_a_reload_keeps_the_walk(visit):
    take(visit)
    visit.never("employment")
    letters = visit.letters()
    visit.page.wait_for_function("() => history.state.depth === 2")
    visit.page.reload()
    visit.page.wait_for_selector(".map .end")
    assert visit.letters() == letters
    assert steps(visit) == "1 step"
    assert "never" in visit.page.locator("[data-key=setting-employment]").inner_text()
    visit.page.get_by_role("button", name="Undo").click()
    visit.page.wait_for_function(
        "() => !document.querySelector('[data-key=setting-employment]').innerText.includes('never')"
    )


def test_a_person_tries_three_hundred_less_and_finds_it_again_after_a_reload(visit):
    page = visit.page
    visit.open("credit_amount")
    now = int(float(page.locator("[data-key=try-credit_amount]").input_value()))
    slide(visit, "credit_amount", now - 300)
    page.wait_for_selector(".map.only-tried")
    old = page.url
    visit.settle(lambda: page.get_by_role("button", name="This is how it is", exact=True).click())
    page.wait_for_function("old => location.href !== old", arg=old)
    header, history = (page.locator(each).inner_text() for each in (".who", ".history"))
    page.reload()
    page.wait_for_selector(".history")
    assert f"{now - 300:,} DM" in header
    assert page.locator(".who").inner_text() == header
    assert page.locator(".history").inner_text() == history


def test_back_and_forward_go_along_the_walk(visit):
    take(visit)
    visit.page.go_back()
    shows(visit, "0 steps")
    visit.page.go_forward()
    shows(visit, "1 step")
    visit.page.get_by_role("button", name="Undo").click()
    assert steps(visit) == "0 steps"
    take(visit)
    assert steps(visit) == "1 step"


def test_what_is_said_while_going_back_counts(visit):
    page, held = visit.page, []
    take(visit)
    page.reload()
    page.wait_for_selector(".card")
    page.route("**/api/walk", lambda route: route.continue_() if held else held.append(route))
    page.get_by_role("button", name="Undo").click()  # asks for what an address holds
    while not held:
        page.wait_for_timeout(50)
    visit.open("employment")
    page.locator("label[for=ease-employment-never]").click()
    page.wait_for_timeout(3000)
    held[0].continue_()
    page.wait_for_function(
        "() => document.querySelector('[data-key=setting-employment]').innerText.includes('never')"
    )
    assert steps(visit) == "0 steps"


def test_undo_and_redo_stand_side_by_side(visit):
    page = visit.page
    assert page.get_by_role("button", name="Redo").is_disabled()
    take(visit)
    there = page.locator(".ways").inner_text()
    page.get_by_role("button", name="Undo").click()
    assert steps(visit) == "0 steps"
    page.get_by_role("button", name="Redo").click()
    assert page.locator(".ways").inner_text() == there
    assert page.get_by_role("button", name="Redo").is_disabled()


def test_a_link_opens_in_another_tab_and_neither_disturbs_the_other(visit, chromium):
    take(visit)
    other = Visit(chromium, visit.page.url)
    shows(other, "1 step")
    visit.page.get_by_role("button", name="Undo").click()
    assert steps(visit) == "0 steps"
    assert steps(other) == "1 step"
    other.context.close()


def test_a_link_without_values_holds_none(visit, chromium):
    page = visit.page
    visit.never("employment")
    take(visit)
    page.get_by_role("button", name="Share").click()
    page.get_by_label("Leave my values out").check()
    page.wait_for_function("() => document.querySelector('.link-row input').value.length < 400")
    link = page.get_by_label("Link to this walk").input_value()
    other = Visit(chromium, link)
    assert steps(other) == "0 steps"
    assert "never" in other.page.locator("[data-key=setting-employment]").inner_text()
    other.context.close()


def test_a_sent_link_is_opened_wherever_it_came_from(visit, chromium, served):
    take(visit)
    sent = visit.page.url.replace("127.0.0.1", "elsewhere")
    other = Visit(chromium, served.url)
    other.page.get_by_role("button", name="Share").click()
    other.page.get_by_label("Open a link that I was sent").fill(sent)
    other.page.get_by_role("button", name="Open", exact=True).click()
    shows(other, "1 step")
    other.context.close()
    assert other.faults == []


@pytest.mark.parametrize("code", ["walk=nonsense", "walk=", "something-else"])
def test_a_broken_link_is_said_to_be_one(chromium, served, code):
    tab = Visit(chromium, f"{served.url}#{code}")
    assert "this link is about somebody else" in visit_banner(tab)
    assert steps(tab) == "0 steps"
    tab.context.close()
    assert tab.faults == []


def visit_banner(tab):
    return tab.page.locator(".banner").inner_text()


def test_a_server_that_is_gone_is_waited_for(chromium, applicant, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    server = serve(applicant, browser=False, bookmarks=True)
    tab = Visit(chromium, server.url)
    tab.page.wait_for_selector(".card")
    take(tab)
    bookmark = tab.page.url
    server.stop()
    tab.settle(lambda: tab.page.locator("[data-key=cannot-0]").click())
    assert "facelift is not running." in visit_banner(tab)
    server = serve(applicant, browser=False, bookmarks=True)
    tab.page.wait_for_selector(".ruled-out li", timeout=20_000)
    assert "facelift is not running." not in visit_banner(tab)
    tab.page.goto("about:blank")
    tab.page.goto(bookmark)
    shows(tab, "1 step")
    tab.context.close()
    server.stop()
