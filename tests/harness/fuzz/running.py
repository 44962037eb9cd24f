"""How a target is fuzzed: from seeds, for some seconds, with the same dice every time."""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

Target = Callable[[bytes], None]


def main(
    make: Callable[[Path], tuple[Target, Iterable[bytes]]], *, instrumented: list[str]
) -> None:
    """Fuzz what `make` gives, a target and its seeds, for as long as the command line says."""
    import atheris

    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        corpus = Path(home) / "corpus"
        corpus.mkdir()
        with atheris.instrument_imports(include=instrumented):
            target, seeds = make(Path(home))
        dice = random.Random(asked.seed)  # noqa: S311  (no secret)
        starts = [dice.randbytes(n) for n in (8, 24, 64, 128) for _ in range(40)]
        for i, seed in enumerate([*seeds, *starts]):
            (corpus / str(i)).write_bytes(seed)
        options = {
            "max_total_time": asked.seconds,
            "seed": asked.seed,
            "timeout": 20,  # seconds after which one input is a finding
            "rss_limit_mb": 4096,
            "max_len": 4096,
            "len_control": 0,
            "print_final_stats": 1,
            "artifact_prefix": f"{tempfile.gettempdir()}/",  # where an input that fails is kept
        }
        arguments = [f"-{name}={value}" for name, value in options.items()]
        atheris.Setup([sys.argv[0], *arguments, str(corpus)], target)
        atheris.Fuzz()  # which ends the program


def one_line(fault: Exception) -> None:
    """An error is one line that says something."""
    assert str(fault).strip(), repr(fault)
    assert "\n" not in str(fault), repr(fault)


ODD: list[Any] = [
    *(None, True, False, 0, 1, -1, 2, 7, 10**6, 2**31, 2**63, -(2**63), 10**30),
    *(0.0, -0.0, 0.5, 1e-320, 1e308, -1e308, float("inf"), float("nan")),
    *("", "a", "\x00", "\ud800", "é", "x" * 300, "../x", "__class__", "nan", "1e5"),
    *([], [[]], [0], [None], {}, {"a": 1}, [[0, 1], [1, 0]]),
]
"""Values that stand where others are expected."""


class Dice:
    """Decisions taken from the bytes of a fuzzer."""

    def __init__(self, data: bytes) -> None:
        import atheris

        self._given = atheris.FuzzedDataProvider(data)

    def below(self, n: int) -> int:
        return int(self._given.ConsumeIntInRange(0, n - 1))

    def one_of(self, values: list[Any]) -> Any:
        return values[self.below(len(values))]

    def rest(self) -> bytes:
        return bytes(self._given.ConsumeBytes(1 << 20))


def spoiled(content: Any, dice: Dice) -> Any:
    """A copy of a JSON document in which a few things are odd, gone, twice or elsewhere."""
    import copy

    content = copy.deepcopy(content)
    for _ in range(1 + dice.below(3)):
        place, key = _place(content, dice)
        if place is None:
            return dice.one_of(ODD)
        match dice.below(5):
            case 0:
                del place[key]
            case 1:
                place[key] = copy.deepcopy(_value(content, dice))
            case 2 if isinstance(place, list):
                place.append(copy.deepcopy(place[key]))
            case _:
                place[key] = copy.deepcopy(dice.one_of(ODD))
    return content


def _place(content: Any, dice: Dice) -> tuple[Any, Any]:
    """Somewhere in a document: a list or dictionary, and a key of it."""
    place, key = None, None
    while isinstance(content, list | dict) and content:
        place, key = (
            content,
            dice.one_of(list(content) if isinstance(content, dict) else [*range(len(content))]),
        )
        content = place[key]
        if dice.below(4) == 0:
            break
    return place, key


def _value(content: Any, dice: Dice) -> Any:
    place, key = _place(content, dice)
    return content if place is None else place[key]
