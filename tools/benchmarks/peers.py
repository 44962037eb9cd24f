"""Seconds per explained person on German Credit: DiCE, and facelift.

    python -m tools.benchmarks.peers [--quick]

DiCE (extra `bench`) is asked for as many counterfactuals as we look for, by its random, genetic and
k-d tree methods, with the same columns allowed to vary; it returns points, not journeys.
"""

from __future__ import annotations

import sys
import warnings
from contextlib import suppress
from typing import Any

import pandas as pd

import facelift as fl
from facelift._checks import optional
from facelift.models import small_classifier
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
    dice = optional("dice_ml", extra="bench", what="The comparison with DiCE")
    numeric = [f.name for f in terrain.features if f.kind == "numeric"]
    whole = german.data.astype({f.name: str for f in terrain.features if f.kind != "numeric"})
    table_ = whole.assign(outcome=(german.target == "good").astype(int).to_numpy())
    data = dice.Data(dataframe=table_, continuous_features=numeric, outcome_name="outcome")
    vary = [feature.name for feature in terrain.features if not feature.frozen]

    class Numbered:
        """The model, with outcomes as numbers and DiCE's text made categories again."""

        def predict_proba(self, table: pd.DataFrame) -> Any:
            return model.predict_proba(table.astype(german.data.dtypes.to_dict()))

        def predict(self, table: pd.DataFrame) -> Any:
            return (self.predict_proba(table)[:, 1] >= 0.5).astype(int)

    explainer = dice.Dice(data, dice.Model(model=Numbered(), backend="sklearn"), method=method)

    def ask(row: pd.DataFrame) -> None:
        query = row.astype(whole.dtypes.to_dict())
        found_none = dice.utils.exception.UserConfigValidationException
        with warnings.catch_warnings(), suppress(found_none):
            warnings.simplefilter("ignore")
            explainer.generate_counterfactuals(
                query,
                total_CFs=N_COUNTERFACTUALS,
                desired_class=1,
                features_to_vary=vary,
                verbose=False,
            )

    return median_seconds([lambda row=row: ask(row) for row in rows], repeats=1)


if __name__ == "__main__":
    print(run(quick="--quick" in sys.argv).to_string(index=False))
