"""How often facelift was tried, and how often it broke a promise.

    python -m tools.trust [--quick | --deep] [--json] [PART ...]

Tries every bad input of the table, kills programs that save, damages saved files, fuzzes whatever
others wrote, sends the server requests made up from its description, repeats attacks that once
worked (hostile rules files, terminal escapes, half-sent headers, two writers, pipes in the place of
files, models that reuse buffers, floats at their own bound, chains of categories), runs the laws on
random worlds, and breaks promises on purpose, which a test must notice. Prints how much of each was
tried and the violations found; ends with 1 if there are any. Parts: bad-inputs, kills, damage,
fuzzing, requests, attacks, laws, sabotages. With --quick each takes seconds; with --deep the laws
take about an hour on two cores, with new examples each time, fuzzing 20 minutes.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import secrets
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Count:
    """How often something was tried, and how often the answer was not what is promised."""

    what: str
    tried: int
    violations: int


@dataclass(frozen=True)
class Effort:
    """How long to try."""

    fuzzing_seconds: int
    requests: int
    attacks: int
    laws: tuple[str, ...]
    sabotages: int
    profile: str = "ci"


QUICK = Effort(5, 20, 8, ("tests/test_promises.py",), 5)
FULL = Effort(60, 200, 40, ("tests",), 1000)
DEEP = Effort(300, 1000, 520, ("tests",), 1000, profile="deep")


def bad_inputs(_effort: Effort) -> list[Count]:
    """Every line of the table of bad inputs."""
    from tests.harness.bad_inputs.table import faults

    counts = []
    for name in ("frames", "rules", "models", "documents", "arguments", "requests"):
        cases = import_module(f"tests.harness.bad_inputs.{name}").CASES
        wrong = 0
        for case in cases:
            with tempfile.TemporaryDirectory() as home:
                wrong += bool(faults(case, Path(home)))
        counts.append(Count(f"bad inputs: {name}", len(cases), wrong))
    return counts


def kills(_effort: Effort) -> list[Count]:
    """Programs killed while they save."""
    done = _module("tests.harness.faults.saving")
    told = json.loads(done.stdout)
    return [Count("faults injected: saves killed", told["faults"], told["violations"])]


def damage(_effort: Effort) -> list[Count]:
    """Bits flipped in saved explainers, and files cut short."""
    from tests.harness.faults.damage import cut_short, flipped, small_explainer

    counts = []
    with tempfile.TemporaryDirectory() as home:
        small_explainer().save(Path(home) / "saved")
        for what, harm in {"bits flipped": flipped, "files cut short": cut_short}.items():
            refused = list(harm(Path(home) / "saved"))
            counts.append(Count(f"faults injected: {what}", len(refused), refused.count(False)))
    return counts


def fuzzing(effort: Effort) -> list[Count]:
    """Inputs made up by a fuzzer that watches which code they reach."""
    counts = []
    for name in ("rules", "document", "folder", "requests"):
        done = _module(
            f"tests.harness.fuzz.{name}", "--seconds", str(effort.fuzzing_seconds), check=False
        )
        tried = re.search(r"number_of_executed_units: (\d+)", done.stderr)
        counts.append(Count(f"inputs fuzzed: {name}", int(tried[1]) if tried else 0, _bad(done)))
    return counts


def requests(effort: Effort) -> list[Count]:
    """Requests made up from the server's description, good and bad."""
    from schemathesis import GenerationMode
    from tests.harness.web.requests import PATHS, small_page, statuses

    page, counts = small_page(), []
    for path in PATHS:
        tried = wrong = 0
        for mode in GenerationMode:
            tried += effort.requests
            try:
                statuses(page, path, mode, effort.requests)
            except Exception as fault:  # hypothesis tells of one or of several
                print(fault, file=sys.stderr)
                wrong += 1
        counts.append(Count(f"requests fuzzed: {path}", tried, wrong))
    page.stop()
    return counts


def attacks(effort: Effort) -> list[Count]:
    """Attacks that once worked, each with as many variations as there are, up to a limit."""
    from tests.harness.attacks import ATTACKS, kept

    counts = []
    for name, attack in ATTACKS.items():
        held = kept(attack, effort.attacks)
        counts.append(Count(f"attacks: {name}", len(held), held.count(False)))
    return counts


def laws(effort: Effort) -> list[Count]:
    """Examples of laws that hypothesis tried, as many files at once as processors."""
    files = [
        path
        for start in effort.laws
        for path in ([ROOT / start] if start.endswith(".py") else (ROOT / start).rglob("test_*.py"))
        if "from hypothesis import" in path.read_text(encoding="utf-8")
    ]
    options = ["-q", "-n", "0", "-m", "laws", "-p", "no:cacheprovider"]
    options += ["-p", "tools.benchmarks.counting"]
    if effort.profile == "deep":
        seed = secrets.randbits(32)
        print(f"{len(files)} files, --hypothesis-seed={seed}", file=sys.stderr)
        options += ["--hypothesis-profile=deep", f"--hypothesis-seed={seed}"]
    longest_first = sorted(files, key=lambda path: -path.stat().st_size)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        done = pool.map(
            lambda path: _module("pytest", *options, str(path), check=False), longest_first
        )
        tried, wrong = np.sum([_examples(each) for each in done], axis=0)
    return [Count("examples of laws tried", int(tried), int(wrong))]


def _examples(done: subprocess.CompletedProcess[str]) -> tuple[int, int]:
    """How many examples a run of tests tried, and how many laws failed."""
    tried = re.search(r"(\d+) examples passed", done.stdout)
    failed = re.search(r"(\d+) failed", done.stdout)
    broken = _bad(done, 20_000)
    return int(tried[1]) if tried else 0, int(failed[1]) if failed else broken


def drawn(known: Sequence[Any], most: int) -> list[Any]:
    """Some of what there is, from all over it, the same ones each time; in its order.

    >>> len(drawn(range(20), 5)), drawn(range(3), 5)
    (5, [0, 1, 2])
    """
    chosen = np.random.default_rng(0).permutation(len(known))[:most]
    return [known[i] for i in np.sort(chosen)]


def sabotages(effort: Effort) -> list[Count]:
    """Promises broken on purpose, and how many no test noticed."""
    from tools.sabotage import SABOTAGES, fail_anyway, outcomes

    tried = list(outcomes(drawn(SABOTAGES, effort.sabotages)))
    caught = [each.caught_by for each in tried if each.caught_by]
    by_chance = bool(caught) and fail_anyway(caught) is not None
    return [Count("sabotages, caught by a test", len(tried), len(tried) - len(caught) + by_chance)]


PARTS: dict[str, Callable[[Effort], list[Count]]] = {
    "bad-inputs": bad_inputs,
    "kills": kills,
    "damage": damage,
    "fuzzing": fuzzing,
    "requests": requests,
    "attacks": attacks,
    "laws": laws,
    "sabotages": sabotages,
}
"""Everything that is tried; a part more is a function more."""


def _module(*arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        errors="replace",
        check=check,
    )


def _bad(done: subprocess.CompletedProcess[str], most: int = 2_000) -> int:
    if done.returncode:
        print(done.stdout[-most:], done.stderr[-most:], file=sys.stderr)
    return int(done.returncode != 0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    effort = parser.add_mutually_exclusive_group()
    effort.add_argument("--quick", action="store_const", const=QUICK, dest="effort", default=FULL)
    effort.add_argument("--deep", action="store_const", const=DEEP, dest="effort")
    parser.add_argument("--json", action="store_true", help="print a JSON document")
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    asked = parser.parse_args()
    if unknown := set(asked.parts) - set(PARTS):
        parser.error(f"there is no part {sorted(unknown)[0]}; known: {', '.join(PARTS)}")
    counts = []
    for name in asked.parts or PARTS:
        print(f"{name} …", file=sys.stderr)
        counts += PARTS[name](asked.effort)
    print(json.dumps([asdict(each) for each in counts]) if asked.json else as_text(counts))
    raise SystemExit(int(any(each.violations for each in counts)))


def as_text(counts: list[Count]) -> str:
    """A table, with what all of it comes to."""
    whole = Count(
        "all", sum(each.tried for each in counts), sum(each.violations for each in counts)
    )
    lines = [f"{each.what:36} {each.tried:>9,} {each.violations:>10}" for each in [*counts, whole]]
    return "\n".join([f"{'':36} {'tried':>9} {'violations':>10}", *lines])


if __name__ == "__main__":
    main()
