"""The server's door: who is let in, what is turned away, and what is never told."""

from __future__ import annotations

import json
import socket
import threading
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict

import pytest
from starlette.testclient import TestClient
from tests.web.calling import asked

import facelift as fl
from facelift.walking.guide import Guide
from facelift.walking.limits import Limits
from facelift.walking.walk import Walk
from facelift.web import application
from facelift.web.messages import MOST_BYTES
from facelift.web.server import serve

HOST = "127.0.0.1:8765"
TOKEN = "the-token"  # noqa: S105  (a made-up one)


@pytest.fixture(scope="module")
def client(applicant):
    app = application.application(applicant, TOKEN, frozenset({HOST}))
    return TestClient(app, base_url=f"http://{HOST}")


def ask(client, path="walk", body=None, **headers):
    content = body if isinstance(body, bytes) else json.dumps(body or {}).encode()
    headers = {"Content-Type": "application/json", **headers}
    return client.post(f"/{TOKEN}/api/{path}", content=content, headers=headers)


def test_the_page_and_its_parts_are_served_with_a_strict_policy(client):
    for name in ("", "navigator/map.js", "navigator.css", "page.js"):
        answer = client.get(f"/{TOKEN}/{name}")
        assert answer.status_code == 200
        assert answer.headers["content-security-policy"] == application.POLICY
        assert answer.headers["referrer-policy"] == "no-referrer"
    assert "unsafe" not in application.POLICY
    assert "default-src 'none'" in application.POLICY


@pytest.mark.parametrize("path", ["/", "/wrong/", "/wrong/page.js", "/thé-token/", "//"])
def test_without_the_token_nothing_is_told(client, path):
    answer = client.get(path)
    assert answer.status_code in (403, 404)
    assert "facelift" not in answer.headers.get("server", "")


@pytest.mark.parametrize(
    "path", ["../server.py", "static/page.js", "%2e%2e/server.py", "document.d.ts", "api/walk"]
)
def test_only_the_pages_own_files_are_served(client, path):
    assert client.get(f"/{TOKEN}/{path}").status_code in (403, 404, 405)


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1", "127.0.0.1:1", "localhost.evil:8765"]
)
def test_another_host_is_turned_away(client, host):
    assert client.get(f"/{TOKEN}/", headers={"Host": host}).status_code == 400


def test_another_page_may_not_ask(client):
    assert ask(client, Origin="http://evil.example").status_code == 403
    assert ask(client, Origin="null").status_code == 403
    assert ask(client, Origin=f"http://{HOST}").status_code == 200
    assert ask(client, **{"Content-Type": "text/plain"}).status_code == 415


LIMITS = asdict(Limits())

BAD_BODIES = {
    "no JSON": b"{",
    "a list": b"[]",
    "NaN": b'{"walk": {"limits": {"chance": NaN}}}',
    "deep": b"[" * 100_000,
    "a wrong type": {"walk": {"walked": "abc"}},
    "a step that is not offered": {"move": {"kind": "take", "vertex": 10**6}},
    "a negative step": {"move": {"kind": "take", "vertex": -1}},
    "vertices that are not there": {"walk": {"walked": [99999]}},
    "an unknown move": {"move": {"kind": "fly"}},
    "an unknown column": {"move": {"kind": "limits", "limits": {"ease": {"wings": "easy"}}}},
    "an unknown ease": {"move": {"kind": "limits", "limits": {"ease": {"age": "trivial"}}}},
    "bounds the wrong way": {"move": {"kind": "limits", "limits": {"bounds": {"age": [9, 1]}}}},
    "bounds of levels": {"move": {"kind": "limits", "limits": {"bounds": {"savings": [0, 1]}}}},
    "infinite bounds": {"move": {"kind": "limits", "limits": {"bounds": {"age": [0, 1e999]}}}},
    "a chance above 1": {"move": {"kind": "limits", "limits": {"chance": 2}}},
    "too many steps": {"move": {"kind": "limits", "limits": {"max_steps": 1000}}},
    "too many ways": {"move": {"kind": "again", "n_ways": 10**6}},
    "too long a past": {"walk": {"walked": [0] * 5000}},
    "a row that is too short": {"walk": {"origin": [1, 2]}},
    "a level that is not there": {"move": {"kind": "other", "values": {"savings": "gold"}}},
    "text for a number": {"move": {"kind": "other", "values": {"age": "old"}}},
    "a column that is not there": {"move": {"kind": "other", "values": {"wings": 2}}},
    "a change ruled out of no column": {
        "move": {
            "kind": "limits",
            "limits": {"ruled_out": [{"feature": "wings", "start": 1, "end": 2}]},
        }
    },
    "a change ruled out of no number": {
        "move": {
            "kind": "limits",
            "limits": {"ruled_out": [{"feature": "age", "start": "young", "end": "old"}]},
        }
    },
}


NAMED = [{"letter": letter, "key": letter.lower(), "colour": 0} for letter in "AB"]
BAD_BODIES |= {  # found by fuzzing
    "half a character": {"walk": {"unfolded": "\ud800"}},
    "a letter twice": {"walk": {"names": [NAMED[0], {**NAMED[1], "letter": "A"}]}},
    "a destination twice": {"walk": {"names": [NAMED[0], {**NAMED[1], "key": "a"}]}},
    "a colour that there is not": {"walk": {"names": [{**NAMED[0], "colour": -1}]}},
    "a move of no kind": {"move": {"vertex": 1}},
}


@pytest.mark.parametrize("name", BAD_BODIES)
def test_a_bad_request_is_one_clear_line(client, name):
    answer = ask(client, body=BAD_BODIES[name])
    assert answer.status_code == 422, answer.text
    message = answer.json()["error"]
    assert message.strip()
    assert "\n" not in message
    assert "Traceback" not in message
    assert ".py" not in message


def test_letters_that_are_missing_are_not_given_twice(client):
    names = ask(client).json()["walk"]["names"]
    shown = ask(client, body={"walk": {"names": names[1:]}})
    assert shown.status_code == 200, shown.text
    letters = [name["letter"] for name in shown.json()["walk"]["names"]]
    assert len(set(letters)) == len(letters)


def test_a_large_request_is_not_read_to_its_end(client):
    assert ask(client, body=b" " * (MOST_BYTES + 1)).status_code == 413


def test_a_failure_inside_tells_nothing(applicant, monkeypatch, caplog):
    def fail(*_):
        raise RuntimeError("secret of the inside")

    monkeypatch.setattr(Guide, "plan", fail)
    client = TestClient(
        application.application(applicant, TOKEN, frozenset({HOST})), base_url=f"http://{HOST}"
    )
    answer = ask(client)
    assert answer.status_code == 500
    assert "secret" not in answer.text
    assert "secret of the inside" in caplog.text


def test_the_server_keeps_nothing_of_a_walk(client):
    first = ask(client).content
    walk = json.loads(first)["walk"]
    vertex = json.loads(first)["cards"]["cards"][0]["vertex"]
    ask(client, body={"walk": walk, "move": {"kind": "take", "vertex": vertex}})
    ask(client, body={"walk": walk, "move": {"kind": "rule out", "vertex": vertex}})
    assert ask(client).content == first


def test_what_loosening_opens_is_told_without_walking(client):
    walk = json.loads(ask(client).content)["walk"]
    answer = ask(client, "opened", {"walk": walk, "limits": LIMITS})
    assert answer.json()["n_ways"] == 7
    assert answer.json()["effort"] > 0


@pytest.mark.parametrize(
    ("kind", "media"),
    [("svg", "image/svg+xml"), ("json", "application/json"), ("html", "text/html")],
)
def test_every_format_is_exported(client, kind, media):
    walk = json.loads(ask(client).content)["walk"]
    answer = ask(client, "export", {"walk": walk, "format": kind})
    assert answer.headers["content-type"].startswith(media)
    assert len(answer.content) > 1000


def test_it_listens_on_loopback_only_and_can_be_stopped():
    page = serve(Guide(fl.toys.loan().multiverse()), browser=False)
    port = int(page.url.split(":")[2].partition("/")[0])
    with urllib.request.urlopen(page.url) as answer:  # noqa: S310  (our own address)
        assert answer.status == 200
    own = socket.gethostbyname(socket.gethostname())
    if not own.startswith("127."):
        with pytest.raises(OSError), socket.create_connection((own, port), timeout=1):
            pass
    page.stop()
    with pytest.raises(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
        pass


def test_two_pages_have_two_tokens():
    guide = Guide(fl.toys.loan().multiverse())
    pages = [serve(guide, browser=False) for _ in range(2)]
    assert len({page.url.split("/")[-2] for page in pages}) == 2
    assert all(len(page.url.split("/")[-2]) >= 20 for page in pages)
    for page in pages:
        page.stop()


def test_a_port_that_is_taken_is_one_clear_line():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(fl.errors.InvalidInput, match=f"Port {port} cannot be used"):
            serve(Guide(fl.toys.loan().multiverse()), port=port, browser=False)


def test_a_walk_of_a_bare_graph_can_be_walked_but_not_replanned():
    guide = Guide(fl.toys.loan().multiverse())
    client = TestClient(
        application.application(guide, TOKEN, frozenset({HOST})), base_url=f"http://{HOST}"
    )
    first = ask(client).json()
    assert [card["vertex"] for card in first["cards"]["cards"]] == [1, 4]
    assert first["can_replan"] is False
    step = ask(client, body={"walk": first["walk"], "move": {"kind": "take", "vertex": 4}}).json()
    assert step["header"]["n_steps"] == 1
    closed = [badge["letter"] for badge in step["badges"] if badge["status"] == "closed"]
    assert closed == ["A"]
    answer = ask(
        client, body={"walk": asdict(Walk()), "move": {"kind": "limits", "limits": LIMITS}}
    )
    assert answer.status_code == 422
    assert "nobody to ask" in answer.json()["error"]


class Gate:
    """Holds every answer up until it is opened, and counts who is inside."""

    def __init__(self, monkeypatch) -> None:
        self.opened, self.inside, self.most, self.lock = threading.Event(), 0, 0, threading.Lock()
        real = Guide.plan

        def plan(guide, walk):
            with self.lock:
                self.inside += 1
                self.most = max(self.most, self.inside)
            self.opened.wait(30)
            with self.lock:
                self.inside -= 1
            return real(guide, walk)

        monkeypatch.setattr(Guide, "plan", plan)

    def full(self, n: int) -> None:
        until = time.monotonic() + 20
        while self.inside < n and time.monotonic() < until:
            time.sleep(0.01)
        assert self.inside == n


def test_only_some_answers_are_worked_out_at_once_and_the_rest_waits(page, monkeypatch):
    gate = Gate(monkeypatch)
    with ThreadPoolExecutor(10) as pool:
        answers = [pool.submit(asked, page) for _ in range(10)]
        gate.full(application.MOST_AT_ONCE)
        time.sleep(0.2)
        gate.opened.set()
        assert [each.result()[0] for each in answers] == [200] * 10
    assert gate.most == application.MOST_AT_ONCE


def test_when_too_many_wait_the_next_is_sent_away(page, monkeypatch):
    monkeypatch.setattr(application, "MOST_WAITING", 0)
    gate = Gate(monkeypatch)
    with ThreadPoolExecutor(application.MOST_AT_ONCE) as pool:
        answers = [pool.submit(asked, page) for _ in range(application.MOST_AT_ONCE)]
        gate.full(application.MOST_AT_ONCE)
        status, told = asked(page)
        gate.opened.set()
        assert (status, "at once" in told["error"]) == (503, True)
        assert [each.result()[0] for each in answers] == [200] * application.MOST_AT_ONCE
    assert asked(page)[0] == 200


def test_an_answer_that_takes_too_long_is_given_up_but_keeps_its_place(page, monkeypatch):
    monkeypatch.setattr(application, "MOST_SECONDS", 0.3)
    monkeypatch.setattr(application, "MOST_WAITING", 0)
    gate = Gate(monkeypatch)
    with ThreadPoolExecutor(application.MOST_AT_ONCE) as pool:
        answers = [pool.submit(asked, page) for _ in range(application.MOST_AT_ONCE)]
        told = [each.result() for each in answers]
    assert {status for status, _ in told} == {503}
    assert "No answer within 0.3 seconds" in told[0][1]["error"]
    assert "at once" in asked(page)[1]["error"]  # all places are still taken
    gate.opened.set()
    until = time.monotonic() + 20
    while gate.inside and time.monotonic() < until:
        time.sleep(0.01)
    time.sleep(0.1)
    monkeypatch.setattr(application, "MOST_SECONDS", 60.0)
    assert asked(page)[0] == 200
