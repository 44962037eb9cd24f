"""The table of sources, `data/sources.toml`, and what every loader returns from it."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from sklearn.utils import Bunch

from facelift.datasets.fetching import Fetch, Home, Source, obtained

EMBEDDED = files("facelift.datasets") / "data"
"""The folder of what ships with the package."""


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
