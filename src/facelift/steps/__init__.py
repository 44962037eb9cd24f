"""How a case gets from step to step: each kind of step is one file, named here in one line."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from facelift.errors import InvalidInput

if TYPE_CHECKING:
    from facelift.steps.base import Steps

KINDS: dict[str, str] = {
    "rows": "facelift.steps.rows:Rows",
    "actions": "facelift.steps.actions:Actions",
}
"""Kinds of steps by name: the module and the class, a `facelift.steps.base.Steps`."""


def kind_of(name: object) -> type[Steps]:
    """The kind of step of a name.

    >>> kind_of("rows").__name__
    'Rows'
    """
    if not isinstance(name, str) or name not in KINDS:
        raise InvalidInput(f"steps must be {' or '.join(map(repr, KINDS))}, got {name!r}.")
    module, _, kind = KINDS[name].partition(":")
    found: type[Steps] = getattr(import_module(module), kind)
    return found
