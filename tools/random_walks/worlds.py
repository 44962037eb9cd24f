"""Tables to walk on: German Credit, Adult, HELOC and digits, each with people and a guide."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pandas as pd

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


def _people(table: Any, terrain: fl.Terrain, wanted: str) -> World:
    model = small_classifier(table.data, table.target)
    explainer = fl.FACElift(model, terrain, steps="actions", n_counterfactuals=7).fit(table.data)
    declined = table.data[model.predict(table.data).astype(str) != wanted]

    def guide(number: int) -> Guide:
        row = declined.iloc[[97 * number % len(declined)]]
        return Guide(explainer.explain(row, wanted))

    return World(table.data, guide)


WORLDS = {"german": german, "adult": adult, "heloc": heloc, "digits": digits}
