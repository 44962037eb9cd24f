"""An address that lasts: the same token and port after a restart, for its owner alone."""

from __future__ import annotations

import json
import stat
import sys

import pytest

from facelift import toys
from facelift.walking.guide import Guide
from facelift.web.address import Address, lasting, write
from facelift.web.server import serve


def test_an_address_is_found_again_by_its_owner_only(tmp_path):
    first = Address(lasting(tmp_path).token, 8765)
    write(first, tmp_path / "state")
    assert lasting(tmp_path / "state") == first
    if sys.platform != "win32":
        assert stat.S_IMODE((tmp_path / "state" / "address.json").stat().st_mode) == 0o600
        assert stat.S_IMODE((tmp_path / "state").stat().st_mode) == 0o700


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", '{"token": "", "port": 1}', '{"token": 1, "port": 1}', "\x00"],
)
def test_a_file_that_says_no_address_is_replaced(tmp_path, text):
    (tmp_path / "address.json").write_text(text, encoding="utf-8")
    made = lasting(tmp_path)
    assert len(made.token) >= 22
    assert made.token != lasting(tmp_path).token
    write(made, tmp_path)
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
