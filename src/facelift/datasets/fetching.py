"""The table of data sets, and their files: found or fetched, and never trusted unchecked.

`data/sources.toml` says of every data set which files it has and what its columns mean.

A data home is a folder with one folder per data set, such as `mnist/train-images-idx3-ubyte.gz`.

The publishers' files of Adult and Credit Default are written again from OpenML's tables, which
have the same rows in a format of their own. Written as the publisher wrote them, the files must
have the publisher's checksums: one proof for the download, the order of rows and every value.
(scikit-learn fetches a table whole or not at all; these have a few megabytes.)
"""

from __future__ import annotations

import hashlib
import math
import os
import sys
import tempfile
import tomllib
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from http.client import HTTPException
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pandas as pd
from sklearn.utils import Bunch

from facelift._files import written_whole
from facelift._progress import announced, transferred
from facelift.errors import DamagedFile, DataUnavailable

EMBEDDED = files("facelift.datasets") / "data"
"""The folder of what ships with the package."""

ATTEMPTS = 3
"""How often a broken connection is taken up again before giving up."""

TIMEOUT = 30.0
"""Seconds without a byte after which a connection counts as broken."""

_PIECE = 1 << 16
_BEYOND_THE_END = 416


@dataclass(frozen=True)
class Source:
    """One file of a data set: its place in a data home, its checksum, and where to fetch it."""

    path: str
    sha256: str
    urls: tuple[str, ...] = ()


Fetch = Callable[[Source, Path], None]
"""Puts the file of a source into a data home, or raises an error."""

Home = str | os.PathLike[str] | None


def obtained(
    source: Source, data_home: Home = None, *, download: bool = True, fetch: Fetch | None = None
) -> Path:
    """The checked file of a source: from `data_home`, `FACELIFT_DATA` or the cache, or fetched.

    What has to be fetched goes to `data_home` if given, else to the cache.
    """
    for home in homes(data_home):
        if (home / source.path).is_file():
            return checked(home / source.path, source)
    home = homes(data_home)[0] if data_home is not None else cache_home()
    if not download:
        raise DataUnavailable(_nowhere(source, data_home, "it was not to be downloaded"))
    try:
        (fetch or downloaded)(source, home)
    except (OSError, HTTPException) as fault:
        if isinstance(fault, DataUnavailable):
            raise
        raise DataUnavailable(_nowhere(source, data_home, _reason(fault))) from None
    return checked(home / source.path, source)


def homes(data_home: Home = None) -> list[Path]:
    """The folders to look in, first one first: `data_home`, `FACELIFT_DATA`, the cache."""
    named = [data_home, os.environ.get("FACELIFT_DATA")]
    return [*(Path(home).expanduser() for home in named if home), cache_home()]


def cache_home() -> Path:
    """The folder that fetched files are kept in: `facelift` in the user's cache folder.

    >>> cache_home().name
    'facelift'
    """
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "facelift"


def checked(path: Path, source: Source) -> Path:
    """The path, if the file is the publisher's to the last bit; else an error that names it."""
    found = checksum(path)
    if found != source.sha256:
        raise DamagedFile(
            f"{path} is damaged or not the publisher's: its SHA-256 is {found[:12]}…, "
            f"{source.sha256[:12]}… is needed; delete it to have it fetched again, or replace it."
        )
    return path


def checksum(path: Path) -> str:
    """SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def downloaded(source: Source, home: Path) -> None:
    """Fetch a file from the first of its addresses that has it, going on where it was left.

    What came so far is kept beside the file as `.part`; the file itself appears when it is whole
    and has the right checksum.
    """
    target = home / source.path
    part = target.with_name(f"{target.name}.part")
    target.parent.mkdir(parents=True, exist_ok=True)
    faults: list[Exception] = []
    for url in source.urls * (2 if part.exists() else 1):  # what was left may spoil a first try
        try:
            _transfer(url, part)
            _settle(part, target, source, url)
        except (OSError, HTTPException, DamagedFile) as fault:
            faults.append(fault)
        else:
            return
    raise faults[-1] if faults else DataUnavailable(f"There is no address for {source.path}.")


def _transfer(url: str, part: Path) -> None:
    """Fetch the rest of a file, taking a broken connection up again a few times."""
    broken: Exception | None = None
    for _ in range(ATTEMPTS):
        try:
            if _continue(url, part):
                return
        except HTTPError:
            raise
        except (HTTPException, OSError) as fault:
            broken = fault
    if broken is not None and _size(part) == 0:
        raise broken
    came = f"the connection broke after {_size(part):,} bytes, which are kept"
    raise OSError(f"{came}; try again to go on from there") from broken


def _continue(url: str, part: Path) -> bool:
    """Fetch what is missing of a file in one go; whether that was all of it."""
    size = _size(part)
    try:
        response = urlopen(_request(url, size), timeout=TIMEOUT)  # noqa: S310  (see _request)
    except HTTPError as fault:
        fault.close()
        if fault.code != _BEYOND_THE_END or size == 0:
            raise
        part.unlink()  # longer than the file itself: not a beginning of it
        return False
    with response:
        resumed = response.status == 206 and _starts_at(response, size)
        start = size if resumed else 0
        length = response.headers.get("Content-Length")
        total = None if length is None else start + int(length)
        with part.open("ab" if resumed else "wb") as file:
            for piece in transferred(_pieces(response), part.stem, start, total):
                file.write(piece)
    return total is None or _size(part) >= total


def _request(url: str, start: int) -> Request:
    if not url.startswith(("https://", "http://")):
        raise DataUnavailable(f"Files are fetched over HTTP only, not from {url}.")
    ask_for = {"Range": f"bytes={start}-"} if start else {}
    return Request(url, headers={"User-Agent": "facelift", **ask_for})  # noqa: S310


def _starts_at(response: Any, start: int) -> bool:
    return str(response.headers.get("Content-Range", "")).startswith(f"bytes {start}-")


def _pieces(response: Any) -> Iterator[bytes]:
    while piece := response.read(_PIECE):
        yield piece


def _settle(part: Path, target: Path, source: Source, url: str) -> None:
    """Make a finished download the file, if it is what it should be; else forget it."""
    found = checksum(part)
    if found != source.sha256:
        part.unlink()
        raise DamagedFile(
            f"{url} gave something else than {source.path}: its SHA-256 is {found[:12]}…, "
            f"{source.sha256[:12]}… is needed; nothing was kept."
        )
    part.replace(target)


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _reason(fault: Exception) -> str:
    return " ".join(f"{type(fault).__name__}: {fault}".split())


def _nowhere(source: Source, data_home: Home, why: str) -> str:
    places = ", ".join(str(home) for home in homes(data_home))
    return (
        f"{source.path} is in none of {places}, and could not be fetched ({why}). Put the "
        f"publisher's file into one of these folders as {source.path}, or name a folder that has "
        "it by data_home or FACELIFT_DATA."
    )


@dataclass(frozen=True)
class Dataset:
    """One row of the table: a data set's files, and what its columns mean."""

    description: str
    target: str
    files: tuple[Source, ...] = ()
    columns: tuple[str, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)
    codes: Mapping[str, Mapping[int, str]] = field(default_factory=dict)
    ordered: Mapping[str, list[str]] = field(default_factory=dict)
    unordered: Mapping[str, list[str]] = field(default_factory=dict)
    labels: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def obtained(
        self, data_home: Home = None, *, download: bool = True, fetch: Fetch | None = None
    ) -> list[Path]:
        """The checked files, found in a data home or fetched into one."""
        return [
            obtained(source, data_home, download=download, fetch=fetch) for source in self.files
        ]

    def bunch(self, data: Any, target: Any, return_X_y: bool = False, **more: object) -> Any:
        """All that scikit-learn's own loaders give, or data and target alone."""
        if return_X_y:
            return data, target
        labels = sorted(set(target.tolist()))
        return Bunch(data=data, target=target, target_names=labels, DESCR=self.description, **more)

    def table(self, frame: pd.DataFrame, return_X_y: bool = False, **more: object) -> Any:
        """The same of a table that has the target, which comes last in `frame`."""
        data, target = frame.drop(columns=self.target), frame[self.target]
        names = data.columns.to_list()
        return self.bunch(
            data, target, return_X_y, frame=data.join(target), feature_names=names, **more
        )


def dataset(name: str) -> Dataset:
    """One row of the table, such as "adult"."""
    row = dict(_table()[name])
    sources = row.pop("files", [])
    codes = row.pop("codes", {})
    return Dataset(
        **row,
        files=tuple(Source(**{**each, "urls": tuple(each.get("urls", ()))}) for each in sources),
        codes={
            column: {int(c): label for c, label in each.items()} for column, each in codes.items()
        },
    )


@cache
def _table() -> dict[str, Any]:
    return tomllib.loads((EMBEDDED / "sources.toml").read_text(encoding="utf-8"))


def at_hand(name: str, data_home: Home = None) -> bool:
    """Whether the files of a data set are here already; they are checked when they are read.

    >>> at_hand("german_credit")
    True
    """
    folders = homes(data_home)
    files = dataset(name).files
    return all(any((home / each.path).is_file() for home in folders) for each in files)


ADULT = 1590
CREDIT_DEFAULT = 42477
"""Numbers of the data sets on OpenML."""

N_ADULT_TEST = 16_281
"""Rows of Adult's test file, which come first on OpenML."""


def fetch_adult(source: Source, home: Path) -> None:
    """Write `adult.data` or `adult.test` into a data home."""
    table = _openml_table(ADULT, home)
    lines = [", ".join(row) for row in zip(*map(_words, _columns(table)), strict=True)]
    test, train = lines[:N_ADULT_TEST], lines[N_ADULT_TEST:]
    if source.path.endswith(".test"):
        text = "\n".join(["|1x3 Cross validator", *(f"{line}." for line in test)])
    else:
        text = "\n".join(train)
    _write(home / source.path, text + "\n\n")


def fetch_credit_default(source: Source, home: Path) -> None:
    """Write `UCI_Credit_Card.csv` into a data home."""
    table = _openml_table(CREDIT_DEFAULT, home)
    columns = [[str(i + 1) for i in range(len(table))], *map(_numbers, _columns(table))]
    header = ",".join(f'"{name}"' for name in ["ID", *dataset("credit_default").names])
    lines = [",".join(row) for row in zip(*columns, strict=True)]
    _write(home / source.path, "\n".join([header, *lines, ""]))


def _openml_table(number: int, home: Path) -> Any:
    """A data set of OpenML as a frame, the target last."""
    from sklearn.datasets import fetch_openml

    home.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory(dir=home, prefix=".openml-") as folder,
        announced(f"Fetching data set {number} from OpenML"),
        warnings.catch_warnings(action="ignore"),  # of every attempt; the last one's error is told
    ):
        try:
            found = fetch_openml(data_id=number, data_home=folder, as_frame=True, parser="pandas")
        except ValueError as fault:  # a wrong checksum, or an answer scikit-learn cannot read
            raise OSError(f"OpenML's answer was no use: {fault}") from None
    return found.frame.drop(columns="ID", errors="ignore")


def _columns(table: Any) -> list[Sequence[Any]]:
    return [table[name].astype(object).tolist() for name in table.columns]


def _words(column: Iterable[Any]) -> list[str]:
    """Cells as Adult's publisher writes them: whole numbers, words, ? where nothing is known."""
    return [_word(cell) for cell in column]


def _word(cell: Any) -> str:
    if isinstance(cell, str):
        return cell.strip()
    return "?" if cell is None or math.isnan(cell) else str(int(cell))


def _numbers(column: Iterable[Any]) -> list[str]:
    """Whole numbers as R writes them: 1e+05 where that is shorter than 100000."""
    return [_as_in_r(int(float(value))) for value in column]


def _as_in_r(number: int) -> str:
    digits, exponent = f"{number:e}".split("e")
    short = f"{digits.rstrip('0').rstrip('.')}e{exponent}"
    return short if len(short) < len(str(number)) and float(short) == number else str(number)


def _write(path: Path, text: str) -> None:
    with written_whole(path) as fresh:
        fresh.write_text(text, encoding="ascii", newline="\n")
