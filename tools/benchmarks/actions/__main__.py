"""What journeys of actions reach, measured on five tables; resumable, person by person.

    python -m tools.benchmarks.actions [--people N] [--rare N] [--tables NAME ...] [--minutes M]
                                       [--parts NAME ...] [--seeds S ...] [--results FILE] [--page]

Every person measured is one line of JSON in the results; a run that is cut off goes on where it
stopped, and lines are measured anew only if they are deleted. Prints the table of what must be
reached. With --page nothing is measured: the page docs/actions-measured.md and its tables are
written from the results. Real tables are looked for where FACELIFT_DATA says.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable, Iterator
from datetime import date
from functools import cache, partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

import facelift as fl
from tools.benchmarks.actions import page, parts
from tools.benchmarks.actions.rivals import RIVALS
from tools.benchmarks.actions.worlds import MODELS, TABLES, World, evenly
from tools.benchmarks.results import Line, Results

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs" / "actions-measured.md"
PARTS = ("ways", "best", "proofs", "treecf", "rivals", "growth")
N_COMPARED, N_PROVEN, N_OUTSIDE, N_GROWN = 50, 40, 20, 20
"""Of the people asked about ways, so many at most have their other figures measured."""

N_RIVALLED = {"DiCE random": 20, "NICE": 20, "DiCE genetic": 10}

Task = tuple[Line, Callable[[], Line]]


def tasks(asked: argparse.Namespace, results: Results) -> Iterator[Task]:
    """Everything there is to measure, part by part: a run cut off has some of every table."""
    for part in asked.parts:
        for kind, seed in models_of(part, asked):
            for name in asked.tables:
                about = {"part": part, "table": name, "model": kind, "seed": seed}
                yield from of_world(asked, results, world_of(name, kind, seed), about)
                parts.grown_explainer.cache_clear()
                parts.made_rival.cache_clear()


@cache
def world_of(name: str, kind: str, seed: int) -> World:
    return World(TABLES[name](), kind, seed)


def models_of(part: str, asked: argparse.Namespace) -> list[tuple[str, int]]:
    """Gradient boosting of scikit-learn for all parts but proofs, with all seeds for ways."""
    if part == "proofs":
        return [(kind, asked.seeds[0]) for kind in asked.models if kind != "histogram"]
    return [("histogram", seed) for seed in asked.seeds[: 2 if part in ("ways", "best") else 1]]


def of_world(
    asked: argparse.Namespace, results: Results, world: World, about: Line
) -> Iterator[Task]:
    """One part of what is measured of a table and a model."""
    people = np.array(world.people(asked.people))
    match about["part"]:
        case "ways":
            yield from ways(world, about, people, asked.rare)
        case "best":
            yield from best(asked, results, world, about)
        case "proofs":
            for row in evenly(people, N_PROVEN):
                yield about | {"person": row}, partial(parts.proofs, world, row)
        case "treecf":
            for row in evenly(people, N_OUTSIDE):
                yield about | {"person": row}, partial(parts.treecf, world, row, asked.seconds)
        case "rivals":
            for name in RIVALS:
                for row in evenly(people, N_RIVALLED[name]):
                    line = about | {"person": row, "rival": name}
                    yield line, partial(parts.rival, world, row, name, asked.limit)
        case "growth":
            for size, row in product(parts.SIZES, evenly(people, N_GROWN)):
                yield about | {"person": row, "size": size}, partial(parts.growth, world, row, size)


def ways(world: World, about: Line, people: Any, n_rare: int) -> Iterator[Task]:
    """The ways of people, and of some who are rare."""
    rare = world.rare_people(n_rare)
    for row in dict.fromkeys([*people.tolist(), *rare]):
        line = about | {"person": row, "even": row in people, "rare": row in rare}
        yield line, partial(parts.ways, world, row)


def best(asked: argparse.Namespace, results: Results, world: World, about: Line) -> Iterator[Task]:
    """What others know of all who have no way, and of some who have one."""
    known = [
        line
        for line in results.lines.values()
        if line["part"] == "ways"
        and (line["table"], line["seed"]) == (about["table"], about["seed"])
    ]
    even = np.array([line["person"] for line in known if line["even"]], dtype=int)
    compared = evenly(even, N_COMPARED) if len(even) else []
    for line in sorted(known, key=lambda line: line["n_ways"] > 0):
        if line["n_ways"] == 0 or line["person"] in compared:
            row = line["person"]
            yield about | {"person": row}, partial(parts.best, world, row, line, asked.seconds)


def measure(asked: argparse.Namespace, results: Results) -> None:
    """Do what was not done before, until the time is over."""
    until = time.monotonic() + 60 * asked.minutes
    for about, work in tasks(asked, results):
        if results.has(about):
            continue
        if time.monotonic() > until:
            print("The time is over; the same command goes on from here.")
            return
        results.add(about | work() | {"day": date.today().isoformat(), "engine": fl.__version__})


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--people", type=int, default=200, help="declined people per table")
    parser.add_argument("--rare", type=int, default=50, help="rare people per table")
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
        for name, text in page.tables(lines).items():
            PAGE.with_name(name).write_text(text)
    print(page.summary(lines))


if __name__ == "__main__":
    main()
