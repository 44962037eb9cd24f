"""Optional packages: imported when first needed, or an error that says how to install them."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from facelift.errors import MissingExtra


def optional(package: str, *, extra: str, what: str) -> Any:
    """The package, or an error that says what needs it and which extra brings it.

    >>> optional("json", extra="none", what="This line").dumps([1])
    '[1]'
    >>> optional("nonsuch", extra="torch", what="Prototype")
    Traceback (most recent call last):
        ...
    facelift.errors.MissingExtra: Prototype needs nonsuch; pip install "facelift-multiverse[torch]".
    """
    try:
        return import_module(package)
    except ImportError:
        raise MissingExtra(
            f'{what} needs {package}; pip install "facelift-multiverse[{extra}]".'
        ) from None
