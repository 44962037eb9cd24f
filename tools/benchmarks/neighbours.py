"""Exact neighbours against scikit-learn and faiss, and what directed prices and hard rules cost.

    python -m tools.benchmarks.neighbours [--quick]

CPU seconds of one thread, the least of three runs. Needs the extra `bench`; data as in
`tools.benchmarks.people` and `tools.benchmarks.core`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

import facelift as fl
from facelift.errors import optional
from facelift.graph.nearest import nearest_admissible, plain_nearest
from facelift.graph.points import distinct_points
from facelift.terrain.prices import Prices
from tools.benchmarks.core import digits
from tools.benchmarks.measuring import Measurement, seconds, table
from tools.benchmarks.people import adult

K = 20
N_CHECKED = 300
"""Rows whose neighbours are looked up in full precision, to see that they are right."""


def run(*, quick: bool = False) -> pd.DataFrame:
    """All comparisons; when quick, on the first few thousand points and without bars."""
    optional("faiss", extra="bench", what="The benchmark of neighbours")
    people, images = adult(), digits()[0]
    if quick:
        people, images = people[:6000], images[::5]
    encoded = np.asarray(fl.Terrain.infer(people).encode(people))
    worlds = {"digits": distinct_points(images)[0], "adult": distinct_points(encoded)[0]}
    lines = []
    with threadpool_limits(1):
        ours(worlds["adult"][:5000], both_ways(worlds["adult"]))  # loads what is compiled
        for name, points in worlds.items():
            lines += symmetric(name, points, bars=not quick)
            lines += directed(name, points, bars=not quick)
        for name, (rows, rules) in ruled_tables(people).items():
            lines += ruled(name, rows, rules, bars=not quick)
    return table(lines)


def symmetric(name: str, points: Any, *, bars: bool) -> list[Measurement]:
    """Our search, faiss and scikit-learn on the same points."""
    case = sized(name, points)
    engines: dict[str, Callable[[], Any]] = {
        "faiss IndexFlatL2": partial(faiss_flat, points),
        "scikit-learn brute": partial(sklearn_brute, points),
        "facelift": lambda: ours(points, both_ways(points))[0],
    }
    times = {engine: seconds(search) for engine, search in engines.items()}
    shares = {engine: recall(points, search()) for engine, search in engines.items()}
    ratio = times["facelift"] / times["faiss IndexFlatL2"]
    slower = times["scikit-learn brute"] / times["facelift"]
    return [
        *(Measurement(f"neighbours, {each}", case, time, "s") for each, time in times.items()),
        Measurement("neighbours ÷ faiss", case, ratio, "×", 1.1 if bars else None, ratio=True),
        Measurement("scikit-learn ÷ neighbours", case, slower, "×", at_least=True, ratio=True),
        *(
            Measurement(
                f"recall, {each}",
                case,
                share,
                "",
                1.0 if bars and each == "facelift" else None,
                at_least=True,
            )
            for each, share in shares.items()
        ),
    ]


def directed(name: str, points: Any, *, bars: bool) -> list[Measurement]:
    """Falling at λ times the price of rising, over our time without."""
    base, lines = seconds(lambda: ours(points, both_ways(points))), []
    for price, bar in {1.1: 1.5, 2.0: 3.0}.items():
        prices = Prices(np.ones(points.shape[1]), np.full(points.shape[1], price))
        lines += compared(f"λ = {price}", name, points, prices, base, bar if bars else None)
    return lines


def ruled(name: str, rows: pd.DataFrame, rules: Any, *, bars: bool) -> list[Measurement]:
    """Ordinary rules, over our time without."""
    free = fl.Terrain.infer(rows)
    points, _, _ = distinct_points(np.asarray(free.encode(rows)))
    base = seconds(lambda: ours(points, free.prices), repeats=5)
    return compared("rules", name, points, rules(free).prices, base, 2.0 if bars else None)


def compared(
    what: str, name: str, points: Any, prices: Prices, base: float, bar: float | None
) -> list[Measurement]:
    case = sized(name, points)
    time = seconds(lambda: ours(points, prices), repeats=5 if len(points) < 10_000 else 3)
    exact = float(same(points, prices, ours(points, prices)))
    return [
        Measurement(f"neighbours, {what} ÷ none", case, time / base, "×", bar, ratio=True),
        Measurement(f"exact, {what}", case, exact, "", 1.0, at_least=True),
    ]


def ruled_tables(people: pd.DataFrame) -> dict[str, Any]:
    """Tables and their ordinary rules: what one is born with stays, age and learning only grow."""

    def of_adult(terrain: fl.Terrain) -> fl.Terrain:
        return terrain.freeze("sex", "race", "country").increase_only("age", "education_years")

    german = fl.datasets.load_german_credit().data
    return {"german": (german, fl.datasets.german_credit_rules), "adult": (people, of_adult)}


def both_ways(points: Any) -> Prices:
    ones = np.ones(points.shape[1])
    return Prices(ones, ones)


def sized(name: str, points: Any) -> str:
    return f"{name}, {len(points):,} × {points.shape[1]}"


def ours(points: Any, prices: Prices) -> Any:
    return nearest_admissible(points, points, prices, K, itself=np.arange(len(points)))


def faiss_flat(points: Any) -> Any:
    import faiss

    faiss.omp_set_num_threads(1)
    narrow = np.ascontiguousarray(points, dtype=np.float32)
    index = faiss.IndexFlatL2(narrow.shape[1])
    index.add(narrow)
    return without_oneself(index.search(narrow, K + 1)[1])


def sklearn_brute(points: Any) -> Any:
    from sklearn.neighbors import NearestNeighbors

    model = NearestNeighbors(n_neighbors=K, algorithm="brute", n_jobs=1).fit(points)
    return model.kneighbors(return_distance=False)


def without_oneself(found: Any) -> Any:
    own = found == np.arange(len(found))[:, np.newaxis]
    own[~own.any(axis=1), -1] = True
    return found[~own].reshape(len(found), K)


def recall(points: Any, found: Any) -> float:
    """Share of neighbours no farther than the K-th nearest truly is, on some rows."""
    shares = []
    for row in checked(points):
        distances = np.sqrt(((points - points[row]) ** 2).sum(axis=1))
        true = np.partition(np.delete(distances, row), K - 1)[K - 1]
        shares.append((distances[found[row]] <= true * (1 + 1e-9)).mean())
    return float(np.mean(shares))


def same(points: Any, prices: Prices, found: Any) -> bool:
    """Whether some rows are what plain NumPy finds, to the bit."""
    rows = checked(points)
    indices, costs = plain_nearest(points[rows], points, prices, K, itself=rows)
    return bool((indices == found[0][rows]).all() and (costs == found[1][rows]).all())


def checked(points: Any) -> Any:
    return np.unique(np.linspace(0, len(points) - 1, N_CHECKED).astype(np.int64))


if __name__ == "__main__":
    print(run(quick="--quick" in sys.argv).to_string(index=False))
