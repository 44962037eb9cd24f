"""Points that are pictures: their ink, as a grid."""

from __future__ import annotations

import numpy as np

from facelift._arrays import Floats
from facelift._checks import check_picture
from facelift.errors import InvalidInput
from facelift.walking.guide import Guide


def picture_of(guide: Guide, point: Floats) -> Floats:
    """The ink of a point from 0 to 1, where the lowest value seen in any column is paper."""
    if guide.picture is None:
        raise InvalidInput("These points are no pictures; give the guide a height and a width.")
    height, width = guide.picture
    explainer = guide.explainer
    if explainer is None:
        values = np.asarray(point, dtype=np.float64)
        low, high = 0.0, 1.0
    else:
        features = explainer.terrain_.features
        values = explainer.terrain_.to_pandas(point[np.newaxis, :]).to_numpy(dtype=np.float64)[0]
        low = min(feature.low for feature in features)
        high = max(feature.high for feature in features)
    check_picture((height, width), len(values))
    return np.asarray((values.reshape(height, width) - low) / ((high - low) or 1.0))
