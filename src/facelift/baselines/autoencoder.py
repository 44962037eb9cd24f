"""A small autoencoder of records, in PyTorch: what is likely, and a latent space."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from facelift._arrays import Floats
from facelift._checks import optional

N_STEPS, BATCH_SIZE, LEARNING_RATE = 2000, 64, 3e-3


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
