"""Exact neighbours against scikit-learn and faiss, and what directed prices and hard rules cost.

    python -m benchmarks.neighbours

CPU seconds of one thread, the least of three runs; ratios are what to trust. Needs the extra
`bench`; data as in `benchmarks.data` and `benchmarks.core`.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

import facelift as fl
from benchmarks.core import digits
from benchmarks.data import adult
from facelift.graph.distinct import distinct_points
from facelift.graph.neighbours import nearest_admissible
from facelift.graph.plain import plain_nearest
from facelift.terrain.prices import Prices

K = 20
N_CHECKED = 300


def main() -> None:
    worlds = points()
    warm()
    for title, frame in {
        "Symmetric prices": symmetric(worlds),
        "Directed prices, over our symmetric time": directed(worlds),
        "Hard rules, over our time without them": ruled(),
    }.items():
        print(f"\n{title}\n{frame.to_string(index=False)}")


def points() -> dict[str, Any]:
    """Distinct points of images and of people."""
    people = adult()
    encoded = np.asarray(fl.Terrain.infer(people).encode(people))
    return {"digits": distinct_points(digits()[0])[0], "adult": distinct_points(encoded)[0]}


def warm() -> None:
    """Load what is compiled, so that nobody's first run pays for it."""
    some = np.random.default_rng(0).random((6000, 40))
    ours(some, Prices(np.ones(40), np.ones(40)))


def symmetric(worlds: dict[str, Any], repeats: int = 3) -> pd.DataFrame:
    """Our search, faiss and scikit-learn on the same points."""
    rows = []
    for name, each in worlds.items():
        ones = np.ones(each.shape[1])
        engines: dict[str, Callable[[Any], Any]] = {
            "faiss IndexFlatL2": faiss_flat,
            "facelift": lambda X, ones=ones: ours(X, Prices(ones, ones))[0],
            "scikit-learn brute": sklearn_brute,
        }
        seconds, found = {}, {}
        for engine, search in engines.items():
            seconds[engine], found[engine] = least(lambda s=search, X=each: s(X), repeats)
        for engine in engines:
            ratio = seconds[engine] / seconds["faiss IndexFlatL2"]
            share = recall(each, found[engine])
            rows.append((name, *each.shape, engine, seconds[engine], ratio, share))
    columns = ["data", "rows", "columns", "engine", "CPU s", "÷ faiss", "recall"]
    return pd.DataFrame(rows, columns=columns).round(4)


def directed(worlds: dict[str, Any], repeats: int = 3) -> pd.DataFrame:
    """Falling at λ times the price of rising; some rows are checked against NumPy, to the bit."""
    rows = []
    for name, each in worlds.items():
        ones = np.ones(each.shape[1])
        base = None
        for ratio in (1.0, 1.1, 2.0):
            prices = Prices(ones, ratio * ones)
            seconds, found = least(lambda X=each, p=prices: ours(X, p), repeats)
            base = seconds if base is None else base
            exact = same(each, prices, found)
            rows.append((name, *each.shape, ratio, seconds, seconds / base, exact))
    columns = ["data", "rows", "columns", "λ", "CPU s", "÷ symmetric", "exact"]
    return pd.DataFrame(rows, columns=columns).round(3)


def ruled(repeats: int = 3) -> pd.DataFrame:
    """Ordinary rules: what one is born with stays, age and education only grow."""
    rows = []
    for name, (table, refine) in ruled_tables().items():
        free = fl.Terrain.infer(table)
        each, _, _ = distinct_points(np.asarray(free.encode(table)))
        base = None
        for rules, terrain in (("none", free), ("ordinary", refine(free))):
            prices = terrain.prices
            seconds, found = least(lambda X=each, p=prices: ours(X, p), repeats)
            base = seconds if base is None else base
            rows.append(
                (*size(name, each), rules, seconds, seconds / base, same(each, prices, found))
            )
    columns = ["data", "rows", "columns", "rules", "CPU s", "÷ none", "exact"]
    return pd.DataFrame(rows, columns=columns).round(3)


def ruled_tables() -> dict[str, Any]:
    def of_adult(terrain: fl.Terrain) -> fl.Terrain:
        return terrain.freeze("sex", "race", "country").increase_only("age", "education_years")

    german = fl.datasets.load_german_credit().data
    return {"german": (german, fl.datasets.german_credit_rules), "adult": (adult(), of_adult)}


def ours(each: Any, prices: Prices) -> Any:
    return nearest_admissible(each, each, prices, K, itself=np.arange(len(each)))


def faiss_flat(each: Any) -> Any:
    import faiss

    faiss.omp_set_num_threads(1)
    narrow = np.ascontiguousarray(each, dtype=np.float32)
    index = faiss.IndexFlatL2(narrow.shape[1])
    index.add(narrow)
    return without_oneself(index.search(narrow, K + 1)[1])


def sklearn_brute(each: Any) -> Any:
    from sklearn.neighbors import NearestNeighbors

    model = NearestNeighbors(n_neighbors=K, algorithm="brute", n_jobs=1).fit(each)
    return model.kneighbors(return_distance=False)


def without_oneself(found: Any) -> Any:
    own = found == np.arange(len(found))[:, np.newaxis]
    own[~own.any(axis=1), -1] = True
    return found[~own].reshape(len(found), K)


def recall(each: Any, found: Any) -> float:
    """Share of neighbours no farther than the K-th nearest truly is, on some rows."""
    rows = np.linspace(0, len(each) - 1, N_CHECKED).astype(np.int64)
    shares = []
    for row in rows:
        distances = np.sqrt(((each - each[row]) ** 2).sum(axis=1))
        true = np.partition(np.delete(distances, row), K - 1)[K - 1]
        shares.append((distances[found[row]] <= true * (1 + 1e-9)).mean())
    return float(np.mean(shares))


def same(each: Any, prices: Prices, found: Any) -> bool:
    """Whether some rows are what plain NumPy finds, to the bit."""
    rows = np.unique(np.linspace(0, len(each) - 1, N_CHECKED).astype(np.int64))
    indices, costs = plain_nearest(each[rows], each, prices, K, itself=rows)
    return bool((indices == found[0][rows]).all() and (costs == found[1][rows]).all())


def least(work: Callable[[], Any], repeats: int) -> tuple[float, Any]:
    """Least CPU time of some runs on one thread, and the result."""
    times = []
    with threadpool_limits(1):
        for _ in range(repeats):
            start = time.process_time()
            result = work()
            times.append(time.process_time() - start)
    return min(times), result


if __name__ == "__main__":
    main()
