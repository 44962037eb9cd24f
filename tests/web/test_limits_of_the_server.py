"""What the server does when too much, too large or too slow things are asked, or it is killed."""

from __future__ import annotations

import gc
import http.client
import json
import os
import select
import signal
import socket
import subprocess
import sys
import threading
import time
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlsplit

import pytest

import facelift as fl
from facelift.walking import Guide
from facelift.web import application, connections, queue, server
from facelift.web.messages import ANSWERS
from facelift.web.server import Served, serve

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def page():
    served = serve(Guide(fl.toys.loan().multiverse()), browser=False)
    yield served
    served.stop()


def asked(page: Served | str, path: str = "walk", **body) -> tuple[int, dict]:
    parts = urlsplit(page if isinstance(page, str) else page.url)
    connection = http.client.HTTPConnection(parts.netloc, timeout=60)
    headers = {"Content-Type": "application/json"}
    connection.request("POST", f"{parts.path}api/{path}", json.dumps(body), headers)
    answer = connection.getresponse()
    content = answer.read()
    connection.close()
    return answer.status, json.loads(content)


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
        gate.full(queue.MOST_AT_ONCE)
        time.sleep(0.2)
        gate.opened.set()
        assert [each.result()[0] for each in answers] == [200] * 10
    assert gate.most == queue.MOST_AT_ONCE


def test_when_too_many_wait_the_next_is_sent_away(page, monkeypatch):
    monkeypatch.setattr(queue, "MOST_WAITING", 0)
    gate = Gate(monkeypatch)
    with ThreadPoolExecutor(queue.MOST_AT_ONCE) as pool:
        answers = [pool.submit(asked, page) for _ in range(queue.MOST_AT_ONCE)]
        gate.full(queue.MOST_AT_ONCE)
        status, told = asked(page)
        gate.opened.set()
        assert (status, "at once" in told["error"]) == (503, True)
        assert [each.result()[0] for each in answers] == [200] * queue.MOST_AT_ONCE
    assert asked(page)[0] == 200


def test_an_answer_that_takes_too_long_is_given_up_but_keeps_its_place(page, monkeypatch):
    monkeypatch.setattr(queue, "MOST_SECONDS", 0.3)
    monkeypatch.setattr(queue, "MOST_WAITING", 0)
    gate = Gate(monkeypatch)
    with ThreadPoolExecutor(queue.MOST_AT_ONCE) as pool:
        answers = [pool.submit(asked, page) for _ in range(queue.MOST_AT_ONCE)]
        told = [each.result() for each in answers]
    assert {status for status, _ in told} == {503}
    assert "No answer within 0.3 seconds" in told[0][1]["error"]
    assert "at once" in asked(page)[1]["error"]  # all places are still taken
    gate.opened.set()
    until = time.monotonic() + 20
    while gate.inside and time.monotonic() < until:
        time.sleep(0.01)
    time.sleep(0.1)
    monkeypatch.setattr(queue, "MOST_SECONDS", 60.0)
    assert asked(page)[0] == 200


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
    monkeypatch.setattr(application, "MOST_BODY_SECONDS", 0.3)
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
    monkeypatch.setattr(connections, "MOST_HEADER_SECONDS", 0.3)
    found = sent(page, b"GET / HTTP/1.1\r\nHost: ")
    assert found.startswith(b"HTTP/1.1 408")
    assert_own_answer(found, "too slowly")


def test_a_second_header_on_a_line_has_a_deadline_too(page, monkeypatch):
    monkeypatch.setattr(connections, "MOST_HEADER_SECONDS", 0.3)
    whole = f"GET /x/ HTTP/1.1\r\nHost: {urlsplit(page.url).netloc}\r\n\r\n".encode()
    found = sent(page, whole + b"GET / HTTP/1.1\r\nHo", answers=2)
    assert b"HTTP/1.1 408" in found


def test_what_is_no_request_is_answered_in_one_line_of_json(page):
    assert_own_answer(sent(page, b"GET\r\n\r\n"), "Invalid HTTP request")


def assert_own_answer(found: bytes, words: str) -> None:
    top, _, body = found.partition(b"\r\n\r\n")
    assert words in json.loads(body)["error"]
    for name, value in application.HEADERS.items():
        assert f"{name}: {value}".encode() in top


def test_half_sent_headers_shut_nobody_out(page, monkeypatch):
    monkeypatch.setattr(connections, "MOST_CONNECTIONS", 20)
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


class Running:
    """The command as its users start it."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "facelift.cli", "explore", "--no-browser", "--row", "4"],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )
        assert select.select([self.process.stdout], [], [], 60)[0]
        self.url = self.process.stdout.readline().strip()

    def __enter__(self) -> str:
        return self.url

    def __exit__(self, *_) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.communicate()


@pytest.mark.harness
def test_nothing_exported_is_lost_when_the_server_is_killed(tmp_path):
    """A walk is in what was exported; another server goes on from there with the same answers."""
    with Running() as url:
        _, start = asked(url)
        vertex = start["cards"]["cards"][0]["vertex"]
        _, step = asked(url, walk=start["walk"], move={"kind": "take", "vertex": vertex})
        _, shown = asked(url, walk=step["walk"])
        _, exported = asked(url, "export", walk=step["walk"], format="json")
        (tmp_path / "walk.json").write_text(json.dumps(exported))
    with pytest.raises(OSError):
        asked(url)
    kept = json.loads((tmp_path / "walk.json").read_text())["document"]["walk"]
    with Running() as url:
        assert asked(url, walk=kept) == (200, shown)
        _, again = asked(url, "export", walk=kept, format="json")
    assert again["document"] == exported["document"]
    receipts = [{**each["receipt"], "made": ""} for each in (exported, again)]
    assert receipts[0] == receipts[1]


@pytest.mark.harness
def test_the_same_walks_again_take_no_more_memory(applicant):
    limits = [{"ease": {name: "hard"}} for name in ("savings", "duration")]
    moves = [None, *({"kind": "limits", "limits": each} for each in limits)]
    asked = [("walk", json.dumps({"move": move}).encode()) for move in moves]
    asked += [("export", json.dumps({"walk": {}, "format": "svg"}).encode())]

    def held(rounds: int) -> int:
        for _ in range(rounds):
            for name, body in asked:
                ANSWERS[name](applicant, body)
        gc.collect()
        return tracemalloc.get_traced_memory()[0]

    held(1)
    tracemalloc.start()
    try:
        first, later = held(1), held(4)
    finally:
        tracemalloc.stop()
    assert later - first < 100_000


@pytest.mark.harness
def test_many_people_walk_at_once_without_error(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT))
    from tools.benchmarks import server_load

    monkeypatch.setattr(server_load, "PAUSE", (0.0, 0.2))
    monkeypatch.setattr(server_load, "COMPARED", 0.5)
    found = server_load.run(12, 10)
    assert found["errors"] == 0, found["first_error"]
    assert found["different"] == 0
    assert found["requests"] > 30
    assert found["compared"] > 2
