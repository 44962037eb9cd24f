"""Asking the model again about what was found, so that one that has changed is noticed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from facelift._arrays import Floats
from facelift._progress import gathered
from facelift.models.oracle import Oracle
from facelift.multiverse.multiverse import Multiverse
from facelift.steps.records import Case

Answer = tuple[Case | None, Multiverse]
"""A case, None if it could not be read, and what was found for it."""

GATHERED_FOR = 0.1
"""Seconds of results that the model is asked about at once."""


@dataclass(frozen=True, eq=False)
class SecondAsking:
    """A model asked again about records, of which `fit` was told before.

    `destinations` says whether they are records, too, or have only just been asked about.
    """

    oracle: Oracle
    destinations: bool

    def verify(self, answers: Sequence[Answer]) -> None:
        """An error if the model no longer says of cases and destinations what it did before."""
        said = [
            each for case, found in answers if case is not None for each in self._said(case, found)
        ]
        if not said:
            return
        points, known = (np.array(each) for each in zip(*said, strict=True))
        self.oracle.check_unchanged(points, known)

    def verified(self, answers: Iterator[Answer]) -> Iterator[Multiverse]:
        """The multiverses as they come, the model asked about several at once."""
        for some in gathered(answers, GATHERED_FOR):
            try:
                self.verify(some)
            except KeyboardInterrupt:  # what is there is handed on, but not unverified
                self.verify(some)
                yield from (found for _, found in some)
                raise
            yield from (found for _, found in some)

    def _said(self, case: Case, found: Multiverse) -> Iterator[tuple[Floats, Floats]]:
        """The points of records that matter, and what the model said of each."""
        if case.vertex is not None:
            yield case.point, case.probabilities
        if self.destinations:
            for journey in found:
                if journey.probabilities is not None:
                    yield journey.waypoints[-1], journey.probabilities[-1]
