"""What journeys of actions reach, measured on five tables; resumable, person by person.

    python -m tools.benchmarks.actions [--people N] [--tables NAME ...] [--parts NAME ...]
                                       [--seeds S ...] [--results FILE] [--minutes M] [--page]

Every person measured is one line of JSON in the results; a run that is cut off goes on where it
stopped, and lines are measured anew only if they are deleted. Prints the table of what must be
reached. With --page nothing is measured: the page docs/actions-measured.md is written from the
results. Real tables are looked for where FACELIFT_DATA says.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from tools.benchmarks.actions import page, parts
from tools.benchmarks.actions.rivals import RIVALS
from tools.benchmarks.actions.worlds import MODELS, TABLES, World, evenly

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs" / "actions-measured.md"
PARTS = ("ways", "best", "proofs", "treecf", "rivals", "growth")
N_GROWN, N_OUTSIDE = 30, 50
N_RIVALLED = {"DiCE random": 100, "DiCE genetic": 25, "NICE": 100}

Line = dict[str, Any]
Key = tuple[Any, ...]
Task = tuple[Line, Callable[[], Line]]


class Results:
    """Lines of JSON in a file, one per person and part; a broken last line is forgotten."""

    def __init__(self, path: Path) -> None:
        self.path, self.lines = path, {}
        path.parent.mkdir(parents=True, exist_ok=True)
        texts = path.read_text().splitlines() if path.exists() else []
        whole = [text for text in texts if text.endswith("}")]
        for text in whole:
            line = json.loads(text)
            self.lines[key_of(line)] = line
        path.write_text("".join(f"{text}\n" for text in whole))

    def add(self, line: Line) -> None:
        self.lines[key_of(line)] = line
        with self.path.open("a") as file:
            file.write(json.dumps(line) + "\n")


KEY = ("part", "table", "model", "seed", "person", "rival", "size")


def key_of(line: Line) -> Key:
    return tuple(line.get(name) for name in KEY)


def tasks(asked: argparse.Namespace, results: Results) -> Iterator[Task]:
    """Everything there is to measure, world by world."""
    for name in asked.tables:
        table = TABLES[name]()
        for kind in asked.models:
            for seed in asked.seeds if kind == "histogram" else asked.seeds[:1]:
                world = World(table, kind, seed)
                about = {"table": name, "model": kind, "seed": seed}
                yield from of_world(asked, results, world, about)
                parts.grown_explainer.cache_clear()
                parts.made_rival.cache_clear()


def of_world(
    asked: argparse.Namespace, results: Results, world: World, about: Line
) -> Iterator[Task]:
    """What is measured of one table and model: everything for gradient boosting, else proofs."""
    people = world.people(asked.people)
    if world.kind != "histogram":
        for row in people if "proofs" in asked.parts else []:
            yield about | {"part": "proofs", "person": row}, partial(parts.proofs, world, row)
        return
    rare = world.rare_people(asked.people) if {"ways", "best"} & set(asked.parts) else []
    for row in dict.fromkeys([*people, *rare]):
        both = about | {"person": row, "even": row in people, "rare": row in rare}
        if "ways" in asked.parts:
            yield both | {"part": "ways"}, partial(parts.ways, world, row)
        line = results.lines.get(key_of(both | {"part": "ways"}))
        if "best" in asked.parts and line is not None:
            yield both | {"part": "best"}, partial(parts.best, world, row, line, asked.seconds)
    if world.seed == asked.seeds[0]:
        yield from beside(asked, world, about, np.array(people))


def beside(asked: argparse.Namespace, world: World, about: Line, people: Any) -> Iterator[Task]:
    """treecf, rivals and growth, with the first model and some of the same people."""
    for row in evenly(people, N_OUTSIDE) if "treecf" in asked.parts else []:
        line = about | {"part": "treecf", "person": row}
        yield line, partial(parts.treecf, world, row, asked.seconds)
    for name in RIVALS if "rivals" in asked.parts else []:
        for row in evenly(people, N_RIVALLED[name]):
            line = about | {"part": "rivals", "person": row, "rival": name}
            yield line, partial(parts.rival, world, row, name, asked.limit)
    for size in parts.SIZES if "growth" in asked.parts else []:
        for row in evenly(people, N_GROWN):
            line = about | {"part": "growth", "person": row, "size": size}
            yield line, partial(parts.growth, world, row, size)


def measure(asked: argparse.Namespace, results: Results) -> None:
    """Do what was not done before, until the time is over."""
    until = time.monotonic() + 60 * asked.minutes
    for about, work in tasks(asked, results):
        if key_of(about) in results.lines:
            continue
        if time.monotonic() > until:
            print("The time is over; the same command goes on from here.")
            return
        results.add(about | work())


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--people", type=int, default=200, help="declined people per table")
    parser.add_argument("--tables", nargs="*", default=list(TABLES), choices=list(TABLES))
    parser.add_argument("--models", nargs="*", default=list(MODELS), choices=list(MODELS))
    parser.add_argument("--parts", nargs="*", default=list(PARTS), choices=PARTS)
    parser.add_argument("--seeds", nargs="*", type=int, default=[0, 1])
    parser.add_argument("--seconds", type=float, default=5.0, help="CPU time of a prover")
    parser.add_argument("--limit", type=float, default=30.0, help="CPU time of a rival's answer")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="stop after so long")
    parser.add_argument("--results", type=Path, default=ROOT / "build" / "actions.jsonl")
    parser.add_argument("--page", action="store_true", help="only write the page from the results")
    return parser.parse_args()


def main() -> None:
    asked = arguments()
    warnings.filterwarnings("ignore", message="X does not have valid feature names")  # LightGBM
    results = Results(asked.results)
    if not asked.page:
        measure(asked, results)
    lines = list(results.lines.values())
    if asked.page:
        PAGE.write_text(page.page(lines, asked.limit))
    print(page.summary(lines))


if __name__ == "__main__":
    main()
