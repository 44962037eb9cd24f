"""Tables as they come: gaps, people who are new, rows that arrive later.

    python -m tools.benchmarks.tables [--quick]
    python -m tools.benchmarks.tables gaps 1000000      # only a fit with gaps ÷ a complete one
    python -m tools.benchmarks.tables newcomers         # only people who are not in the table

On loans made by `tools.benchmarks.loans`, on digits (with faiss, of the extra `bench`), and on a
cluster of this machine (extra `dask`); one thread, CPU time, ratios within one process.
"""

from __future__ import annotations

import resource
import subprocess
import sys
from copy import copy
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

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
    fits = gaps(n, explainer, X, repeats=1 if quick else 2)
    case = f"n = {n:,}"
    lines = [
        fits,
        *newcomers(explainer, X, case),
        *arrivals(explainer, arriving, case),
        many_levels(explainer, every, case),
        Measurement("peak memory of all these", case, peak_megabytes(), "MB"),
        destinations(quick=quick),
        actions(quick=quick),
        *pictures(quick=quick),
        first_use(),
        *raw_csv(),
        *on_workers(quick=quick),
    ]
    return table(lines)


def gaps(n: int, explainer: fl.FACElift, X: pd.DataFrame, *, repeats: int) -> Measurement:
    """A fit of a table of which one column has gaps, over one of the same table without."""
    with_gaps = seconds(lambda: explainer.fit(X), repeats=repeats)
    whole = loans(n, missing=0.0)
    complete = seconds(lambda: fl.FACElift(paid_back).fit(whole), repeats=repeats)
    ratio = with_gaps / complete
    return Measurement("fit with gaps ÷ complete", f"n = {n:,}", ratio, "×", 1.5, ratio=True)


def many_levels(explainer: fl.FACElift, X: pd.DataFrame, case: str) -> Measurement:
    """A column of 5,801 levels more: what it adds to the points, by their memory."""
    banks = loans(len(X), n_banks=5801)
    more = fl.Terrain.infer(banks).encode(banks).nbytes / explainer.graph_.points.nbytes
    return Measurement("points with 5,801 levels ÷ without", case, more, "×", 1.5, ratio=True)


def raw_csv() -> list[Measurement]:
    """The command on a raw table of 7,000 rows and 60 columns: its rules, then an answer."""
    with TemporaryDirectory() as place:
        raw, rules = Path(place) / "raw.csv", Path(place) / "rules.toml"
        wide_table(7_000, 60).to_csv(raw, index=False)
        asked = [str(raw), "--target-column", "outcome"]
        facelift = [sys.executable, "-m", "facelift.cli"]
        explain = [*facelift, "explain", *asked, "--row", "1"]
        subprocess.run([*facelift, "rules", *asked, "--output", rules], check=True, **QUIETLY)
        subprocess.run([*explain, "--rules", rules], check=True, **QUIETLY)  # compiles
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([*explain, "--rules", rules], check=True, **QUIETLY)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    case, peak = "7,000 rows, 60 columns", after.ru_maxrss / 1e3
    return [
        Measurement("facelift explain on a raw CSV, CPU", case, spent, "s", 10),
        Measurement("peak memory of processes started", case, peak, "MB", 2000),
    ]


QUIETLY: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}


def wide_table(n: int, n_columns: int) -> pd.DataFrame:
    """Names, identifiers, dates, durations, money strings, percent, yes and no, gaps."""
    rng = np.random.default_rng(0)
    wealth = rng.normal(size=n)
    day = pd.Timestamp("2010-01-01") + pd.to_timedelta(rng.integers(0, 4000, n), unit="D")
    clock = rng.integers(0, 32_400, n)
    table = {
        "customer": [f"C{i:06d}" for i in rng.permutation(n)],
        "name": [f"Person {i}" for i in rng.integers(0, n, n)],
        "since": day.strftime("%d/%m/%Y"),
        "run time": [f"{s // 3600}:{s // 60 % 60:02}:{s % 60:02}" for s in clock],
        "share": [f"{value:.1f}%" for value in 100 * rng.random(n)],
        "city": [f"city {i}" for i in rng.integers(0, 120, n)],
    }
    for i in range(n_columns - len(table) - 1):
        amount = np.exp(8 + wealth + rng.normal(size=n))
        table[f"column {i}"] = (
            np.round(wealth * rng.normal() + rng.normal(size=n), 2),
            rng.poisson(3, n),
            [f"level {k}" for k in rng.integers(0, 3 + i % 9, n)],
            [f"${value:,.2f}" for value in amount],
            rng.choice(["yes", "no"], n),
        )[i % 5]
    frame = pd.DataFrame(table)
    for name in frame.columns[6::7]:
        frame.loc[rng.random(n) < 0.03, name] = np.nan
    frame["outcome"] = np.where(wealth + 0.7 * rng.normal(size=n) > 0, "approved", "declined")
    return frame


def on_workers(*, quick: bool) -> list[Measurement]:
    """Fitting and explaining on two Dask workers, over one process."""
    try:
        from tools.benchmarks.cluster import measured
    except ImportError:
        return []
    return measured(30_000, 600) if quick else measured(100_000, 4_000)


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
    many, beside = seconds(lambda: explainer.explain_many(new)) / len(new), unknown - asking
    found = [explainer.explain(rows.iloc[i]) for i in range(len(rows))]
    frame = median_seconds([each.to_frame for each in found if len(each)])
    return [
        Measurement("newcomer ÷ row", case, unknown / known, "×", 3, ratio=True),
        Measurement("the same beside the model", case, beside / known, "×", 3, ratio=True),
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


def alone(what: str, n: int = 100_000) -> pd.DataFrame:
    """One part of the table, at a size of one's own."""
    fl.FACElift(paid_back).fit(loans(8_000))
    X, explainer = loans(n), fl.FACElift(paid_back, verify=False)
    lines = {
        "gaps": lambda: [gaps(n, explainer, X, repeats=1)],
        "newcomers": lambda: newcomers(explainer.fit(X), X, f"n = {n:,}"),
        "csv": raw_csv,
    }[what]()
    return table([*lines, Measurement("peak memory", f"n = {n:,}", peak_megabytes(), "MB")])


if __name__ == "__main__":
    named = [each for each in sys.argv[1:] if not each.startswith("-")]
    found = alone(named[0], *map(int, named[1:])) if named else run(quick="--quick" in sys.argv)
    print(found.to_string(index=False))
