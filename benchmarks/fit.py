"""How `fit` grows with the number of rows, in time and memory; and German Credit.

    python -m benchmarks.fit

Each row of the table is a process of its own, so that its peak memory is its own.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from typing import Any

import numpy as np
import pandas as pd

import facelift as fl
from benchmarks.data import clustered

WORLDS = [
    (10_000, 0.05, "exact"),
    (100_000, 0.05, "exact"),
    (1_000_000, 0.05, "exact"),
    (1_000_000, 0.15, "exact"),
    (1_000_000, 0.05, "approximate"),
]


def main() -> None:
    print(german_credit().to_string(index=False))
    print(growth().to_string(index=False))


def growth(worlds: list[tuple[int, float, str]] = WORLDS, n_jobs: int = 2) -> pd.DataFrame:
    """Seconds, peak memory and recall of fits on clusters in 20 dimensions."""
    return pd.DataFrame([_in_a_process(*world, n_jobs) for world in worlds])


def german_credit(repeats: int = 5) -> pd.DataFrame:
    """Least time of a fit through rows, with the ordinary rules."""
    data = fl.datasets.load_german_credit().data
    terrain = fl.datasets.german_credit_rules(fl.Terrain.infer(data))
    times = []
    for _ in range(repeats):
        start = time.process_time()
        fl.FACElift(_by_amount, terrain).fit(data)
        times.append(time.process_time() - start)
    return pd.DataFrame([{"German Credit, CPU s": round(min(times), 3), "rows": len(data)}])


def _in_a_process(n: int, spread: float, neighbors: str, n_jobs: int) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.fit", str(n), str(spread), neighbors, str(n_jobs)]
    run = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return dict(json.loads(run.stdout))


def _one(n: int, spread: float, neighbors: str, n_jobs: int) -> dict[str, Any]:
    points = clustered(n, spread=spread)
    explainer = fl.FACElift(_by_first, neighbors=neighbors, n_jobs=n_jobs, random_state=0)
    wall, cpu = time.perf_counter(), time.process_time()
    explainer.fit(points)
    return {
        "rows": n,
        "spread": spread,
        "neighbors": neighbors,
        "threads": n_jobs,
        "wall s": round(time.perf_counter() - wall, 1),
        "CPU s": round(time.process_time() - cpu, 1),
        "peak GB": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6, 2),
        "edges": int(explainer.graph_.costs.nnz),
        "recall": round(explainer.recall_, 4),
    }


def _by_first(rows: Any) -> Any:
    return np.column_stack([rows[:, 0] > 0.5, rows[:, 0] <= 0.5])


def _by_amount(rows: pd.DataFrame) -> Any:
    good = np.clip(1 - rows["credit_amount"].to_numpy() / 20_000, 0, 1)
    return np.column_stack([1 - good, good])


if __name__ == "__main__":
    if len(sys.argv) > 1:
        n, spread, neighbors, n_jobs = sys.argv[1:]
        print(json.dumps(_one(int(n), float(spread), neighbors, int(n_jobs))))
    else:
        main()
