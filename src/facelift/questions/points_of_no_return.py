"""Points of no return: the steps after which a destination cannot be reached any more."""

from __future__ import annotations

import pandas as pd

from facelift.multiverse.frames import changes
from facelift.multiverse.multiverse import Multiverse

COLUMNS = ["journey", "step", "changes", "closes", "remaining"]


def points_of_no_return(multiverse: Multiverse) -> pd.DataFrame:
    """The steps that put a destination out of reach for good: one row per step and destination.

    Out of reach means that no route of the whole graph leads there any more, whatever it costs; a
    destination that only gets dearer is not closed (SPEC 6, hard loss). The graph is that of the
    multiverse: all records, or all states that were grown for actions.

    Returns
    -------
    pandas.DataFrame
        `journey` and `step` (from 1) say where, `changes` how many features the step changes,
        `closes` is the number of the destination, `remaining` what was left to go to it just
        before.

    Examples
    --------
    >>> from facelift.toys import loan
    >>> points_of_no_return(loan().multiverse())
       journey  step  changes  closes  remaining
    0        0     1        1       1       14.0
    1        0     1        1       2       16.0
    2        1     1        1       0        3.0
    3        1     2        2       2        8.0
    4        2     1        1       0        3.0
    5        2     3        1       1        5.0
    """
    records = [
        (number, i + 1, len(step), b, float(journey.in_steps.remaining[i, b]))
        for number, journey in enumerate(multiverse)
        for i, (step, lost) in enumerate(zip(changes(journey), journey.closes, strict=True))
        for b in lost
    ]
    return pd.DataFrame(records, columns=COLUMNS)
