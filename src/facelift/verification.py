"""Asking the model again about what was found, so that one that has changed is noticed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from facelift import models
from facelift.arrays import Floats
from facelift.batch import gathered
from facelift.multiverse.multiverse import Multiverse
from facelift.rows import Case

Ask = Callable[[Floats], Floats]
"""What the model says of points now."""

Answer = tuple[Case | None, Multiverse]
"""A case, None if it could not be read, and what was found for it."""

GATHERED_FOR = 0.1
"""Seconds of results that the model is asked about at once."""


def verify(answers: Sequence[Answer], ask: Ask) -> None:
    """An error if the model no longer says of cases and destinations what it did before."""
    said = [each for case, found in answers if case is not None for each in _said(case, found)]
    if not said:
        return
    points, known = (np.array(each) for each in zip(*said, strict=True))
    distinct, first = np.unique(points, axis=0, return_index=True)
    models.check_same(ask(distinct), known[first])


def verified(answers: Iterator[Answer], ask: Ask) -> Iterator[Multiverse]:
    """The multiverses as they come, the model asked about several at once."""
    for some in gathered(answers, GATHERED_FOR):
        verify(some, ask)
        yield from (found for _, found in some)


def _said(case: Case, found: Multiverse) -> Iterator[tuple[Floats, Floats]]:
    """The points of a case and of its destinations, and what the model said of each."""
    yield case.point, case.probabilities
    for journey in found:
        if journey.probabilities is not None:
            yield journey.waypoints[-1], journey.probabilities[-1]
