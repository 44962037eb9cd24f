"""What pulls a state towards likely and typical records: prototypes, autoencoder, latent space."""

from __future__ import annotations

import numpy as np

from facelift._arrays import Floats
from facelift._checks import optional
from facelift.baselines.autoencoder import Autoencoder
from facelift.baselines.fista import Gradient


def typical(here: Floats, records: Floats, n_neighbors: int, prototypes: str) -> Floats:
    """The n-th nearest of some records ("kdtree"), or the mean of the n nearest ("encoder").

    >>> records = np.array([[3.0], [1.0], [2.0]])
    >>> typical(np.zeros(1), records, 2, "kdtree"), typical(np.zeros(1), records, 2, "encoder")
    (array([2.]), array([1.5]))
    """
    nearest = np.argsort(((records - here) ** 2).sum(axis=1), kind="stable")[:n_neighbors]
    return np.asarray(
        records[nearest[-1]] if prototypes == "kdtree" else records[nearest].mean(axis=0)
    )


def encoded(autoencoder: Autoencoder | None, points: Floats) -> Floats:
    """Latent coordinates of points; shape (n, l)."""
    torch = optional("torch", extra="torch", what="An encoder")
    assert autoencoder is not None  # noqa: S101  (trained whenever it is used)
    with torch.no_grad():
        return np.asarray(autoencoder.encode(torch.tensor(points)).numpy())


def learned_pull(
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
