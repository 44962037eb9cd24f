"""Checks of parameters and of optional packages: one line that says what is needed."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from numbers import Integral
from typing import Any

from facelift.errors import InvalidInput, MissingExtra


def check_number(
    name: str, value: Any, kind: type, words: str, allowed: Callable[[Any], bool]
) -> None:
    """An error if a parameter is no number of that kind, or not an allowed one.

    >>> check_number("n_neighbors", 0, Integral, "1 or more", lambda value: value >= 1)
    Traceback (most recent call last):
        ...
    facelift.errors.InvalidInput: n_neighbors must be a whole number, 1 or more, got 0.
    """
    if not isinstance(value, kind) or isinstance(value, bool) or not allowed(value):
        number = "a whole number" if kind is Integral else "a number"
        raise InvalidInput(f"{name} must be {number}, {words}, got {value!r}.")


def check_picture(shape: tuple[int, int], n_columns: int) -> None:
    """An error if a picture of that height and width has not one pixel per column.

    >>> check_picture((2, 3), 5)
    Traceback (most recent call last):
        ...
    facelift.errors.InvalidInput: A picture of 2 by 3 has 6 pixels, the table has 5 columns.
    """
    height, width = shape
    if height * width != n_columns:
        raise InvalidInput(
            f"A picture of {height} by {width} has {height * width} pixels, the table has "
            f"{n_columns} columns."
        )


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
