"""From nothing to the first explanation: in a second process, and on a fresh install.

python -m tools.benchmarks.startup
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time

import pandas as pd

from tools.benchmarks.measuring import Measurement, seconds, table

FIRST = """
import numpy as np, facelift as fl
X = np.random.default_rng(0).random((1000, 20))
model = lambda rows: np.column_stack([rows[:, 0] <= .6, rows[:, 0] > .6]).astype(float)
fl.FACElift(model).fit(X).explain(X[X[:, 0].argmin()])
"""
IMPORTS = "import sklearn.neighbors, pandas"
LARGE = """
import numpy as np, facelift as fl
X = np.random.default_rng(0).random((8000, 20))
model = lambda rows: np.column_stack([rows[:, 0] <= .6, rows[:, 0] > .6]).astype(float)
fl.FACElift(model).fit(X).explain(X[X[:, 0].argmin()])
"""
COMPILED = "from facelift.graph.kernels import kernel; kernel('nearest_routes')"


def run(*, quick: bool = False) -> pd.DataFrame:  # noqa: ARG001  (as every benchmark)
    """Ratios of whole processes, started anew each time."""
    explained, imported = process_seconds(FIRST), process_seconds(IMPORTS)
    imports = "import sklearn.neighbors, pandas"
    lines = [
        Measurement(
            "first explanation ÷ imports", imports, explained / imported, "×", 2, ratio=True
        ),
        demo(),
        compiling(),
        first_use(),
    ]
    return table(lines)


def demo() -> Measurement:
    """`facelift demo` with no caches at all, against its next run."""
    with tempfile.TemporaryDirectory() as empty:
        environment = {"NUMBA_CACHE_DIR": empty, "PYTHONPYCACHEPREFIX": empty}
        command = [sys.executable, "-m", "facelift.cli", "demo"]
        first = process_seconds(command, repeats=1, **environment)
        second = process_seconds(command, **environment)
    return Measurement(
        "facelift demo, first run ÷ second", "no caches", first / second, "×", 3, ratio=True
    )


def compiling() -> Measurement:
    """Loading the compiled searches for the first time on a machine, against later."""
    with tempfile.TemporaryDirectory() as empty:
        first = process_seconds(COMPILED, repeats=1, NUMBA_CACHE_DIR=empty)
        later = process_seconds(COMPILED, NUMBA_CACHE_DIR=empty)
    return Measurement("compiling ÷ loading the searches", "cached", first / later, "×", ratio=True)


def first_use() -> Measurement:
    """What compiling adds to the first fit and explanation of a large table on a machine."""
    with tempfile.TemporaryDirectory() as empty:
        first, later = (cpu_seconds(LARGE, NUMBA_CACHE_DIR=empty) for _ in range(2))
    return Measurement("compiling at first use, CPU", "n = 8,000", first - later, "s")


def cpu_seconds(program: str, **environment: str) -> float:
    """CPU seconds of a Python process, from its start to its end."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    process_seconds(program, repeats=1, **environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def process_seconds(command: str | list[str], *, repeats: int = 3, **environment: str) -> float:
    """Wall seconds of a Python process, from its start to its end."""
    arguments = [sys.executable, "-c", command] if isinstance(command, str) else command

    def start() -> None:
        subprocess.run(
            arguments, check=True, env={**os.environ, **environment}, stdout=subprocess.DEVNULL
        )

    return seconds(start, repeats=repeats, clock=time.perf_counter)


if __name__ == "__main__":
    print(run().to_string(index=False))
