"""What planning for losses gains: German Credit, Adult and Credit Default, with ordinary rules.

python -m tools.benchmarks.contingency [--quick]

Journeys through records (edge cost: the square of a move's, destinations at least 0.5 apart), five
destinations each; declined people drawn at random. Costs are means over people who have at least
two ways, as a share of that of the best single journey with the nearest one left as fallback.
"""

from __future__ import annotations

import sys

import numpy as np
import pandas as pd

import facelift as fl
from facelift.models import small_classifier

SETS = {
    "German": (fl.datasets.load_german_credit, fl.datasets.german_credit_rules, "good"),
    "Adult": (fl.datasets.load_adult, fl.datasets.adult_rules, ">50K"),
    "Default": (fl.datasets.load_credit_default, fl.datasets.credit_default_rules, "paid"),
}
LOSSES = (0.1, 0.2, 0.3)


def run(*, quick: bool = False) -> pd.DataFrame:
    """One line per data set and loss."""
    lines = []
    for name, (load, rules, wanted) in SETS.items():
        data = load()
        people = data.data.sample(
            min(3_000 if quick else len(data.data), len(data.data)), random_state=0
        )
        model = small_classifier(people, data.target[people.index])
        terrain = rules(fl.Terrain.infer(people))
        explainer = fl.FACElift(
            model, terrain, n_counterfactuals=5, edge_cost="power", min_separation=0.5, n_jobs=2
        ).fit(people)
        chances = explainer.probabilities_[explainer.vertices_]
        declined = people[chances[:, list(explainer.classes_).index(wanted)] < 0.5]
        some = declined.sample(min(10 if quick else 60, len(declined)), random_state=1)
        found = [each for each in explainer.explain_many(some, wanted) if len(each) > 1]
        steps = np.mean([journey.n_steps for each in found for journey in each])
        for loss in LOSSES:
            plans = [fl.contingency(each, loss) for each in found]
            costs = pd.DataFrame([plan.compared for plan in plans]).mean()
            lines.append(
                {"data": name, "people": len(found), "steps": round(steps, 1), "loss": loss}
                | (costs / costs["best journey"]).round(3).to_dict()
                | {"arrives": round(float(np.mean([plan.arrives for plan in plans])), 3)}
            )
    return pd.DataFrame(lines)


if __name__ == "__main__":
    print(run(quick="--quick" in sys.argv).to_string(index=False))
