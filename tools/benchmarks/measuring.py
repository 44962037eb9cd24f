"""How benchmarks measure, and the one table they all return."""

from __future__ import annotations

import re
import resource
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd


@dataclass(frozen=True)
class Measurement:
    """One line: what was measured on what, the number, and the bar it is held to.

    `bar` is the largest number allowed, or the smallest where `at_least`; None where there is none.
    `ratio` says whether the number compares two things measured in this run: only such numbers
    mean the same on another machine, and are kept as a baseline.
    """

    what: str
    case: str
    number: float
    unit: str
    bar: float | None = None
    at_least: bool = False
    ratio: bool = False

    @property
    def met(self) -> bool | None:
        if self.bar is None:
            return None
        return self.number >= self.bar if self.at_least else self.number <= self.bar


def table(lines: list[Measurement]) -> pd.DataFrame:
    """The measurements as a frame, one row each."""
    return pd.DataFrame([{**asdict(line), "met": line.met} for line in lines])


def seconds(work: Callable[[], Any], *, repeats: int = 3, clock: Any = time.process_time) -> float:
    """The least time a piece of work takes; CPU time, since other people use the machine too."""
    times = []
    for _ in range(repeats):
        start = clock()
        work()
        times.append(clock() - start)
    return min(times)


def median_seconds(works: list[Callable[[], Any]], *, repeats: int = 3) -> float:
    """The median over several pieces of work of the least time of each."""
    return float(np.median([seconds(work, repeats=repeats) for work in works]))


def peak_megabytes() -> float:
    """The most memory this process has used so far."""
    status = Path("/proc/self/status")
    if status.exists():  # what getrusage says of a process counts that of the one that started it
        kilobytes = re.search(r"VmHWM:\s+(\d+) kB", status.read_text())
        return int(kilobytes[1]) / 1e3 if kilobytes else float("nan")
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3


class Stopwatch:
    """Counts calls, rows and CPU seconds of the last estimator of a pipeline.

    The pipeline stays one, so that what is known of pipelines is used as it is for everybody.
    """

    def __init__(self, pipeline: Any) -> None:
        last = pipeline.steps[-1][1]
        self._ask, last.predict_proba = last.predict_proba, self._timed
        self.seconds, self.calls, self.rows = 0.0, 0, 0

    def _timed(self, rows: Any) -> Any:
        start = time.process_time()
        answer = self._ask(rows)
        self.seconds += time.process_time() - start
        self.calls, self.rows = self.calls + 1, self.rows + np.shape(rows)[0]
        return answer
