"""Fuzz what a page may ask of the server: `python -m tests.harness.fuzz.requests --seconds 30`."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from .running import Dice, Target, main, one_line, spoiled


def make(home: Path) -> tuple[Target, Iterable[bytes]]:  # noqa: ARG001  (it needs no folder)
    import numpy as np
    import pandas as pd

    from facelift import FACElift, toys
    from facelift.errors import FaceliftError
    from facelift.views import page as views
    from facelift.views.report import exported
    from facelift.walking.guide import Guide
    from facelift.walking.hints import opened
    from facelift.walking.walk import Walk
    from facelift.web import messages

    def model(frame: pd.DataFrame) -> np.ndarray:
        score = frame["income"] - 3 * frame["debts"] + 4 * (frame["town"] == "Bern") - 12
        chance = 1 / (1 + np.exp(-np.asarray(score, dtype=np.float64) / 4))
        return np.column_stack([1 - chance, chance])

    i = np.arange(60)
    people = pd.DataFrame(
        {"income": i % 20, "debts": i % 3, "town": np.array(["Aarau", "Bern"])[i // 7 % 2]}
    )
    explainers = [
        FACElift(model, steps=steps, n_counterfactuals=4, max_states=300).fit(people)
        for steps in ("actions", "rows")
    ]
    guides = [Guide(each.explain(people.iloc[[2]], 1)) for each in explainers]
    guides.append(Guide(toys.loan().multiverse()))
    bodies_of = [[*asked(views, guide, Walk())] for guide in guides]

    def answer(guide: Guide, kind: str, body: bytes) -> None:
        if kind == "walk":
            step = messages.read(messages.Step, body)
            views.to_json(views.document(guide, step.walk, step.move))
        elif kind == "opened":
            loosen = messages.read(messages.Loosen, body)
            opened(guide, loosen.walk, loosen.limits)
        else:
            export = messages.read(messages.Export, body)
            exported(guide, export.walk, export.format, scale=export.scale, values=export.values)

    def target(data: bytes) -> None:
        dice = Dice(data[1:])
        which = dice.below(len(guides))
        kind, body = dice.one_of(bodies_of[which])
        raw = data[:1] >= b"\xe0"
        content = dice.rest() if raw else json.dumps(spoiled(body, dice)).encode()
        try:
            answer(guides[which], kind, content)
        except FaceliftError as fault:
            one_line(fault)

    return target, [b'\xff{"walk": {}}' + bytes(8)]


def asked(views, guide, walk) -> Iterable[tuple[str, dict]]:
    """Honest requests: the start, steps, limits, values and exports."""
    first = json.loads(views.to_json(views.document(guide, walk, None)))
    here, limits = first["walk"], first["walk"]["limits"]
    yield "walk", {"walk": here, "move": None}
    yield "export", {"walk": here, "format": "svg", "scale": "steps", "values": False}
    for card in first["cards"]["cards"][:2]:
        for kind in ("take", "rule out"):
            yield "walk", {"walk": here, "move": {"kind": kind, "vertex": card["vertex"]}}
    eased = {**limits, "ease": {"income": "hard"}, "bounds": {"income": [0, 15]}, "chance": 0.6}
    eased["ruled_out"] = [{"feature": "town", "start": "Aarau", "end": "Bern"}]
    eased["max_steps"] = 3
    yield "walk", {"walk": here, "move": {"kind": "limits", "limits": eased}}
    yield "opened", {"walk": here, "limits": eased}
    yield "walk", {"walk": here, "move": {"kind": "other", "values": {"income": 4}}}
    yield "walk", {"walk": here, "move": {"kind": "again", "n_ways": 6}}
    yield "walk", {"walk": here, "move": {"kind": "unfold", "letter": "A"}}
    yield "walk", {"walk": {**here, "origin": [4, 1, "Bern"], "walked": [1]}, "move": None}


if __name__ == "__main__":
    main(make, instrumented=["facelift.web", "facelift.walking", "facelift.views"])
