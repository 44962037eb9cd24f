"""The first page in a real browser: the next client, who has no way, and two people compared."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from typing import Any

import pytest
from tests.crowd import applicants, door

from facelift.cli.explore import Bench
from facelift.web.server import Served, serve
from facelift.web.tables import Tables

from .conftest import Visit


@pytest.fixture(scope="module")
def crowd() -> Iterator[Served]:
    page = serve(door(90), browser=False)
    yield page
    page.stop()


@pytest.fixture
def tab(chromium: Any, crowd: Served) -> Iterator[Visit]:
    """A tab with an empty profile, when everybody is counted."""
    tab = Visit(chromium, crowd.url, bypass_csp=True)  # axe is not the page's own
    tab.page.wait_for_selector(".people[data-done=true] .groups", timeout=120_000)
    yield tab
    tab.context.close()
    assert tab.faults == []
    assert tab.elsewhere == []


def search(tab: Visit, said: str) -> None:
    tab.page.get_by_label("Search people").fill(said)
    tab.page.wait_for_function(
        "said => document.querySelector('.list').dataset.said === said", arg=said
    )


def test_an_adviser_finds_the_next_client_and_walks_as_them(tab):
    page = tab.page
    search(tab, "income under 25, debts under 3")
    page.locator(".person").first.click()
    page.wait_for_selector(".side button:has-text('Choose others')")
    page.get_by_role("link", name="Walk as").click()
    page.wait_for_selector(".card, .nothing")
    assert "person=" in page.url
    title = page.locator("h1").inner_text()
    page.reload()
    page.wait_for_selector(".card, .nothing")
    assert page.locator("h1").inner_text() == title
    page.get_by_role("link", name="Everybody").click()
    page.wait_for_selector(".person")


def test_an_auditor_finds_who_has_no_way_and_compares_two(tab):
    page = tab.page
    page.get_by_role("button", name="no way found 15").click()
    page.wait_for_function("document.querySelectorAll('.person').length === 15")
    page.locator(".person").nth(0).click()
    page.wait_for_selector(".side button:has-text('Choose others')")
    page.get_by_role("button", name="all 90").click()
    page.wait_for_function("document.querySelectorAll('.person').length > 15")
    page.locator(".person:not([aria-pressed=true])").last.click()
    page.wait_for_selector(".side[data-people*=' ']")
    assert "Two people compared" in page.locator(".side").inner_text()
    assert (
        page.locator(".sides").first.locator("tr", has_text="ways open").inner_text().count("none")
        == 1
    )
    assert page.locator(".named").count() == 2
    address = page.url
    page.goto(address)
    page.wait_for_selector(".side[data-people*=' ']")
    with page.expect_download() as kept:
        page.get_by_role("button", name="Full audit").click()
    assert kept.value.suggested_filename == "audit.html"


def test_a_dot_is_somebody(tab):
    tab.page.locator(".scatter .dot.none").first.dispatch_event("click")
    tab.page.wait_for_selector(".side button:has-text('Choose others')")
    assert "none" in tab.page.locator(".sides").first.inner_text()


def test_past_and_lasting_are_told_when_they_are_opened(tab):
    page = tab.page
    page.locator(".person", has=page.locator(".dot.few, .dot.some")).first.click()
    page.wait_for_selector(".side button:has-text('Choose others')")
    page.get_by_text("get here?").click()
    page.wait_for_selector(".past ol")
    page.get_by_text("last?").click()
    page.wait_for_selector(".lasting li", timeout=60_000)
    assert "of 5 other models agree" in page.locator(".lasting").inner_text()


def test_axes_and_groups_can_be_chosen(tab):
    page = tab.page
    page.locator("[data-key=across]").select_option(label="Debts")
    page.wait_for_selector(".scatter[aria-label*=Debts]")
    page.locator("[data-key=by]").select_option(label="Income")
    page.wait_for_selector(".groups th:has-text('up to')")


def test_a_choice_stays_where_answers_to_earlier_ones_come_later(tab):
    page, late = tab.page, []

    def hold(route: Any) -> None:
        debts = '"across":"debts"' in route.request.post_data
        late.append(route) if debts else route.continue_()

    page.route("**/api/everybody", hold)
    for column in ("Debts", "Banned"):
        page.locator("[data-key=across]").select_option(label=column)
    page.wait_for_selector(".scatter[aria-label*=Banned]")
    with page.expect_response("**/api/everybody") as answered:
        late.pop().continue_()
    answered.value.finished()
    page.wait_for_timeout(300)  # as long as a drawing could take
    assert page.locator(".scatter[aria-label*=Banned]").count() == 1


@pytest.mark.parametrize("width", [1440, 768, 390, 320])
def test_the_page_is_clean_for_axe_and_never_wider_than_the_screen(tab, node_modules, width):
    page = tab.page
    page.set_viewport_size({"width": width, "height": 844})
    page.reload()
    page.wait_for_selector(".people[data-done=true] .groups")
    page.locator(".person").nth(0).click()
    page.wait_for_selector(".side button:has-text('Choose others')")
    page.evaluate((node_modules / "axe-core" / "axe.min.js").read_text(encoding="utf-8"))
    found = page.evaluate("axe.run()")
    assert [(each["id"], each["nodes"][0]["html"]) for each in found["violations"]] == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    pressed = page.locator("button, select, input, summary, .button").evaluate_all(
        "all => all.filter(e => e.checkVisibility()).map(e => e.getBoundingClientRect().height)"
    )
    assert min(pressed) >= (44 if width < 820 else 24)


def test_long_names_to_choose_from_stay_on_a_phone(tab):
    page = tab.page
    page.set_viewport_size({"width": 320, "height": 844})
    page.evaluate(
        """document.querySelectorAll(".picks option")
            .forEach((each) => { each.textContent = "Something with a name that is long"; })"""
    )
    edges = page.locator(".picks select").evaluate_all(
        "all => all.map(e => [e, e.closest('.panel')].map(b => b.getBoundingClientRect().right))"
    )
    assert len(edges) == 4
    assert all(right < panel for right, panel in edges)


def test_in_forced_colours_more_ways_are_larger_dots(chromium, crowd):
    tab = Visit(chromium, crowd.url, forced_colors="active")
    tab.page.wait_for_selector(".people[data-done=true] .groups", timeout=120_000)
    looks = tab.page.evaluate(
        """["few", "some", "many"].map((band) => {
            const dot = document.querySelector(".scatter .dot:not(.none)");
            dot.setAttribute("class", `dot ${band}`);
            return [getComputedStyle(dot).r, getComputedStyle(dot).fill].join(" ");
        })"""
    )
    assert len(set(looks)) == 3
    tab.context.close()


def test_a_newcomer_drops_a_table_checks_its_rules_and_explores_it(chromium, tmp_path):
    path = tmp_path / "loans.csv"
    applicants(90).to_csv(path, index=False)
    served = serve(Tables({}, None, Bench(3, "actions")), browser=False)
    tab = Visit(chromium, served.url)
    page = tab.page
    page.set_input_files("#file", path)
    page.wait_for_selector(".rules .columns")
    debts = page.locator("[data-column=debts]")
    fields = [debts.get_by_label(name) for name in ("name people read", "kind", "may change")]
    tops = [field.bounding_box()["y"] for field in fields]
    assert max(tops) - min(tops) < 24, "a column is a row"
    debts.get_by_label("may change").select_option(label="only down")
    page.wait_for_selector(".rules[data-drawn='2']")
    debts.get_by_label("unit").fill("loans")
    debts.get_by_label("unit").press("Enter")
    page.wait_for_selector(".rules[data-drawn='3']")
    with page.expect_download() as kept:
        page.get_by_role("button", name="Save as rules.toml").click()
    written = tomllib.loads(kept.value.path().read_text(encoding="utf-8"))
    assert (written["debts"]["change"], written["debts"]["unit"]) == ("decrease", "loans")
    page.get_by_role("button", name="Explore with these rules").click()
    page.wait_for_selector(".people[data-done=true] .person", timeout=120_000)
    page.locator(".person").first.click()
    page.wait_for_selector(".side button:has-text('Choose others')")
    page.get_by_role("link", name="Walk as").click()
    page.wait_for_selector(".card, .nothing", timeout=60_000)
    tab.context.close()
    served.stop()
    assert tab.faults == []
    assert tab.elsewhere == []


def test_a_table_as_it_comes_is_tried_in_round_steps_and_in_words(chromium, tmp_path):
    table = applicants(120)
    table["house"] = [0, 0, 1] * 40
    table["rate"] = [each / 7 for each in range(119)] + [4000.0]
    table.loc[5, "income"] = None
    path = tmp_path / "loans.csv"
    table.to_csv(path, index=False)
    served = serve(Tables({}, None, Bench(3, "actions")), browser=False)
    tab = Visit(chromium, served.url)
    page = tab.page
    assert page.locator("#bring-title").inner_text() == "Bring your own table"
    page.set_input_files("#file", path)
    page.wait_for_selector(".rules .columns")
    page.get_by_role("button", name="Explore with these rules").click()
    page.wait_for_selector(".people[data-done=true] .person", timeout=120_000)
    page.locator("[data-key=across]").select_option(label="Income")
    page.get_by_text("1 person is not drawn, for want of a value.").wait_for()
    page.locator(".person").first.click()
    page.wait_for_selector(".side button:has-text('Choose others')")
    page.get_by_role("link", name="Walk as").click()
    page.wait_for_selector(".card, .nothing", timeout=60_000)
    tab.open("house")
    assert page.locator(".level-name").all_inner_texts()[0].startswith("no")
    tab.open("rate")
    assert "16.71 or more" in page.locator(".trial .ends").inner_text()
    before = float(page.get_by_label("Rate, exactly").input_value())
    page.get_by_role("button", name="More: Rate").click()
    after = float(page.get_by_label("Rate, exactly").input_value())
    assert after - before == pytest.approx(0.2)
    assert len(page.get_by_label("Rate, exactly").input_value()) <= 8
    page.get_by_label("Rate, exactly").fill("1234.5678")
    page.get_by_text("With Rate at 1234.57").wait_for()
    assert page.get_by_label("Rate, exactly").input_value() == "1234.5678"
    tab.context.close()
    served.stop()
    assert tab.faults == []


def test_a_slow_answer_is_shown_while_ways_are_counted(chromium, crowd):
    """While ways are counted the list is asked for again and again: it must come all the same."""
    slow = """
        const real = window.fetch;
        window.fetch = async (address, asked) => {
          const wait = String(address).includes("api/people") ? 6000 : 0;
          await new Promise((go) => setTimeout(go, wait));
          const answer = await real(address, asked);
          if (!String(address).includes("api/everybody")) return answer;
          const told = await answer.json();
          if (told.everybody) Object.assign(told.everybody, { progress: "Counting …", done: 0 });
          return new Response(JSON.stringify(told));
        };
    """
    context = chromium.new_context()
    context.add_init_script(slow)
    page = context.new_page()
    page.goto(crowd.url)
    page.wait_for_selector(".person", timeout=40_000)
    context.close()
