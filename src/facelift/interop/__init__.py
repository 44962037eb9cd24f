"""Other packages: results of DiCE and alibi as multiverses, by their shape; work on Dask."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from facelift._arrays import Floats
from facelift.errors import InvalidInput
from facelift.explainer import FACElift
from facelift.multiverse.multiverse import Multiverse
from facelift.multiverse.whynot import WhyNot
from facelift.terrain.kinds import kind_of


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
        return _found_none("DiCE")
    if target is None and not len(explainer.classes_):
        target = getattr(example, "desired_range", None)
    query = _like_the_table(example.test_instance_df, explainer)
    return explainer.bridge(query, _like_the_table(example.final_cfs_df, explainer), target)


def from_alibi(
    explanation: Any, explainer: FACElift, x: Any = None, target: Any = None
) -> Multiverse:
    """The multiverse of what alibi found for one case: `cf` and all others on the way to it.

    Counterfactuals that the model does not give the outcome, or that the rules forbid, are left
    out. Works for Counterfactual, CounterfactualProto and CounterfactualRL.

    Parameters
    ----------
    explanation
        What `explain` of alibi returned, for one case.
    explainer
        Fitted on arrays like those alibi was given.
    x
        The case; needed where the explanation does not hold it (only CounterfactualRL's does).
    target
        As in `FACElift.explain`.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> X = np.arange(11.0)[:, np.newaxis]
    >>> model = lambda rows: np.column_stack([rows[:, 0] < 7, rows[:, 0] >= 7])
    >>> found = {"X": np.array([[7.5]]), "class": 1}
    >>> explanation = SimpleNamespace(data={"cf": found, "all": {0: [], 1: [np.array([[9.0]])]}})
    >>> multiverse = from_alibi(explanation, FACElift(model).fit(X), x=[4.0])
    >>> [float(journey.counterfactual[0] * 10) for journey in multiverse]
    [7.5, 9.0]
    """
    data = getattr(explanation, "data", explanation)
    if not isinstance(data, Mapping) or "cf" not in data:
        raise InvalidInput(
            f"An explanation of alibi has data with a 'cf', {type(explanation).__name__} has none."
        )
    case = _case_of(data) if x is None else x
    tables = [*_instances(data["cf"]), *_instances(data.get("all"))]
    if not tables:
        return _found_none("alibi")
    return explainer.bridge(case, _flat(np.vstack(tables), explainer), target)


def _instances(found: Any) -> Iterator[Floats]:
    """The arrays in whatever alibi keeps counterfactuals in: dictionaries and lists of them."""
    if isinstance(found, Mapping):
        parts: Iterable[Any] = [found["X"]] if "X" in found else found.values()
        for each in parts:
            yield from _instances(each)
    elif isinstance(found, list | tuple):
        for each in found:
            yield from _instances(each)
    elif found is not None:
        array = np.asarray(found)
        yield array.reshape(1, -1) if array.ndim < 2 else array.reshape(len(array), -1)


def _case_of(data: Mapping[str, Any]) -> Any:
    cases = list(_instances(data.get("orig")))
    if len(cases) != 1 or len(cases[0]) != 1:
        raise InvalidInput("The explanation does not hold one case; give it as x.")
    return cases[0][0]


def _flat(array: Floats, explainer: FACElift) -> Any:
    """Counterfactuals as the kind of table the explainer knows."""
    schema = explainer.terrain_.schema
    if schema.container == "array":
        return array
    return _like_the_table(pd.DataFrame(array, columns=pd.Index(schema.names)), explainer)


def _like_the_table(frame: pd.DataFrame, explainer: FACElift) -> pd.DataFrame:
    """The columns of the fitted table, as numbers and levels; DiCE may have made text of them."""
    schema = explainer.terrain_.schema
    missing = [name for name in schema.names if name not in frame]
    if missing:
        raise InvalidInput(
            f"DiCE's table lacks the column {missing[0]!r}; fit the explainer on the same columns."
        )
    features = explainer.terrain_.features
    columns = {each.name: kind_of(each).parsed(each, frame[each.name]) for each in features}
    return pd.DataFrame(columns, index=frame.index)


def _found_none(who: str) -> Multiverse:
    """An empty multiverse that says who found nothing."""
    message = f"{who} found no counterfactual for this case."
    hint = "Let FACElift.explain look for journeys of its own."
    return Multiverse((), (), why_not=WhyNot("no candidate", message, hint, n_candidates=0))
