"""Change the code in small ways, one at a time, and see whether a test notices.

    python -m tools.mutants [--sample N] [FILE ...]

Every mutant of `geometry/`, `terrain/` and `graph/routes.py`, or of the files named, is tried
against the examples and the tests of its file, in a process of its own where everything is loaded
and no test has run before. `--sample` takes so many of all, by a seeded draw. Prints how many were
killed per file, and those that survived.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cached_property
from importlib import import_module
from itertools import groupby
from pathlib import Path
from types import FunctionType
from typing import Any

import pytest

from tools.mutation import Mutant, mutants_of

ROOT = Path(__file__).resolve().parents[1]
SEED = 8
PATIENCE = 4.0
"""Tests that take so many times longer than they should have noticed something."""
MOST_MEMORY = 8 << 30
UNFIT = 99

TESTS = {
    "geometry/agency.py": "geometry/test_agency.py",
    "geometry/curves.py": "geometry/test_divergence.py geometry/test_polyline.py",
    "geometry/opportunity.py": "geometry/test_opportunity.py geometry/test_agency.py",
    "graph/routes.py": "graph/test_routes.py",
    "terrain/encoding.py": "terrain/test_encoding.py terrain/test_missing.py "
    "terrain/test_extremes.py",
    "terrain/feature.py": "terrain/test_terrain.py terrain/test_missing.py terrain/test_extremes.py"
    " terrain/kinds/test_numeric.py terrain/test_links_and_rates.py "
    "terrain/test_prices.py steps/test_ladder.py",
    "terrain/kinds/base.py": "terrain/test_encoding.py terrain/test_tables.py",
    "terrain/kinds/levels.py": "terrain/test_encoding.py terrain/test_tables.py",
    "terrain/kinds/numeric.py": "terrain/kinds/test_numeric.py terrain/test_tables.py "
    "steps/test_ladder.py terrain/test_extremes.py",
    "steps/lattice.py": "steps/test_ladder.py terrain/test_missing.py",
    "terrain/prices.py": "terrain/test_prices.py terrain/test_missing.py",
    "terrain/requirements.py": "terrain/test_requirements.py terrain/test_missing.py",
    "terrain/rulebook.py": "terrain/test_rulebook.py",
    "terrain/rules.py": "terrain/test_rules.py",
    "terrain/tables.py": "terrain/test_tables.py terrain/test_missing.py terrain/test_extremes.py",
    "terrain/terrain.py": "terrain/test_forms.py terrain/test_links_and_rates.py "
    "terrain/test_terrain.py terrain/test_missing.py terrain/kinds/test_numeric.py",
}
"""The tests of each file, those first that notice most."""


def all_mutants(files: Iterable[str] = tuple(TESTS)) -> list[Mutant]:
    """Mutants of some files."""
    return [each for file in files for each in mutants_of(ROOT, f"src/facelift/{file}")]


def survivors(mutants: list[Mutant]) -> Iterator[tuple[Mutant, bool]]:
    """Each mutant, and whether it survived all tests of its file."""
    _load({each.file for each in mutants})
    for file, group in groupby(mutants, key=lambda each: each.file):
        passes, seconds = _passes(file)
        if not passes:
            raise SystemExit(f"The tests of {file} fail without any change.")
        for each in group:
            yield each, _passes(file, each, limit=10 + PATIENCE * seconds)[0]


def _load(files: Iterable[str]) -> None:
    """Import everything, and have pytest read the tests: whatever is forked starts from here."""
    tests = {path for file in files for path in _tests(file)}
    with Silence():
        found = pytest.main(["--collect-only", *_OPTIONS, *sorted(tests)])
    if found != 0:
        raise SystemExit(f"{' '.join(sorted(tests))} cannot be collected.")


_OPTIONS = ("-x", "-q", "-p", "no:cacheprovider", "-p", "tools.benchmarks.unshrunk")


def _tests(file: str) -> list[str]:
    """The file itself, for its examples, and its tests."""
    names = TESTS[file.removeprefix("src/facelift/")].split()
    return [str(ROOT / file), *(str(ROOT / "tests" / name) for name in names)]


def _passes(file: str, mutant: Mutant | None = None, limit: float = 3600) -> tuple[bool, float]:
    """Whether all tests of a file pass in a process of their own, and the time it took.

    Time is the processor's, so that it does not matter what else goes on; beyond the limit, none
    passes.
    """
    child = os.fork()
    if child == 0:
        os._exit(_exit_code(file, mutant, int(limit)))
    _, status, used = os.wait4(child, 0)
    code = os.waitstatus_to_exitcode(status)
    if code == UNFIT:
        raise SystemExit(f"This could not be tried: {mutant}.")
    return code == 0, used.ru_utime + used.ru_stime


def _exit_code(file: str, mutant: Mutant | None, limit: int) -> int:
    """What pytest says of the tests of a file, in this process."""
    try:
        with Silence():
            resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
            resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 1))
            if mutant is not None:
                changed(mutant).__code__ = mutant.code
            return int(pytest.main([*_OPTIONS, *_tests(file)]))
    except BaseException:  # whatever it is, this process must not go on
        return UNFIT


def changed(mutant: Mutant) -> FunctionType:
    """The function that a mutant is a change of."""
    module = mutant.file.removeprefix("src/").removesuffix(".py").replace("/", ".")
    found: Any = import_module(module)
    for name in mutant.function.split("."):
        found = vars(found)[name]
    if isinstance(found, property):
        return found.fget  # type: ignore[return-value]
    if isinstance(found, cached_property):
        return found.func  # type: ignore[return-value]
    found = getattr(found, "__func__", found)  # of a class method
    return getattr(found, "__wrapped__", found)  # of a function that remembers


class Silence:
    """No word to the terminal while it lasts."""

    def __enter__(self) -> None:
        self.kept = os.dup(1), os.dup(2)
        nowhere = os.open(os.devnull, os.O_WRONLY)
        for stream in (1, 2):
            os.dup2(nowhere, stream)

    def __exit__(self, *_fault: object) -> None:
        for stream, kept in zip((1, 2), self.kept, strict=True):
            os.dup2(kept, stream)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sample", type=int, help="try only so many, chosen by a seeded draw")
    parser.add_argument("files", nargs="*", metavar="FILE", help=", ".join(TESTS))
    asked = parser.parse_args()
    if unknown := set(asked.files) - set(TESTS):
        parser.error(f"there are no tests for {sorted(unknown)[0]}; known: {', '.join(TESTS)}")
    mutants = all_mutants(asked.files or TESTS)
    if asked.sample is not None:
        mutants = sampled(mutants, asked.sample)
    tried, survived = Counter[str](), Counter[str]()
    for mutant, lives in survivors(mutants):
        tried[mutant.file] += 1
        survived[mutant.file] += lives
        if lives:
            print(f"- {mutant}", flush=True)
    print(as_text(tried, survived))


def sampled(mutants: list[Mutant], size: int) -> list[Mutant]:
    """Some mutants, the same ones each time, file by file."""
    chosen = random.Random(SEED).sample(range(len(mutants)), min(size, len(mutants)))  # noqa: S311
    return [mutants[i] for i in sorted(chosen)]


def as_text(tried: Counter[str], survived: Counter[str]) -> str:
    """How many of each file were tried, killed and left."""
    row = "{:36} {:>8} {:>8} {:>8}".format
    rows = [
        row(file.removeprefix("src/facelift/"), n, n - survived[file], survived[file])
        for file, n in sorted(tried.items())
    ]
    n, left = tried.total(), survived.total()
    return "\n".join(
        [row("", "mutants", "killed", "survived"), *rows, row("all", n, n - left, left)]
    )


if __name__ == "__main__":
    main()
