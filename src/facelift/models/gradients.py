"""Which way the chance rises: gradients that a model gives, or differences found by asking it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from facelift._arrays import Floats
from facelift.errors import InvalidModel, optional
from facelift.models.oracle import Oracle
from facelift.multiverse.goal import Goal
from facelift.terrain.kinds import kind_of

STEP = 1e-3
"""By how much numbers are moved to ask about a difference, at least, as a share of their span."""


class TorchModel:
    """A torch module as a model: rows of numbers in, probabilities and their gradients out.

    Parameters
    ----------
    module
        A function from a tensor (n, columns), of doubles, to probabilities (n, classes).
    classes
        Labels of the classes, in the order of its columns.

    Examples
    --------
    >>> import torch
    >>> logits = torch.nn.Linear(2, 2).double()
    >>> model = TorchModel(lambda rows: torch.softmax(logits(rows), dim=1), ["no", "yes"])
    >>> model.predict_proba(np.zeros((3, 2))).shape, model.gradient(np.zeros((3, 2))).shape
    ((3, 2), (3, 2, 2))
    """

    def __init__(self, module: Callable[[Any], Any], classes: Sequence[Any]) -> None:
        self.module = module
        self.classes_ = np.array(classes)

    def predict_proba(self, rows: Any) -> Floats:
        """Probability of each class; shape (n, classes)."""
        torch = optional("torch", extra="torch", what="A TorchModel")
        with torch.no_grad():
            return np.asarray(self.module(torch.tensor(np.asarray(rows, dtype=np.float64))).numpy())

    def gradient(self, rows: Any) -> Floats:
        """How each probability changes with each column; shape (n, classes, columns)."""
        torch = optional("torch", extra="torch", what="A gradient")
        values = torch.tensor(np.asarray(rows, dtype=np.float64), requires_grad=True)
        answers = self.module(values)
        parts = [
            torch.autograd.grad(answers[:, k].sum(), values, retain_graph=True)[0]
            for k in range(answers.shape[1])
        ]
        return np.stack([part.numpy() for part in parts], axis=1)


def chance_gradient(oracle: Oracle, goal: Goal, points: Floats) -> Floats:
    """How the chance of a goal changes with every coordinate of points of numbers; shape (n, m).

    A model with a method `gradient` (rows to (n, classes, columns), in the columns' own units) is
    asked for it. Of others differences are taken, by moving one number at a time.

    >>> from facelift import FACElift
    >>> plane = np.array([[0.0, 0.0], [2.0, 4.0]])
    >>> model = lambda rows: np.column_stack([4 - rows[:, 1], rows[:, 1]]) / 4
    >>> oracle = FACElift(model, n_neighbors=1).fit(plane).oracle_
    >>> goal = oracle.goal(1, oracle.known[0], threshold=0.5)
    >>> chance_gradient(oracle, goal, np.array([[0.5, 0.5]])).round(6)
    array([[0., 1.]])
    """
    if hasattr(oracle.model, "gradient"):
        return _given(oracle, goal, points)
    steps = _steps(oracle)
    moved = points[:, np.newaxis] + np.concatenate([np.diag(steps), -np.diag(steps)])
    answers = oracle.answers(moved.reshape(-1, points.shape[1]))
    chances = goal.chances(answers).reshape(len(points), 2, -1)
    return np.asarray((chances[:, 0] - chances[:, 1]) / (2 * steps))


def _given(oracle: Oracle, goal: Goal, points: Floats) -> Floats:
    found = np.asarray(oracle.model.gradient(oracle.terrain.decode(points)), dtype=np.float64)
    expected = (len(points), len(oracle.classes), points.shape[1])
    if found.shape != expected:
        raise InvalidModel(
            f"model.gradient must give an array of shape (rows, classes, columns), {expected}, got "
            f"{found.shape}."
        )
    columns = [oracle.classes.index(label) for label in goal.target]
    return np.asarray(found[:, columns].sum(axis=1) * _spans(oracle))


def _spans(oracle: Oracle) -> Floats:
    """What a coordinate of 1 is in the units of each column; shape (m,)."""
    return np.array([feature.span for feature in oracle.terrain.features], dtype=np.float64)


def _steps(oracle: Oracle) -> Floats:
    """How far to move each coordinate: whole numbers by one at least; shape (m,)."""
    terrain = oracle.terrain
    grains = [
        kind_of(feature).grain(feature, whole=held.whole) or 0.0
        for feature, held in zip(terrain.features, terrain.schema.held, strict=True)
    ]
    return np.asarray(np.maximum(np.array(grains), STEP))
