"""A small table, German Credit with its ordinary rules: a fit, and an explanation through rows.

    python -m tools.benchmarks.small [--quick]

An explanation asks the model again about its destinations unless told not to. How long the model
takes over that is the model's, so it is told apart.
"""

from __future__ import annotations

import sys
from functools import partial

import numpy as np
import pandas as pd

import facelift as fl
from facelift.models import small_classifier
from tools.benchmarks.measuring import Measurement, median_seconds, seconds, table


def run(*, quick: bool = False) -> pd.DataFrame:
    """Seconds of a fit, and milliseconds of explanations of declined people."""
    credit = fl.datasets.load_german_credit()
    model = small_classifier(credit.data, credit.target)
    terrain = fl.datasets.german_credit_rules(fl.Terrain.infer(credit.data))
    explainer, trusting = fl.FACElift(model, terrain), fl.FACElift(model, terrain, verify=False)
    fit = seconds(lambda: explainer.fit(credit.data))
    trusting.fit(credit.data)
    declined = np.flatnonzero(model.predict_proba(credit.data)[:, 1] < 0.5)
    people = [credit.data.iloc[i] for i in declined[: 5 if quick else 100]]
    found = [multiverse for x in people if len(multiverse := explainer.explain(x, "good"))]
    ends = [pd.concat([journey.rows.iloc[[-1]] for journey in each]) for each in found]
    times = {
        "explain, verify=False": [partial(trusting.explain, x, "good") for x in people],
        "explain": [partial(explainer.explain, x, "good") for x in people],
        "of it the model": [partial(model.predict_proba, rows) for rows in ends],
    }
    bars = {"explain, verify=False": 2.0}
    case = "German Credit, rules"
    return table(
        [
            Measurement("fit", case, fit, "s", 0.5),
            *(
                Measurement(what, case, median_seconds(works) * 1e3, "ms", bars.get(what))
                for what, works in times.items()
            ),
        ]
    )


if __name__ == "__main__":
    print(run(quick="--quick" in sys.argv).to_string(index=False))
