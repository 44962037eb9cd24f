"""What loaders return: scikit-learn's Bunch, or its data and target alone."""

from __future__ import annotations

from typing import Any

import pandas as pd
from sklearn.utils import Bunch


def bunch(
    data: pd.DataFrame,
    target: pd.Series[Any],
    description: str,
    return_X_y: bool = False,
    **more: object,
) -> Any:
    """All that scikit-learn's own loaders give, from a table and its labels."""
    if return_X_y:
        return data, target
    return Bunch(
        data=data,
        target=target,
        frame=data.join(target),
        feature_names=data.columns.to_list(),
        target_names=sorted(target.unique().tolist()),
        DESCR=description,
        **more,
    )
