"""The navigator in a real browser: every interaction, by mouse and by keyboard alone."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path

import pytest

from facelift.cli import demos
from facelift.web.server import serve

from .conftest import Visit


def test_the_page_opens_with_header_map_and_cards(visit):
    page = visit.page
    assert page.locator("h1").inner_text() == "Applicant 4"
    assert "declined" in page.locator(".header").inner_text()
    assert page.locator(".card").count() == 4
    assert page.locator(".card.recommended").count() == 1
    assert sorted(visit.letters()) == list("ABCDEFG")
    assert visit.banner().startswith("7 ways to “approved”.")


def test_the_first_words_neither_doubt_nor_count_losses(visit):
    words = visit.page.locator("body").inner_text().lower()
    for said in ("search stopped", "serves others", "if lost"):
        assert said not in words


def drawing(visit: Visit) -> str:
    return str(visit.page.locator(".map svg").inner_html())


def test_of_two_steps_that_change_the_same_the_second_says_so(visit):
    page, repeated = visit.page, 0
    for rank in ("expected", "open", "effort", "chance"):
        page.locator("[data-key=rank]").select_option(rank)
        told = page.locator(".card").all_inner_texts()
        names = page.locator(".card h3").all_inner_texts()
        first = [names.index(name) for name in names]
        repeated += len(names) - len(set(names))
        for i, words in enumerate(told):
            assert (f"instead of step {first[i] + 1}" in words) == (first[i] < i)
    assert repeated


def test_a_step_is_taken_and_undone(visit):
    page, before = visit.page, drawing(visit)
    first = page.locator(".card h3").first.inner_text()
    visit.settle(lambda: page.get_by_role("button", name="Take this step").first.click())
    assert "1 step" in page.locator(".header").inner_text()
    assert first in page.locator(".history").inner_text()
    assert drawing(visit) != before
    page.get_by_role("button", name="Undo").click()
    assert drawing(visit) == before
    assert "0 steps" in page.locator(".header").inner_text()
    assert page.get_by_role("button", name="Undo").is_disabled()


def test_a_step_ruled_out_is_gone_until_it_is_allowed_again(visit):
    page = visit.page
    ruled = page.locator(".card").first.get_attribute("aria-label")
    visit.settle(lambda: page.get_by_role("button", name="I can’t do this").first.click())
    assert ruled in page.locator(".ruled-out").inner_text()
    cards = page.locator(".card").evaluate_all("cards => cards.map(card => card.ariaLabel)")
    assert ruled not in cards
    assert visit.banner().startswith(f"Ruled out: {ruled}.")
    assert "are no longer possible." in visit.banner()
    assert visit.banner().count(ruled) == 1
    visit.settle(lambda: page.get_by_role("button", name=f"Allow {ruled}").click())
    assert page.locator(".ruled-out").count() == 0
    assert set("ABCDEFG") <= set(visit.letters())


def test_a_thing_set_to_never_is_in_no_way(visit):
    page = visit.page
    assert "Employment" in page.locator(".ways").inner_text()
    visit.never("employment")
    assert page.locator("#ease-employment-never").is_checked()
    assert "Employment" not in page.locator(".ways").inner_text()
    assert "Employment" not in page.locator(".map").inner_text()
    assert page.locator(":focus").get_attribute("data-key") == "ease-employment-never"


def test_two_limits_set_in_quick_succession_both_count(visit):
    page = visit.page
    for name in ("employment", "savings"):
        visit.open(name)
        page.locator(f"label[for=ease-{name}-never]").click()  # before the first is answered
    page.wait_for_function(
        "() => !/Employment|Savings/.test(document.querySelector('.ways').innerText)"
    )
    for name in ("employment", "savings"):
        visit.open(name)
        assert page.locator(f"#ease-{name}-never").is_checked()


def clicked_at_once(visit: Visit, *keys: str) -> None:
    """Click some things before the first is answered, and wait for all answers."""
    drawn = int(visit.page.locator(".navigator").get_attribute("data-drawn"))
    visit.page.evaluate(
        """keys => keys.map(key => document.querySelector(`[data-key="${key}"]`))
                       .forEach(each => each.click())""",
        list(keys),
    )
    visit.page.wait_for_function(
        "drawn => Number(document.querySelector('.navigator').dataset.drawn) >= drawn",
        arg=drawn + len(keys),
    )


def test_two_steps_allowed_again_in_quick_succession_both_are(visit):
    page = visit.page
    for _ in range(2):
        visit.settle(lambda: page.locator("[data-key=cannot-0]").click())
    assert page.locator(".ruled-out li").count() == 2
    clicked_at_once(visit, "allow-change-0", "allow-change-1")
    assert page.locator(".ruled-out").count() == 0
    assert visit.banner().startswith("Allowed again: ")


def test_a_step_clicked_while_another_is_refused_is_the_one_that_was_shown(visit):
    page = visit.page
    label = page.locator(".card").nth(1).get_attribute("aria-label")
    clicked_at_once(visit, "cannot-0", "take-1")
    assert visit.banner().startswith(f"Step taken: {label}.")
    assert page.locator(".history li").count() == 1


def test_a_second_click_on_a_step_is_none(visit):
    page = visit.page
    visit.settle(lambda: page.locator("[data-key=take-0]").evaluate("b => (b.click(), b.click())"))
    page.wait_for_timeout(500)
    assert "1 step" in page.locator(".header").inner_text()
    assert visit.banner().startswith("Step taken: ")


def test_bounds_keep_every_way_within_them(visit):
    page = visit.page
    visit.open("duration")
    field = page.get_by_label("Duration of the loan, at least")
    field.fill("18")
    visit.settle(lambda: field.press("Enter"))
    ends = [page.locator(".ways").inner_text()]
    assert all("loan 12" not in end and "loan 6 " not in end for end in ends)


def lock_everything(visit: Visit) -> None:
    """Set one thing after the other to never, until no way is left."""
    page = visit.page
    for _ in range(20):
        if page.locator(".nothing").count():
            return
        free = page.locator(".setting:not(.never):has(.dots)").first.get_attribute("data-key")
        visit.never(free.removeprefix("setting-"))


NEEDED = (
    "employment",
    "credit_amount",
    "property",
    "other_debtors",
    "telephone",
    "savings",
    "checking_account",
    "installment_rate",
)
"""Without these there is no way; letting one of some change opens as many as lifting all limits."""


def test_where_nothing_leads_there_one_thing_to_loosen_can_be_tried(visit):
    page = visit.page
    for name in NEEDED:
        visit.never(name)
    assert (
        "Within these limits, nothing leads to “approved”" in page.locator(".nothing").inner_text()
    )
    assert page.locator(".card").count() == 0
    page.wait_for_selector(".loosen tbody[data-done]", timeout=20_000)
    counts = page.locator(".loosen .count").all_inner_texts()
    rows = page.locator(".loosen tbody tr").all_inner_texts()
    own = [row for row in rows if row.startswith("Let “") and row.split("\t")[1] == counts[0]]
    assert len(own) > 1
    efforts = page.locator(".loosen tbody .effort").evaluate_all("all => all.map((e) => e.title)")
    least = [float(words.removeprefix("effort ")) for words in efforts[: len(own)]]
    assert least == sorted(least)
    assert rows[: len(own)] == own
    assert counts == sorted(counts, key=int, reverse=True)
    assert int(counts[0]) > 0
    visit.settle(lambda: page.get_by_role("button", name="Try it").first.click())
    assert page.locator(".nothing").count() == 0
    assert len(visit.letters()) == int(counts[0])


def test_two_ways_are_compared_side_by_side(visit):
    page = visit.page
    page.get_by_role("button", name="Compare").click()
    dialog = page.locator("dialog")
    assert "Way A" in dialog.inner_text()
    page.get_by_label("Second way").select_option("G")
    assert "also serves the other" in dialog.inner_text()
    assert dialog.locator("thead th").all_inner_texts()[1].endswith("Way G")
    page.set_viewport_size({"width": 600, "height": 900})
    page.wait_for_selector(".navigator[data-columns=one]")
    assert dialog.evaluate("e => e.matches(':modal')")
    page.keyboard.press("Escape")
    assert not dialog.is_visible()


def download(visit: Visit, kind: str) -> bytes:
    page = visit.page
    page.get_by_role("button", name="Share").click()
    with page.expect_download() as started:
        page.locator(f"[data-export={kind}]").click()
    assert started.value.suggested_filename == f"facelift.{kind}"
    return Path(started.value.path()).read_bytes()


def test_the_picture_is_exported_as_it_is_drawn(visit):
    drawn = download(visit, "svg").decode()
    paths = visit.page.locator(".map .stroke").evaluate_all(
        "all => all.map(e => e.getAttribute('d'))"
    )
    assert len(paths) > 7
    assert all(f'd="{path}"' in drawn for path in paths)
    assert download(visit, "png").startswith(b"\x89PNG")


def test_the_data_is_exported_with_its_receipt(visit):
    told = json.loads(download(visit, "json"))
    assert told["document"]["schema"] == "facelift/walk/1"
    assert told["document"]["header"]["title"] == "Applicant 4"
    assert len(told["receipt"]["data"]) == 16


@pytest.mark.parametrize("script", [True, False])
def test_the_report_is_one_file_that_opens_offline(visit, chromium, tmp_path, script):
    file = tmp_path / "report.html"
    file.write_bytes(download(visit, "html"))
    context = chromium.new_context(java_script_enabled=script, offline=True)
    page = context.new_page()
    faults, requests = [], []
    page.on("console", lambda message: faults.append(message.text))
    page.on("pageerror", lambda fault: faults.append(str(fault)))
    page.on("request", lambda request: requests.append(request.url))
    page.goto(file.as_uri())
    text = page.locator("body").inner_text()
    assert "Applicant 4" in text
    assert "Receipt" in text
    if script:
        page.get_by_role("button", name="Take this step").first.click()
        page.wait_for_selector(".history")
        assert "1 step" in page.locator(".header").inner_text()
    else:
        assert "Way G" in text
    assert faults == []
    assert [url for url in requests if not url.startswith(("file:", "data:"))] == []
    context.close()


def test_a_report_without_values_says_nothing_about_who_it_is(visit):
    page = visit.page
    page.get_by_role("button", name="Share").click()
    page.get_by_label("Include who it is about").uncheck()
    with page.expect_download() as started:
        page.locator("[data-export=html]").click()
    text = Path(started.value.path()).read_text(encoding="utf-8")
    assert "Applicant 4" not in text
    assert "4870" not in text
    assert "overdrawn →" not in text


def test_everything_can_be_done_with_the_keyboard_alone(visit):
    page = visit.page
    visit.settle(lambda: page.keyboard.press("1"))
    assert "1 step" in page.locator(".header").inner_text()
    page.keyboard.press("u")
    assert "0 steps" in page.locator(".header").inner_text()
    visit.settle(lambda: page.keyboard.press("b"))
    assert page.locator(".ruled-out li").count() == 1
    page.keyboard.press("?")
    assert "How to read this page" in page.locator("dialog").inner_text()
    page.keyboard.press("Escape")
    page.keyboard.press("c")
    assert "Compare two ways" in page.locator("dialog").inner_text()
    page.keyboard.press("Escape")
    page.locator(".map-box").focus()
    page.keyboard.press("ArrowDown")
    top = visit.letters()[0]
    assert page.locator(".end[aria-pressed=true]").get_attribute("data-key") == f"end-{top}"
    page.keyboard.press("ArrowRight")
    assert f"Way {top}, step 1 of" in page.locator(".banner").inner_text()
    page.keyboard.press("Enter")
    assert page.locator(".end[aria-pressed=true]").count() == 0


def test_the_focus_is_never_lost_by_drawing_anew(visit):
    page = visit.page
    page.locator("[data-key=take-0]").focus()
    visit.settle(lambda: page.keyboard.press("Enter"))
    assert page.locator(":focus").get_attribute("data-key") == "take-0"


def test_something_else_that_happened_is_walked_on_from(visit):
    page = visit.page
    page.get_by_role("button", name="Something else happened").click()
    page.get_by_label("Savings now").select_option(label="1000 DM or more")
    page.get_by_label("Duration of the loan now").fill("12")
    visit.settle(lambda: page.get_by_role("button", name="This is how it is now").click())
    assert "Something else happened" in page.locator(".history").inner_text()
    assert page.locator(".navigator").get_attribute("data-state") == "arrived"
    assert "arrived" in visit.banner()
    assert (
        "(50% decides; ways end at 52% or more)" in page.locator(".arrived .chances").inner_text()
    )
    assert "(50% decides, ways aim at 52%)" in page.locator(".header").inner_text()
    assert "still open" not in page.locator(".header").inner_text()  # one is there: none is lost
    assert page.locator(".limits details.more").first.get_attribute("open") is None


def test_many_ways_are_shown_as_families_that_unfold(visit):
    page = visit.page
    visit.settle(lambda: page.get_by_role("button", name="Look for more ways").click())
    assert len(visit.letters()) <= 7
    assert "similar" in page.locator(".map").inner_text()
    family = page.locator(".way-list details", has_text="Unfold").first
    letter = family.get_attribute("data-way")
    family.locator("summary").click()
    visit.settle(lambda: page.locator(f"[data-key=unfold-{letter}]").click())
    assert letter in visit.letters()
    assert "No longer" not in page.locator(".navigator").inner_text()
    assert page.locator(".end[aria-pressed=true]").count() == 0
    visit.settle(lambda: page.get_by_role("button", name="back to all ways").click())
    assert "similar" in page.locator(".map").inner_text()


def test_two_people_at_once_do_not_disturb_each_other(visit, chromium, served):
    other = Visit(chromium, served.url)
    other.page.wait_for_selector(".card")
    start = drawing(other)
    visit.settle(lambda: visit.page.keyboard.press("1"))
    other.settle(lambda: other.page.keyboard.press("b"))
    assert "1 step" in visit.page.locator(".header").inner_text()
    assert visit.page.locator(".ruled-out").count() == 0
    assert "0 steps" in other.page.locator(".header").inner_text()
    assert other.page.locator(".ruled-out li").count() == 1
    other.page.keyboard.press("u")
    assert drawing(other) == start
    other.context.close()
    assert other.faults == []


def test_a_fault_is_said_on_the_page_and_nothing_is_lost(visit):
    page, before = visit.page, drawing(visit)
    page.route("**/api/walk", lambda route: route.fulfill(status=422, body='{"error": "No."}'))
    visit.settle(lambda: page.keyboard.press("1"))
    assert "That did not work: No." in visit.banner()
    assert drawing(visit) == before
    visit.faults.clear()  # the browser notes the status, as it should


@pytest.fixture(scope="module")
def digits_page():
    page = serve(demos.digits(), browser=False)
    yield page
    page.stop()


def test_pictures_are_stations_with_strips_of_what_changed(chromium, digits_page):
    tab = Visit(chromium, digits_page.url)
    page = tab.page
    page.wait_for_selector(".card img")
    assert page.locator(".map image").count() > 7
    page.locator(".way-list summary").first.click()
    assert page.locator(".way-list .strip .change-picture").count() >= 2
    visit_steps = page.locator(".card").count()
    assert 1 <= visit_steps <= 4
    tab.settle(lambda: page.keyboard.press("1"))
    assert "1 step" in page.locator(".header").inner_text()
    tab.settle(lambda: page.keyboard.press("b"))
    assert page.locator(".ruled-out li").count() == 1
    tab.context.close()
    assert tab.faults == []
    assert tab.elsewhere == []


@pytest.mark.parametrize("width", [1280, 1024, 768])
def test_a_map_of_pictures_needs_no_scrolling(chromium, digits_page, width):
    tab = Visit(chromium, digits_page.url)
    tab.page.set_viewport_size({"width": width, "height": 800})
    tab.page.wait_for_selector(".map image")
    box = "document.querySelector('.map-box')"
    assert tab.page.evaluate(f"{box}.scrollWidth <= {box}.clientWidth")
    places = tab.page.locator(".map image").evaluate_all(
        "all => all.map((e) => e.getBoundingClientRect())"
        ".map((r) => [r.left, r.right, r.top, r.bottom])"
    )
    for one, other in combinations(places, 2):
        apart = one[1] <= other[0] or other[1] <= one[0] or one[3] <= other[2] or other[3] <= one[2]
        assert apart
    tab.context.close()


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_is_wider_than_the_screen(chromium, served, width, scheme):
    tab = Visit(chromium, served.url, color_scheme=scheme)
    tab.page.set_viewport_size({"width": width, "height": 800})
    tab.page.wait_for_selector(".card")
    assert tab.page.evaluate("document.documentElement.scrollWidth") <= width
    if width == 390:
        parts = ("header", "next", "map", "limits")
        tops = [tab.page.locator(f".{part}").bounding_box()["y"] for part in parts]
        assert tops == sorted(tops)
    tab.context.close()


@pytest.mark.parametrize("width", [1280, 390])
def test_nothing_sticks_out_of_a_card_or_a_dialog(chromium, served, width):
    tab = Visit(chromium, served.url)
    tab.page.set_viewport_size({"width": width, "height": 800})
    tab.page.wait_for_selector(".card")
    tab.page.keyboard.press("c")
    wider = "all => all.filter(e => e.scrollWidth > e.clientWidth + 1).map(e => e.className)"
    parts = tab.page.locator(".next, .card, .card-head, .dialog, .matrix th, .header")
    assert parts.evaluate_all(wider) == []
    tab.context.close()


@pytest.mark.parametrize(
    "state", ["start", "step", "nothing", "compare", "narrow", "dark", "digits"]
)
def test_axe_finds_nothing_serious(chromium, served, digits_page, node_modules, state):
    scheme = "dark" if state == "dark" else "light"
    url = digits_page.url if state == "digits" else served.url
    tab = Visit(chromium, url, color_scheme=scheme, bypass_csp=True)  # axe is not the page's own
    page = tab.page
    page.wait_for_selector(".card")
    if state == "narrow":
        page.set_viewport_size({"width": 390, "height": 800})
    if state == "step":
        tab.settle(lambda: page.keyboard.press("1"))
        page.locator(".way-list summary").first.click()
    if state == "nothing":
        lock_everything(tab)
        page.wait_for_selector(".loosen tbody[data-done]", timeout=20_000)
    if state == "compare":
        page.keyboard.press("c")
    page.evaluate((node_modules / "axe-core" / "axe.min.js").read_text(encoding="utf-8"))
    found = page.evaluate("axe.run()")
    told = [
        (rule["id"], rule["impact"], [node["html"][:160] for node in rule["nodes"][:3]])
        for rule in found["violations"]
    ]
    assert len(found["passes"]) > 20
    assert told == []
    tab.context.close()
