"""Results of alibi as multiverses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from facelift._arrays import Floats
from facelift.errors import InvalidInput
from facelift.explainer import FACElift
from facelift.interop import found_none, like_the_table
from facelift.multiverse.multiverse import Multiverse


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
        return found_none("alibi")
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
    return like_the_table(pd.DataFrame(array, columns=pd.Index(schema.names)), explainer)
