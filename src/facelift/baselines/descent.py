"""Going downhill: FISTA with projection, and the gradients that lead it.

FISTA as Van Looveren and Klaise (2021) use it, after Chen and others (2018): a gradient step on the
smooth part of a loss, shrinking by β, projection onto what is allowed, and momentum. Many cases are
followed at once, each on its own. Gradients are exact, from PyTorch, or numerical, by asking a
black box about small changes. A small autoencoder of the records says what is likely.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from facelift._arrays import Floats
from facelift._checks import optional
from facelift.baselines.base import Rounding
from facelift.multiverse.goal import Goal
from facelift.terrain.kinds import kind_of
from facelift.terrain.terrain import Terrain

N_STEPS, BATCH_SIZE, LEARNING_RATE = 2000, 64, 3e-3
"""How long and how fast the autoencoder is trained."""

Gradient = Callable[[Floats], Floats]
"""Gradient of the smooth part of the loss at points; (n, m) to (n, m)."""

ChanceGradient = Callable[[Floats], tuple[Floats, Floats]]
"""Chances of points (n, m) and their gradients: shapes (n,) and (n, m)."""


def descend(
    start: Floats,
    low: Floats,
    high: Floats,
    gradient: Gradient,
    visit: Callable[[Floats], None],
    *,
    beta: float,
    learning_rate: float,
    max_iter: int,
) -> None:
    """Follow the loss downhill from `start` (n, m), between `low` and `high`; `visit` every point.

    `δ⁺ = Π(S_β(y − α ∇g(x + y)))` and `y⁺ = Π(δ⁺ + i/(i + 3) · (δ⁺ − δ))`, with a rate α that falls
    with the square root of what is left to do.

    >>> path = []
    >>> far = lambda points: 100 * (points - 1.0)
    >>> box = np.zeros((1, 1)), np.full((1, 1), 0.8)
    >>> descend(np.zeros((1, 1)), *box, far, path.append, beta=0.1, learning_rate=0.01, max_iter=2)
    >>> [round(float(point[0, 0]), 2) for point in path]
    [0.8, 0.8]
    """

    def within(change: Floats) -> Floats:
        return np.clip(start + change, low, high) - start

    change = ahead = np.zeros_like(start)
    for i in range(max_iter):
        rate = learning_rate * np.sqrt(1 - i / max_iter)
        moved = within(shrunk(ahead - rate * gradient(start + ahead), beta))
        change, ahead = moved, within(moved + i / (i + 3) * (moved - change))
        visit(start + change)


def shrunk(change: Floats, beta: float) -> Floats:
    """Every number brought nearer to zero by β, and to zero if it is no larger: `S_β`.

    >>> shrunk(np.array([-0.5, 0.05, 0.3]), 0.1).round(2).tolist()
    [-0.4, 0.0, 0.2]
    """
    return np.asarray(np.sign(change) * np.maximum(np.abs(change) - beta, 0.0))


def exact_gradient(differentiable: Callable[[Any], Any], goal: Goal) -> ChanceGradient:
    """Chance and gradient of a function of torch tensors, from points to probabilities."""
    torch = optional("torch", extra="torch", what="An exact gradient")
    columns = [goal.classes.index(label) for label in goal.target]

    def gradient(points: Floats) -> tuple[Floats, Floats]:
        tensor = torch.tensor(points, requires_grad=True)
        chances = differentiable(tensor)[:, columns].sum(dim=1)
        (ascent,) = torch.autograd.grad(chances.sum(), tensor)
        return chances.detach().numpy(), ascent.numpy()

    return gradient


def numerical_gradient(
    ask: Callable[[Floats], Floats], terrain: Terrain, rounded: Rounding, goal: Goal, step: float
) -> ChanceGradient:
    """Chance and gradient of a black box, by asking it about neighbours of each point.

    Numbers are moved up and down by `step` (ordered levels and whole numbers by at least one);
    levels without an order are switched on one at a time, and count by what that changes.
    """
    probes = _probes(terrain, step)

    def gradient(points: Floats) -> tuple[Floats, Floats]:
        rows = rounded(points)
        asked = np.concatenate([rows, *(probe.moved(rows) for probe in probes)])
        chances = goal.chances(ask(asked)).reshape(-1, len(rows))
        ascent = np.zeros_like(rows)
        for probe, plus in zip(probes, chances[1:], strict=True):
            ascent[:, probe.coordinate] += probe.share * (plus - chances[0])
        return chances[0], ascent

    return gradient


def learned_gradient(
    autoencoder: Autoencoder | None,
    towards: Floats,
    *,
    gamma: float,
    theta: Floats,
    latent: bool,
) -> Gradient:
    """Gradient of `γ·‖p − AE(p)‖₂² + θ·‖ENC(p) − proto‖₂²` at points p, with a θ for each case.

    Without a latent space ENC leaves points as they are.
    """
    torch = optional("torch", extra="torch", what="An autoencoder")
    assert autoencoder is not None  # noqa: S101  (trained whenever it is used)
    there, weight = torch.tensor(towards), torch.tensor(theta)

    def gradient(points: Floats) -> Floats:
        tensor = torch.tensor(points, requires_grad=True)
        code = autoencoder.encode(tensor)
        here = code if latent else tensor
        loss = (weight * ((here - there) ** 2).sum(dim=1)).sum()
        if gamma > 0:
            loss = loss + gamma * ((tensor - autoencoder.decode(code)) ** 2).sum()
        (found,) = torch.autograd.grad(loss, tensor)
        return np.asarray(found.numpy())

    return gradient


@dataclass(frozen=True)
class _Probe:
    """A question to a black box, what if one coordinate were elsewhere.

    The gradient along it gets `share` times what that changes. A number is moved `by` some; a
    `level` is switched on in its `place`, all others there off.
    """

    coordinate: int
    place: slice
    by: float
    share: float
    level: bool

    def moved(self, rows: Floats) -> Floats:
        """The rows with the coordinate moved."""
        moved = rows.copy()
        if self.level:
            moved[:, self.place] = 0.0
            moved[:, self.coordinate] = 1.0
        else:
            moved[:, self.coordinate] += self.by
        return moved


def _probes(terrain: Terrain, step: float) -> list[_Probe]:
    found = []
    for (feature, place), held in zip(terrain.parts, terrain.schema.held, strict=True):
        grain = kind_of(feature).grain(feature, whole=held.whole)
        if grain is None:
            found += [_Probe(i, place, 0.0, 1.0, True) for i in range(place.start, place.stop)]
        else:
            by = max(step, grain)
            found += [
                _Probe(place.start, place, sign * by, sign / (2 * by), False) for sign in (1, -1)
            ]
    return found


@dataclass(frozen=True, eq=False)
class Autoencoder:
    """Two functions of torch tensors: points (n, m) to latent (n, l), and back."""

    encode: Callable[[Any], Any]
    decode: Callable[[Any], Any]


def train_autoencoder(points: Floats, n_latent: int, *, seed: int) -> Autoencoder:
    """An autoencoder with one hidden layer each way, fitted to points with a seed."""
    torch = optional("torch", extra="torch", what="An autoencoder")
    n_points, m = points.shape
    n_hidden = max(2 * n_latent, m // 2)
    generator = torch.Generator().manual_seed(seed)
    sizes = [(m, n_hidden), (n_hidden, n_latent), (n_latent, n_hidden), (n_hidden, m)]
    layers = [_layer(torch, inputs, outputs, generator) for inputs, outputs in sizes]
    encode, decode = _through(torch, layers[:2]), _through(torch, layers[2:])
    data = torch.as_tensor(points.astype(np.float32))
    optimiser = torch.optim.Adam([each for layer in layers for each in layer], lr=LEARNING_RATE)
    for _ in range(N_STEPS):
        batch = data[torch.randint(n_points, (BATCH_SIZE,), generator=generator)]
        loss = ((decode(encode(batch)) - batch) ** 2).mean()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    exact = [tuple(tensor.detach().double() for tensor in layer) for layer in layers]
    return Autoencoder(_through(torch, exact[:2]), _through(torch, exact[2:]))


def encoded(autoencoder: Autoencoder | None, points: Floats) -> Floats:
    """Latent coordinates of points; shape (n, l)."""
    torch = optional("torch", extra="torch", what="An encoder")
    assert autoencoder is not None  # noqa: S101  (trained whenever it is used)
    with torch.no_grad():
        return np.asarray(autoencoder.encode(torch.tensor(points)).numpy())


def _layer(torch: Any, inputs: int, outputs: int, generator: Any) -> tuple[Any, Any]:
    spread = (2 / inputs) ** 0.5
    weight = spread * torch.randn((inputs, outputs), generator=generator)
    bias = torch.zeros(outputs)
    return weight.requires_grad_(), bias.requires_grad_()


def _through(torch: Any, layers: Sequence[tuple[Any, ...]]) -> Callable[[Any], Any]:
    """Two layers, the first one rectified."""
    (first, first_bias), (second, second_bias) = layers
    return lambda values: torch.relu(values @ first + first_bias) @ second + second_bias
