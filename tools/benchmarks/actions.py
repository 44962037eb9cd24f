"""Journeys of actions for every declined applicant of German Credit.

    python -m tools.benchmarks.actions [--every N]

Prints coverage, destinations, steps, features changed and CPU time per person, with the model's
share apart. Ordinary rules: age only grows; sex, residence, foreign worker and purpose never
change.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from typing import Any

import numpy as np

import facelift as fl
from facelift.models import small_classifier
from facelift.multiverse.frames import changes


class Stopwatch:
    """A model that counts its calls, rows and CPU seconds."""

    def __init__(self, model: Any) -> None:
        self.model, self.classes_ = model, model.classes_
        self.seconds, self.calls, self.rows = 0.0, 0, 0

    def __call__(self, rows: Any) -> Any:
        start = time.process_time()
        answer = self.model.predict_proba(rows)
        self.seconds += time.process_time() - start
        self.calls, self.rows = self.calls + 1, self.rows + len(rows)
        return answer


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--every", type=int, default=1, help="explain every N-th declined person")
    every = parser.parse_args().every
    table = fl.datasets.load_german_credit()
    network = small_classifier(table.data, table.target)
    terrain = fl.Terrain.infer(table.data).increase_only("age")
    terrain = terrain.freeze("sex", "residence", "foreign_worker", "purpose")
    declined = table.data[network.predict(table.data) == "bad"].iloc[::every]
    model = Stopwatch(network)
    explainer = fl.FACElift(model, terrain, steps="actions", n_counterfactuals=7).fit(table.data)
    model.seconds, model.calls, model.rows = 0.0, 0, 0
    found, seconds = [], []
    for i in range(len(declined)):
        start = time.process_time()
        found.append(explainer.explain(declined.iloc[[i]], "good"))
        seconds.append(time.process_time() - start)
    report(found, np.array(seconds), model)


def report(found: list[fl.Multiverse], seconds: np.ndarray[Any, Any], model: Stopwatch) -> None:
    journeys = [journey for multiverse in found for journey in multiverse]
    changed = [len({name for step in changes(j) for name, *_ in step}) for j in journeys]
    n = len(found)
    print(f"declined applicants explained      {n}")
    print(f"with at least one journey          {np.mean([len(m) > 0 for m in found]):.1%}")
    print(f"destinations, median               {np.median([len(m) for m in found]):.0f}")
    steps = [journey.n_steps for journey in journeys]
    print(f"steps, median (largest)            {np.median(steps):.0f} ({max(steps)})")
    print(f"features changed, median           {np.median(changed):.0f}")
    print(f"CPU per person, mean               {seconds.mean() * 1e3:.0f} ms")
    print(f"  of which the model               {model.seconds / n * 1e3:.0f} ms")
    print(f"  beyond the model                 {(seconds.sum() - model.seconds) / n * 1e3:.0f} ms")
    print(f"model calls per person, mean       {model.calls / n:.1f} ({model.rows / n:.0f} rows)")
    print(f"searches stopped by                {dict(Counter(m.survey.stopped for m in found))}")


if __name__ == "__main__":
    main()
