"""Who is compared, on which people, and what is kept of it: one line per person and method."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from functools import cache, partial
from itertools import product
from typing import Any

from facelift._progress import tracked
from tools.benchmarks.actions.worlds import TABLES, World
from tools.benchmarks.peers.asking import Asked
from tools.benchmarks.peers.environments import PACKAGES, ROOT, Environment
from tools.benchmarks.peers.names import NAMES, PEERS, SLOW_TO_INSTALL
from tools.benchmarks.peers.report import Comparison
from tools.benchmarks.peers.verdicts import Strangeness, verdict
from tools.benchmarks.results import Line, Results

FIRST = next(iter(NAMES))
N_ANSWERS = 10
"""So many counterfactuals are asked for, where a method can give several."""

N_AGAIN = 3
"""So many people are asked about a second time, in another process."""


@dataclass(frozen=True)
class Extent:
    """How many people per table, CPU seconds per answer, minutes per installation, and of whom."""

    people: int
    seconds: float
    minutes: float
    twice: tuple[str, ...]
    """Tables whose first people are asked about a second time, in another process."""

    peers: tuple[str, ...] = tuple(PEERS)

    @property
    def packages(self) -> list[str]:
        return list(dict.fromkeys(PEERS[name] for name in self.peers))


FULL = Extent(people=20, seconds=10, minutes=15, twice=tuple(NAMES))
QUICK = Extent(
    people=3, seconds=4, minutes=4, twice=("german",), peers=tuple(PEERS)[: -len(SLOW_TO_INSTALL)]
)
"""Without those whose installation alone takes longer than is left."""


@cache
def world_of(table: str) -> tuple[World, Strangeness]:
    """A table with one model for everybody, and the judge's measures."""
    world = World(TABLES[table](), "histogram", 0)
    return world, Strangeness(world)


def run(*, quick: bool, say: Callable[[str], None]) -> Comparison:
    """Ask everybody who was not asked yet, and compare."""
    extent, results = extent_of(quick), results_of(quick)
    measure(results, extent, say)
    return Comparison(list(results.lines.values()), extent.seconds, extent.minutes)


def extent_of(quick: bool) -> Extent:
    return QUICK if quick else FULL


def results_of(quick: bool) -> Results:
    return Results(ROOT / "build" / f"peers{'-quick' * quick}.jsonl")


def measure(results: Results, extent: Extent, say: Callable[[str], None]) -> None:
    """Ask every method about everybody; what is known already is not asked again.

    Packages are installed meanwhile, in the order in which they are needed.
    """
    with ThreadPoolExecutor(1) as installing:
        receipts = {
            name: installing.submit(Environment(PACKAGES[name]).receipt, extent.minutes)
            for name in extent.packages
        }
        work = product(extent.peers, NAMES)
        for name, table in tracked(work, len(extent.peers) * len(NAMES), "methods and tables"):
            package = PEERS[name]
            receipt = receipts[package].result()
            if table == FIRST:
                results.add({"part": "package", "rival": package, **asdict(receipt)})
            if receipt.usable:
                say(f"{name}, {NAMES[table]} …")
                for line in answers(name, table, results, extent):
                    results.add(line)


def answers(name: str, table: str, results: Results, extent: Extent) -> Iterator[Line]:
    """What a method says of the people of a table of whom it was not asked yet."""
    world, strange = world_of(table)
    people = world.people(extent.people)
    about = {"part": "answer", "table": table, "rival": name}
    left = [row for row in people if not results.has(about | {"person": row})]
    if not left:
        return
    asked = partial(Asked, name, Environment(PACKAGES[PEERS[name]]).python, world, extent.seconds)
    with ExitStack() as stack:
        one, other = stack.enter_context(asked()), None
        for row in left:
            said, line = answer(one, strange, row)
            if table in extent.twice and row in people[:N_AGAIN]:
                other = other or stack.enter_context(asked(seed=1))
                line["same"] = same(said, answer(other, strange, row)[0])
            yield about | {"person": row, "preparing": one.begun["seconds"]} | line


def answer(asked: Asked, strange: Strangeness, row: int) -> tuple[Any, Line]:
    """The rows that a method calls counterfactuals of one person, and the verdict."""
    person = asked.world.judge.of(asked.world.person(row))
    said = asked.about(row, person, N_ANSWERS)
    kept = ("seconds", "calls", "fault", "proof", "megabytes")
    line: Line = {name: said[name] for name in kept if name in said}
    if said["rows"] is None:
        return None, line | {"found": False}
    return said["rows"], line | verdict(person, strange, said["rows"], said["ways"])


def same(one: Any, other: Any) -> bool:
    """Whether a method said the same twice."""
    if one is None or other is None:
        return one is None and other is None
    return bool(one.equals(other))
