"""Asking the model again about what was found, so that one that has changed is noticed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from facelift import models
from facelift.arrays import Floats
from facelift.batch import gathered
from facelift.multiverse.journey import Journey
from facelift.multiverse.multiverse import Multiverse

Ask = Callable[[Floats], Floats]
"""What the model says of points now."""

GATHERED_FOR = 0.1
"""Seconds of results that the model is asked about at once."""


def verify(found: Sequence[Multiverse], ask: Ask) -> None:
    """An error if the model no longer says of cases and destinations what their journeys tell."""
    journeys = [journey for multiverse in found for journey in multiverse]
    if not journeys:
        return
    points = np.concatenate([journey.waypoints[[0, -1]] for journey in journeys])
    known = np.concatenate([_told(journey)[[0, -1]] for journey in journeys])
    distinct, first = np.unique(points, axis=0, return_index=True)
    models.check_same(ask(distinct), known[first])


def verified(found: Iterator[Multiverse], ask: Ask) -> Iterator[Multiverse]:
    """The same multiverses as they come, the model asked about several at once."""
    for some in gathered(found, GATHERED_FOR):
        verify(some, ask)
        yield from some


def _told(journey: Journey) -> Floats:
    """What the model said at every waypoint; journeys of an explainer know it."""
    return np.empty((0, 0)) if journey.probabilities is None else journey.probabilities
