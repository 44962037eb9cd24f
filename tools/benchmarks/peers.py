"""Seconds per explained person on German Credit: DiCE, and facelift.

    python -m tools.benchmarks.peers [--quick]

DiCE (extra `bench`) is asked for as many counterfactuals as we look for, by its random, genetic and
k-d tree methods, with the same columns allowed to vary; it returns points, not journeys.
"""

from __future__ import annotations

import sys
from typing import Any

import pandas as pd

import facelift as fl
from facelift.models import small_classifier
from tools.benchmarks.actions.rivals import Dice
from tools.benchmarks.measuring import Measurement, median_seconds, table

N_COUNTERFACTUALS = 10


def run(*, quick: bool = False) -> pd.DataFrame:
    """Median seconds per person of each method, and ratios."""
    german = fl.datasets.load_german_credit()
    model = small_classifier(german.data, german.target)
    terrain = fl.datasets.german_credit_rules(fl.Terrain.infer(german.data))
    declined = german.data[model.predict(german.data) == "bad"].head(3 if quick else 10)
    rows = [declined.iloc[[i]] for i in range(len(declined))]
    ours = {
        steps: median_seconds([lambda row=row, e=e: e.explain(row, "good") for row in rows])
        for steps in ("rows", "actions")
        for e in [fl.FACElift(model, terrain, steps=steps).fit(german.data)]
    }
    lines = [
        Measurement("facelift", f"steps = {steps}", taken * 1e3, "ms")
        for steps, taken in ours.items()
    ]
    for method in ("random", "genetic", "kdtree"):
        theirs = dice_seconds(method, german, model, terrain, rows[: 2 if quick else None])
        lines.append(Measurement(f"DiCE {method}", "German Credit", theirs * 1e3, "ms"))
        for steps, taken in ours.items():
            name = f"DiCE {method} ÷ facelift"
            lines.append(Measurement(name, f"steps = {steps}", theirs / taken, "×", ratio=True))
    return table(lines)


def dice_seconds(
    method: str, german: Any, model: Any, terrain: fl.Terrain, rows: list[Any]
) -> float:
    """Median seconds per person; a person DiCE finds nothing for counts with the time it took."""
    dice = Dice(method, german.data, german.target == "good", model)
    free = [feature.name for feature in terrain.features if not feature.frozen]
    works = [lambda row=row: dice.ends(row, N_COUNTERFACTUALS, free) for row in rows]
    return median_seconds(works, repeats=1)


if __name__ == "__main__":
    print(run(quick="--quick" in sys.argv).to_string(index=False))
