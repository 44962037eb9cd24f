"""All benchmarks as one table, compared with a stored baseline; run by `facelift bench`."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pandas as pd

from facelift.errors import FaceliftError
from tools.benchmarks import growth

NAMES = (
    "startup",
    "small",
    "neighbours",
    "tables",
    "searches",
    "batch",
    "growth",
    "navigator",
)
ALONE = ("peers",)
"""Run by its name only: it installs other packages, and has a table of its own."""

BASELINE = Path(__file__).with_name("baseline.json")
SLOWER = 1.5
"""A ratio that is so much worse than its baseline is called slower."""


def run(names: Sequence[str], *, quick: bool, say: Callable[[str], None]) -> pd.DataFrame:
    """The lines of the benchmarks named, with what the baseline says of each full run."""
    frames = []
    for name in names:
        say(f"{name} …")
        try:
            found = import_module(f"tools.benchmarks.{name}").run(quick=quick)
        except (FaceliftError, ImportError) as fault:
            say(f"{name} left out: {fault}")
            continue
        frames.append(found.assign(benchmark=name))
    if not frames:
        return pd.DataFrame()
    found = pd.concat(frames, ignore_index=True)
    return found.assign(baseline=None, slower=None) if quick else compared(found)


def by_itself(name: str) -> ModuleType:
    """A benchmark that is not part of the table of all."""
    return import_module(f"tools.benchmarks.{name}.running")


def compared(found: pd.DataFrame) -> pd.DataFrame:
    """Ratios beside those of the baseline, and whether they are clearly worse."""
    before = json.loads(BASELINE.read_text()) if BASELINE.exists() else {}
    known = [
        before.get(key) if ratio else None
        for key, ratio in zip(keys(found), found["ratio"], strict=True)
    ]
    worse = [
        None if old is None else bool(old / new > SLOWER if at_least else new / old > SLOWER)
        for old, new, at_least in zip(known, found["number"], found["at_least"], strict=True)
    ]
    return found.assign(baseline=known, slower=worse)


def save_baseline(found: pd.DataFrame) -> None:
    """Keep the ratios of this run, beside those of benchmarks that were not run."""
    before = json.loads(BASELINE.read_text()) if BASELINE.exists() else {}
    lines = zip(keys(found), found["number"], found["ratio"], strict=True)
    now = {key: round(number, 3) for key, number, ratio in lines if ratio}
    BASELINE.write_text(
        json.dumps(before | now, indent=1, sort_keys=True, ensure_ascii=False) + "\n"
    )


def keys(found: pd.DataFrame) -> list[str]:
    """The name of every line."""
    return [f"{what} | {case}" for what, case in zip(found["what"], found["case"], strict=True)]


def figure(found: pd.DataFrame, path: Path) -> None:
    """The plot of growth with the table."""
    growth.figure(found[found["benchmark"] == "growth"].reset_index(drop=True), path)


def as_text(found: pd.DataFrame) -> str:
    """A table for people: the number with its unit, the bar, and what to look at."""
    if found.empty:
        return "Nothing was measured."
    bars = [
        "" if bar is None or pd.isna(bar) else f"{'≥' if least else '≤'} {bar:g}"
        for bar, least in zip(found["bar"], found["at_least"], strict=True)
    ]
    verdicts = [
        "slower" if slower else {True: "met", False: "NOT met"}.get(met, "")
        for slower, met in zip(found["slower"], found["met"], strict=True)
    ]
    shown = pd.DataFrame(
        {
            "benchmark": found["benchmark"],
            "what": found["what"],
            "case": found["case"],
            "number": [
                f"{number:,.4g} {unit}".strip()
                for number, unit in zip(found["number"], found["unit"], strict=True)
            ],
            "bar": bars,
            "": verdicts,
        }
    )
    return shown.to_string(index=False)
