"""An audit of everybody whom a model rejects: Adult where FACELIFT_DATA has it.

python -m tools.benchmarks.audit [--quick]
"""

from __future__ import annotations

import sys
import time
from functools import partial

import pandas as pd

import facelift as fl
from facelift.graph.search import costs_to_any
from facelift.models import small_classifier
from tools.benchmarks.measuring import Measurement, seconds, table

WANTED = ">50K"


def run(*, quick: bool = False) -> pd.DataFrame:
    """Seconds to the cost of approval for all, and for the whole audit."""
    adult = fl.datasets.load_adult(download_if_missing=False)
    people = adult.data.sample(6_000, random_state=0) if quick else adult.data
    model = small_classifier(people, adult.target[people.index])
    terrain = fl.datasets.adult_rules(fl.Terrain.infer(people))
    explainer = fl.FACElift(model, terrain, n_counterfactuals=10, n_jobs=2).fit(people)
    accepted = explainer.probabilities_[:, list(explainer.classes_).index(WANTED)] >= 0.5
    work = partial(costs_to_any, explainer.graph_, accepted)
    audit = partial(fl.audit, explainer, people, target=WANTED)
    work(), explainer.graph_.reversed  # compiled, and turned round once
    audit(by="sex", n_resamples=2)
    case = f"Adult, {len(people):,} rows, {int((~accepted[explainer.vertices_]).sum()):,} rejected"
    wall = partial(seconds, clock=time.perf_counter, repeats=2)
    return table(
        [
            Measurement("cost to approval for all", case, wall(work), "s wall", 1.0),
            Measurement("audit by sex", case, wall(partial(audit, by="sex")), "s wall", 300.0),
            Measurement(
                "audit by sex and race",
                case,
                wall(partial(audit, by=["sex", "race"])),
                "s wall",
                300.0,
            ),
        ]
    )


if __name__ == "__main__":
    print(run(quick="--quick" in sys.argv).to_string(index=False))
