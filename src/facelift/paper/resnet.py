"""ResNet-18 (He and others 2016) for small grey images, in PyTorch.

The network is a dictionary of tensors and a function of it, so that what is trained is what is
stored. 28 × 28 pixels are 7 × 7 after the stem and one after the last stage.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from facelift.paper.networks import Arrays, torch_needed_by
from facelift.paper.results import Floats

STAGES = ((64, 1), (128, 2), (256, 2), (512, 2))
"""Channels and first stride of each stage; a stage has two blocks of two convolutions."""

_BATCH = 256


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
