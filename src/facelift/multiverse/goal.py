"""What was asked for: the outcome, and how sure the model must be of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from facelift.arrays import Bools, Floats
from facelift.errors import InvalidInput, nearest_name
from facelift.geometry import TOLERANCE


@dataclass(frozen=True)
class Goal:
    """The classes wanted (any of them will do), the chance that counts, and all classes there are.

    >>> goal = Goal(("good",), 0.5, ("bad", "good"))
    >>> str(goal)
    'good'
    """

    target: tuple[str, ...]
    threshold: float
    classes: tuple[str, ...]

    def __str__(self) -> str:
        return " or ".join(self.target)

    def chances(self, probabilities: Floats) -> Floats:
        """Probability of the target, from one per class along the last axis.

        >>> import numpy as np
        >>> Goal(("b", "c"), 0.5, ("a", "b", "c")).chances(np.array([[0.2, 0.5, 0.3]]))
        array([0.8])
        """
        columns = [self.classes.index(label) for label in self.target]
        return np.asarray(probabilities[..., columns].sum(axis=-1))

    def reached(self, probabilities: Floats) -> Bools:
        """Whether the chance reaches the threshold, up to the noise of adding up classes."""
        return self.chances(probabilities) >= self.threshold * (1 - TOLERANCE)


def goal_of(target: Any, classes: Sequence[Any], current: Floats, threshold: float) -> Goal:
    """What a target asks for: a class label or several; None for the other of two.

    `current` are the probabilities of the factual, one per class.

    >>> goal_of(None, ["bad", "good"], np.array([0.8, 0.2]), 0.5).target
    ('good',)
    """
    names = tuple(map(str, classes))
    columns = _columns(target, list(classes), current)
    return Goal(tuple(names[i] for i in columns), threshold, names)


def _columns(target: Any, known: list[Any], current: Floats) -> list[int]:
    """Places of the classes asked for."""
    if target is None:
        if len(known) > 2:
            raise InvalidInput(
                f"The model knows {len(known)} classes, {known}; name the target, one or several."
            )
        return [1 - int(current.argmax())]
    several = isinstance(target, Iterable) and not isinstance(target, str | bytes)
    labels = list(target) if several else [target]
    for label in labels:
        if label not in known:
            raise InvalidInput(f"There is no class {label!r}; {nearest_name(label, known)}")
    if not 0 < len(set(labels)) < len(known):
        raise InvalidInput(
            f"The target must be some but not all of the classes {known}, got {labels}."
        )
    return sorted(known.index(label) for label in set(labels))
