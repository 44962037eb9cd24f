"""A table of loans as they come: numbers with outliers and gaps, categories of many levels.

    python -m tools.benchmarks.loans loans.parquet 1000000

writes a million of them, and somebody who asks for one beside it, new.csv.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pandas as pd

MISSING = 0.0024
"""Share of one column that is missing."""


def loans(
    n: int, *, missing: float = MISSING, n_banks: int = 0, dates: bool = False, seed: int = 0
) -> pd.DataFrame:
    """Nine numbers and five or, with banks, six categories, about as a million small loans have.

    With dates, two columns more are as files have them: a day, and an amount with its currency.
    """
    rng = np.random.default_rng(seed)
    wealth, age = rng.normal(size=n), rng.gamma(4.0, 2.5, size=n)
    amount = np.round(np.exp(11.5 + 0.9 * wealth + 0.5 * rng.normal(size=n)), -2)
    staff = np.rint(np.exp(1.2 + 0.6 * wealth + 0.8 * rng.normal(size=n)))
    created = rng.poisson(0.4 + 0.3 * staff.clip(0, 50))
    kept = rng.poisson(0.3 * staff.clip(0, 2000))
    term = np.where(rng.random(n) < 0.5, 84, rng.integers(1, 300, size=n))
    guaranteed = np.round(amount * rng.choice([0.5, 0.75, 0.8, 0.85], size=n), -2)
    columns = {
        "amount": amount,
        "guaranteed": guaranteed,
        "term": term,
        "staff": staff,
        "jobs_created": created,
        "jobs_kept": kept,
        "age": np.round(age, 1),
        "rate": np.round(4 + 2 * rng.beta(2, 5, size=n) - 0.3 * wealth, 2),
        "past_due": rng.poisson(0.2, size=n),
    }
    table = pd.DataFrame(columns).astype(np.float64)
    table.loc[rng.random(n) < 1e-4, "staff"] = 9999.0
    table.loc[rng.random(n) < missing, "age"] = np.nan
    for name, n_levels in {"new": 2, "urban": 3, "line": 4, "sector": 20, "state": 10}.items():
        table[name] = _levels(rng, n, n_levels, name)
    if n_banks:
        table["bank"] = _levels(rng, n, n_banks, "bank")
    if dates:
        table["approved"] = pd.Timestamp("1990-01-01") + pd.to_timedelta(
            rng.integers(9000, size=n), unit="D"
        )
        table["paid_out"] = [f"${value:,.2f} " for value in guaranteed]
    return table


def _levels(rng: np.random.Generator, n: int, n_levels: int, name: str) -> pd.Series[str]:
    """Text of so many levels, few of them common, all of them there."""
    weights = 1 / (1 + np.arange(n_levels))
    codes = rng.choice(n_levels, size=n, p=weights / weights.sum())
    codes[: min(n, n_levels)] = np.arange(min(n, n_levels))
    return pd.Series(np.array([f"{name} {i}" for i in range(n_levels)], dtype=object)[codes])


def paid_back(table: pd.DataFrame) -> np.ndarray:
    """Chance that a loan is paid back; a model of the columns that are always there."""
    score = 0.02 * (table["term"] - 70) - 0.4 * table["past_due"] + 0.2 * np.log1p(table["staff"])
    score = score + np.where(table["new"] == "new 0", 0.4, 0.0) - 0.3 * (table["rate"] - 4.5)
    chance = 1 / (1 + np.exp(-score.to_numpy(dtype=np.float64)))
    return np.column_stack([1 - chance, chance])


def as_parquet(path: Path, n: int) -> None:
    """Write the whole table, with what became of every loan, as a Parquet file."""
    table = loans(n, n_banks=6000, dates=True)
    drawn = np.random.default_rng(1).random(n)
    table["outcome"] = np.where(drawn < paid_back(table)[:, 1], "paid", "default")
    table.to_parquet(path)


def newcomer(path: Path) -> None:
    """Write somebody who is no row of that table and was declined, as a CSV file."""
    table = loans(6_500, n_banks=6000, dates=True, seed=7)
    table[paid_back(table)[:, 1] < 0.3].iloc[[0]].to_csv(path, index=False)


if __name__ == "__main__":
    as_parquet(Path(sys.argv[1]), int(sys.argv[2]))
    newcomer(Path(sys.argv[1]).with_name("new.csv"))
