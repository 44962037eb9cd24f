"""What the paper's two tables compare: data sets, who is explained, targets; and what it prints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
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
    """How much is run, from which seed, and where data and models are looked for.

    At most `most` factuals of each data set, all of them if `full`.
    """

    full: bool = False
    seed: int = 0
    data_home: Home = None
    models_home: Path | None = None
    most: int | None = N_QUICK

    @property
    def n_factuals(self) -> int | None:
        """Factuals of each data set; None for all."""
        return None if self.full else self.most


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


_LATENT = {"prototypes": "encoder", "n_neighbors": 5}
"""Tables: the mean of five records in the latent space of an autoencoder, as its authors do."""

_NEAREST = {"prototypes": "kdtree", "theta": 40.0, "max_iter": 100}
"""Digits: the nearest record itself; pulled to means in latent space, no one became a nine."""

_SCANS = {"prototypes": "kdtree", "theta": 40.0, "max_iter": 50}
"""Scans: the same, with fewer steps, since each asks a deep network."""

TABLES: dict[str, tuple[Setting, ...]] = {
    "table1": (
        Setting(
            "german_credit",
            (Column("german_credit", "German Credit"),),
            undesired="bad",
            target="good",
            everybody=True,
            prototype=_LATENT,
        ),
        Setting(
            "adult",
            (Column("adult", "Adult Income"),),
            undesired="<=50K",
            target=">50K",
            prototype=_LATENT,
        ),
        Setting(
            "credit_default",
            (Column("credit_default", "Credit Default"),),
            undesired="default",
            target="paid",
            prototype=_LATENT,
        ),
    ),
    "table2": (
        Setting(
            "mnist",
            (
                Column("mnist_others", "MNIST (other classes)", (0, 2, 3, 4, 5, 6, 7, 8)),
                Column("mnist_nines", "MNIST (nines)"),
            ),
            undesired=1,
            target=9,
            spacing=5.0,
            decrease=1.1,
            labelled=True,
            most=100,
            any_class=True,
            spheres={"n_samples": 500, "first_radius": 0.5},
            prototype=_NEAREST,
        ),
        Setting(
            "pneumoniamnist",
            (Column("pneumonia", "PneumoniaMNIST"),),
            undesired="pneumonia",
            target="normal",
            n_neighbors=10,
            spacing=5.0,
            spheres={"n_samples": 200, "first_radius": 0.5},
            prototype=_SCANS,
        ),
        Setting(
            "breastmnist",
            (Column("breast", "BreastMNIST"),),
            undesired="malignant",
            target="normal, benign",
            n_neighbors=10,
            spacing=5.0,
            spheres={"n_samples": 200, "first_radius": 0.5},
            prototype=_SCANS,
        ),
    ),
}
"""The settings of each table, its columns from left to right."""


class Printed(NamedTuple):
    """A cell of the paper's tables."""

    distance: float
    distance_sd: float
    opportunity: float
    opportunity_sd: float


_COLUMNS = (
    "german_credit",
    "adult",
    "credit_default",
    "mnist_others",
    "mnist_nines",
    "pneumonia",
    "breast",
)

_ROWS = {
    "FACE": """
        2.16 0.72 0.31 0.30   3.59 0.44 0.30 0.18   1.10 0.29 0.21 0.16
        79.33 16.19 0.23 0.10   79.33 16.19 0.38 0.19
        23.15 8.02 0.14 0.06   28.58 9.41 0.31 0.07""",
    "GrowingSpheres": """
        1.68 1.49 0.36 0.22   2.64 0.97 0.38 0.14   0.58 0.31 0.27 0.21
        71.66 34.11 0.25 0.20   71.66 34.11 0.48 0.34
        21.38 4.30 0.17 0.05   26.36 5.29 0.27 0.14""",
    "Prototype": """
        1.14 1.11 0.32 0.15   2.84 0.52 0.27 0.18   0.74 0.65 0.32 0.24
        91.95 47.92 0.20 0.14   91.95 47.92 0.53 0.31
        24.60 5.22 0.21 0.14   25.34 7.21 0.15 0.11""",
    "FACElift c=5": """
        2.40 0.99 0.61 0.11   3.71 0.87 0.82 0.16   1.28 0.53 0.73 0.18
        103.95 16.61 0.35 0.09   105.97 21.05 0.59 0.11
        29.75 7.77 0.51 0.07   33.54 8.85 0.57 0.07""",
    "FACElift c=10": """
        2.54 0.99 0.65 0.10   3.90 0.35 0.88 0.32   1.34 0.41 0.79 0.12
        110.38 17.48 0.36 0.19   114.93 22.73 0.63 0.09
        31.00 6.78 0.58 0.13   35.03 8.08 0.64 0.19""",
}


def _cells() -> dict[tuple[str, str], Printed]:
    found = {}
    for method, text in _ROWS.items():
        numbers = list(map(float, text.split()))
        for i, column in enumerate(_COLUMNS):
            found[column, method] = Printed(*numbers[4 * i : 4 * i + 4])
    return found


PAPER = _cells()
"""The paper's Tables 1 and 2, by column and method."""
