"""Ways through a field beside ways through records: how long, how straight, and what they cost.

    python -m tools.fields [PEOPLE]

Both are measured by the field's own length and by the terrain's cost, for the same people: the
paper's toy world, the numbers of German Credit, and digits that are to become another.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

import facelift as fl
from facelift.models import small_classifier

N_PEOPLE = 10


def worlds() -> Iterator[tuple[str, Any, Any, Any]]:
    """Name, table, model and target of each world."""
    points = fl.toys.figure_world(400).points

    def slope(rows: Any) -> Any:
        chance = 1 / (1 + np.exp(-18 * (np.asarray(rows).sum(axis=1) - 1.25)))
        return np.column_stack([1 - chance, chance])

    yield "toy world", points, slope, 1
    credit = fl.datasets.load_german_credit()
    numbers = credit.data.select_dtypes("number")
    yield "German Credit, numbers", numbers, small_classifier(numbers, credit.target), "good"
    digits = fl.datasets.load_digits()
    yield "digits, 1 to 7", digits.data, small_classifier(digits.data, digits.target), 7


def compared(name: str, table: Any, model: Any, target: Any, n_people: int) -> dict[str, Any]:
    """The first way of each kind for some people who lack the outcome; means, and CPU seconds."""
    made, seconds = {}, {}
    for steps in ("rows", "field"):
        start = time.process_time()
        made[steps] = fl.FACElift(model, steps=steps, edge_cost="power", n_counterfactuals=3).fit(
            table
        )
        seconds[f"fit, {steps}"] = time.process_time() - start
    explainer = made["field"]
    place = list(explainer.classes_).index(target)
    lacking = np.flatnonzero(explainer.probabilities_[explainer.vertices_, place] < 0.45)
    if name.startswith("digits"):
        ones = list(explainer.classes_).index(1)
        lacking = lacking[explainer.probabilities_[explainer.vertices_, ones][lacking] > 0.5]
    people = lacking[:: max(1, len(lacking) // n_people)][:n_people]
    ways: dict[str, list[Any]] = {}
    for steps, each in made.items():
        start = time.process_time()
        ways[steps] = [each.explain(_row(table, i), target) for i in people]
        seconds[f"explain, {steps}"] = (time.process_time() - start) / len(people)
    both = [
        (a[0], b[0]) for a, b in zip(ways["rows"], ways["field"], strict=True) if len(a) and len(b)
    ]
    field, prices = explainer.steps_, explainer.terrain_.prices
    found: dict[str, Any] = {"world": name, "people": len(both)}
    for number, steps in enumerate(("rows", "field")):
        paths = [pair[number].waypoints for pair in both]
        found[f"length, {steps}"] = np.mean([field.lengths(p[:-1], p[1:]).sum() for p in paths])
        found[f"cost, {steps}"] = np.mean([prices.cost(p[:-1], p[1:]).sum() for p in paths])
        found[f"steps, {steps}"] = np.mean([len(p) - 1 for p in paths])
    return found | seconds


def _row(table: Any, number: int) -> Any:
    return table.iloc[number] if isinstance(table, pd.DataFrame) else table[number]


def main(n_people: int = N_PEOPLE) -> None:
    """Print a table of all worlds, as they are done."""
    names = ["world", "people", "", "length in the field", "cost", "steps", "fit", "explain"]
    print("| " + " | ".join(names) + " |")
    print("|" + " --- |" * len(names))
    for world in worlds():
        line = compared(*world, n_people)
        for steps in ("rows", "field"):
            numbers = [f"{line[f'{name}, {steps}']:.2f}" for name in ("length", "cost", "steps")]
            seconds = [f"{line[f'{name}, {steps}']:.3f} s" for name in ("fit", "explain")]
            cells = [line["world"], str(line["people"]), steps, *numbers, *seconds]
            print("| " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main(*(int(each) for each in sys.argv[1:2]))
