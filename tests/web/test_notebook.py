"""The navigator as a widget: its messages, and its script in a page that is not its own."""

from __future__ import annotations

import json
import subprocess
import sys
from base64 import b64encode
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

import anywidget
import pytest
from starlette.testclient import TestClient

import facelift as fl
from facelift.walking.guide import Guide
from facelift.walking.limits import Limits
from facelift.walking.walk import Walk
from facelift.web.messages import MOST_BYTES, reply
from facelift.web.notebook import Navigator
from facelift.web.server import application

HOST = "127.0.0.1:8765"
LOAN = Guide(fl.toys.loan().multiverse())


@pytest.fixture(scope="module")
def client(applicant):
    app = application(applicant, "token", frozenset({HOST}))
    return TestClient(app, base_url=f"http://{HOST}")


def asked(guide: Guide, name: str, body: object) -> tuple[dict[str, Any], bytes]:
    return reply(guide, {"id": "one", "ask": name, "body": body})


def test_what_a_widget_is_told_is_what_a_page_is_told(applicant, client):
    walk: dict[str, Any] = {}
    bodies: list[tuple[str, dict[str, Any]]] = [("walk", {})]
    first = json.loads(asked(applicant, "walk", {})[1])
    walk, step = first["walk"], first["cards"]["cards"][0]["vertex"]
    bodies += [
        ("walk", {"walk": walk, "move": {"kind": "take", "vertex": step}}),
        ("walk", {"walk": walk, "move": {"kind": "rule out", "vertex": step}}),
        ("opened", {"walk": walk, "limits": asdict(Limits(ease={"savings": "never"}))}),
        ("export", {"walk": walk, "format": "svg"}),
    ]
    for name, body in bodies:
        answer, content = asked(applicant, name, body)
        page = client.post(f"/token/api/{name}", json=body)
        assert content == page.content
        assert answer == {"id": "one", "kind": page.headers["content-type"].partition(";")[0]}


def test_a_widget_tells_python_what_was_done(applicant):
    navigator, seen = Navigator(applicant), []
    navigator.observe(lambda change: seen.append(change["name"]), ["walk", "position", "limits"])
    first = json.loads(navigator.document)
    card = first["cards"]["cards"][0]["vertex"]
    move = {"kind": "take", "vertex": card}
    body = {"walk": first["walk"], "move": move}
    navigator._heard(navigator, {"id": "1", "ask": "walk", "body": body}, [])
    assert navigator.walk.walked == (card,)
    assert navigator.position.vertex == card
    assert {"walk", "position"} <= set(seen)
    assert navigator.journey is None or int(navigator.journey.vertices[0]) == card
    limits = {**first["walk"]["limits"], "ease": {"savings": "never"}}
    body = {"walk": first["walk"], "move": {"kind": "limits", "limits": limits}}
    navigator._heard(navigator, {"id": "2", "ask": "walk", "body": body}, [])
    assert navigator.limits.ease == {"savings": "never"}
    assert navigator.journey.rows["savings"].nunique() == 1


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("walk", {"walk": {"walked": "abc"}}),
        ("walk", {"move": {"kind": "take", "vertex": 10**6}}),
        ("walk", {"walk": {"limits": {"chance": 2}}}),
        ("export", {"walk": {}, "format": "exe"}),
        ("opened", {}),
    ],
)
def test_bad_messages_get_the_line_that_a_page_gets(applicant, client, name, body):
    answer, content = asked(applicant, name, body)
    page = client.post(f"/token/api/{name}", json=body)
    assert page.status_code == 422
    assert answer["error"] == page.json()["error"]
    assert content == b""


@pytest.mark.parametrize(
    "message", [None, [], "walk", 7, {}, {"ask": None}, {"ask": "fly"}, {"ask": []}]
)
def test_a_message_that_asks_for_nothing_is_one_clear_line(message):
    answer, content = reply(LOAN, message)
    assert answer["error"].startswith("There is nothing called")
    assert content == b""


def test_a_message_that_is_too_large_is_turned_away():
    message = {"id": 1, "ask": "walk", "body": {"x": " " * MOST_BYTES}}
    assert reply(LOAN, message)[0] == {"id": 1, "error": "The request is too large."}


def test_a_failure_inside_tells_nothing(monkeypatch, caplog):
    def fail(*_):
        raise RuntimeError("secret of the inside")

    monkeypatch.setattr(Guide, "plan", fail)
    answer, _ = reply(LOAN, {"id": 1, "ask": "walk", "body": {}})
    assert "secret" not in answer["error"]
    assert "secret of the inside" in caplog.text


def test_a_widget_answers_the_messages_it_hears(monkeypatch):
    widget = fl.views.widget(fl.toys.loan().multiverse(), title="Loan")
    assert isinstance(widget, anywidget.AnyWidget)
    sent = []
    monkeypatch.setattr(widget, "send", lambda *message: sent.append(message))
    message = {"id": "a", "ask": "walk", "body": {}}
    widget._handle_custom_msg(message, [])
    answer, content = reply(widget.guide, message)
    assert sent == [(answer, [content])]
    assert sent[0][1][0].decode() == widget.document


def test_the_model_has_the_script_the_looks_and_the_first_document():
    state = Navigator(LOAN).get_state()
    assert "export default { render }" in state["_esm"]
    assert ".navigator" in state["looks"]
    assert json.loads(state["document"])["schema"] == "facelift/walk/1"


def test_where_there_are_no_widgets_the_map_is_shown():
    shown, _ = Navigator(LOAN)._repr_mimebundle_()
    assert shown["text/html"] == LOAN.multiverse._repr_html_()
    assert "application/vnd.jupyter.widget-view+json" in shown


def test_without_anywidget_one_line_says_how_to_get_it():
    code = (
        "import sys; sys.modules['anywidget'] = None\n"
        "import facelift as fl\n"
        "try:\n    fl.views.widget(fl.toys.loan().multiverse())\n"
        "except fl.errors.MissingExtra as fault:\n    print(fault)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (
        done.stdout == 'The widget needs anywidget; pip install "facelift-multiverse[notebook]".\n'
    )


# The script in somebody else's page, as anywidget loads it, with Python at the other end.
SETUP = """
async ({ state, views }) => {
  document.title = "Untitled.ipynb";
  window.keys = [];
  document.addEventListener("keydown", (event) => keys.push(event.key));
  const source = URL.createObjectURL(new Blob([state._esm], { type: "text/javascript" }));
  const { default: widget } = await import(source);
  const heard = new Set();
  const model = {
    get: (name) => state[name],
    on: (event, hear) => event === "msg:custom" && heard.add(hear),
    off: (event, hear) => heard.delete(hear),
    send: async (message) => {
      const { answer, buffers } = await python(message);
      const bytes = (each) => Uint8Array.from(atob(each), (c) => c.charCodeAt(0));
      const contents = buffers.map((each) => new DataView(bytes(each).buffer));
      for (const hear of [...heard]) hear(answer, contents);
    },
  };
  window.heard = heard;
  window.leave = views.map((id) => {
    const el = document.createElement("div");
    el.id = id;
    document.body.append(el);
    return widget.render({ model, el });
  });
}
"""


class Corner:
    """Views of one widget in a page of somebody else's."""

    def __init__(self, browser: Any, guide: Guide, views: list[str], locale: str = "en") -> None:
        self.page = browser.new_page(viewport={"width": 1280, "height": 900}, locale=locale)
        self.faults: list[str] = []
        self.page.on("pageerror", lambda fault: self.faults.append(str(fault)))
        self.page.on("console", self._heard)
        self.navigator = Navigator(guide)
        self.sent: list[Any] = []
        self.navigator.send = lambda *answer: self.sent.append(answer)
        self.page.expose_function("python", self._answered)
        state = self.navigator.get_state()
        kept = {name: state[name] for name in ("_esm", "looks", "document")}
        self.page.evaluate(SETUP, {"state": kept, "views": views})

    def _heard(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.faults.append(message.text)

    def _answered(self, message: Any) -> dict[str, Any]:
        self.navigator._heard(self.navigator, message, [])
        answer, buffers = self.sent.pop()
        return {"answer": answer, "buffers": [b64encode(each).decode() for each in buffers]}

    def settle(self, view: str, act: Any) -> None:
        place = self.page.locator(f"#{view} .navigator")
        drawn = place.get_attribute("data-drawn")
        act()
        self.page.wait_for_selector(f'#{view} .navigator:not([data-drawn="{drawn}"])')

    def ends(self, view: str) -> list[str]:
        return self.page.locator(f"#{view} .map .end").evaluate_all(
            "ends => ends.map(end => end.dataset.key.slice(4))"
        )


@pytest.fixture
def corner(chromium, applicant) -> Iterator[Corner]:
    made = Corner(chromium, applicant, ["one", "two"])
    yield made
    made.page.close()
    assert made.faults == []


def test_steps_are_taken_undone_and_ruled_out_by_message(corner):
    before = corner.ends("one")
    assert len(before) == 7
    corner.settle("one", lambda: corner.page.locator("#one [data-key=take-0]").click())
    assert "Step taken" in corner.page.locator("#one .banner p").first.inner_text()
    corner.settle("one", lambda: corner.page.locator("#one [data-key=undo]").click())
    assert corner.ends("one") == before
    corner.settle("one", lambda: corner.page.locator("#one [data-key=cannot-0]").click())
    assert corner.page.locator("#one .ruled-out li").count() == 1
    assert corner.ends("one") != before


def test_a_data_scientist_walks_in_the_widget_and_reads_the_walk(corner):
    navigator, page = corner.navigator, corner.page
    first = navigator.journey.cost
    corner.settle("one", lambda: page.locator("#one [data-key=take-0]").click())
    assert len(navigator.walk.past) == 1
    assert navigator.position.vertex == navigator.walk.walked[-1]
    assert navigator.journey.cost < first
    corner.settle("one", lambda: page.locator("#one [data-key=cannot-0]").click())
    assert len(navigator.limits.ruled_out) == 1


def test_two_views_of_a_widget_do_not_disturb_each_other(corner):
    other = corner.page.locator("#two .navigator")
    drawn = other.get_attribute("data-drawn")
    corner.settle("one", lambda: corner.page.locator("#one [data-key=take-0]").click())
    corner.page.locator("#one [data-key=setting-savings]").click()
    never = corner.page.locator("#one label[for=ease-savings-never]")
    corner.settle("one", never.click)
    assert other.get_attribute("data-drawn") == drawn
    assert corner.page.locator("#two .trial").is_hidden()
    assert corner.page.locator("#one #ease-savings-never").is_checked()


def test_neither_the_tab_nor_its_keys_are_taken_over(corner):
    assert corner.page.title() == "Untitled.ipynb"
    drawn = corner.page.locator("#one .navigator").get_attribute("data-drawn")
    corner.page.keyboard.press("1")
    assert corner.page.locator("#one .navigator").get_attribute("data-drawn") == drawn
    corner.page.locator("#one [data-key=take-0]").focus()
    corner.settle("one", lambda: corner.page.keyboard.press("1"))
    assert corner.page.evaluate("keys") == ["1"]
    assert corner.page.locator("#one").get_attribute("data-lm-suppress-shortcuts") == "true"
    assert corner.page.evaluate("getComputedStyle(document.body).containerType") == "normal"


def test_the_focus_stays_where_it_was(corner):
    corner.page.locator("#one [data-key=take-0]").focus()
    corner.settle("one", lambda: corner.page.keyboard.press("Enter"))
    focused = "document.activeElement.shadowRoot.activeElement.dataset.key"
    assert corner.page.evaluate(focused) == "take-0"


def test_it_fits_the_corner_it_is_given(corner):
    grid = "getComputedStyle(document.querySelector('#one').shadowRoot.firstElementChild)"
    columns = f"{grid}.gridTemplateColumns.split(' ').length"
    assert corner.page.evaluate(columns) == 3
    corner.page.locator("#one").evaluate("one => { one.style.width = '800px'; }")
    assert corner.page.evaluate(columns) == 1


def test_exports_come_by_message(corner):
    corner.page.locator("#one [data-key=export]").click()
    with corner.page.expect_download() as download:
        corner.page.locator("#one [data-export=json]").click()
    content = json.loads(download.value.path().read_text(encoding="utf-8"))
    assert content["document"]["header"]["title"] == "Applicant 4"


def test_what_goes_wrong_is_said_in_the_widget(corner, monkeypatch):
    offered = {option.end for option in LOAN.plan(Walk()).options}
    cards = corner.page.locator("#one .card")
    vertices = cards.evaluate_all("all => all.map(card => Number(card.dataset.vertex))")
    unknown = next(i for i, vertex in enumerate(vertices) if vertex not in offered)
    monkeypatch.setattr(corner.navigator, "guide", LOAN)  # which offers other steps
    corner.settle("one", lambda: cards.nth(unknown).locator("button.primary").click())
    assert "That did not work" in corner.page.locator("#one .banner p").first.inner_text()


def test_a_view_that_is_gone_hears_no_more(corner):
    assert corner.page.evaluate("heard.size") == 2
    corner.page.evaluate("leave[0]()")
    assert corner.page.evaluate("heard.size") == 1
