"""How time and memory grow with the table, from 10,000 to a million records.

    python -m tools.benchmarks.growth [--quick] [--figure growth.svg]

Each size runs in a process of its own, so that its peak of memory is its own.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import facelift as fl
from tools.benchmarks.measuring import Measurement, median_seconds, peak_megabytes, table
from tools.benchmarks.searches import with_outcomes
from tools.benchmarks.worlds import SHAPES, clustered

SIZES = (10_000, 100_000, 1_000_000)
CASES = [("scattered", 0.5), ("one region", 0.5), ("scattered", 0.1), ("one region", 0.1)]


def run(*, quick: bool = False) -> pd.DataFrame:
    """Times and memory at each size, and the power of n they grow with."""
    sizes = (5_000, 10_000, 20_000) if quick else SIZES
    results = [in_own_process(n) for n in sizes]
    lines = []
    for result in results:
        lines += at_size(result, sizes[-1])
    for name, bar in {
        "explain, 50% scattered": 0.3,
        "explain, 10% scattered": 0.3,
        "explain, 50% one region": 1.0,
        "explain, 10% one region": 1.0,
        "memory": 1.1,
    }.items():
        power = slope(sizes, [result[name] for result in results])
        limit = None if quick else bar
        lines.append(Measurement("power of n", name, power, "", limit))
    return table(lines)


def at_size(result: dict[str, Any], largest: int) -> list[Measurement]:
    n, full = result["n"], result["n"] == largest == SIZES[-1]
    bars = {"explain, 50% scattered": 5.0, "explain, 10% scattered": 50.0}
    bars |= {"explain, 50% one region": 5.0, "explain, 10% one region": 50.0}
    case = f"n = {n:,}"
    lines = [
        Measurement("fit", case, result["fit"], "s wall", 600 if full else None),
        Measurement("memory", case, result["memory"], "MB", 6_000 if full else None),
    ]
    return lines + [
        Measurement(name, case, result[name], "ms", bar if full else None)
        for name, bar in bars.items()
    ]


def slope(sizes: tuple[int, ...], values: list[float]) -> float:
    """The power of n that fits best."""
    return float(np.polyfit(np.log(sizes), np.log(values), 1)[0])


def in_own_process(n: int) -> dict[str, Any]:
    command = [sys.executable, "-m", "tools.benchmarks.growth", "--size", str(n)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def measured(n: int) -> dict[str, Any]:
    """Everything about one size."""
    points = clustered(n)
    start = time.perf_counter()
    base = fl.FACElift(SHAPES["scattered"](points, 0.5), n_jobs=-1).fit(points)
    result: dict[str, Any] = {"n": n, "fit": time.perf_counter() - start}
    for shape, share in CASES:
        world = SHAPES[shape](points, share)
        explainer = with_outcomes(base, world)
        people = world.declined(50)
        explainer.explain(people[0])
        works = [lambda x=x, e=explainer: e.explain(x).opportunity for x in people]
        result[f"explain, {share:.0%} {shape}"] = median_seconds(works) * 1e3
    return {**result, "memory": peak_megabytes()}


def figure(frame: pd.DataFrame, path: Path) -> None:
    """Growth with n, both axes in powers of ten; every line is named at its end."""
    import matplotlib.pyplot as plt

    sized = frame[frame["case"].str.startswith("n = ")]
    sizes = sized["case"].str.removeprefix("n = ").str.replace(",", "").astype(int)
    plot, axes = plt.subplots(figsize=(6.4, 3.6), layout="constrained")
    for what, lines in sized[sized["unit"] == "ms"].groupby("what"):
        (line,) = axes.loglog(sizes[lines.index], lines["number"], marker="o", markersize=4)
        name = f"  {what.removeprefix('explain, ')}, {lines['number'].iloc[-1]:.2g} ms"
        end = (sizes[lines.index].iloc[-1], lines["number"].iloc[-1])
        axes.annotate(name, end, va="center", color=line.get_color())
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.yaxis.set_major_formatter("{x:g} ms")
    axes.set_xlabel("records")
    axes.set_title("One explanation, median", loc="left", fontsize="medium")
    axes.spines[["top", "right"]].set_visible(False)
    plot.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)


if __name__ == "__main__":
    if "--size" in sys.argv:
        print(json.dumps(measured(int(sys.argv[sys.argv.index("--size") + 1]))))
    else:
        found = run(quick="--quick" in sys.argv)
        print(found.to_string(index=False))
        if "--figure" in sys.argv:
            figure(found, Path(sys.argv[sys.argv.index("--figure") + 1]))
