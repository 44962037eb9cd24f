"""Trying weights of the prediction one after the other, and keeping the least change that works."""

from __future__ import annotations

import numpy as np

from facelift._arrays import Bools, Floats
from facelift.baselines.synthetic import Attempt


class Weights:
    """The search for the weight of the prediction, for each case on its own."""

    def __init__(self, n_cases: int, first: float) -> None:
        self.current = np.full(n_cases, float(first))
        self._below, self._above = np.zeros(n_cases), np.full(n_cases, np.inf)

    def update(self, found: Bools) -> None:
        """Go on: halfway to what was too little where there was a counterfactual, else up.

        >>> weights = Weights(2, 1.0)
        >>> weights.update(np.array([True, False]))
        >>> weights.current.tolist()
        [0.5, 10.0]
        """
        self._above = np.where(found, np.minimum(self._above, self.current), self._above)
        self._below = np.where(found, self._below, np.maximum(self._below, self.current))
        between = (self._below + np.minimum(self._above, 1e300)) / 2
        self.current = np.where(np.isfinite(self._above), between, 10 * self.current)


class Best:
    """The least change with the outcome so far, for each case: by `β·‖δ‖₁ + ‖δ‖₂²`."""

    def __init__(self, factuals: Floats, beta: float) -> None:
        self._factuals, self._beta = factuals, beta
        self._states, self._sizes = factuals.copy(), np.full(len(factuals), np.inf)
        self._chances, self._n_states = np.zeros(len(factuals)), 0
        self.n_found = np.zeros(len(factuals), dtype=np.int64)

    def take(self, states: Floats, chances: Floats, good: Bools) -> None:
        """Keep those of the good states that are smaller changes than any before."""
        self._n_states += 1
        self._chances = np.maximum(self._chances, chances)
        self.n_found += good
        changes = states - self._factuals
        sizes = self._beta * np.abs(changes).sum(axis=1) + (changes**2).sum(axis=1)
        better = good & (sizes < self._sizes)
        self._states[better], self._sizes[better] = states[better], sizes[better]

    def attempts(self) -> list[Attempt]:
        """What came of it, case by case."""
        found = np.isfinite(self._sizes)
        return [
            Attempt(state if good else None, self._n_states, float(chance))
            for state, good, chance in zip(self._states, found, self._chances, strict=True)
        ]
