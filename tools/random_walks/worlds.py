"""Tables to walk on: German Credit, Adult, HELOC, digits and others, with people and guides."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer

import facelift as fl
from facelift.cli import demos
from facelift.models import small_classifier
from facelift.walking.guide import Guide

N_ADULTS = 8_000
"""So many people of Adult, the first ones, are enough to walk with."""


@dataclass(frozen=True)
class World:
    """A table, and the guide of one person of it after the other."""

    table: pd.DataFrame
    guide: Callable[[int], Guide]


def german() -> World:
    """German Credit: declined applicants, one change at a time."""
    table = fl.datasets.load_german_credit()
    terrain = fl.datasets.german_credit_rules(fl.Terrain.infer(table.data))
    return _people(table, terrain, "good")


def adult() -> World:
    """Adult: people who earn less, one change at a time."""
    table = fl.datasets.load_adult()
    table.data, table.target = table.data[:N_ADULTS], table.target[:N_ADULTS]
    return _people(table, fl.datasets.adult_rules(fl.Terrain.infer(table.data)), ">50K")


def heloc() -> World:
    """HELOC: people said to be bad risks, one change at a time."""
    table = fl.datasets.load_heloc(codes="dropped")
    return _people(table, fl.datasets.heloc_rules(fl.Terrain.infer(table.data)), "Good")


def digits() -> World:
    """Pictures of digits, through others like them."""
    first = demos.digits()
    explainer: fl.FACElift = first.multiverse.question.explainer  # type: ignore[union-attr]
    table = fl.datasets.load_digits().data

    def guide(number: int) -> Guide:
        row = table.iloc[[7 * number % len(table)]]
        seen = explainer.model.predict(row)[0]
        others = [label for label in explainer.classes_.tolist() if label != seen]
        return Guide(explainer.explain(row, others), picture=(8, 8))

    return World(table, guide)


def _people(table: Any, terrain: fl.Terrain | None, wanted: str) -> World:
    model = small_classifier(table.data, table.target)
    explainer = fl.FACElift(model, terrain, steps="actions", n_counterfactuals=7).fit(table.data)
    declined = table.data[model.predict(table.data).astype(str) != wanted]

    def guide(number: int) -> Guide:
        row = declined.iloc[[97 * number % len(declined)]]
        label = next(each for each in model.classes_.tolist() if str(each) == wanted)
        return Guide(explainer.explain(row, label))

    return World(table.data, guide)


def cancer() -> World:
    """Breast cancer: tumours said to be malignant, of which many numbers can change."""
    table = load_breast_cancer(as_frame=True)
    outcome = pd.Series(np.where(table.target == 1, "benign", "malignant"))
    return _people(SimpleNamespace(data=table.data, target=outcome), None, "benign")


def default() -> World:
    """Credit Default: people said to default, one change at a time."""
    table = fl.datasets.load_credit_default()
    table.data, table.target = table.data[:N_ADULTS], table.target[:N_ADULTS]
    return _people(table, None, str(sorted(table.target.unique())[0]))


USUAL = ["german", "adult", "heloc", "digits"]
WORLDS = {"german": german, "adult": adult, "heloc": heloc, "digits": digits}
WORLDS |= {"cancer": cancer, "default": default}
"""Those that are usual, and two that nobody had in mind when the page was made."""
