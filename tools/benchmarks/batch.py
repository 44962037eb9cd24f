"""A thousand people at once, with one thread and with two.

python -m tools.benchmarks.batch [--quick]
"""

from __future__ import annotations

import sys
import time
from functools import partial

import pandas as pd

import facelift as fl
from tools.benchmarks.measuring import Measurement, seconds, table
from tools.benchmarks.searches import with_outcomes
from tools.benchmarks.worlds import SHAPES, clustered


def run(*, quick: bool = False) -> pd.DataFrame:
    """Wall time of one thread ÷ two, and seconds per thousand people."""
    points = clustered(20_000 if quick else 100_000)
    base = fl.FACElift(SHAPES["scattered"](points, 0.5)).fit(points)
    lines = []
    for shape, share in (("scattered", 0.5), ("scattered", 0.1), ("one region", 0.1)):
        world = SHAPES[shape](points, share)
        explainer = with_outcomes(base, world)
        people = world.declined(100 if quick else 1_000)
        explainer.explain_many(people[:20])
        wall = [
            seconds(partial(explained.explain_many, people), clock=time.perf_counter)
            for n_jobs in (1, 2)
            for explained in [explainer.set_params(n_jobs=n_jobs)]
        ]
        case = f"n = {len(points):,}, {share:.0%} {shape}, {len(people):,} people"
        bar = None if quick else 1.7
        lines += [
            Measurement("explain_many, one thread", case, wall[0], "s wall"),
            Measurement(
                "one thread ÷ two", case, wall[0] / wall[1], "×", bar, at_least=True, ratio=True
            ),
        ]
    return table(lines)


if __name__ == "__main__":
    print(run(quick="--quick" in sys.argv).to_string(index=False))
