"""Headers and bodies that are endless, slow or no HTTP at all."""

from __future__ import annotations

import json
import socket
import stat
import sys
import time
from urllib.parse import urlsplit

import pytest
from tests.web.calling import asked

from facelift import toys
from facelift.walking.guide import Guide
from facelift.web import application, server
from facelift.web.server import Address, Served, lasting_address, serve, write_address


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
    for name, value in application.HEADERS.items():
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
