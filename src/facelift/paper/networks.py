"""The paper's small networks: one hidden layer of rectified units, trained with scikit-learn.

A trained network is a few arrays, and they are kept on disk as such: no pickle, whole or not there.
It answers for points, which are what its inputs are: one-hot levels and numbers from 0 to 1, or
pixels.
"""

from __future__ import annotations

import hashlib
import json
import logging
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any, Self
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt

from facelift import Terrain
from facelift.errors import DamagedFile, MissingExtra
from facelift.paper.results import Floats, write

Arrays = Mapping[str, npt.NDArray[Any]]

_log = logging.getLogger("facelift")

FORMAT = "facelift/network/1"
_ABOUT = "about"


@dataclass(frozen=True, eq=False)
class DenseNetwork:
    """Rectified hidden units, then a logit per class: `softmax(relu(x·W₁ + b₁)·W₂ + b₂)`.

    Examples
    --------
    >>> parity = DenseNetwork(np.eye(2), np.zeros(2), np.eye(2), np.zeros(2), np.array(["a", "b"]))
    >>> parity.predict_proba(np.array([[0.0, 0.0], [9.0, 0.0]])).round(2).tolist()
    [[0.5, 0.5], [1.0, 0.0]]
    """

    hidden: Floats
    hidden_bias: Floats
    output: Floats
    output_bias: Floats
    classes_: npt.NDArray[Any]

    def predict_proba(self, points: npt.ArrayLike) -> Floats:
        """Probability of each class; shape (n, classes)."""
        values = np.asarray(points, dtype=np.float64)
        units = np.maximum(values @ self.hidden + self.hidden_bias, 0.0)
        logits = units @ self.output + self.output_bias
        odds = np.exp(logits - logits.max(axis=1, keepdims=True))
        return np.asarray(odds / odds.sum(axis=1, keepdims=True))

    def on_points(self, points: Floats) -> Floats:
        """The same: its inputs are points."""
        return self.predict_proba(points)

    def differentiable(self, points: Any) -> Any:
        """The same on a torch tensor of points, so that gradients can be had."""
        torch = torch_needed_by("The gradient of a network")
        hidden, first, output, second = (
            torch.as_tensor(array, dtype=points.dtype)
            for array in (self.hidden, self.hidden_bias, self.output, self.output_bias)
        )
        return torch.softmax(torch.relu(points @ hidden + first) @ output + second, dim=1)

    @property
    def arrays(self) -> Arrays:
        """Everything it is, by name."""
        return {
            "hidden": self.hidden,
            "hidden_bias": self.hidden_bias,
            "output": self.output,
            "output_bias": self.output_bias,
            "classes": self.classes_,
        }

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> Self:
        """The network that `arrays` are of."""
        names = ("hidden", "hidden_bias", "output", "output_bias", "classes")
        return cls(*(arrays[name] for name in names))


def train_dense(points: Floats, labels: Any, n_hidden: int, *, seed: int) -> DenseNetwork:
    """A network fitted to points and their labels, with scikit-learn's ordinary settings."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.neural_network import MLPClassifier

    network = MLPClassifier((n_hidden,), random_state=seed)
    with warnings.catch_warnings():  # a network stopped early still answers
        warnings.simplefilter("ignore", ConvergenceWarning)
        network.fit(np.asarray(points), np.asarray(labels))
    (hidden, output), (first, second) = network.coefs_, network.intercepts_
    if output.shape[1] == 1:  # one logit for the second class; the first one's is zero
        output, second = np.hstack([0 * output, output]), np.append(0.0, second)
    return DenseNetwork(hidden, first, output, second, np.array(network.classes_.tolist()))


@dataclass(frozen=True, eq=False)
class TableNetwork:
    """A network that answers for the rows of a table, through the terrain it was trained on."""

    terrain: Terrain
    network: DenseNetwork

    @property
    def classes_(self) -> npt.NDArray[Any]:
        """Labels of the classes."""
        return self.network.classes_

    def predict_proba(self, table: Any) -> Floats:
        """Probability of each class; shape (n, classes)."""
        return self.network.predict_proba(np.asarray(self.terrain.encode(table)))

    @property
    def arrays(self) -> Arrays:
        """Everything the network is, by name."""
        return self.network.arrays

    def on_points(self, points: Floats) -> Floats:
        """The same for points, without a table between."""
        return self.network.predict_proba(points)

    def differentiable(self, points: Any) -> Any:
        """The network on a torch tensor of points."""
        return self.network.differentiable(points)


def one_hot_terrain(table: Any) -> Terrain:
    """The paper's encoding: every category one-hot, ordered or not, every number from 0 to 1.

    >>> import pandas as pd
    >>> levels = pd.CategoricalDtype(["low", "mid", "high"], ordered=True)
    >>> table = pd.DataFrame({"savings": pd.Series(["low", "high"], dtype=levels), "age": [20, 40]})
    >>> np.asarray(one_hot_terrain(table).encode(table)).tolist()
    [[1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, 1.0]]
    """
    words = table.select_dtypes("category").columns
    terrain = Terrain.infer(table.assign(**{n: table[n].cat.as_unordered() for n in words}))
    for name in table.columns.difference(words):
        terrain = terrain.span(name)  # the paper's scale: the range, whatever the outliers
    return terrain


def trained_once(
    folder: Path, name: str, recipe: Mapping[str, Any], data: Arrays, train: Callable[[], Arrays]
) -> Arrays:
    """The arrays of a network trained by that recipe on that data: from its file, or trained now.

    The file is named by a digest of recipe and data, so that another seed, setting or row makes
    another file.
    """
    about = json.dumps({"format": FORMAT, "name": name, **recipe}, sort_keys=True)
    path = folder / f"{name}-{digest(about, data)}.npz"
    if path.exists():
        return read_arrays(path)
    _log.warning("Training the network of %s; it is kept in %s", name, folder)
    arrays = train()
    write_arrays(path, arrays, about)
    return arrays


def write_arrays(path: Path, arrays: Arrays, about: str) -> None:
    """Write arrays and what they are about to one file."""
    if any(array.dtype.hasobject for array in arrays.values()):
        raise ValueError("Object arrays would need pickle; make them numbers or text.")
    content = BytesIO()
    np.savez(content, **{_ABOUT: np.array(about)}, **arrays)  # type: ignore[arg-type]
    write(path, content.getvalue())


def read_arrays(path: Path) -> Arrays:
    """The arrays of a file written by `write_arrays`; a damaged one is an error that names it."""
    try:
        with path.open("rb") as opened, np.load(opened, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        found = json.loads(str(arrays.pop(_ABOUT)[()]))["format"]
    except (OSError, ValueError, KeyError, EOFError, BadZipFile) as fault:
        raise DamagedFile(f"{path} is damaged: {fault}; delete it to train again.") from None
    if found != FORMAT:
        raise DamagedFile(f"{path} has format {found!r}; this version reads {FORMAT!r}.")
    return arrays


def digest(about: str, data: Arrays) -> str:
    """A short name that another word about them, or another bit of any array, would change."""
    whole = hashlib.sha256(about.encode())
    for name in sorted(data):
        array: npt.NDArray[Any] = np.ascontiguousarray(data[name])
        whole.update(f"{name} {array.dtype} {array.shape}".encode())
        whole.update(array.tobytes())
    return whole.hexdigest()[:16]


def torch_needed_by(what: str) -> Any:
    """PyTorch, or an error that says what needs it and which extra brings it."""
    try:
        import torch
    except ImportError:
        raise MissingExtra(
            f'{what} needs torch; pip install "facelift-multiverse[torch]".'
        ) from None
    return torch
