"""Files are found, fetched, taken up again and checked; nothing here leaves the machine."""

from __future__ import annotations

import hashlib
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.error import URLError

import pandas as pd
import pytest
from sklearn.utils import Bunch

from facelift import datasets
from facelift.datasets import fetching
from facelift.datasets.fetching import Source, checked, dataset, obtained
from facelift.errors import DamagedFile, DataUnavailable

CONTENT = bytes(range(256)) * 1000


@dataclass
class Publisher:
    """A server with one file; it can hang up in the middle and not know ranges."""

    content: bytes = CONTENT
    hang_up_after: list[int] = field(default_factory=list)
    knows_ranges: bool = True
    status: int | None = None
    asked: list[str | None] = field(default_factory=list)
    url: str = ""


class Handler(BaseHTTPRequestHandler):
    publisher: Any = None

    def do_GET(self) -> None:
        publisher = self.publisher
        asked = self.headers.get("Range")
        publisher.asked.append(asked)
        if publisher.status:
            self.send_error(publisher.status)
            return
        start = int(asked[6:-1]) if asked and publisher.knows_ranges else 0
        if start > len(publisher.content):
            self.send_error(416)
            return
        body = publisher.content[start:]
        self.send_response(206 if start else 200)
        if start:
            self.send_header("Content-Range", f"bytes {start}-{len(CONTENT) - 1}/{len(CONTENT)}")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if publisher.hang_up_after:
            body = body[: publisher.hang_up_after.pop(0)]
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def publisher():
    it = Publisher()
    handler = type("Bound", (Handler,), {"publisher": it})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    it.url = f"http://127.0.0.1:{server.server_address[1]}/digits.gz"
    yield it
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture(autouse=True)
def alone(tmp_path, monkeypatch):
    """No data of this machine, and a cache that is thrown away."""
    monkeypatch.delenv("FACELIFT_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "cache"))


def source_at(*urls: str, content: bytes = CONTENT) -> Source:
    return Source("digits/digits.gz", hashlib.sha256(content).hexdigest(), urls)


def files_in(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_a_file_is_fetched_once_and_then_found_in_the_cache(publisher, tmp_path):
    first = obtained(source_at(publisher.url))
    assert first.read_bytes() == CONTENT
    assert files_in(tmp_path) == ["cache/facelift/digits/digits.gz"]
    publisher.status = 500
    assert obtained(source_at(publisher.url)) == first


def test_a_file_is_fetched_into_the_data_home_that_was_named(publisher, tmp_path):
    path = obtained(source_at(publisher.url), tmp_path / "mine")
    assert path == tmp_path / "mine" / "digits" / "digits.gz"
    assert path.read_bytes() == CONTENT


def test_a_connection_that_breaks_is_taken_up_where_it_broke(publisher):
    publisher.hang_up_after = [100_000, 50_000]
    assert obtained(source_at(publisher.url)).read_bytes() == CONTENT
    assert publisher.asked == [None, "bytes=100000-", "bytes=150000-"]


def test_an_interrupted_download_goes_on_in_the_next_call(publisher, tmp_path):
    publisher.hang_up_after = [100_000, 0, 0]
    with pytest.raises(DataUnavailable, match=r"broke after 100,000 bytes, which are kept"):
        obtained(source_at(publisher.url))
    assert files_in(tmp_path) == ["cache/facelift/digits/digits.gz.part"]
    publisher.asked.clear()
    assert obtained(source_at(publisher.url)).read_bytes() == CONTENT
    assert publisher.asked == ["bytes=100000-"]
    assert files_in(tmp_path) == ["cache/facelift/digits/digits.gz"]


def test_a_server_that_knows_no_ranges_is_asked_for_all_of_it(publisher):
    publisher.hang_up_after, publisher.knows_ranges = [100_000], False
    assert obtained(source_at(publisher.url)).read_bytes() == CONTENT


def test_a_download_with_a_wrong_checksum_is_refused_and_named(publisher, tmp_path):
    publisher.content = CONTENT[:-1] + b"!"
    with pytest.raises(DamagedFile, match=r"digits/digits\.gz: its SHA-256 is .*nothing was kept"):
        obtained(source_at(publisher.url))
    assert files_in(tmp_path) == []


@pytest.mark.parametrize("left", [b"something else", CONTENT + b"too long"])
def test_what_an_old_download_left_does_not_spoil_a_new_one(publisher, tmp_path, left):
    part = tmp_path / "cache" / "facelift" / "digits" / "digits.gz.part"
    part.parent.mkdir(parents=True)
    part.write_bytes(left)
    assert obtained(source_at(publisher.url)).read_bytes() == CONTENT
    assert not part.exists()


def test_the_next_address_is_tried_when_one_does_not_have_the_file(publisher):
    nobody = "http://127.0.0.1:9/digits.gz"
    assert obtained(source_at(nobody, publisher.url)).read_bytes() == CONTENT


def test_offline_without_the_file_one_line_says_what_to_put_where(tmp_path, monkeypatch):
    monkeypatch.setenv("FACELIFT_DATA", str(tmp_path / "shelf"))
    with pytest.raises(DataUnavailable) as caught:
        obtained(source_at("http://127.0.0.1:9/digits.gz"), tmp_path / "mine")
    message = str(caught.value)
    assert "\n" not in message
    assert "digits/digits.gz" in message
    for place in ("mine", "shelf", "cache/facelift"):
        assert str(tmp_path / place) in message
    for way in ("data_home", "FACELIFT_DATA", "refused"):
        assert way in message


def test_a_server_that_does_not_have_the_file_is_asked_once(publisher):
    publisher.status = 404
    with pytest.raises(DataUnavailable, match="404"):
        obtained(source_at(publisher.url))
    assert publisher.asked == [None]


def test_nothing_is_fetched_when_it_is_not_to_be(publisher):
    with pytest.raises(DataUnavailable, match="not to be downloaded"):
        obtained(source_at(publisher.url), download=False)
    assert publisher.asked == []


def test_the_data_home_comes_before_the_variable_and_the_variable_before_the_cache(
    tmp_path, monkeypatch
):
    monkeypatch.setenv("FACELIFT_DATA", str(tmp_path / "shelf"))
    places = [tmp_path / "mine", tmp_path / "shelf", fetching.cache_home()]
    for place in places:
        (place / "digits").mkdir(parents=True)
        (place / "digits" / "digits.gz").write_bytes(CONTENT)
    for place in places:
        found = obtained(source_at(), tmp_path / "mine")
        assert found == place / "digits" / "digits.gz"
        found.unlink()


def test_a_corrupted_file_is_refused_by_its_checksum_and_named(tmp_path):
    path = tmp_path / "digits" / "digits.gz"
    path.parent.mkdir()
    path.write_bytes(CONTENT)
    assert checked(path, source_at()) == path
    path.write_bytes(CONTENT.replace(b"\x01", b"\x02", 1))
    with pytest.raises(DamagedFile) as caught:
        obtained(source_at(), tmp_path)
    assert str(path) in str(caught.value)
    assert hashlib.sha256(CONTENT).hexdigest()[:12] in str(caught.value)


def test_only_http_is_spoken(tmp_path):
    (tmp_path / "digits.gz").write_bytes(CONTENT)
    with pytest.raises(DataUnavailable, match="HTTP only"):
        obtained(source_at(f"file://{tmp_path}/digits.gz"))


def test_a_bar_says_how_much_has_come(publisher, capsys, monkeypatch):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    monkeypatch.setattr("facelift._progress.PATIENCE", 0.0)
    obtained(source_at(publisher.url))
    drawn = capsys.readouterr().err
    assert "digits.gz" in drawn
    assert "256.0/256.0 kB" in drawn


@pytest.fixture
def online(monkeypatch):
    """OpenML with the tables put in; remembers which were asked for."""

    class OpenML(dict[int, pd.DataFrame]):
        asked: list[int]
        fault: Exception

    server = OpenML()
    server.asked, server.fault = [], URLError("no route to host")

    def fetch_openml(*, data_id: int, data_home: str, as_frame: bool, parser: str) -> Any:
        assert Path(data_home).is_dir()
        assert as_frame
        assert parser == "pandas"
        server.asked.append(data_id)
        if data_id not in server:
            raise server.fault
        return Bunch(frame=server[data_id])

    monkeypatch.setattr("sklearn.datasets.fetch_openml", fetch_openml)
    return server


@pytest.fixture(scope="module")
def adult_table(data_home: Path) -> pd.DataFrame:
    """Adult as OpenML has it: the test rows first, numbers as floats, words as categories."""
    names = [str(i) for i in range(15)]
    files = [data_home / "adult" / name for name in ("adult.test", "adult.data")]
    parts = [
        pd.read_csv(
            file, header=None, names=names, skipinitialspace=True, comment="|", na_values="?"
        )
        for file in files
    ]
    table = pd.concat(parts, ignore_index=True)
    table["14"] = table["14"].str.rstrip(".")
    words = table.select_dtypes(exclude="number").columns
    return table.astype(dict.fromkeys(words, "category")).astype({"0": float, "2": float})


@pytest.fixture(scope="module")
def default_table(data_home: Path) -> pd.DataFrame:
    """Credit Default as OpenML has it: no identifiers, names x1 to x23, codes as categories."""
    table = pd.read_csv(data_home / "default" / "UCI_Credit_Card.csv").drop(columns="ID")
    table.columns = pd.Index([*(f"x{i}" for i in range(1, 24)), "y"])
    return table.astype({"x2": str, "y": str}).astype({"x2": "category", "y": "category"})


def test_adult_is_written_as_its_publisher_wrote_it(online, adult_table, data_home, tmp_path):
    online[fetching.ADULT] = adult_table
    fetched = datasets.load_adult(tmp_path / "mine")
    assert online.asked == [fetching.ADULT] * 2
    for name in ("adult.data", "adult.test"):
        ours, theirs = (home / "adult" / name for home in (tmp_path / "mine", data_home))
        assert ours.read_bytes() == theirs.read_bytes()
    pd.testing.assert_frame_equal(fetched.frame, datasets.load_adult(data_home).frame)
    datasets.load_adult(tmp_path / "mine")
    assert online.asked == [fetching.ADULT] * 2


def test_credit_default_is_written_as_its_publisher_wrote_it(
    online, default_table, data_home, tmp_path
):
    online[fetching.CREDIT_DEFAULT] = default_table
    datasets.load_credit_default(tmp_path / "mine")
    ours, theirs = (
        home / dataset("credit_default").files[0].path for home in (tmp_path / "mine", data_home)
    )
    assert ours.read_bytes() == theirs.read_bytes()
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["default"]


def test_another_table_of_that_number_is_refused(online, default_table, tmp_path):
    online[fetching.CREDIT_DEFAULT] = default_table.assign(x5=default_table["x5"] + 1)
    with pytest.raises(DamagedFile, match=r"UCI_Credit_Card\.csv"):
        datasets.load_credit_default(tmp_path)


@pytest.mark.parametrize(
    ("load", "name"),
    [(datasets.load_adult, "adult"), (datasets.load_credit_default, "credit_default")],
)
def test_offline_one_line_says_what_to_put_where(online, load, name, tmp_path):
    with pytest.raises(DataUnavailable) as caught:
        load(tmp_path)
    message = str(caught.value)
    assert dataset(name).files[0].path in message
    assert str(tmp_path) in message
    assert "no route to host" in message
    assert online.asked


def test_an_answer_that_scikit_learn_cannot_read_is_said_in_one_line(online, tmp_path):
    online.fault = ValueError("md5 checksum of local file does not match description")
    with pytest.raises(DataUnavailable, match="md5 checksum"):
        datasets.load_credit_default(tmp_path)
