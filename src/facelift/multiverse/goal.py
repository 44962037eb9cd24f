"""What was asked for: the outcome, and how sure the model must be of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from facelift.arrays import Bools, Floats
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
