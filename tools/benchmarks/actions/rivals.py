"""DiCE and NICE behind one call, given the model and as many of the rules as they understand.

DiCE is told which columns may vary and within which range or among which levels, person by person.
NICE knows no rules. Neither knows missing numbers: they see a code in their place, as the
publisher of HELOC wrote it, and the model gets back what is missing.
"""

from __future__ import annotations

import signal
import subprocess
import sys
import time
import warnings
from contextlib import contextmanager, redirect_stderr, suppress
from dataclasses import dataclass
from functools import cached_property
from io import StringIO
from typing import Any

import numpy as np
import pandas as pd

import facelift as fl
from facelift._checks import optional

CODE = -9.0
"""What stands for a missing number."""

NICE_PACKAGE = "NICEx==0.2.3"


class OutOfTime(BaseException):
    """A rival took longer than it was given; no fault that it may catch itself."""


@contextmanager
def at_most(seconds: float) -> Any:
    """Raise `OutOfTime` after so many seconds of CPU time."""

    def stop(*_: Any) -> None:
        raise OutOfTime

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


@dataclass(frozen=True, eq=False)
class Coding:
    """A table as rivals take it, and back: missing numbers as codes, words as text or numbers."""

    data: pd.DataFrame

    @cached_property
    def words(self) -> list[str]:
        return [name for name in self.data if not pd.api.types.is_numeric_dtype(self.data[name])]

    def text(self, rows: pd.DataFrame) -> pd.DataFrame:
        return rows.fillna(dict.fromkeys(self._numbers, CODE)).astype(
            dict.fromkeys(self.words, str)
        )

    def numbers(self, rows: pd.DataFrame) -> Any:
        codes = {name: rows[name].cat.codes for name in self.words}
        return rows.assign(**codes).fillna(CODE).to_numpy(dtype=float)

    def rows(self, given: Any) -> pd.DataFrame:
        """Rows of the table from either."""
        frame = pd.DataFrame(given, columns=self.data.columns)
        for name, kind in self.data.dtypes.items():
            if name not in self.words:
                column = frame[name].astype(float)
                missing = column == CODE if self.data[name].isna().any() else column.isna()
                column = column.mask(missing)
                frame[name] = column.round().astype(kind) if kind.kind in "iu" else column
            elif isinstance(given, pd.DataFrame):
                frame[name] = frame[name].astype(kind)
            else:
                frame[name] = pd.Categorical.from_codes(frame[name].astype(int), dtype=kind)
        return frame

    @property
    def _numbers(self) -> list[str]:
        return [name for name in self.data if name not in self.words]


def permitted(person: Any, coding: Coding) -> dict[str, list[Any]]:
    """What the rules let each column become: a range of numbers, or a list of levels."""
    found = {}
    for ladder in person.lattice.ladders:
        points = np.repeat(person.point[np.newaxis, :], len(ladder), axis=0)
        points[:, ladder.coordinates] = ladder.values
        rows = coding.text(person.terrain.decode(points))
        for name in ladder.names:
            values = rows[name]
            if name in coding.words:
                found[name] = sorted(set(values))
            else:
                found[name] = [float(values.min()), float(values.max())]
    return found


class Dice:
    """DiCE with one of its methods."""

    def __init__(self, method: str, data: pd.DataFrame, wanted: Any, model: Any) -> None:
        dice = optional("dice_ml", extra="bench", what="The comparison with DiCE")
        self.none_found = optional(
            "raiutils.exceptions", extra="bench", what="The comparison with DiCE"
        ).UserConfigValidationException
        self.coding = coding = Coding(data)

        class Asked:
            """The model, which is asked about rows of the table."""

            def predict_proba(self, table: pd.DataFrame) -> Any:
                return model.predict_proba(coding.rows(table[data.columns]))

            def predict(self, table: pd.DataFrame) -> Any:
                return (self.predict_proba(table)[:, 1] >= 0.5).astype(int)

        whole = coding.text(data).assign(outcome=np.asarray(wanted, dtype=int))
        numbers = [name for name in data if name not in coding.words]
        known = dice.Data(dataframe=whole, continuous_features=numbers, outcome_name="outcome")
        asked = dice.Model(model=Asked(), backend="sklearn")
        self.explainer = dice.Dice(known, asked, method=method)

    def ends(
        self,
        row: pd.DataFrame,
        n: int,
        free: list[str],
        allowed: dict[str, list[Any]] | None = None,
    ) -> Any:
        """Rows of the table that DiCE calls counterfactuals; None if it finds none.

        Columns that are `free` may change, some of them only to what is `allowed`.
        """
        query = self.coding.text(row)
        with warnings.catch_warnings(), redirect_stderr(StringIO()), suppress(self.none_found):
            warnings.simplefilter("ignore")
            found = self.explainer.generate_counterfactuals(
                query,
                total_CFs=n,
                desired_class=1,
                features_to_vary=free,
                permitted_range=allowed,
                verbose=False,
            )
            ends = found.cf_examples_list[0].final_cfs_df
            if ends is not None and len(ends):
                return self.coding.rows(ends[row.columns].reset_index(drop=True))
        return None


class Nice:
    """NICE as its authors set it: the fewest columns of the nearest accepted record."""

    def __init__(self, data: pd.DataFrame, wanted: Any, model: Any) -> None:
        self.coding = Coding(data)
        self.explainer = nice_class()(
            predict_fn=lambda given: model.predict_proba(self.coding.rows(given)),
            X_train=self.coding.numbers(data),
            cat_feat=[list(data).index(name) for name in self.coding.words],
            y_train=np.asarray(wanted, dtype=int),
        )

    def ends(self, row: pd.DataFrame, *_: Any) -> Any:
        """The one row of the table that NICE calls a counterfactual."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return self.coding.rows(self.explainer.explain(self.coding.numbers(row)))


def nice_class() -> Any:
    """NICE, kept in the cache: it asks for an old pandas, which it does not use."""
    folder = fl.datasets.cache_home() / "rivals"
    if not (folder / "nice").exists():
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps"]
        subprocess.run([*command, "--target", str(folder), NICE_PACKAGE], check=True)
    sys.path.append(str(folder))
    from nice import NICE

    return NICE


RIVALS = {
    "DiCE random": lambda *world: Dice("random", *world),
    "DiCE genetic": lambda *world: Dice("genetic", *world),
    "NICE": Nice,
}


def asked(rival: Any, person: Any, row: pd.DataFrame, n: int, seconds: float) -> dict[str, Any]:
    """What a rival finds for one person, and what our judge says of its best end.

    The best end has the outcome; it keeps the rules, is plausible and costs little, in this order.
    """
    allowed = permitted(person, rival.coding)
    np.random.seed(0)  # noqa: NPY002  (DiCE draws from the generator that everybody shares)
    start, ends, fault = time.process_time(), None, None
    try:
        with at_most(seconds):
            ends = rival.ends(row, n, list(allowed), allowed)
    except OutOfTime:
        fault = "out of time"
    except Exception as error:  # whatever it stumbles over is its answer
        fault = f"{type(error).__name__}: {error}"[:200]
    taken = time.process_time() - start
    if ends is None:
        return {"seconds": taken, "found": False, "fault": fault}
    return {"seconds": taken, "fault": fault, **best_end(person, ends)}


def best_end(person: Any, ends: pd.DataFrame) -> dict[str, Any]:
    """What the judge says of the best of some ends."""
    points = np.asarray(person.terrain.encode(ends))
    points = points[person.judge.model.predict_proba(ends)[:, 1] >= person.judge.threshold]
    if not len(points):
        return {"found": False}
    rules, plausible = person.admissible(points), person.plausible(points)
    efforts, columns = lifted_efforts(person, points), person.columns_changed(points)
    best = np.lexsort((efforts, ~plausible, ~rules))[0]
    return {
        "found": True,
        "rules": bool(rules[best]),
        "plausible": bool(plausible[best]),
        "effort": float(efforts[best]),
        "columns": int(columns[best]),
        "fewest": int(columns[(rules == rules[best]) & (plausible == plausible[best])].min()),
    }


def lifted_efforts(person: Any, points: Any) -> Any:
    """Effort by our prices; what a rule forbids has the ordinary price, 1."""
    ruled = person.costs_by_feature(person.terrain, points)
    free = person.terrain
    for feature in person.terrain.features:
        free = free.price(feature.name, 1.0)
    plain = person.costs_by_feature(free, points)
    return np.where(np.isfinite(ruled), ruled, plain).sum(axis=1)
