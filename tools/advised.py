"""Does the advice keep its promises? Goes over declined people and counts where it does not.

`python -m tools.advised` looks at every declined applicant of German Credit and at 300 people each
of Adult, Credit Default and HELOC, drawn with a seed (`--people 0`: all of them, which takes
hours). With `--keep FILE` it notes there what it found of whom, and goes on from there when it is
called again; with `--seconds`, it stops after so many and counts those so far.

What it counts must be 0:

- dear: the recommended way costs more than 1.1 times the cheapest;
- dips: it passes through a lower chance than now while another within the slack does not;
- below: a way ends below threshold and margin, by the model asked anew;
- worse: a step of any way makes somebody worse off in a column that the rules say so of.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import facelift as fl
from facelift.choosing import SLACK, dips, recommended
from tools.benchmarks.actions.worlds import TABLES, THRESHOLD, World

SETS = ("german", "adult", "default", "heloc-dropped")
FAULTS = ("dear", "dips", "below", "worse")
TOLERANCE = 1e-9
MARGIN = 0.02


def faults(multiverse: fl.Multiverse, model: Any, terrain: fl.Terrain) -> Iterator[str]:
    """The promises that the ways of somebody break."""
    costs = multiverse.costs
    near = costs <= (1 + SLACK) * costs.min() * (1 + TOLERANCE)
    chosen = recommended(multiverse)
    if not near[chosen]:
        yield "dear"
    if dips(multiverse)[chosen] and not dips(multiverse)[near].all():
        yield "dips"
    ends = pd.concat([rows_of(journey).iloc[[-1]] for journey in multiverse])
    if (model.predict_proba(ends)[:, 1] < THRESHOLD + MARGIN - TOLERANCE).any():
        yield "below"
    if any(harms(rows_of(journey), terrain) for journey in multiverse):
        yield "worse"


def rows_of(journey: fl.Journey) -> pd.DataFrame:
    """The waypoints as rows of the table."""
    rows = journey.rows
    if rows is None:
        raise ValueError("The ways were not found in a table.")
    return rows


def harms(rows: pd.DataFrame, terrain: fl.Terrain) -> bool:
    """Whether a step makes somebody worse off, by the values in the table themselves."""
    return any(
        bool((np.diff(harm_of(feature, rows[feature.name])) > TOLERANCE).any())
        for feature in terrain.features
        if feature.worse
    )


def harm_of(feature: Any, values: Any) -> Any:
    """How bad each value is: the higher the worse; a value that is missing is worst."""
    if not isinstance(feature.worse, str):
        rank = {level: place for place, level in enumerate(feature.worse, start=1)}
        return np.array([rank.get(value, 0) for value in values], dtype=float)
    places = {level: place for place, level in enumerate(feature.levels)}
    amounts = [math.inf if pd.isna(v) else float(places.get(v, v)) for v in values]
    sign = 1.0 if feature.worse == "increase" else -1.0
    return np.array([each if math.isinf(each) else sign * each for each in amounts])


class Notes:
    """Whom one looked at and what was found, by set and row; in a file, if there is one."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self.found: dict[str, dict[int, list[str]]] = {}
        for line in path.read_text().splitlines() if path and path.exists() else ():
            name, row, said = json.loads(line)
            self.found.setdefault(name, {})[row] = said

    def add(self, name: str, row: int, said: list[str]) -> None:
        """Note what was found of somebody."""
        self.found.setdefault(name, {})[row] = said
        if self.path:
            with self.path.open("a") as file:
                file.write(json.dumps([name, row, said]) + "\n")

    def counts(self, name: str) -> Counter[str]:
        """How many people were looked at, have ways, and whose ways break which promise."""
        people = self.found.get(name, {})
        return Counter({"looked at": len(people)}) + Counter(
            each for said in people.values() for each in said
        )


def check(name: str, n_people: int, notes: Notes, until: float) -> Counter[str]:
    """Look at people who were not looked at yet, in an order drawn with a seed, for a time."""
    world = World(TABLES[name](), "histogram", 0)
    rows = np.random.default_rng(0).permutation(world.declined)[: n_people or None].tolist()
    explainer = fl.FACElift(world.model, world.table.terrain, steps="actions", margin=MARGIN)
    explainer.set_params(n_counterfactuals=7).fit(world.table.data)
    for row in [each for each in rows if each not in notes.found.get(name, {})]:
        if time.monotonic() > until:
            break
        multiverse = explainer.explain(world.person(row), 1)
        said = ["have ways"] if len(multiverse) else []
        said += faults(multiverse, world.model, world.table.terrain) if said else []
        notes.add(name, row, said)
        print(f"\r{name}: {len(notes.found[name])} looked at", end="", flush=True)
        if len(said) > 1:
            print(f"\n{name}, row {row}: {', '.join(said[1:])}")
    print()
    return notes.counts(name) + Counter({"declined": len(world.declined)})


def main() -> None:
    """Check the sets asked for and print the counts."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--people", type=int, default=300, help="of each set but german; 0: all")
    parser.add_argument("--sets", nargs="*", default=list(SETS))
    parser.add_argument("--keep", type=Path, help="file of what was found, to go on from")
    parser.add_argument("--seconds", type=float, default=math.inf, help="stop after so many")
    given = parser.parse_args()
    columns = ("declined", "looked at", "have ways", *FAULTS)
    notes, until = Notes(given.keep), time.monotonic() + given.seconds
    for name in given.sets:
        found = check(name, 0 if name == "german" else given.people, notes, until)
        print(f"{name}: " + ", ".join(f"{column} {found[column]}" for column in columns))


if __name__ == "__main__":
    main()
