"""Which share of declined people the cheapest end is proven for, and in which CPU time.

    python -m tools.benchmarks.proofs [--people N] [--plausible] [--seed S] [--tables NAME ...]
                                      [--models NAME ...]

HELOC, German Credit, Adult and Credit Default with gradient boosting of three libraries, logistic
regression and a forest. Each column that may change has about ten levels, at quantiles of the
table; changes of numbers cost the share of the column's 1 % to 99 % range, of ranks that of all
ranks, of categories √2. Ordinary rules. Nobody here was used to choose settings: those were
people with even numbers among the declined, these have odd ones.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import facelift as fl
from facelift.graph.plausibility import learn_plausibility
from facelift.proving.problem import Levels, Problem
from facelift.proving.reading import Reading, read
from facelift.proving.search import Search

N_LEVELS = 10


@dataclass(frozen=True, eq=False)
class Table:
    """A table, the outcome wanted, and prices of a rise and a fall where they are not 1."""

    data: pd.DataFrame
    wanted: Any
    prices: dict[str, tuple[float, float]] = field(default_factory=dict)

    def price(self, name: str) -> tuple[float, float]:
        return self.prices.get(name, (1.0, 1.0))

    @cached_property
    def terrain(self) -> fl.Terrain:
        return fl.Terrain.infer(self.data)

    @cached_property
    def plausibility(self) -> Any:
        """No farther from real records than 95 % of those are from each other."""
        return learn_plausibility(np.unique(self.terrain.encode(self.data), axis=0), 0.95)

    @cached_property
    def spans(self) -> dict[str, float]:
        """The 1 % to 99 % range of each number."""
        numbers = self.data.select_dtypes("number")
        low, high = (numbers.quantile(q) for q in (0.01, 0.99))
        return (high - low).replace(0, 1.0).to_dict()

    @cached_property
    def quantiles(self) -> dict[str, list[float]]:
        """About ten values of each number that a tenth of the table lies between."""
        shares = np.linspace(0.02, 0.98, N_LEVELS)
        return {
            name: np.unique(np.nanquantile(column, shares, method="nearest")).tolist()
            for name, column in self.data.select_dtypes("number").items()
        }


NEVER, RISE, FALL = (np.inf, np.inf), (1.0, np.inf), (np.inf, 1.0)


def german() -> Table:
    bunch = fl.datasets.load_german_credit()
    prices = dict.fromkeys(["sex", "foreign_worker", "residence", "purpose"], NEVER)
    prices |= dict.fromkeys(["checking_account", "savings"], RISE) | {"age": (5.0, np.inf)}
    return Table(bunch.data, (bunch.target == "good").to_numpy(), prices)


def adult() -> Table:
    bunch = fl.datasets.load_adult()
    data = bunch.data.drop(columns=["fnlwgt", "education_num"]).iloc[:20_000]
    given = ["sex", "race", "native_country", "marital_status", "relationship"]
    prices = dict.fromkeys(given, NEVER) | {"age": (5.0, np.inf), "education": RISE}
    return Table(data, (bunch.target == ">50K").to_numpy()[:20_000], prices)


def default() -> Table:
    bunch = fl.datasets.load_credit_default()
    prices = dict.fromkeys(["sex", "education", "marriage"], NEVER)
    prices |= {"age": (5.0, np.inf), "credit_limit": FALL}
    return Table(bunch.data, (bunch.target == "paid").to_numpy(), prices)


def _heloc() -> pd.DataFrame:
    return pd.read_csv(Path(os.environ["FACELIFT_DATA"]) / "heloc" / "heloc_dataset_v1.csv")


HELOC_RULES = {
    "MSinceOldestTradeOpen": RISE,
    "NumTrades60Ever2DerogPubRec": RISE,
    "NumTrades90Ever2DerogPubRec": RISE,
    "NumTotalTrades": RISE,
}


def heloc() -> Table:
    """Without the rows that hold a code."""
    table = _heloc()
    whole = table[(table.drop(columns="RiskPerformance") > -7).all(axis=1)]
    wanted = (whole["RiskPerformance"] == "Good").to_numpy()
    return Table(whole.drop(columns="RiskPerformance").astype(float), wanted, HELOC_RULES)


def heloc_missing() -> Table:
    """With codes read as missing; what is missing stays so."""
    table = _heloc()
    data = table.drop(columns="RiskPerformance").astype(float)
    wanted = (table["RiskPerformance"] == "Good").to_numpy()
    return Table(data.mask(data <= -7), wanted, HELOC_RULES)


TABLES = {
    "heloc": heloc,
    "heloc-missing": heloc_missing,
    "german": german,
    "adult": adult,
    "default": default,
}


def _columns(*, scaled: bool) -> Any:
    from sklearn.compose import make_column_selector, make_column_transformer
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    numbers = make_pipeline(SimpleImputer(), StandardScaler()) if scaled else "passthrough"
    words = make_column_selector(dtype_exclude="number")
    encoder = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    return make_column_transformer((encoder, words), remainder=numbers)


def _histogram(seed: int) -> Any:
    from sklearn.ensemble import HistGradientBoostingClassifier

    return HistGradientBoostingClassifier(random_state=seed, categorical_features="from_dtype")


def _xgboost(seed: int) -> Any:
    from sklearn.pipeline import make_pipeline
    from xgboost import XGBClassifier

    return make_pipeline(_columns(scaled=False), XGBClassifier(random_state=seed, n_jobs=1))


def _lightgbm(seed: int) -> Any:
    from lightgbm import LGBMClassifier
    from sklearn.pipeline import make_pipeline

    model = LGBMClassifier(random_state=seed, n_jobs=1, verbose=-1)
    return make_pipeline(_columns(scaled=False), model)


def _logistic(seed: int) -> Any:
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    return make_pipeline(
        _columns(scaled=True), LogisticRegression(max_iter=2000, random_state=seed)
    )


def _forest(seed: int) -> Any:
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.pipeline import make_pipeline

    return make_pipeline(_columns(scaled=False), RandomForestClassifier(100, random_state=seed))


MODELS: dict[str, Callable[[int], Any]] = {
    "histogram": _histogram,
    "xgboost": _xgboost,
    "lightgbm": _lightgbm,
    "logistic": _logistic,
    "forest": _forest,
}


def column_levels(table: Table, name: str, own: Any) -> tuple[list[Any], list[float]]:
    """Values that a column can take from `own`, that first, and what each costs."""
    column, (rise, fall) = table.data[name], table.price(name)
    if column.dtype == "category" and not column.cat.ordered:
        price = rise * np.sqrt(2)
        others = [level for level in column.cat.categories if level != own]
        return [own, *(others if np.isfinite(price) else [])], [0.0, *[price] * len(others)]
    if column.dtype == "category":
        levels = column.cat.categories.to_list()
        places, here = np.linspace(0, 1, len(levels)), levels.index(own) / (len(levels) - 1)
    else:
        if np.isnan(own):
            return [own], [0.0]
        span = table.spans[name]
        levels = table.quantiles[name]
        places, here = np.array(levels) / span, own / span
    moves = [(p - here) * rise if p > here else (here - p) * fall for p in places if p != here]
    values = [level for level, p in zip(levels, places, strict=True) if p != here]
    kept = [(v, c) for v, c in zip(values, moves, strict=True) if np.isfinite(c)]
    return [own, *(v for v, _ in kept)], [0.0, *(c for _, c in kept)]


@dataclass(frozen=True, eq=False)
class Case:
    """A person's problem, and rows of the table: their own, then one for each single change."""

    problem: Problem
    rows: pd.DataFrame

    def accept(self, table: Table) -> Any:
        """Which states are plausible, or no rarer than the person is."""
        points = table.terrain.encode(self.rows)
        starts = np.cumsum([1, *(len(each) for each in self.problem.levels)])
        moved = [
            np.flatnonzero((points[start:stop] != points[0]).any(axis=0))
            for start, stop in pairwise(starts)
        ]
        rarest = max(1.0, float(table.plausibility.rarity(points[:1])[0]))

        def plausible(states: Any) -> Any:
            there = np.repeat(points[:1], len(states), axis=0)
            for i, columns in enumerate(moved):
                there[:, columns] = points[starts[i] + states[:, i]][:, columns]
            if rarest == 1.0:
                return table.plausibility.plausible(there)
            return table.plausibility.rarity(there) <= rarest

        return plausible


def case_of(table: Table, reading: Reading, score: Any, person: pd.DataFrame) -> Case:
    """The levels of a person as the model sees them."""
    found = {name: column_levels(table, name, person[name].iloc[0]) for name in table.data}
    found = {name: each for name, each in found.items() if len(each[0]) > 1}
    costs = [np.array(prices[: len(values)]) for values, prices in found.values()]
    rows = person.iloc[np.zeros(1 + sum(map(len, costs)), dtype=int)].reset_index(drop=True)
    at = 1
    for name, (values, _) in found.items():
        column = rows[name].to_numpy(copy=True) if rows[name].dtype != "category" else None
        if column is None:
            codes = rows[name].cat.codes.to_numpy(copy=True)
            codes[at : at + len(values)] = rows[name].cat.categories.get_indexer(values)
            rows[name] = pd.Categorical.from_codes(codes, dtype=rows[name].dtype)
        else:
            column[at : at + len(values)] = values
            rows[name] = column
        at += len(values)
    inputs = reading.inputs(rows)
    if not costs:
        return Case(Problem.of(score, inputs[0], []), rows)
    parts = np.split(inputs[1:], np.cumsum([len(each) for each in costs])[:-1])
    levels = [Levels(part, each) for part, each in zip(parts, costs, strict=True)]
    return Case(Problem.of(score, inputs[0], levels), rows)


@dataclass(frozen=True)
class Line:
    """One person: what was proven, in which CPU time (inputs, trees and search), and how."""

    proven: bool
    seconds: float
    building: float
    gap: float
    rejected: int
    cost: float


def proven(
    table: Table, reading: Reading, score: Any, person: pd.DataFrame, plausible: bool
) -> Line:
    """Search until it is proven, or a second of CPU time is over."""
    start = time.process_time()
    case = case_of(table, reading, score, person)
    search = Search(case.problem, accept=case.accept(table) if plausible else None)
    building = time.process_time() - start
    proof = search.run(PORTION)
    while not proof.proven and time.process_time() - start < 1.0:
        proof = search.run(PORTION)
    seconds = time.process_time() - start
    good = proof.proven and seconds <= 1.0
    return Line(good, seconds, building, proof.gap, proof.n_rejected, proof.cost)


PORTION = 50_000
"""Units of work between two looks at the clock."""


def lines(table: Table, model: Any, n_people: int, plausible: bool) -> list[Line]:
    """Some of the declined with odd numbers, evenly spaced."""
    model.fit(table.data, table.wanted)
    reading = read(model, table.data.iloc[:2000])
    score = reading.towards([1], 0.5)
    declined = np.flatnonzero(model.predict_proba(table.data)[:, 1] < 0.5)
    some = declined[1::2]
    some = some[np.unique(np.linspace(0, len(some) - 1, n_people).astype(int))]
    people = [table.data.iloc[[place]] for place in some]
    proven(table, reading, score, people[0], plausible)  # compiles, or loads
    return [proven(table, reading, score, person, plausible) for person in people]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--people", type=int, default=60)
    parser.add_argument("--plausible", action="store_true", help="accept plausible ends only")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--tables", nargs="*", default=list(TABLES))
    parser.add_argument("--models", nargs="*", default=list(MODELS))
    asked = parser.parse_args()
    print(
        f"{'table':14} {'model':10} people  proven  within 10 %  median ms  p95 ms  largest", end=""
    )
    print("  with an end  rejected, largest")
    for name in asked.tables:
        table = TABLES[name]()
        for kind in asked.models:
            found = lines(table, MODELS[kind](asked.seed), asked.people, asked.plausible)
            milliseconds = np.array([line.seconds for line in found]) * 1e3
            close = np.mean([line.gap <= 0.1 for line in found])
            print(
                f"{name:14} {kind:10} {len(found):6} {np.mean([x.proven for x in found]):7.1%} "
                f"{close:12.1%} {np.median(milliseconds):10.0f} "
                f"{np.quantile(milliseconds, 0.95):7.0f} {milliseconds.max():8.0f} "
                f"{np.mean([np.isfinite(x.cost) for x in found]):12.1%} "
                f"{max(x.rejected for x in found):17}",
                flush=True,
            )


if __name__ == "__main__":
    main()
