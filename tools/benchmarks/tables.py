"""Tables as they come: gaps, people who are new, rows that arrive later.

    python -m tools.benchmarks.tables [--quick]

On loans made by `tools.benchmarks.loans`, and on digits (with faiss, of the extra `bench`); one
thread, CPU time, ratios within one process.
"""

from __future__ import annotations

import sys
from copy import copy
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

import facelift as fl
from tools.benchmarks.core import digits
from tools.benchmarks.loans import loans, paid_back
from tools.benchmarks.measuring import (
    Measurement,
    median_seconds,
    peak_megabytes,
    seconds,
    table,
)
from tools.benchmarks.neighbours import faiss_flat
from tools.benchmarks.startup import first_use
from tools.benchmarks.worlds import clustered, one_region

N_PEOPLE, N_ARRIVING = 100, 1000


def run(*, quick: bool = False) -> pd.DataFrame:
    """The lines of docs/scale.md on tables with gaps and on newcomers."""
    n = 10_000 if quick else 100_000
    fl.FACElift(paid_back).fit(loans(8_000))  # nobody waits for the compiler below
    every = loans(n + N_ARRIVING)
    X, arriving = every[:n], every[n:]
    explainer = fl.FACElift(paid_back, verify=False)
    with_gaps = seconds(lambda: explainer.fit(X), repeats=1 if quick else 2)
    whole = loans(n, missing=0.0)
    complete = seconds(lambda: fl.FACElift(paid_back).fit(whole), repeats=1 if quick else 2)
    case = f"n = {n:,}"
    lines = [
        Measurement("fit with gaps ÷ complete", case, with_gaps / complete, "×", 1.5, ratio=True),
        *newcomers(explainer, X, case),
        *arrivals(explainer, arriving, case),
        Measurement("peak memory", case, peak_megabytes(), "MB"),
        destinations(quick=quick),
        actions(quick=quick),
        *pictures(quick=quick),
        first_use(),
    ]
    return table(lines)


def newcomers(explainer: fl.FACElift, X: pd.DataFrame, case: str) -> list[Measurement]:
    """People who are rows of the table, and people who are not."""
    rows, new = rejected(X), rejected(loans(4_000, seed=7))
    for people in (rows, new):
        explainer.explain(people.iloc[0])
    known, unknown = (
        median_seconds([lambda i=i, p=p: explainer.explain(p.iloc[i]) for i in range(len(p))])
        for p in (rows, new)
    )
    asking = median_seconds([lambda i=i: paid_back(new.iloc[[i]]) for i in range(len(new))])
    many = seconds(lambda: explainer.explain_many(new)) / len(new)
    found = [explainer.explain(rows.iloc[i]) for i in range(len(rows))]
    frame = median_seconds([each.to_frame for each in found if len(each)])
    return [
        Measurement("newcomer ÷ row", case, unknown / known, "×", 3, ratio=True),
        Measurement("asking the model of one ÷ row", case, asking / known, "×", ratio=True),
        Measurement("explain_many, newcomers, each", case, many * 1e3, "ms", 1.5),
        Measurement("to_frame() of a person", case, frame * 1e3, "ms", 2),
    ]


def rejected(X: pd.DataFrame) -> pd.DataFrame:
    """The first people of a table without the outcome."""
    return X[paid_back(X)[:, 1] < 0.5].iloc[:N_PEOPLE]


def arrivals(explainer: fl.FACElift, X: pd.DataFrame, case: str) -> list[Measurement]:
    """Rows that come later, also to an explainer from a folder."""
    with TemporaryDirectory() as place:
        folder = Path(place) / "saved"
        explainer.save(folder)
        loaded = fl.FACElift.load(folder, model=paid_back)
        again = seconds(lambda: loaded.partial_fit(X), repeats=1)
    grown = seconds(lambda: copy(explainer).partial_fit(X), repeats=1)
    return [
        Measurement(f"partial_fit of {len(X):,} rows", case, grown, "s", 0.5),
        Measurement(f"partial_fit of {len(X):,} rows after load", case, again, "s", 0.5),
    ]


def destinations(*, quick: bool) -> Measurement:
    """Very many destinations that all lie in one region."""
    points, n = clustered(20_000), 100 if quick else 400
    world = one_region(points, 0.1)
    explainer = fl.FACElift(world, n_counterfactuals=n, verify=False).fit(points)
    person = world.declined(1)[0]
    explainer.explain(person)
    taken = seconds(lambda: explainer.explain(person), repeats=1)
    return Measurement(f"{n} destinations in one region", "n = 20,000", taken, "s", 2)


def actions(*, quick: bool) -> Measurement:
    """Steps made of actions, in a table and in one ten times as long."""
    sizes, n_people = ((3_000, 30_000), 5) if quick else ((30_000, 300_000), 20)
    works = []
    for n in sizes:
        X = loans(n)
        explainer = fl.FACElift(paid_back, steps="actions", verify=False).fit(X)
        people = rejected(X).iloc[:n_people]
        explainer.explain(people.iloc[0])
        works.append([partial(explainer.explain, people.iloc[i]) for i in range(n_people)])
    pairs = [[seconds(work, repeats=1) for work in pair] for pair in zip(*works, strict=True)]
    taken = np.median(pairs, axis=0)  # side by side: a machine is not as fast all the time
    case = f"n = {sizes[1]:,} ÷ {sizes[0]:,}"
    return Measurement(
        "actions, ten times the rows", case, float(taken[1] / taken[0]), "×", 1.3, ratio=True
    )


def pictures(*, quick: bool) -> list[Measurement]:
    """A fit of a wide table from end to end, over the search for neighbours of faiss alone."""
    try:
        import faiss  # noqa: F401
    except ImportError:
        return []
    images = digits()[0][:: 5 if quick else 1]
    with threadpool_limits(1):
        searched = seconds(lambda: faiss_flat(images), repeats=2)
        fitted = seconds(lambda: fl.FACElift(bright).fit(images), repeats=2)
    case = f"digits, {len(images):,} × {images.shape[1]}"
    return [Measurement("fit ÷ search of faiss", case, fitted / searched, "×", 1.5, ratio=True)]


def bright(images: np.ndarray) -> np.ndarray:
    """How bright the middle of each image is; a model that takes no time."""
    chance = images[:, 300:500].mean(axis=1)
    return np.column_stack([1 - chance, chance])


if __name__ == "__main__":
    print(run(quick="--quick" in sys.argv).to_string(index=False))
