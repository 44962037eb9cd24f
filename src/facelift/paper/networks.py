"""The paper's small networks: one hidden layer of rectified units, trained with scikit-learn.

A trained network is a few arrays, and they are kept on disk as such: no pickle, whole or not there.
It answers for points, which are what its inputs are: one-hot levels and numbers from 0 to 1, or
pixels.
"""

from __future__ import annotations

import hashlib
import json
import logging
import math
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from io import BytesIO
from pathlib import Path
from typing import Any, Self
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt

from facelift import Terrain
from facelift.errors import DamagedFile, MissingExtra
from facelift.paper import Floats, write

Arrays = Mapping[str, npt.NDArray[Any]]

_log = logging.getLogger("facelift")

FORMAT = "facelift/network/1"
_ABOUT = "about"

STAGES = ((64, 1), (128, 2), (256, 2), (512, 2))
"""Channels and first stride of each stage; a stage has two blocks of two convolutions."""

_BATCH = 256


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


@dataclass(frozen=True)
class Recipe:
    """How long and how fast to train."""

    n_epochs: int
    batch_size: int
    learning_rate: float = 1e-3
    weight_decay: float = 1e-2


@dataclass(frozen=True, eq=False)
class ResidualNetwork:
    """A trained ResNet-18; it answers for images given as rows of pixels from 0 to 1."""

    weights: Arrays
    classes_: npt.NDArray[Any]

    def predict_proba(self, points: npt.ArrayLike) -> Floats:
        """Probability of each class; shape (n, classes)."""
        torch = _torch()
        pixels = torch.as_tensor(np.asarray(points, dtype=np.float32))
        with torch.no_grad():
            parts = [self.differentiable(part) for part in pixels.split(_BATCH)]
        answers = torch.cat(parts) if parts else torch.empty(0, len(self.classes_))
        return np.asarray(answers.double().numpy())

    def on_points(self, points: Floats) -> Floats:
        """The same: points are pixels."""
        return self.predict_proba(points)

    def differentiable(self, points: Any) -> Any:
        """The same on a torch tensor of rows of pixels, so that gradients can be had."""
        torch = _torch()
        answer = logits(self._tensors, _images(points.float()), training=False)
        return torch.softmax(answer.to(points.dtype), dim=1)

    @cached_property
    def _tensors(self) -> dict[str, Any]:
        torch = _torch()
        return {name: torch.as_tensor(array) for name, array in self.weights.items()}

    @property
    def arrays(self) -> Arrays:
        """Everything it is, by name."""
        return {**self.weights, "classes": self.classes_}

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> Self:
        """The network that `arrays` are of."""
        weights = {name: array for name, array in arrays.items() if name != "classes"}
        return cls(weights, arrays["classes"])


def train_resnet(
    points: Floats,
    labels: Any,
    held_out: tuple[Floats, Any],
    *,
    recipe: Recipe,
    seed: int,
) -> ResidualNetwork:
    """A ResNet-18 fitted to images, as it was after the epoch that foretold the held out ones best.

    Images are mirrored at random; steps by AdamW, their size rising and falling once.
    """
    torch = _torch()
    classes, codes = np.unique(np.asarray(labels).astype(str), return_inverse=True)
    generator = torch.Generator().manual_seed(seed)
    tensors = initial_tensors(len(classes), generator)
    pixels = torch.as_tensor(np.asarray(points, dtype=np.float32))
    best, least = {}, math.inf
    for epoch in _epochs(tensors, pixels, torch.as_tensor(codes), recipe, generator):
        network = ResidualNetwork(_copied(epoch), classes)
        surprise = _surprise(network, *held_out)
        if surprise < least:
            best, least = dict(network.weights), surprise
    return ResidualNetwork(best, classes)


def logits(tensors: dict[str, Any], images: Any, *, training: bool) -> Any:
    """One number per class for images of shape (n, 1, side, side); shape (n, classes)."""
    functional = _torch().nn.functional
    values = functional.conv2d(2 * images - 1, tensors["stem.weight"], stride=2, padding=3)
    values = _normalised(tensors, "stem", values, training).relu()
    values = functional.max_pool2d(values, 3, stride=2, padding=1)
    for name, _, _, stride in _blocks():
        values = _block(tensors, name, values, stride, training)
    return functional.linear(values.mean(dim=(2, 3)), tensors["head.weight"], tensors["head.bias"])


def initial_tensors(n_classes: int, generator: Any) -> dict[str, Any]:
    """Weights to begin with: as He and others (2015) draw them."""
    torch = _torch()
    tensors: dict[str, Any] = {}

    def convolution(name: str, inputs: int, outputs: int, side: int) -> None:
        spread = math.sqrt(2 / (outputs * side * side))
        shape = (outputs, inputs, side, side)
        tensors[f"{name}.weight"] = spread * torch.randn(shape, generator=generator)
        for part, value in (("scale", 1.0), ("shift", 0.0), ("mean", 0.0), ("variance", 1.0)):
            tensors[f"{name}.{part}"] = torch.full((outputs,), value)

    convolution("stem", 1, STAGES[0][0], 7)
    for name, inputs, outputs, stride in _blocks():
        convolution(f"{name}.first", inputs, outputs, 3)
        convolution(f"{name}.second", outputs, outputs, 3)
        if stride != 1 or inputs != outputs:
            convolution(f"{name}.shortcut", inputs, outputs, 1)
    width = STAGES[-1][0]
    spread = 1 / math.sqrt(width)
    head = torch.rand((n_classes, width), generator=generator)
    return {**tensors, "head.weight": spread * (2 * head - 1), "head.bias": torch.zeros(n_classes)}


def _blocks() -> Iterator[tuple[str, int, int, int]]:
    """Name, channels in, channels out and stride of every block."""
    inputs = STAGES[0][0]
    for stage, (outputs, stride) in enumerate(STAGES, start=1):
        yield f"stage{stage}.block1", inputs, outputs, stride
        yield f"stage{stage}.block2", outputs, outputs, 1
        inputs = outputs


def _block(tensors: dict[str, Any], name: str, values: Any, stride: int, training: bool) -> Any:
    """Two convolutions, added to what came in (brought to the same shape where it changes)."""
    convolve = _torch().nn.functional.conv2d
    first = convolve(values, tensors[f"{name}.first.weight"], stride=stride, padding=1)
    first = _normalised(tensors, f"{name}.first", first, training).relu()
    second = convolve(first, tensors[f"{name}.second.weight"], padding=1)
    second = _normalised(tensors, f"{name}.second", second, training)
    if f"{name}.shortcut.weight" in tensors:
        values = convolve(values, tensors[f"{name}.shortcut.weight"], stride=stride)
        values = _normalised(tensors, f"{name}.shortcut", values, training)
    return (second + values).relu()


def _normalised(tensors: dict[str, Any], name: str, values: Any, training: bool) -> Any:
    mean, variance, scale, shift = (
        tensors[f"{name}.{part}"] for part in ("mean", "variance", "scale", "shift")
    )
    normalise = _torch().nn.functional.batch_norm
    return normalise(values, mean, variance, scale, shift, training=training)


def _epochs(
    tensors: dict[str, Any], pixels: Any, codes: Any, recipe: Recipe, generator: Any
) -> Iterator[dict[str, Any]]:
    """The tensors, in place, after every epoch."""
    torch = _torch()
    learnt = [each for name, each in tensors.items() if not name.endswith((".mean", ".variance"))]
    for tensor in learnt:
        tensor.requires_grad_()
    optimiser = torch.optim.AdamW(
        learnt, lr=recipe.learning_rate, weight_decay=recipe.weight_decay, fused=True
    )
    n_batches = math.ceil(len(pixels) / recipe.batch_size)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimiser, recipe.learning_rate, total_steps=recipe.n_epochs * n_batches
    )
    for _ in range(recipe.n_epochs):
        order = torch.randperm(len(pixels), generator=generator)
        for batch in order.tensor_split(n_batches):
            images = _mirrored(_images(pixels[batch]), generator)
            loss = torch.nn.functional.cross_entropy(
                logits(tensors, images, training=True), codes[batch]
            )
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            schedule.step()
        yield tensors


def _mirrored(images: Any, generator: Any) -> Any:
    """The images, half of them turned left to right."""
    torch = _torch()
    turned = torch.rand(len(images), 1, 1, 1, generator=generator) < 0.5
    return torch.where(turned, images.flip(3), images)


def _images(points: Any) -> Any:
    side = math.isqrt(points.shape[1])
    return points.reshape(-1, 1, side, side)


def _copied(tensors: dict[str, Any]) -> Arrays:
    return {name: tensor.detach().numpy().copy() for name, tensor in tensors.items()}


def _surprise(network: ResidualNetwork, points: Floats, labels: Any) -> float:
    """Mean negative logarithm of the probability given to what was the case."""
    answers = network.predict_proba(points)
    hits = np.asarray(labels).astype(str)[:, np.newaxis] == network.classes_
    return float(-np.log(np.maximum(answers[hits], 1e-12)).mean())


_torch = partial(torch_needed_by, "ResNet-18")
