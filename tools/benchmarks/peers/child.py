"""The process of one method: prepares a table, then answers about people until it is told to end.

Needs numpy, the method's own package and these files; started by `asking.Asked`.
"""

from __future__ import annotations

import os
import re
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[3]))

from tools.benchmarks.peers.channel import Channel, packed, unpacked


class OutOfTime(BaseException):
    """A method took longer than it was given; no fault that it may catch itself."""


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Raise `OutOfTime` after so many seconds of CPU time."""

    def stop(*_: Any) -> None:
        raise OutOfTime

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def measured(work: Callable[[], dict[str, Any]], seconds: float) -> dict[str, Any]:
    """What work comes to, or its fault, with the CPU seconds and the most memory so far."""
    from tools.benchmarks.peers.methods import quiet

    start, found = time.process_time(), {}
    try:
        with at_most(seconds):
            found = quiet(work)
    except OutOfTime:
        found = {"fault": "out of time"}
    except Exception as error:  # whatever it stumbles over is its answer
        found = {"fault": f"{type(error).__name__}: {error}"[:300]}
    peak = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())
    megabytes = int(peak[1]) / 1e3 if peak else float("nan")
    return {**found, "seconds": time.process_time() - start, "megabytes": megabytes}


def main() -> None:
    """Speak by the pipes that were standard input and output; what is printed goes nowhere."""
    channel = Channel(os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb"))
    os.dup2(os.open(os.devnull, os.O_RDWR), 1)
    begun = channel.receive()
    made: dict[str, Any] = {}
    channel.send(measured(lambda: made.update(method=_made(begun, channel)) or {}, begun["limit"]))
    while True:
        asked = channel.receive()
        channel.send(measured(lambda: _answer(made["method"], asked), asked["limit"]))  # noqa: B023


def _made(begun: dict[str, Any], channel: Channel) -> Any:
    if begun["name"].startswith("facelift"):
        from tools.benchmarks.peers.ours import Ours

        return Ours(begun["steps"], begun["world"])
    from tools.benchmarks.peers.methods import METHODS, Column, Problem

    def ask(rows: Any) -> Any:
        channel.send({"ask": packed(rows)})
        answer = channel.receive()
        if "chances" not in answer:
            raise OutOfTime
        return unpacked(answer["chances"])

    columns = [Column(**column) for column in begun["columns"]]
    matrix, wanted = unpacked(begun["matrix"]), unpacked(begun["wanted"]).astype(int)
    problem = Problem(columns, matrix, wanted, ask, begun["trees"], begun["encoded"])
    return METHODS[begun["name"]](problem)


def _answer(method: Any, asked: dict[str, Any]) -> dict[str, Any]:
    from tools.benchmarks.peers.methods import Wish

    wish = Wish(unpacked(asked["row"]), asked["allowed"], asked["n"], asked["limit"])
    found = method(wish)
    if found is None:
        return {"rows": None}
    ways = [packed(way) for way in getattr(found, "ways", ())]
    return {"rows": packed(found.rows), "proof": found.proof, "ways": ways}


if __name__ == "__main__":
    try:
        main()
    except EOFError:
        sys.exit(0)
