"""Headers and bodies that are endless, slow or no HTTP at all."""

from __future__ import annotations

import json
import socket
import stat
import sys
import threading
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from urllib.parse import urlsplit

import pytest
from starlette.testclient import TestClient
from tests.web.calling import asked

import facelift as fl
from facelift import toys
from facelift.walking.guide import Guide
from facelift.walking.limits import Limits
from facelift.walking.walk import Walk
from facelift.web import server
from facelift.web.messages import MOST_BYTES
from facelift.web.server import Address, Served, lasting_address, serve, write_address

HOST = "127.0.0.1:8765"
TOKEN = "the-token"  # noqa: S105  (a made-up one)


def sent(page: Served, content: bytes, answers: int = 1) -> bytes:
    """What comes back for bytes that are sent as they are, with nothing after them."""
    host, _, port = urlsplit(page.url).netloc.partition(":")
    with socket.create_connection((host, int(port)), timeout=20) as line:
        line.sendall(content)
        found = b""
        while more := line.recv(65536):
            found += more
            if found.count(b"}") >= answers:
                break
    return found


def head(page: Served, *more: str) -> bytes:
    parts = urlsplit(page.url)
    lines = [f"POST {parts.path}api/walk HTTP/1.1", f"Host: {parts.netloc}"]
    lines += ["Content-Type: application/json", *more, "", ""]
    return "\r\n".join(lines).encode()


def test_a_body_that_never_comes_is_given_up(page, monkeypatch):
    monkeypatch.setattr(server, "MOST_BODY_SECONDS", 0.3)
    found = sent(page, head(page, "Content-Length: 100") + b'{"walk"')
    assert found.startswith(b"HTTP/1.1 408")
    assert b"too slowly" in found


def test_a_body_that_says_it_is_small_is_read_no_further(page):
    found = sent(page, head(page, "Transfer-Encoding: chunked") + b"200000\r\n" + b" " * 0x200000)
    assert found.startswith(b"HTTP/1.1 413")


def test_endless_headers_are_cut(page):
    found = sent(page, head(page, "X: " + "a" * (4 * server.MOST_HEADER_BYTES)))
    assert found.startswith(b"HTTP/1.1 4")
    assert b"Traceback" not in found
    assert asked(page)[0] == 200


@pytest.mark.parametrize(
    "content",
    [b"\x16\x03\x01\x02\x00", b"GET\r\n\r\n", b"\r\n" * 50 + b"x\r\n\r\n", bytes(range(256)) * 9],
)
def test_what_is_no_http_does_no_harm(page, content):
    sent(page, content)
    assert asked(page)[0] == 200


def test_a_header_that_never_ends_is_given_up_in_one_line_of_json(page, monkeypatch):
    monkeypatch.setattr(server, "MOST_HEADER_SECONDS", 0.3)
    found = sent(page, b"GET / HTTP/1.1\r\nHost: ")
    assert found.startswith(b"HTTP/1.1 408")
    assert_own_answer(found, "too slowly")


def test_a_second_header_on_a_line_has_a_deadline_too(page, monkeypatch):
    monkeypatch.setattr(server, "MOST_HEADER_SECONDS", 0.3)
    whole = f"GET /x/ HTTP/1.1\r\nHost: {urlsplit(page.url).netloc}\r\n\r\n".encode()
    found = sent(page, whole + b"GET / HTTP/1.1\r\nHo", answers=2)
    assert b"HTTP/1.1 408" in found


def test_what_is_no_request_is_answered_in_one_line_of_json(page):
    assert_own_answer(sent(page, b"GET\r\n\r\n"), "Invalid HTTP request")


def assert_own_answer(found: bytes, words: str) -> None:
    top, _, body = found.partition(b"\r\n\r\n")
    assert words in json.loads(body)["error"]
    for name, value in server.HEADERS.items():
        assert f"{name}: {value}".encode() in top


def test_half_sent_headers_shut_nobody_out(page, monkeypatch):
    monkeypatch.setattr(server, "MOST_CONNECTIONS", 20)
    host, _, port = urlsplit(page.url).netloc.partition(":")
    lines = [socket.create_connection((host, int(port)), timeout=20) for _ in range(40)]
    try:
        for line in lines:
            line.sendall(b"GET / HTTP/1.1\r\nX: ")
        time.sleep(0.2)
        assert asked(page)[0] == 200
        assert lines[0].recv(12) == b"HTTP/1.1 503"
    finally:
        for line in lines:
            line.close()


def test_an_address_is_found_again_by_its_owner_only(tmp_path):
    first = Address(lasting_address(tmp_path).token, 8765)
    write_address(first, tmp_path / "state")
    assert lasting_address(tmp_path / "state") == first
    if sys.platform != "win32":
        assert stat.S_IMODE((tmp_path / "state" / "address.json").stat().st_mode) == 0o600
        assert stat.S_IMODE((tmp_path / "state").stat().st_mode) == 0o700


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", '{"token": "", "port": 1}', '{"token": 1, "port": 1}', "\x00"],
)
def test_a_file_that_says_no_address_is_replaced(tmp_path, text):
    (tmp_path / "address.json").write_text(text, encoding="utf-8")
    made = lasting_address(tmp_path)
    assert len(made.token) >= 22
    assert made.token != lasting_address(tmp_path).token
    write_address(made, tmp_path)
    assert json.loads((tmp_path / "address.json").read_text(encoding="utf-8"))["port"] == 0


def test_no_file_can_be_written_and_the_page_is_served_all_the_same(tmp_path, monkeypatch):
    (tmp_path / "facelift").write_text("a file, where a folder should be", encoding="utf-8")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    served = serve(Guide(toys.loan().multiverse()), browser=False, bookmarks=True)
    served.stop()
    assert served.url.startswith("http://127.0.0.1:")


def test_a_page_is_served_where_it_was_unless_another_is_there(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    guide = Guide(toys.loan().multiverse())
    first = serve(guide, browser=False, bookmarks=True)
    beside = serve(guide, browser=False, bookmarks=True)
    assert beside.url.rpartition("/")[0] != first.url.rpartition("/")[0]
    assert beside.url.split("/")[3] != first.url.split("/")[3]
    first.stop()
    beside.stop()
    again = serve(guide, browser=False, bookmarks=True)
    again.stop()
    assert again.url == first.url


@pytest.fixture(scope="module")
def client(applicant):
    app = server.application(applicant, TOKEN, frozenset({HOST}))
    return TestClient(app, base_url=f"http://{HOST}")


def ask(client, path="walk", body=None, **headers):
    content = body if isinstance(body, bytes) else json.dumps(body or {}).encode()
    headers = {"Content-Type": "application/json", **headers}
    return client.post(f"/{TOKEN}/api/{path}", content=content, headers=headers)


def test_the_page_and_its_parts_are_served_with_a_strict_policy(client):
    for name in ("", "navigator/map.js", "navigator.css", "page.js"):
        answer = client.get(f"/{TOKEN}/{name}")
        assert answer.status_code == 200
        assert answer.headers["content-security-policy"] == server.POLICY
        assert answer.headers["referrer-policy"] == "no-referrer"
    assert "unsafe" not in server.POLICY
    assert "default-src 'none'" in server.POLICY


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
        server.application(applicant, TOKEN, frozenset({HOST})), base_url=f"http://{HOST}"
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
        server.application(guide, TOKEN, frozenset({HOST})), base_url=f"http://{HOST}"
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
        gate.full(server.MOST_AT_ONCE)
        time.sleep(0.2)
        gate.opened.set()
        assert [each.result()[0] for each in answers] == [200] * 10
    assert gate.most == server.MOST_AT_ONCE


def test_when_too_many_wait_the_next_is_sent_away(page, monkeypatch):
    monkeypatch.setattr(server, "MOST_WAITING", 0)
    gate = Gate(monkeypatch)
    with ThreadPoolExecutor(server.MOST_AT_ONCE) as pool:
        answers = [pool.submit(asked, page) for _ in range(server.MOST_AT_ONCE)]
        gate.full(server.MOST_AT_ONCE)
        status, told = asked(page)
        gate.opened.set()
        assert (status, "at once" in told["error"]) == (503, True)
        assert [each.result()[0] for each in answers] == [200] * server.MOST_AT_ONCE
    assert asked(page)[0] == 200


def test_an_answer_that_takes_too_long_is_given_up_but_keeps_its_place(page, monkeypatch):
    monkeypatch.setattr(server, "MOST_SECONDS", 0.3)
    monkeypatch.setattr(server, "MOST_WAITING", 0)
    gate = Gate(monkeypatch)
    with ThreadPoolExecutor(server.MOST_AT_ONCE) as pool:
        answers = [pool.submit(asked, page) for _ in range(server.MOST_AT_ONCE)]
        told = [each.result() for each in answers]
    assert {status for status, _ in told} == {503}
    assert "No answer within 0.3 seconds" in told[0][1]["error"]
    assert "at once" in asked(page)[1]["error"]  # all places are still taken
    monkeypatch.setattr(server, "MOST_SECONDS", 60.0)
    gate.opened.set()
    until = time.monotonic() + 20
    while (status := asked(page)[0]) == 503 and time.monotonic() < until:
        time.sleep(0.05)
    assert status == 200
