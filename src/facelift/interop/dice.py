"""Results of DiCE as multiverses."""

from __future__ import annotations

from typing import Any

from facelift.errors import InvalidInput
from facelift.explainer import FACElift
from facelift.interop import found_none, like_the_table
from facelift.multiverse.multiverse import Multiverse


def from_dice(result: Any, explainer: FACElift, target: Any = None) -> list[Multiverse]:
    """One multiverse per query of DiCE: journeys to the counterfactuals it generated.

    Counterfactuals that the model does not give the outcome, or that the rules of the explainer
    forbid, are left out; a query for which none is left has an empty multiverse that says why.

    Parameters
    ----------
    result
        What `generate_counterfactuals` returned.
    explainer
        Fitted on the table that DiCE was given, without its outcome column.
    target
        As in `FACElift.explain`; of predicted numbers DiCE's `desired_range` if None.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> import numpy as np
    >>> import pandas as pd
    >>> X = pd.DataFrame({"savings": [0, 2, 4, 6, 8, 10]})
    >>> model = lambda rows: np.column_stack([rows["savings"] < 7, rows["savings"] >= 7])
    >>> example = SimpleNamespace(
    ...     test_instance_df=X.iloc[[1]].assign(loan=0),
    ...     final_cfs_df=pd.DataFrame({"savings": ["8", "10"], "loan": 1}),
    ... )
    >>> result = SimpleNamespace(cf_examples_list=[example])
    >>> (multiverse,) = from_dice(result, FACElift(model).fit(X))
    >>> [journey.rows["savings"].tolist() for journey in multiverse]
    [[2, 4, 6, 8], [2, 4, 6, 8, 10]]
    """
    if not hasattr(result, "cf_examples_list"):
        raise InvalidInput(
            f"A result of DiCE has a cf_examples_list, {type(result).__name__} has none; give what "
            "generate_counterfactuals returned."
        )
    return [_of_dice(example, explainer, target) for example in result.cf_examples_list]


def _of_dice(example: Any, explainer: FACElift, target: Any) -> Multiverse:
    if example.final_cfs_df is None or not len(example.final_cfs_df):
        return found_none("DiCE")
    if target is None and not len(explainer.classes_):
        target = getattr(example, "desired_range", None)
    query = like_the_table(example.test_instance_df, explainer)
    return explainer.bridge(query, like_the_table(example.final_cfs_df, explainer), target)
