"""The paper's six studies: data, encoding, split and model of each, trained once and kept."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from facelift import Terrain, datasets
from facelift.datasets import cache_home, pixel_rules
from facelift.errors import InvalidInput, InvalidModel, nearest_name
from facelift.paper import Bools, Floats
from facelift.paper.networks import (
    DenseNetwork,
    Recipe,
    ResidualNetwork,
    TableNetwork,
    one_hot_terrain,
    train_dense,
    train_resnet,
    trained_once,
)

N_ALTERNATIVES = 5
"""Alternatives that a journey is compared with."""

N_QUICK = 60
"""Factuals of each data set in a quick run."""

THRESHOLD = 0.5
"""Probability of a class that counts as reaching it."""


Home = str | PathLike[str] | None
"""A folder of data, as loaders take it."""

TABLE_UNITS, DIGIT_UNITS = 50, 100
"""Hidden units of the paper's networks for tables and for digits."""

TESTED = 0.2
"""Share of the rows that is held back where the publisher gives no split."""


Model = TableNetwork | DenseNetwork | ResidualNetwork
Parts = tuple[Any, npt.NDArray[Any], Bools, Terrain, Model]
"""Rows, labels, which rows are tested, the terrain and the model of a study."""


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


@dataclass(frozen=True)
class Quality:
    """Share of the tested rows it gets right, and the area under its curve of true and false hits.

    With more than two classes the area is the mean over classes, each against the others.
    """

    n_tested: int
    accuracy: float
    auc: float

    def __str__(self) -> str:
        return f"accuracy {self.accuracy:.1%}, AUC {self.auc:.3f} on {self.n_tested:,} rows"


@dataclass(frozen=True, eq=False)
class Study:
    """A data set as the paper uses it, and the model that is to be explained.

    `rows` and `labels` are all there are, `tested` marks those the model has not seen. `terrain`
    encodes rows as the paper does, with nothing forbidden and every price 1.
    """

    name: str
    rows: Any
    labels: npt.NDArray[Any]
    tested: Bools
    terrain: Terrain
    model: Model
    quality: Quality


def study(
    name: str, *, seed: int = 0, data_home: Home = None, models_home: str | Path | None = None
) -> Study:
    """One of the paper's data sets with its model, trained with a seed or read from its file.

    Parameters
    ----------
    name
        "german_credit", "adult", "credit_default", "mnist", "breastmnist" or "pneumoniamnist".
    seed
        Decides the split (where the publisher gives none) and the training.
    data_home
        Where to look for the data, as in the loaders.
    models_home
        Folder that trained models are kept in; `models` in the cache if None.
    """
    if name not in STUDIES:
        raise InvalidInput(f"There is no study {name!r}; {nearest_name(name, STUDIES)}")
    folder = cache_home() / "models" if models_home is None else Path(models_home)
    rows, labels, tested, terrain, model = STUDIES[name](name, seed, data_home, folder)
    quality = quality_of(model, rows[tested], labels[tested], name)
    return Study(name, rows, labels, tested, terrain, model, quality)


def _table(name: str, seed: int, data_home: Home, folder: Path) -> Parts:
    """One-hot levels and numbers from 0 to 1, 80:20, fifty hidden units."""
    rows, target = getattr(datasets, f"load_{name}")(data_home, return_X_y=True)
    terrain = one_hot_terrain(rows)
    points, labels = np.asarray(terrain.encode(rows)), target.to_numpy().astype(str)
    tested = _held_back(labels, seed)
    network = _dense(folder, name, points, labels, ~tested, TABLE_UNITS, seed)
    return rows, labels, tested, terrain, TableNetwork(terrain, network)


def _digits(name: str, seed: int, data_home: Home, folder: Path) -> Parts:
    """The first thousand of each digit, 80:20, a hundred hidden units."""
    points, labels = datasets.load_mnist(
        data_home, subset="train", n_per_class=1000, return_X_y=True
    )
    tested = _held_back(labels, seed)
    model = _dense(folder, name, points, labels, ~tested, DIGIT_UNITS, seed)
    return points, labels, tested, pixel_rules(Terrain.infer(points)), model


def _scans(name: str, seed: int, data_home: Home, folder: Path) -> Parts:
    """The publisher's split, ResNet-18, the validation part to choose the epoch by."""
    scans = getattr(datasets, f"load_{name}")(data_home)
    points, labels = scans.data, scans.target.astype(str)
    fitted, chosen_by, tested = (scans.split == part for part in ("train", "val", "test"))
    recipe = RECIPES[name]

    def train() -> Any:
        held_out = points[chosen_by], labels[chosen_by]
        network = train_resnet(points[fitted], labels[fitted], held_out, recipe=recipe, seed=seed)
        return network.arrays

    used = fitted | chosen_by
    data = {"points": points[used], "labels": labels[used]}
    arrays = trained_once(
        folder, name, {"network": "resnet-18", "seed": seed, **vars(recipe)}, data, train
    )
    terrain = pixel_rules(Terrain.infer(points))
    return points, labels, tested, terrain, ResidualNetwork.from_arrays(arrays)


def _dense(
    folder: Path,
    name: str,
    points: Floats,
    labels: npt.NDArray[Any],
    fitted: Bools,
    n_hidden: int,
    seed: int,
) -> DenseNetwork:
    data = {"points": points[fitted], "labels": labels[fitted]}
    recipe = {"network": "dense", "seed": seed, "n_hidden": n_hidden}

    def train() -> Any:
        return train_dense(data["points"], data["labels"], n_hidden, seed=seed).arrays

    return DenseNetwork.from_arrays(trained_once(folder, name, recipe, data, train))


def _held_back(labels: npt.NDArray[Any], seed: int) -> Bools:
    """Which rows are tested: a fifth of every class, drawn at random."""
    from sklearn.model_selection import train_test_split

    places = np.arange(len(labels))
    _, drawn = train_test_split(places, test_size=TESTED, random_state=seed, stratify=labels)
    return np.isin(places, drawn)


def quality_of(model: Any, rows: Any, labels: Any, name: str) -> Quality:
    """Quality of a model on rows it was not trained on.

    >>> class Certain:
    ...     classes_ = np.array(["bad", "good"])
    ...     def predict_proba(self, rows):
    ...         return np.column_stack([rows[:, 0] < 0, rows[:, 0] >= 0]) * 1.0
    >>> rows = np.array([[-1.0], [-2.0], [1.0], [3.0]])
    >>> str(quality_of(Certain(), rows, ["bad", "bad", "good", "bad"], "a test"))
    'accuracy 75.0%, AUC 0.833 on 4 rows'
    """
    answers, known = model.predict_proba(rows), np.asarray(model.classes_)
    given = np.asarray(labels).astype(known.dtype)
    chosen = known[answers.argmax(axis=1)]
    if len(np.unique(chosen)) == 1:
        raise InvalidModel(
            f"The model of {name} says {str(chosen[0])!r} of all {len(chosen)} tested rows: it has "
            "learnt nothing, and there is nothing to explain; train it longer or with another seed."
        )
    accuracy = float((chosen == given).mean())
    return Quality(len(chosen), accuracy, area_under_curve(answers, given, known))


def area_under_curve(answers: Floats, labels: npt.NDArray[Any], classes: npt.NDArray[Any]) -> float:
    """Area under the curve of true and false hits, the mean over classes if there are many."""
    from sklearn.metrics import roc_auc_score

    hits = np.asarray(labels).astype(classes.dtype)[:, np.newaxis] == classes
    if len(classes) == 2:
        return float(roc_auc_score(hits[:, 1], answers[:, 1]))
    return float(roc_auc_score(hits, answers, average="macro"))


RECIPES = {
    "breastmnist": Recipe(n_epochs=20, batch_size=64),
    "pneumoniamnist": Recipe(n_epochs=4, batch_size=128),
}

STUDIES: dict[str, Callable[[str, int, Home, Path], Parts]] = {
    "german_credit": _table,
    "adult": _table,
    "credit_default": _table,
    "mnist": _digits,
    "breastmnist": _scans,
    "pneumoniamnist": _scans,
}
