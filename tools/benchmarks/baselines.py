"""Baselines on German Credit with the paper's network: found, distance, steps, time.

    python -m tools.benchmarks.baselines [number of people]

Distances are Euclidean between the case and its counterfactual, on the paper's encoding.
"""

from __future__ import annotations

import sys
import time
from typing import Any

import numpy as np

from facelift.baselines import FACE, DiverseNearest, GrowingSpheres, Prototype
from facelift.paper.studies import Study, study


def main() -> None:
    german = study("german_credit")
    bad = german.model.predict_proba(german.rows)[:, 0] > 0.5
    people = german.rows[bad].iloc[: int(sys.argv[1]) if len(sys.argv) > 1 else None]
    print(f"German Credit, {german.quality}; {len(people)} people predicted bad")
    print(f"{'':24} found  distance       steps  fit, s  explain, ms")
    for name, explainer in explainers(german).items():
        print(f"{name:24} {measured(explainer, german, people)}", flush=True)


def explainers(german: Study) -> dict[str, Any]:
    model, terrain = german.model, german.terrain
    return {
        "FACE, k-NN": FACE(model, terrain),
        "FACE, k-NN density": FACE(model, terrain, edge_cost="density"),
        "FACE, epsilon 2.5": FACE(model, terrain, variant="epsilon", epsilon=2.5),
        "FACE, KDE": FACE(model, terrain, variant="kde", edge_cost="density", bandwidth=1.0),
        "DiverseNearest": DiverseNearest(model, terrain),
        "GrowingSpheres": GrowingSpheres(model, terrain),
        "Prototype, numerical": Prototype(model, terrain),
        "Prototype, exact": Prototype(model, terrain, differentiable=model.differentiable),
        "Prototype, encoder": Prototype(
            model, terrain, differentiable=model.differentiable, prototypes="encoder", n_neighbors=5
        ),
    }


def measured(explainer: Any, german: Study, people: Any) -> str:
    start = time.process_time()
    explainer.fit(german.rows)
    fitted = time.process_time()
    found = explainer.explain_many(people, target="good")
    seconds = time.process_time() - fitted
    journeys = [multiverse[0] for multiverse in found if len(multiverse)]
    for journey in journeys:
        assert german.model.predict_proba(journey.rows.iloc[[-1]])[0, 1] >= 0.5  # noqa: S101
    lengths = [np.linalg.norm(j.waypoints[-1] - j.waypoints[0]) for j in journeys]
    steps = np.mean([journey.n_steps for journey in journeys])
    return (
        f"{len(journeys) / len(found):5.0%}  {np.mean(lengths):.2f} ± {np.std(lengths):.2f}"
        f"  {steps:8.2f}  {fitted - start:6.2f}  {seconds / len(found) * 1e3:11.0f}"
    )


if __name__ == "__main__":
    main()
