"""How a case gets from step to step: each kind of step is one file, named here in one line."""

from __future__ import annotations

from importlib import import_module
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
