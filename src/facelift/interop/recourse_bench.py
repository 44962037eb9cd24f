"""Our ways through records as methods of recourse_bench, which scores one end for each row.

Its tables are encoded: a word is several columns of 0 and 1, which single changes would break. So
only methods whose ends are records are offered: `facelift` (the way that we recommend) and
`facelift_face` (FACE on its graph of neighbours: it starts from the right row and keeps the rules).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from facelift._arrays import Floats
from facelift.choosing import recommend
from facelift.errors import InvalidInput, NotFitted
from facelift.explainer import FACElift
from facelift.multiverse.journey import Journey
from facelift.multiverse.multiverse import Multiverse
from facelift.terrain.terrain import Terrain

Rules = Callable[[Any], tuple[Mapping[str, str], Mapping[str, bool], Mapping[str, str]]]
"""From a data set of recourse_bench to types, mutability and actionability of its columns."""

NEVER = ("none", "same")
DIRECTIONS = {"same-or-increase": Terrain.increase_only, "same-or-decrease": Terrain.decrease_only}


class Method:
    """A method of recourse_bench: one end for each row, NaN where there is none.

    Parameters
    ----------
    target_model
        A model of recourse_bench.
    seed, device
        As recourse_bench gives them; nothing here is drawn at random.
    desired_class
        The outcome wanted; None for the other of two.
    **settings
        Parameters of the explainer, such as `n_neighbors`.
    """

    rules: Rules
    """How the rules of a data set are read; `methods` says."""

    _need_grad = False

    def __init__(
        self,
        target_model: Any,
        seed: int | None = None,
        device: str = "cpu",
        desired_class: Any = None,
        **settings: Any,
    ) -> None:
        self._target_model, self._seed, self._device = target_model, seed, device
        self._desired_class, self._settings = desired_class, settings
        self._is_trained = False

    def fit(self, trainset: Any) -> None:
        """Learn the records and the rules of a data set."""
        if trainset is None:
            raise InvalidInput("Ways lead through records: give fit a training set.")
        table = trainset.get(target=False).astype(np.float64)
        classes = self._target_model.get_class_to_index()
        self._labels = sorted(classes, key=classes.__getitem__)
        self._explainer = self._made(terrain_of(table, *type(self).rules(trainset))).fit(table)
        self._is_trained = True

    def get_counterfactuals(self, factuals: pd.DataFrame) -> pd.DataFrame:
        """The end of the way chosen for each row; somebody who has the outcome stays."""
        if not self._is_trained:
            raise NotFitted("This method is not fitted yet; call fit(trainset) first.")
        rows = factuals.astype(np.float64)
        target = None if self._desired_class is None else self._wanted()
        ends = rows * np.nan
        there = self._probabilities(rows).argmax(axis=1) == target
        for i, found in enumerate(self._explainer.explain_many(rows, target)):
            if there[i]:
                ends.iloc[i] = rows.iloc[i]
            elif len(found):
                ends.iloc[i] = self._end(found)
        return ends

    def _wanted(self) -> int:
        if self._desired_class not in self._labels:
            raise InvalidInput(f"The model knows no class {self._desired_class!r}.")
        return self._labels.index(self._desired_class)

    def _probabilities(self, rows: pd.DataFrame) -> Floats:
        told = self._target_model.get_prediction(rows, proba=True)
        plain = told.detach().cpu().numpy() if hasattr(told, "detach") else told
        return np.asarray(plain, dtype=np.float64)

    def _end(self, found: Multiverse) -> Floats:
        rows = self._chosen(found).rows
        return np.asarray(rows if rows is None else rows.iloc[-1], dtype=np.float64)

    def _made(self, terrain: Terrain) -> FACElift:
        raise NotImplementedError

    def _chosen(self, found: Multiverse) -> Journey:
        raise NotImplementedError


class Recommended(Method):
    """The end of the way through records that `recommend` advises."""

    def _made(self, terrain: Terrain) -> FACElift:
        return FACElift(self._probabilities, terrain, margin=0.0, **self._settings)

    def _chosen(self, found: Multiverse) -> Journey:
        return recommend(found)


class RightFACE(Method):
    """The record nearest along the graph, as FACE has it."""

    def _made(self, terrain: Terrain) -> FACElift:
        one = {"n_counterfactuals": 1, **self._settings}
        return FACElift(self._probabilities, terrain, margin=0.0, **one)

    def _chosen(self, found: Multiverse) -> Journey:
        return found[0]


def terrain_of(
    table: pd.DataFrame,
    kinds: Mapping[str, str],  # noqa: ARG001  (words are columns of 0 and 1, which are numbers)
    mutable: Mapping[str, bool],
    actions: Mapping[str, str],
) -> Terrain:
    """The rules of recourse_bench as a terrain.

    >>> table = pd.DataFrame({"age": [1.0, 2.0], "sex": [0.0, 1.0], "debt": [3.0, 4.0]})
    >>> free = dict.fromkeys(table, True) | {"sex": False}
    >>> asked = {"age": "same-or-increase", "sex": "any", "debt": "any"}
    >>> [(each.name, each.change) for each in terrain_of(table, {}, free, asked).features]
    [('age', 'increase'), ('sex', 'never'), ('debt', 'any')]
    """
    terrain = Terrain.infer(table)
    for name in table.columns:
        action = str(actions[name]).lower() if mutable[name] else "none"
        if action in NEVER:
            terrain = terrain.freeze(name)
        elif action in DIRECTIONS:
            terrain = DIRECTIONS[action](terrain, name)
        elif action != "any":
            raise InvalidInput(f"Column {name!r} has the rule {action!r}, which is not known.")
    return terrain


def methods(base: type, register: Callable[[str], Callable[[type], type]], rules: Rules) -> None:
    """Add our methods to recourse_bench, in a program that runs in its checkout.

    Parameters
    ----------
    base
        `method.method_object.MethodObject`, whose `predict` then works on ours.
    register
        `utils.registry.register`.
    rules
        `preprocess.preprocess_utils.resolve_feature_metadata`.
    """
    for name, ours in (("facelift", Recommended), ("facelift_face", RightFACE)):
        register(name)(type(ours.__name__, (ours, base), {"rules": staticmethod(rules)}))
