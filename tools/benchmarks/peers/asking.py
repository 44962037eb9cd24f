"""A method at work on one table: its process is started, and asked about people.

All methods ask one and the same model: it stays here, and their processes send it rows.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import time
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from threading import Timer
from typing import Any

import numpy as np
import pandas as pd

from tools.benchmarks.actions.worlds import World
from tools.benchmarks.peers.channel import Channel, packed, unpacked
from tools.benchmarks.peers.methods import Column

HANGS = 60
"""So many times its CPU seconds may pass on the clock; a busy machine needs many."""

CHILD = Path(__file__).with_name("child.py")
CODE = -9.0
"""What stands for a missing number, as the publisher of HELOC wrote it."""

PREPARING = 180.0
"""CPU seconds that preparing a table may take; ours compiles in them, once on a machine."""


@dataclass(frozen=True, eq=False)
class Coding:
    """A table as numbers, and back: words are numbered, and a code stands for missing numbers."""

    data: pd.DataFrame

    def words(self, name: str) -> list[str] | None:
        column = self.data[name]
        return (
            None if pd.api.types.is_numeric_dtype(column) else list(map(str, column.cat.categories))
        )

    def numbers(self, rows: pd.DataFrame) -> Any:
        codes = {name: rows[name].cat.codes for name in rows if self.words(name) is not None}
        return rows.assign(**codes).fillna(CODE).to_numpy(dtype=float)

    def rows(self, given: Any) -> pd.DataFrame:
        """Rows of the table from numbers; whole numbers where the table has whole ones."""
        found = {}
        for name, values in zip(self.data, np.asarray(given, dtype=float).T, strict=True):
            kind = self.data[name].dtype
            if self.words(name) is not None:
                found[name] = pd.Categorical.from_codes(np.rint(values).astype(int), dtype=kind)
            elif kind.kind in "iu":
                found[name] = np.rint(values).astype(kind)
            else:
                missing = (values == CODE) & self.data[name].isna().any()
                found[name] = np.where(missing, np.nan, values)
        return pd.DataFrame(found, columns=self.data.columns)


def permitted(person: Any, coding: Coding) -> dict[str, list[Any]]:
    """What the rules let each column become: a range of numbers, or a list of words."""
    found = {}
    for ladder in person.lattice.ladders:
        points = np.repeat(person.point[np.newaxis, :], len(ladder), axis=0)
        points[:, ladder.coordinates] = ladder.values
        rows = person.terrain.decode(points)
        for name in ladder.names:
            if coding.words(name) is not None:
                found[name] = sorted(set(rows[name].astype(str)))
            else:
                numbers = rows[name].fillna(CODE)
                found[name] = [float(numbers.min()), float(numbers.max())]
    return found


class Asked:
    """The process of a method, prepared for a table; `begun` says how that went.

    One that has died is started again for the next person.
    """

    def __init__(self, name: str, python: Path, world: World, limit: float, seed: int = 0) -> None:
        self.name, self.world, self.limit = name, world, limit
        self.coding = Coding(world.table.data)
        self.ours = name.startswith("facelift")
        self._python, self._seed = python, seed
        self._start()

    def _start(self) -> None:
        self._process = subprocess.Popen(
            [str(self._python), str(CHILD)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=_environment(self._seed, self.ours),
        )
        stdin, stdout = self._process.stdin, self._process.stdout
        if stdin is None or stdout is None:
            raise RuntimeError("the process has no pipes")
        self._channel = Channel(stdout, stdin)
        self.begun = self._said(self._beginning(), PREPARING)

    def __enter__(self) -> Asked:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        with suppress(BrokenPipeError):
            self._channel.close()

    def about(self, row: int, person: Any, n: int) -> dict[str, Any]:
        """What the method says of one person: `rows` of the table or a `fault`, and its time."""
        if self._process.poll() is not None:
            self.__exit__()
            self._start()
        if "fault" in self.begun:
            return {"fault": self.begun["fault"], "rows": None, "seconds": 0.0, "calls": 0}
        whole = self.coding.numbers(self.world.person(row))[0]
        wish = {
            "row": packed([row] if self.ours else whole),
            "allowed": {} if self.ours else permitted(person, self.coding),
            "n": n,
        }
        said = self._said(wish, self.limit)
        told = said.get("rows")
        if told is not None:
            ends = unpacked(told)
            terrain = person.terrain
            said["rows"] = terrain.decode(ends) if self.ours else self.coding.rows(ends)
            said["ways"] = [unpacked(way) for way in said["ways"]]
        return {"rows": None, "ways": [], **said}

    def _beginning(self) -> dict[str, Any]:
        table, model = self.world.table, self.world.model
        if self.ours:
            world = pickle.dumps((table.data, table.terrain, model))
            return {"name": self.name, "steps": self.name.split()[-1], "world": world}
        encoder = model[0].named_transformers_["onehotencoder"]
        words = getattr(encoder, "categories_", [])  # none where no column has words
        return {
            "name": self.name,
            "columns": [asdict(column) for column in columns(self.world, self.coding)],
            "matrix": packed(self.coding.numbers(table.data)),
            "wanted": packed(table.wanted),
            "trees": pickle.dumps(model[-1]),
            "encoded": [list(map(str, each)) for each in words],
        }

    def _said(self, message: dict[str, Any], limit: float) -> dict[str, Any]:
        """The answer to a message; meanwhile the model is asked what the method wants to know."""
        spent, calls = 0.0, 0
        timer = Timer(HANGS * limit, self._process.kill)
        timer.start()
        try:
            self._channel.send({**message, "limit": limit})
            while "ask" in (said := self._channel.receive()):
                start = time.process_time()
                rows = self.coding.rows(unpacked(said["ask"]))
                chances = self.world.model.predict_proba(rows)[:, 1]
                spent, calls = spent + time.process_time() - start, calls + 1
                self._channel.send({} if spent > limit else {"chances": packed(chances)})
        except (EOFError, BrokenPipeError):
            return {"fault": "the process ended", "seconds": limit, "calls": calls}
        finally:
            timer.cancel()
        return {**said, "seconds": said["seconds"] + spent, "calls": calls}


def columns(world: World, coding: Coding) -> list[Column]:
    """What a method is told of the columns, with the cheaper of a column's two prices."""
    found = []
    for feature in world.explainer.terrain_.features:
        kind = world.table.data[feature.name].dtype
        prices = [price for price in (feature.increase, feature.decrease) if np.isfinite(price)]
        words, price = coding.words(feature.name), min(prices, default=1.0)
        span = 1.0 if words else feature.span
        whole = kind.kind in "iu"
        found.append(Column(str(feature.name), words, whole, float(span), float(price)))
    return found


def _environment(seed: int, ours: bool) -> dict[str, str]:
    """One thread, no network to look things up in, and words ordered by another seed each time."""
    known = {name: value for name, value in os.environ.items() if name != "PYTHONPATH" or ours}
    one = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    quiet = {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": ""}
    return {**known, **one, **quiet, "PYTHONHASHSEED": str(seed)}
