"""What the paper's two tables compare: data sets, who is explained, targets; and what it prints."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

N_ALTERNATIVES = 5
"""Alternatives that a journey is compared with."""

N_QUICK = 60
"""Factuals of each data set in a quick run."""

THRESHOLD = 0.5
"""Probability of a class that counts as reaching it."""


Home = str | PathLike[str] | None
"""A folder of data, as loaders take it."""


@dataclass(frozen=True)
class Extent:
    """How much is run, from which seeds, and where data and models are looked for.

    At most `most` factuals of each data set, all of them if `full`; `n_seeds` seeds from `seed` on.
    With `so_far` nothing is worked out that is not known. `tell` is called with a line about what
    is done and how long the rest may take.
    """

    full: bool = False
    seed: int = 0
    data_home: Home = None
    models_home: Path | None = None
    most: int | None = N_QUICK
    n_seeds: int = 1
    so_far: bool = False
    tell: Callable[[str], None] = field(default=lambda _: None, compare=False)

    @property
    def n_factuals(self) -> int | None:
        """Factuals of each data set; None for all."""
        return None if self.full else self.most

    @property
    def seeds(self) -> list[int]:
        """All seeds, in order."""
        return list(range(self.seed, self.seed + self.n_seeds))


QUICK = Extent()


@dataclass(frozen=True)
class Column:
    """A column of a table: its name, its title, and the classes that alternatives are of.

    Without classes alternatives are of the target, like the counterfactual itself.
    """

    name: str
    title: str
    classes: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Setting:
    """One study as the paper explains it.

    Factuals are predicted `undesired`, are to become `target`, and were not seen in training,
    unless there are too few (`everybody`); `labelled` are of that class in truth, too. At most
    `most` are explained. `spacing` is the least distance between two alternatives, `decrease` the
    price of lowering a pixel beside raising it (the paper's λ). `spheres` and `prototype` are what
    the two baselines were tuned to. With `any_class` GrowingSpheres looks for any other class, as
    its authors define it: noise around a one looks like many things, but never like a nine.
    `typical` are about how many factuals there are in full, and processor seconds for each, from
    which a run says how long the rest may take.
    """

    study: str
    columns: tuple[Column, ...]
    undesired: Any
    target: Any
    n_neighbors: int = 20
    spacing: float = 1.0
    decrease: float = 1.0
    everybody: bool = False
    labelled: bool = False
    most: int | None = None
    any_class: bool = False
    spheres: Mapping[str, float] = field(default_factory=dict)
    prototype: Mapping[str, Any] = field(default_factory=dict)
    typical: tuple[int, float] = field(default=(100, 1.0), repr=False)


class Printed(NamedTuple):
    """A cell of the paper's tables."""

    distance: float
    distance_sd: float
    opportunity: float
    opportunity_sd: float


def _tables() -> dict[str, tuple[Setting, ...]]:
    settings: dict[str, list[Setting]] = {"table1": [], "table2": []}
    for row in _CONTENT["settings"]:
        table = settings[row.pop("table")]
        columns = (
            Column(name, title, tuple(classes)) for name, title, *classes in row.pop("columns")
        )
        typical = tuple(row.pop("typical"))
        table.append(Setting(columns=tuple(columns), typical=typical, **row))
    return {name: tuple(found) for name, found in settings.items()}


def _printed() -> dict[tuple[str, str], Printed]:
    settings = [setting for table in TABLES.values() for setting in table]
    columns = [column.name for setting in settings for column in setting.columns]
    return {
        (column, method): Printed(*cell)
        for method, cells in _CONTENT["printed"].items()
        for column, cell in zip(columns, cells, strict=True)
    }


_CONTENT = tomllib.loads((files("facelift.paper") / "tables.toml").read_text(encoding="utf-8"))

TABLES = _tables()
"""The settings of each table, its columns from left to right."""

PAPER = _printed()
"""The paper's Tables 1 and 2, by column and method."""
