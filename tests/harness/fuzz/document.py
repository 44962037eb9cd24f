"""Fuzz the reader of multiverse documents: `python -m tests.harness.fuzz.document --seconds 30`."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from .running import Dice, Target, main, one_line, spoiled


def make(home: Path) -> tuple[Target, Iterable[bytes]]:  # noqa: ARG001  (it needs no folder)
    import numpy as np

    from facelift import FACElift, Multiverse, best, toys
    from facelift.errors import FaceliftError

    def model(points: np.ndarray) -> np.ndarray:
        low = 1 / (1 + np.exp(8 * (points[:, 1] - 0.25)))
        return np.column_stack([1 - low, low])

    moons = toys.moons(60).points
    found = FACElift(model, n_neighbors=5, n_counterfactuals=2).fit(moons).explain(moons[3])
    empty = Multiverse((), ())
    documents = [json.loads(each.to_json()) for each in (toys.loan().multiverse(), found, empty)]

    def target(data: bytes) -> None:
        if data[:1] < b"\xc0":
            dice = Dice(data[1:])
            text = json.dumps(spoiled(dice.one_of(documents), dice))
        else:
            text = data[1:].decode("utf-8", "surrogateescape")
        try:
            read = Multiverse.from_json(text)
        except FaceliftError as fault:
            one_line(fault)
            return
        again = read.to_json()
        assert Multiverse.from_json(again).to_json() == again
        repr(read), read.to_frame(), read.scores
        if len(read):
            best(read)

    return target, [b"\xff" + json.dumps(each).encode() for each in documents]


if __name__ == "__main__":
    main(make, instrumented=["facelift.multiverse", "facelift.geometry", "json"])
