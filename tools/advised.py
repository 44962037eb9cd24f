"""Does the advice keep its promises? Goes over declined people and counts where it does not.

`python -m tools.advised` looks at every declined applicant of German Credit and at 300 people each
of Adult, Credit Default and HELOC, drawn with a seed (`--people 0`: all of them, which takes
hours). What it counts must be 0:

- dear: the recommended way costs more than 1.1 times the cheapest;
- dips: it passes through a lower chance than now while another within the slack does not;
- below: a way ends below threshold and margin, by the model asked anew;
- worse: a step of any way makes somebody worse off in a column that the rules say so of.
"""

from __future__ import annotations

import argparse
import math
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

import facelift as fl
from facelift.selection.choices import SLACK, dips, recommended
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


def checked(name: str, n_people: int, seed: int = 0) -> Counter[str]:
    """How many people were looked at, have ways, and whose ways break which promise."""
    world = World(TABLES[name](), "histogram", 0)
    rows = world.declined
    if 0 < n_people < len(rows):
        rows = np.sort(np.random.default_rng(seed).choice(rows, n_people, replace=False))
    explainer = fl.FACElift(world.model, world.table.terrain, steps="actions", margin=MARGIN)
    explainer.set_params(n_counterfactuals=7).fit(world.table.data)
    found = Counter({"declined": len(world.declined), "looked at": len(rows)})
    for row in rows:
        multiverse = explainer.explain(world.person(int(row)), 1)
        if not len(multiverse):
            continue
        found["have ways"] += 1
        for fault in faults(multiverse, world.model, world.table.terrain):
            found[fault] += 1
            print(f"\n{name}, row {row}: {fault}")
        print(f"\r{name}: {found['have ways']} with ways", end="", flush=True)
    print()
    return found


def main() -> None:
    """Check the sets asked for and print the counts."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--people", type=int, default=300, help="of each set but german; 0: all")
    parser.add_argument("--sets", nargs="*", default=list(SETS))
    given = parser.parse_args()
    columns = ("declined", "looked at", "have ways", *FAULTS)
    for name in given.sets:
        found = checked(name, 0 if name == "german" else given.people)
        print(f"{name}: " + ", ".join(f"{column} {found[column]}" for column in columns))


if __name__ == "__main__":
    main()
