"""Other people's methods behind one call; runs in an environment of theirs, without facelift.

Each class takes a `Problem` and gives, for a person, the rows it calls counterfactuals, as numbers
in the order of the table's columns: words are numbered, and the code -9 stands for what is missing.
Methods are told which columns may change and to what, person by person, where they take it.
"""

from __future__ import annotations

import io
import pickle
import warnings
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Column:
    """A column of the table: its words (None for a number), whether numbers are whole, its span.

    The span is the change that counts as 1, and the price what one of that size costs.
    """

    name: str
    words: list[str] | None
    whole: bool
    span: float
    price: float


@dataclass(frozen=True, eq=False)
class Problem:
    """A table as numbers, who has the outcome, and how the model is asked."""

    columns: list[Column]
    matrix: Any
    wanted: Any
    ask: Callable[[Any], Any]
    """From rows as numbers to the chance of each; shape (n,)."""

    trees: bytes
    """The last step of the model's pipeline, pickled."""

    encoded: list[list[str]]
    """The words of each column with words, in the order of the pipeline's own columns."""

    def both(self, rows: Any) -> Any:
        """The chances of both outcomes, (n, 2)."""
        chances = self.ask(np.asarray(rows, dtype=float))
        return np.column_stack([1 - chances, chances])


@dataclass(frozen=True)
class Wish:
    """A person: their row, what may change to what, and how many answers are wanted.

    `allowed` has, for every column that may change, its least and largest number or its words.
    """

    row: Any
    allowed: dict[str, list[Any]]
    n: int
    seconds: float


@dataclass(frozen=True)
class Answer:
    """Rows as numbers, and what the method says it has proven of the first."""

    rows: Any
    proof: str | None = None


class Dice:
    """DiCE: random, genetic or k-d tree."""

    def __init__(self, method: str, problem: Problem) -> None:
        import dice_ml
        import pandas as pd
        from raiutils.exceptions import UserConfigValidationException

        self.none_found, self.problem, self.method = UserConfigValidationException, problem, method
        names = [column.name for column in problem.columns]
        numbers = [column.name for column in problem.columns if column.words is None]

        class Asked:
            """The model, which is asked about rows of text and numbers."""

            def predict_proba(self, table: Any) -> Any:
                return problem.both(coded(problem, table[names]))

            def predict(self, table: Any) -> Any:
                return (self.predict_proba(table)[:, 1] >= 0.5).astype(int)

        table = pd.DataFrame(texts(problem, problem.matrix)).assign(outcome=problem.wanted)
        data = dice_ml.Data(dataframe=table, continuous_features=numbers, outcome_name="outcome")
        asked = dice_ml.Model(model=Asked(), backend="sklearn")
        self.explainer = dice_ml.Dice(data, asked, method=method)

    def __call__(self, wish: Wish) -> Answer | None:
        import pandas as pd

        query = pd.DataFrame(texts(self.problem, wish.row[np.newaxis, :]))
        seeded = {"random_seed": 0} if self.method == "random" else {}
        with suppress(self.none_found):
            found = self.explainer.generate_counterfactuals(
                query,
                total_CFs=wish.n,
                desired_class=1,
                features_to_vary=list(wish.allowed),
                permitted_range=wish.allowed,
                verbose=False,
                **seeded,
            )
            ends = found.cf_examples_list[0].final_cfs_df
            if ends is not None and len(ends):
                names = [column.name for column in self.problem.columns]
                return Answer(coded(self.problem, ends[names]))
        return None


class Nice:
    """NICE as its authors set it: the fewest columns of the nearest accepted record."""

    def __init__(self, problem: Problem) -> None:
        from nice import NICE

        self.explainer = NICE(
            predict_fn=problem.both,
            X_train=problem.matrix,
            cat_feat=[i for i, column in enumerate(problem.columns) if column.words],
            y_train=problem.wanted,
        )

    def __call__(self, wish: Wish) -> Answer:
        return Answer(self.explainer.explain(wish.row[np.newaxis, :]))


class Cfnow:
    """CFNOW with its greedy search; words are one-hot, as it wants them."""

    def __init__(self, problem: Problem) -> None:
        from cfnow import find_tabular

        self.find, self.problem, self.hot = find_tabular, problem, OneHot(problem.columns)

    def __call__(self, wish: Wish) -> Answer | None:
        import pandas as pd

        names, kinds = [], []
        for i, column in enumerate(self.problem.columns):
            words = column.words
            names += [f"c{i}"] if words is None else [f"c{i}_{j}" for j in range(len(words))]
            kinds += ["num"] if words is None else ["cat"] * len(words)
        row = pd.Series(self.hot.of(wish.row[np.newaxis, :])[0], index=names)
        found = self.find(
            factual=row,
            model_predict_proba=lambda rows: self.problem.ask(self.hot.back(np.asarray(rows))),
            feat_types=dict(zip(names, kinds, strict=True)),
            has_ohe=True,
            cf_strategy="greedy",
            count_cf=1,
            limit_seconds=int(wish.seconds),
        )
        rows = np.array([np.asarray(each, dtype=float) for each in found.cfs[: wish.n]])
        return Answer(self.hot.back(rows)) if len(rows) else None


class Treecf:
    """treecf's exact search on the model's trees, with our prices."""

    def __init__(self, problem: Problem) -> None:
        import treecf

        self.treecf, self.problem = treecf, problem
        self.words = [i for i, column in enumerate(problem.columns) if column.words]
        self.numbers = [i for i, column in enumerate(problem.columns) if not column.words]
        self.trees = treecf.api.parse_model(pickle.loads(problem.trees), None)  # noqa: S301
        self.hot = [
            (i, [problem.columns[i].words.index(word) for word in words])
            for i, words in zip(self.words, problem.encoded, strict=True)
        ]
        scales = [np.sqrt(2) / problem.columns[i].price for i, order in self.hot for _ in order]
        scales += [problem.columns[i].span / problem.columns[i].price for i in self.numbers]
        self.scales = np.array(scales)

    def __call__(self, wish: Wish) -> Answer | None:
        t, names_left = self.treecf, iter(self.trees.feature_names)
        rules, policy, start = [], {}, []
        for i, order in self.hot:
            names = [next(names_left) for _ in order]
            column = self.problem.columns[i]
            values = [float(wish.row[i] == code) for code in order]
            start += values
            allowed = wish.allowed.get(column.name, [])
            rules.append(t.OneHot(names))
            rules += [
                t.Freeze(name)
                for name, code, value in zip(names, order, values, strict=True)
                if column.name not in wish.allowed or not (value or column.words[code] in allowed)
            ]
        for i in self.numbers:
            column, name, value = self.problem.columns[i], next(names_left), float(wish.row[i])
            start.append(value)
            if column.name in wish.allowed:
                low, high = wish.allowed[column.name]
                rules.append(t.Range(name, min(low, value), max(high, value)))
                if column.whole:
                    policy[name] = "integer"
            else:
                rules.append(t.Freeze(name))
        explainer = t.Explainer(
            self.trees, constraints=rules, normalizers=self.scales, value_policy=policy
        )
        target = t.Target.probability(op=">=", value=0.5)
        found = explainer.explain(
            np.array(start), target, "exact", seed=0, time_budget_s=wish.seconds
        )
        if not hasattr(found, "x_cf"):
            return None
        return Answer(self._row(found.x_cf)[np.newaxis, :], found.proof)

    def _row(self, values: Any) -> Any:
        row, at = np.zeros(len(self.problem.columns)), 0
        for i, order in self.hot:
            row[i] = order[int(np.argmax(values[at : at + len(order)]))]
            at += len(order)
        row[self.numbers] = values[at:]
        return row


class Alibi:
    """alibi's counterfactuals guided by prototypes, by k-d trees, on numbered words."""

    def __init__(self, problem: Problem) -> None:
        import tensorflow as tf

        tf.compat.v1.disable_v2_behavior()
        from alibi.explainers import CounterfactualProto

        self.problem = problem
        low, high = problem.matrix.min(axis=0), problem.matrix.max(axis=0)
        self.low, self.width = low, np.where(high > low, high - low, 1.0)
        words = {i: len(c.words) for i, c in enumerate(problem.columns) if c.words}
        numbers = [i for i in range(len(low)) if i not in words]
        scaled = self._scaled(problem.matrix, numbers)
        self.numbers = numbers
        self.explainer = CounterfactualProto(
            lambda rows: problem.both(self._back(rows)),
            (1, len(low)),
            cat_vars=words or None,
            ohe=False,
            use_kdtree=True,
            theta=10.0,
            max_iterations=100,
            c_init=1.0,
            c_steps=3,
            feature_range=(scaled.min(axis=0, keepdims=True), scaled.max(axis=0, keepdims=True)),
        )
        self.explainer.fit(scaled, d_type="abdm" if words else None, disc_perc=[25, 50, 75])

    def _scaled(self, rows: Any, numbers: list[int]) -> Any:
        found = np.array(rows, dtype=float)
        found[:, numbers] = (found[:, numbers] - self.low[numbers]) / self.width[numbers]
        return found

    def _back(self, rows: Any) -> Any:
        found = np.array(rows, dtype=float).reshape(-1, len(self.low))
        n = self.numbers
        found[:, n] = found[:, n] * self.width[n] + self.low[n]
        words = [i for i in range(len(self.low)) if i not in n]
        found[:, words] = np.clip(
            np.rint(found[:, words]), self.low[words], (self.low + self.width)[words]
        )
        return found

    def __call__(self, wish: Wish) -> Answer | None:
        found = self.explainer.explain(self._scaled(wish.row[np.newaxis, :], self.numbers))
        return None if found.cf is None else Answer(self._back(found.cf["X"]))


METHODS: dict[str, Callable[[Problem], Any]] = {
    "DiCE random": lambda problem: Dice("random", problem),
    "DiCE genetic": lambda problem: Dice("genetic", problem),
    "DiCE k-d tree": lambda problem: Dice("kdtree", problem),
    "NICE": Nice,
    "CFNOW": Cfnow,
    "treecf": Treecf,
    "alibi": Alibi,
}


@dataclass(frozen=True)
class OneHot:
    """Rows with numbered words as rows with a column per word, and back."""

    columns: list[Column]

    def of(self, rows: Any) -> Any:
        parts = [
            rows[:, [i]] if c.words is None else np.eye(len(c.words))[rows[:, i].astype(int)]
            for i, c in enumerate(self.columns)
        ]
        return np.hstack(parts)

    def back(self, rows: Any) -> Any:
        rows, found, at = rows.reshape(-1, rows.shape[-1]), [], 0
        for column in self.columns:
            width = len(column.words or [0])
            part, at = rows[:, at : at + width], at + width
            found.append(part[:, 0] if column.words is None else part.argmax(axis=1))
        return np.column_stack(found).astype(float)


def texts(problem: Problem, rows: Any) -> dict[str, Any]:
    """Rows as columns of text and numbers."""
    return {
        column.name: rows[:, i].astype(int if column.whole else float)
        if column.words is None
        else np.array(column.words, dtype=object)[rows[:, i].astype(int)]
        for i, column in enumerate(problem.columns)
    }


def coded(problem: Problem, table: Any) -> Any:
    """A frame of text and numbers as numbers."""
    found = []
    for column in problem.columns:
        values = table[column.name]
        if column.words is not None:
            numbers = {word: i for i, word in enumerate(column.words)}
            values = [numbers[str(value)] for value in values]
        found.append(np.asarray(values, dtype=float))
    return np.column_stack(found)


def quiet(work: Callable[[], Any]) -> Any:
    """Do work whose warnings and prints nobody wants to read."""
    with warnings.catch_warnings(), redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        warnings.simplefilter("ignore")
        return work()
