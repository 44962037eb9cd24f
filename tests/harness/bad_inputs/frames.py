"""Tables, cases and parameters."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
from scipy.sparse import csr_array

from facelift import FACElift, Terrain

from .table import BadInput, called


def model(table: Any) -> np.ndarray:
    first = np.asarray(table if isinstance(table, np.ndarray) else table["income"])
    chance = np.clip(np.asarray(first, dtype=np.float64).reshape(len(table), -1)[:, 0] / 9, 0, 1)
    return np.column_stack([1 - chance, chance])


def people(**changes: Any) -> pd.DataFrame:
    i = np.arange(10)
    return pd.DataFrame(
        {"income": i * 1.0, "debts": i % 3, "town": np.where(i % 2, "Bern", "Aarau")}
    ).assign(**changes)


FITTED = FACElift(model, n_neighbors=3).fit(people())
BOUNDED = FACElift(model, Terrain.infer(people()).between("income", 0, 5), n_neighbors=3)
BOUNDED.fit(people())
ROW = {"income": 1.0, "debts": 1, "town": "Bern"}


def fitting(name: str, X: Any, code: str, words: str) -> BadInput:
    return called(f"table: {name}", lambda: FACElift(model).fit(X), code, words)


def asking(name: str, x: Any, code: str, words: str, **options: Any) -> BadInput:
    return called(f"case: {name}", lambda: FITTED.explain(x, **options), code, words)


def setting(name: str, code: str, words: str, **parameters: Any) -> BadInput:
    call = lambda: FACElift(model, **parameters).fit(people())  # noqa: E731
    return called(f"parameter: {name}", call, code, words)


def refining(name: str, code: str, words: str, method: str, *given: Any, **more: Any) -> BadInput:
    call = lambda: getattr(Terrain.infer(people()), method)(*given, **more)  # noqa: E731
    return called(f"terrain: {name}", call, code, words)


CASES = [
    fitting("none", None, "InvalidData", "got NoneType"),
    fitting("a number", 3, "InvalidData", "got int"),
    fitting("text", "loans.csv", "InvalidData", "got str"),
    fitting("no rows", people().head(0), "InvalidData", "empty"),
    fitting("no columns", people()[[]], "InvalidData", "0 columns"),
    fitting("one axis", np.arange(4.0), "InvalidData", "2 axes"),
    fitting("three axes", np.zeros((2, 2, 2)), "InvalidData", "2 axes"),
    fitting("ragged rows", [[1.0], [1.0, 2.0]], "InvalidData", "equally long"),
    fitting("an array of objects", np.array([[1, "a"]], dtype=object), "InvalidData", "numbers"),
    fitting("complex numbers", np.ones((3, 1)) * 1j, "InvalidData", "Complex data"),
    fitting("a sparse table", csr_array(np.eye(3)), "InvalidData", "X.toarray()"),
    fitting("no number at all", people(income=np.nan), "InvalidData", "'income' holds no value"),
    fitting("no text at all", people(town=None), "InvalidData", "'town' holds no value"),
    fitting("infinite", people(income=np.inf), "InvalidData", "infinite"),
    fitting("beyond floats", people(income=2**60), "InvalidData", "2**53"),
    fitting("lists in cells", people(bag=[[1]] * 10), "InvalidData", "'bag'"),
    fitting(
        "the same column twice",
        pd.concat([people(), people()[["debts"]]], axis=1),
        "InvalidData",
        "'debts' stands in the table twice",
    ),
    fitting("missing in polars", pl.DataFrame({"income": [1.0, None]}), "InvalidModel", "NaN"),
    asking("a number", 3, "InvalidData", "got 3; of a row by its number"),
    asking("too few values", [1.0, 2], "InvalidData", "2 values, 3 are needed"),
    asking("several rows", people(), "InvalidData", "explain_many"),
    asking("no row", people().head(0), "InvalidData", "0 rows"),
    asking("a column missing", {"income": 1.0, "debts": 1}, "UnknownColumn", "'town'"),
    asking("a column too many", {**ROW, "wings": 2}, "UnknownColumn", "'wings'"),
    asking("text for a number", {**ROW, "income": "much"}, "InvalidData", "'much'"),
    asking("an unknown level", {**ROW, "town": "Chur"}, "InvalidData", "'Chur'"),
    asking("half a debt", {**ROW, "debts": 0.5}, "InvalidData", "whole numbers"),
    asking("nothing in a cell", {**ROW, "income": None}, "MissingValues", "income"),
    asking("an infinite number", {**ROW, "income": np.inf}, "InvalidData", "infinite"),
    asking("an unknown target", ROW, "InvalidInput", "known: 0, 1", target="good"),
    asking("no target at all", ROW, "InvalidInput", "target", target=[]),
    asking("too few to choose among", ROW, "InvalidInput", "among", among=[True]),
    called(
        "case: out of bounds",
        lambda: BOUNDED.explain({**ROW, "income": 7.0}),
        "InvalidData",
        "bounds",
    ),
    called("case: before fit", lambda: FACElift(model).explain(ROW), "NotFitted", "call fit(X)"),
    called("case: a frame of arrays", lambda: FITTED.explain_many(3), "InvalidData", "got int"),
    setting("no steps", "InvalidInput", "steps", steps="jumps"),
    setting("no neighbours", "InvalidInput", "n_neighbors", n_neighbors=0),
    setting("half a neighbour", "InvalidInput", "n_neighbors", n_neighbors=2.5),
    setting("neighbours as text", "InvalidInput", "n_neighbors", n_neighbors="20"),
    setting("unknown edges", "InvalidInput", "edges", edges="both"),
    setting("an unknown cost", "InvalidInput", "edge_cost", edge_cost="weight"),
    setting("a chance above one", "InvalidInput", "threshold", threshold=1.5),
    setting("a chance of NaN", "InvalidInput", "threshold", threshold=np.nan),
    setting("truth for a number", "InvalidInput", "n_counterfactuals", n_counterfactuals=True),
    setting("separation below zero", "InvalidInput", "min_separation", min_separation=-1),
    setting("a step of nothing", "InvalidInput", "max_step", max_step=0),
    setting(
        "a largest step of actions",
        "InvalidInput",
        "terrain.levels",
        max_step=1.0,
        steps="actions",
    ),
    setting("no threads", "InvalidInput", "n_jobs", n_jobs=0),
    setting(
        "a terrain of another table",
        "UnknownColumn",
        "lacks the column 'age'",
        terrain=Terrain.infer(pd.DataFrame({"age": [1, 2]})),
    ),
    refining("an unknown column", "UnknownColumn", "did you mean 'income'", "freeze", "incme"),
    refining("a price below zero", "InvalidInput", "zero or more", "price", "income", -1.0),
    refining("a price of NaN", "InvalidInput", "zero or more", "price", "income", np.nan),
    refining("bounds upside down", "InvalidInput", "upside down", "between", "income", 5, 1),
    refining("bounds of levels", "InvalidInput", "numeric columns", "between", "town", 0, 1),
    refining("an order that misses", "InvalidInput", "misses", "order", "town", ["Bern"]),
    refining("an unknown change", "InvalidInput", "'Chur'", "forbid", "town", "Chur", "Bern"),
    refining("a change to itself", "InvalidInput", "stays", "forbid", "town", "Bern", "Bern"),
    refining("a link of one", "InvalidInput", "two or more", "link", "income"),
    refining("a rate of nothing", "InvalidInput", "positive", "rate", "income", 0, per="year"),
    refining("a requirement that calls", "InvalidInput", "Requirement", "require", "print(1) < 2"),
    refining("no requirement", "InvalidInput", "a <= b", "require", "income <="),
]
