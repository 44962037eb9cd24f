"""What was asked for: the outcome, and how sure the model must be of it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Goal:
    """The classes wanted (any of them will do), the chance that counts, and all classes there are.

    >>> str(Goal(("good",), 0.5, ("bad", "good")))
    'good'
    """

    target: tuple[str, ...]
    threshold: float
    classes: tuple[str, ...]

    def __str__(self) -> str:
        return " or ".join(self.target)
