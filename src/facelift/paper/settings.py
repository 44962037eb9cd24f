"""What the paper's two tables compare: data sets, who is explained, targets, graphs, spacing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

N_ALTERNATIVES = 5
"""Alternatives that a journey is compared with."""

N_QUICK = 60
"""Factuals of each data set in a quick run."""

THRESHOLD = 0.5
"""Probability of a class that counts as reaching it."""


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
