"""Tables with their ordinary rules, the models asked about them, and the people measured.

A model learns three quarters of a table, which its seed draws: seeds of gradient boosting alone
change nothing on small tables. Settings of the search were chosen on people at even places among
the declined, so people measured are those at odd places, evenly spaced.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

import facelift as fl
from facelift.models.proving.reading import Reading, read
from tools.benchmarks.actions.judging import Judge

THRESHOLD = 0.5


@dataclass(frozen=True, eq=False)
class Table:
    """People, who has the outcome wanted (1 or 0), and what they can change."""

    title: str
    data: pd.DataFrame
    wanted: Any
    terrain: fl.Terrain


def table_of(title: str, bunch: Any, wanted: str, rules: Any, without: tuple[str, ...]) -> Table:
    data = bunch.data.drop(columns=list(without))
    terrain = rules(fl.Terrain.infer(data))
    return Table(title, data, (bunch.target == wanted).to_numpy().astype(int), terrain)


def heloc(codes: Any) -> Table:
    bunch = fl.datasets.load_heloc(codes=codes)
    return table_of(f"HELOC, codes {codes}", bunch, "Good", fl.datasets.heloc_rules, ())


def german() -> Table:
    bunch = fl.datasets.load_german_credit()
    return table_of("German Credit", bunch, "good", fl.datasets.german_credit_rules, ())


def adult() -> Table:
    bunch, left_out = fl.datasets.load_adult(), ("fnlwgt", "education_num")
    return table_of("Adult", bunch, ">50K", fl.datasets.adult_rules, left_out)


def default() -> Table:
    bunch = fl.datasets.load_credit_default()
    return table_of("Credit Default", bunch, "paid", fl.datasets.credit_default_rules, ())


TABLES: dict[str, Callable[[], Table]] = {
    "heloc-dropped": lambda: heloc("dropped"),
    "heloc-missing": lambda: heloc("missing"),
    "german": german,
    "adult": adult,
    "default": default,
}


def _pipeline(last: Any, *, scaled: bool = False) -> Any:
    """The usual pipeline: words one-hot, numbers as they are, or imputed and scaled."""
    from sklearn.compose import make_column_selector, make_column_transformer
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    numbers = make_pipeline(SimpleImputer(), StandardScaler()) if scaled else "passthrough"
    words = make_column_selector(dtype_exclude="number")
    encoder = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    return make_pipeline(make_column_transformer((encoder, words), remainder=numbers), last)


def _histogram(seed: int) -> Any:
    from sklearn.ensemble import HistGradientBoostingClassifier

    return _pipeline(HistGradientBoostingClassifier(random_state=seed))


def _xgboost(seed: int) -> Any:
    from xgboost import XGBClassifier

    return _pipeline(XGBClassifier(random_state=seed, n_jobs=1))


def _lightgbm(seed: int) -> Any:
    from lightgbm import LGBMClassifier

    return _pipeline(LGBMClassifier(random_state=seed, n_jobs=1, verbose=-1))


def _logistic(seed: int) -> Any:
    from sklearn.linear_model import LogisticRegression

    return _pipeline(LogisticRegression(max_iter=2000, random_state=seed), scaled=True)


def _forest(seed: int) -> Any:
    from sklearn.ensemble import RandomForestClassifier

    return _pipeline(RandomForestClassifier(100, random_state=seed))


MODELS: dict[str, Callable[[int], Any]] = {
    "histogram": _histogram,
    "xgboost": _xgboost,
    "lightgbm": _lightgbm,
    "logistic": _logistic,
    "forest": _forest,
}


@dataclass(frozen=True, eq=False)
class World:
    """A table, a model that learnt it, and an explainer of that model."""

    table: Table
    kind: str
    seed: int

    @cached_property
    def model(self) -> Any:
        n = len(self.table.data)
        some = np.sort(np.random.default_rng(self.seed).permutation(n)[: 3 * n // 4])
        return MODELS[self.kind](self.seed).fit(self.table.data.iloc[some], self.table.wanted[some])

    @cached_property
    def explainer(self) -> Any:
        explainer = fl.FACElift(self.model, self.table.terrain, steps="actions", margin=0.0)
        explainer.fit(self.table.data)
        explainer.explain(self.person(int(self.declined[0])), 1)  # compiles, or loads
        return explainer

    @cached_property
    def judge(self) -> Judge:
        return Judge(self.explainer, self.model, THRESHOLD)

    @cached_property
    def reading(self) -> Reading:
        """The structure of the model."""
        return read(self.model, self.table.data.iloc[:2000])

    @cached_property
    def declined(self) -> Any:
        """Numbers of the rows that the model declines."""
        return np.flatnonzero(self.model.predict_proba(self.table.data)[:, 1] < THRESHOLD)

    def person(self, row: int) -> pd.DataFrame:
        return self.table.data.iloc[[row]]

    def people(self, n: int) -> list[int]:
        """Rows of declined people nobody tuned on."""
        return evenly(self.declined[1::2], n)

    def rare_people(self, n: int) -> list[int]:
        """Those of them that are rarer than 95 % of the records."""
        some = self.declined[1::2]
        points = np.asarray(self.explainer.terrain_.encode(self.table.data.iloc[some]))
        return evenly(some[self.judge.rarer_than_most(points)], n)


def evenly(rows: Any, n: int) -> list[int]:
    """At most n of some rows, evenly spaced."""
    places = np.unique(np.linspace(0, len(rows) - 1, min(n, len(rows))).astype(int))
    return [int(row) for row in rows[places]]


def grown(data: pd.DataFrame, n: int, seed: int = 0) -> pd.DataFrame:
    """As many records as asked for: those of a table drawn again, and moved a little.

    Numbers move by a quarter of their spread, whole ones to whole ones, within their range; one
    word in ten is somebody else's. What is missing stays so. Smaller moves would leave a cloud
    around each record and hardly anything plausible between them.
    """
    rng = np.random.default_rng(seed)
    some = data.iloc[rng.integers(len(data), size=n)].reset_index(drop=True)
    for name in data:
        column = some[name]
        if not pd.api.types.is_numeric_dtype(column):
            others = column.iloc[rng.integers(n, size=n)].reset_index(drop=True)
            some[name] = column.where(rng.random(n) >= 0.1, others)
            continue
        moved = column + rng.normal(scale=0.25 * float(data[name].std()), size=n)
        moved = moved.clip(data[name].min(), data[name].max())
        whole = (data[name].dropna() % 1 == 0).all()
        some[name] = (moved.round() if whole else moved).astype(data[name].dtype)
    return some
