"""How a case gets from step to step, and with how much patience ways are searched for.

Each kind of step is one file, named here in one line.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from numbers import Integral
from typing import TYPE_CHECKING

from facelift.errors import InvalidInput

if TYPE_CHECKING:
    from facelift.steps.base import Steps

KINDS: dict[str, str | type[Steps]] = {
    "rows": "facelift.steps.rows:Rows",
    "actions": "facelift.steps.actions:Actions",
    "field": "facelift.steps.field:Field",
}
"""Kinds of steps by name: a `facelift.steps.base.Steps`, or the module and class of one."""


def steps_of(name: object) -> type[Steps]:
    """The kind of step of a name.

    >>> steps_of("rows").__name__
    'Rows'
    """
    if not isinstance(name, str) or name not in KINDS:
        raise InvalidInput(f"steps must be {' or '.join(map(repr, KINDS))}, got {name!r}.")
    found = KINDS[name]
    if isinstance(found, str):
        module, _, kind = found.partition(":")
        found = getattr(import_module(module), kind)
    return found


PROOF_UNITS = 30
"""So many units of work of a proof, which are smaller, come with each of a search."""

INSISTENCE = 4
"""A normal search that found nothing goes on until it has done so many times its work."""


@dataclass(frozen=True)
class Patience:
    """How much work a search for actions may do, on any machine, and how it spends it.

    `work` counts units (a row that the model is asked about is one, a call of it 300, a state
    whose plausibility is judged two); `states` are looked at outward from the case, `width` says
    how many states are climbed on from at a time.
    """

    work: int
    states: int
    width: int


PATIENCE = {
    "quick": Patience(6_000, 1_000, 4),
    "normal": Patience(40_000, 2_000, 8),
    "thorough": Patience(250_000, 50_000, 32),
}
"""Roughly 0.1, 0.5 and 3 seconds of a processor at most; most people need less."""


def patience_of(given: str | int) -> Patience:
    """The patience of a name, or of a number of units of work.

    >>> patience_of("quick").work, patience_of(80_000)
    (6000, Patience(work=80000, states=10000, width=16))
    """
    if isinstance(given, str) and given in PATIENCE:
        return PATIENCE[given]
    if isinstance(given, Integral) and not isinstance(given, bool) and given >= 1:
        return Patience(int(given), max(1, given // 8), min(max(2, given // 5_000), 64))
    raise InvalidInput(
        f"patience must be one of {list(PATIENCE)} or a number of units of work, got {given!r}."
    )


def insisting(given: str | int) -> int | None:
    """Units of work after which to give up where nothing was found; None for no more than given.

    >>> insisting("normal"), insisting("quick")
    (160000, None)
    """
    return INSISTENCE * PATIENCE["normal"].work if given == "normal" else None


def longer(given: str | int) -> str | int:
    """The next larger patience.

    >>> longer("quick"), longer("thorough")
    ('normal', 2500000)
    """
    work = patience_of(given).work
    return next((name for name, each in PATIENCE.items() if each.work > work), 10 * work)
