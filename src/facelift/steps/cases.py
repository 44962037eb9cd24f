"""Cases to be explained: their points, and whether they are where they may be."""

from __future__ import annotations

import numpy as np
import pandas as pd

from facelift._arrays import Floats
from facelift.errors import InvalidData
from facelift.terrain.terrain import Terrain


def points_or_faults(terrain: Terrain, frame: pd.DataFrame) -> list[Floats | InvalidData]:
    """The point of every row of a frame with the terrain's columns, or what is wrong with it."""
    try:
        return list(np.asarray(terrain.from_pandas(frame)))
    except InvalidData as fault:
        if len(frame) == 1:
            return [fault]
    return [points_or_faults(terrain, frame.iloc[[i]])[0] for i in range(len(frame))]


def check_case(terrain: Terrain, point: Floats) -> None:
    """An error if a case lies outside the bounds or breaks a requirement of its own terrain."""
    if terrain.admissible(point[np.newaxis, :])[0]:
        return
    outside = terrain.out_of_bounds(point[np.newaxis, :])[0]
    for feature, out in zip(terrain.features, outside, strict=True):
        if out:
            raise InvalidData(
                f"The case itself lies outside the bounds of {feature.name!r}, "
                f"{feature.lower:g} to {feature.upper:g}; widen them with between()."
            )
    raise InvalidData(f"The case itself breaks a requirement: {list(terrain.requirements)}.")
