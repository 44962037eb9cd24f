"""What others find for a person, and what our judge says of the best of their ends.

They run in processes of their own (`tools.benchmarks.peers`); DiCE is told which columns may vary
and within which range or among which levels, person by person, and NICE knows no rules.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from tools.benchmarks.actions.worlds import World
from tools.benchmarks.peers.asking import Asked
from tools.benchmarks.peers.environments import PACKAGES, Environment
from tools.benchmarks.peers.verdicts import effort

RIVALS = {"DiCE random": "dice-ml", "DiCE genetic": "dice-ml", "NICE": "NICEx"}
"""Methods, and the package that each is in."""

MINUTES = 15.0
"""How long an installation may take."""


def made(world: World, name: str, seconds: float) -> Asked:
    """A rival that knows a table; an error says why it cannot be installed."""
    environment = Environment(PACKAGES[RIVALS[name]])
    receipt = environment.receipt(MINUTES)
    if not receipt.usable:
        raise RuntimeError(f"{name} cannot be installed: {receipt.fault}")
    return Asked(name, environment.python, world, seconds)


def asked(rival: Asked, person: Any, row: int, n: int) -> dict[str, Any]:
    """What a rival finds for one person, and what our judge says of its best end."""
    said = rival.about(row, person, n)
    line = {"seconds": said["seconds"], "fault": said.get("fault")}
    if said["rows"] is None:
        return line | {"found": False}
    return line | best_end(person, said["rows"])


def best_end(person: Any, ends: pd.DataFrame) -> dict[str, Any]:
    """What the judge says of the best of some ends.

    The best end has the outcome; it keeps the rules, is plausible and costs little, in this order.
    `listed` says whether it is made of our levels.
    """
    points = np.asarray(person.terrain.encode(ends))
    points = points[person.judge.model.predict_proba(ends)[:, 1] >= person.judge.threshold]
    if not len(points):
        return {"found": False}
    rules, plausible = person.admissible(points), person.plausible(points)
    efforts, columns = effort(person, points), person.columns_changed(points)
    best = np.lexsort((efforts, ~plausible, ~rules))[0]
    return {
        "found": True,
        "rules": bool(rules[best]),
        "plausible": bool(plausible[best]),
        "effort": float(efforts[best]),
        "columns": int(columns[best]),
        "fewest": int(columns[(rules == rules[best]) & (plausible == plausible[best])].min()),
        "end": points[best].tolist(),
        "listed": _is_listed(person, points[best : best + 1]),
    }


def _is_listed(person: Any, point: Any) -> bool:
    """Whether a point is a state of somebody's levels; what ages does so as on the way there."""
    lattice = person.lattice
    states = lattice.states_of(point)
    return len(states) == 1 and np.allclose(lattice.points(states), point)
