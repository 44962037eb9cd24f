"""What a line of the table is, and how it is tried."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Code = int | str
"""An exit code, an HTTP status, or the name of an error."""


@dataclass(frozen=True)
class Answer:
    """What came back: a code, what was said, and what was printed as a result."""

    code: Code
    said: str
    result: str = ""


@dataclass(frozen=True)
class BadInput:
    """Something that cannot be right, and what must be answered."""

    name: str
    give: Callable[[Path], Answer]
    code: Code
    words: str


def faults(case: BadInput, home: Path) -> list[str]:
    """What is wrong with the answer to a bad input, tried in an empty folder."""
    answer = case.give(home)
    found = []
    if answer.code != case.code:
        found.append(f"code {answer.code} instead of {case.code}")
    if case.words not in answer.said:
        found.append(f"{case.words!r} is not said")
    if "\n" in answer.said.strip() or not answer.said.strip():
        found.append("not one line")
    if "Traceback" in answer.said + answer.result or "this is a fault of facelift" in answer.said:
        found.append("a traceback, or a fault of facelift")
    if answer.result:
        found.append("a result beside the error")
    if left := sorted(path.name for path in home.iterdir() if not path.name.startswith("given")):
        found.append(f"left behind: {left}")
    return [f"{each}: {answer.said}" for each in found]


def called(name: str, call: Callable[[], Any], code: str, words: str) -> BadInput:
    """A call of Python that must raise one of facelift's errors."""

    def give(_home: Path) -> Answer:
        from facelift.errors import FaceliftError

        try:
            call()
        except FaceliftError as fault:
            return Answer(type(fault).__name__, str(fault))
        except Exception as fault:
            return Answer(f"unexpected {type(fault).__name__}", str(fault))
        return Answer("nothing", "nothing was wrong")

    return BadInput(name, give, code, words)
