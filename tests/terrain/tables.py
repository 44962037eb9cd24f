"""Small tables that tests of the terrain share."""

from __future__ import annotations

import numpy as np
import pandas as pd


def apart(values: np.ndarray) -> bool:
    """Whether different values stay different points (see the docstring of `encoding`)."""
    seen = np.unique(np.asarray(values, dtype=np.float64))
    gaps = np.diff(seen)
    return bool((gaps > 1e-15 * (seen[-1] - seen[0])).all())


MIXED = pd.DataFrame({"n": [0, 10], "t": ["u", "v"], "b": [True, False]})
