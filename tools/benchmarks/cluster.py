"""What a Dask cluster of this machine costs: CPU of client and workers ÷ CPU of one process.

    python -m tools.benchmarks.cluster [ROWS] [PEOPLE]

On loans made by `tools.benchmarks.loans`; two workers of one thread each, which were asked for
something small before, so that nobody's start is counted. Also says whether the results are equal.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd
from distributed import Client, LocalCluster

import facelift as fl
from facelift.interop import dask
from tools.benchmarks.loans import loans, paid_back
from tools.benchmarks.measuring import Measurement, table

N_WORKERS = 2


def measured(n: int, n_people: int) -> list[Measurement]:
    """Ratios of fitting and of explaining, and whether workers found what one process does."""
    X, every = loans(n, n_banks=6000), loans(15 * n_people + 6000, n_banks=6000, seed=7)[6000:]
    people = every[paid_back(every)[:, 1] < 0.5][:n_people]
    options = {"n_workers": N_WORKERS, "threads_per_worker": 1, "dashboard_address": None}
    with (
        TemporaryDirectory() as folder,
        LocalCluster(**options) as local,
        Client(local) as client,
    ):
        _fit_and_explain(client, X[:15_000], people[:300], Path(folder) / "small")
        return _fit_and_explain(client, X, people, Path(folder) / "large")


def run(n: int = 100_000, n_people: int = 4_000) -> pd.DataFrame:
    """The same as a table."""
    return table(measured(n, n_people))


def _fit_and_explain(
    client: Any, X: pd.DataFrame, people: pd.DataFrame, folder: Path
) -> list[Measurement]:
    case = f"n = {len(X):,}"
    here, alone = _spent(client, lambda: _explainer().fit(X))
    there, shared = _spent(client, lambda: dask.fit(_explainer(), X, client))
    here.save(folder)
    fits = Measurement("fit on workers ÷ alone, CPU", case, shared / alone, "×", 1.5, ratio=True)

    def explained() -> list[fl.Multiverse]:
        loaded = fl.FACElift.load(folder, model=paid_back)
        return loaded.explain_many(people, 1, progress=False)

    own, alone_too = _spent(client, explained)
    found, shared_too = _spent(
        client, lambda: dask.explain_many(folder, people, client, model=paid_back, target=1)
    )
    same = _same_graph(here, there) and [m.to_json() for m in own] == [m.to_json() for m in found]
    case = f"{case}, {len(people):,} people"
    ratio = shared_too / alone_too
    return [
        Measurement("fit alone, CPU", case, alone, "s"),
        fits,
        Measurement("load and explain alone, CPU", case, alone_too, "s"),
        Measurement("explain on workers ÷ alone, CPU", case, ratio, "×", 1.5, ratio=True),
        Measurement("equal results", case, float(same), ""),
    ]


def _explainer() -> fl.FACElift:
    return fl.FACElift(paid_back, n_counterfactuals=7)


def _spent(client: Any, work: Callable[[], Any]) -> tuple[Any, float]:
    """What some work gives, and the CPU seconds that this process and the workers took for it."""
    before = _cpu(client)
    result = work()
    return result, _cpu(client) - before


def _cpu(client: Any) -> float:
    return time.process_time() + sum(client.run(time.process_time).values())


def _same_graph(one: fl.FACElift, other: fl.FACElift) -> bool:
    a, b = one.graph_.costs, other.graph_.costs
    return all(np.array_equal(getattr(a, k), getattr(b, k)) for k in ("data", "indices", "indptr"))


if __name__ == "__main__":
    print(run(*map(int, sys.argv[1:])).to_string(index=False))
