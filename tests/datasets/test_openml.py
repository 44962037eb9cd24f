"""Tables as OpenML gives them become the publishers' files to the last byte."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.error import URLError

import pandas as pd
import pytest
from sklearn.utils import Bunch

from facelift import datasets
from facelift.datasets import openml
from facelift.datasets.fetching import dataset
from facelift.errors import DamagedFile, DataUnavailable


@pytest.fixture(autouse=True)
def alone(tmp_path, monkeypatch):
    """No data of this machine, and a cache that is thrown away."""
    monkeypatch.delenv("FACELIFT_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "cache"))


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
    online[openml.ADULT] = adult_table
    fetched = datasets.load_adult(tmp_path / "mine")
    assert online.asked == [openml.ADULT] * 2
    for name in ("adult.data", "adult.test"):
        ours, theirs = (home / "adult" / name for home in (tmp_path / "mine", data_home))
        assert ours.read_bytes() == theirs.read_bytes()
    pd.testing.assert_frame_equal(fetched.frame, datasets.load_adult(data_home).frame)
    datasets.load_adult(tmp_path / "mine")
    assert online.asked == [openml.ADULT] * 2


def test_credit_default_is_written_as_its_publisher_wrote_it(
    online, default_table, data_home, tmp_path
):
    online[openml.CREDIT_DEFAULT] = default_table
    datasets.load_credit_default(tmp_path / "mine")
    ours, theirs = (
        home / dataset("credit_default").files[0].path for home in (tmp_path / "mine", data_home)
    )
    assert ours.read_bytes() == theirs.read_bytes()
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["default"]


def test_another_table_of_that_number_is_refused(online, default_table, tmp_path):
    online[openml.CREDIT_DEFAULT] = default_table.assign(x5=default_table["x5"] + 1)
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
