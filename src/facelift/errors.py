"""Everything that can go wrong, as one small tree: what was given, what is needed, what to do.

The tree::

    FaceliftError
    ├── InvalidInput (ValueError)      a value that cannot be right, whatever the data
    │   ├── UnknownColumn (KeyError)   a column that is not there, with the nearest name
    │   ├── InvalidRules               a rules file that cannot be read
    │   └── InvalidData                a table facelift cannot walk through
    │       └── MissingValues          empty cells
    ├── InvalidModel (ValueError)      a model that does not answer with probabilities
    ├── NotFitted (AttributeError)     explained before fitted
    ├── InvalidFolder (ValueError)     a saved explainer that cannot be trusted
    ├── CannotWrite (OSError)          a folder that the disk did not take
    ├── DataUnavailable (OSError)      a data set that is not here and cannot be fetched
    ├── DamagedFile (ValueError)       a file that is not what its checksum says
    └── MissingExtra (ImportError)     an optional package that is not installed

    Interrupted (KeyboardInterrupt)    stopped by Ctrl-C, with what was done by then

Below them the checks of parameters and of optional packages that raise them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from difflib import get_close_matches
from importlib import import_module
from numbers import Integral
from typing import Any


class FaceliftError(Exception):
    """Base of all errors raised on purpose by facelift.

    >>> import numpy as np
    >>> from facelift import Terrain
    >>> try:
    ...     Terrain.infer(np.eye(3)).freeze("x9")
    ... except FaceliftError as fault:
    ...     print(type(fault).__name__, fault, sep=": ")
    UnknownColumn: There is no column 'x9'; known: x0, x1, x2
    """


class InvalidInput(FaceliftError, ValueError):
    """A value that cannot be right, whatever the data."""


class UnknownColumn(InvalidInput, KeyError):
    """A column that is not there."""

    __str__ = Exception.__str__  # a KeyError would print its message in quotes


class InvalidRules(InvalidInput):
    """A rules file that cannot be read."""


class InvalidData(InvalidInput):
    """A table facelift cannot walk through."""


class MissingValues(InvalidData):
    """A table with empty cells."""


class InvalidModel(FaceliftError, ValueError):
    """A model that does not answer with probabilities, or not as it did before."""


class NotFitted(FaceliftError, AttributeError):
    """An explainer that is asked before it was fitted."""


class InvalidFolder(FaceliftError, ValueError):
    """A saved explainer that cannot be trusted."""


class CannotWrite(FaceliftError, OSError):
    """A folder that could not be written; what was there before is untouched."""


class DataUnavailable(FaceliftError, OSError):
    """A data set that is not here and cannot be fetched."""


class DamagedFile(FaceliftError, ValueError):
    """A file that is not what its checksum says."""


class MissingExtra(FaceliftError, ImportError):
    """An optional package that is not installed."""


class Interrupted(KeyboardInterrupt):
    """Stopped before the end; `done` holds the results made so far, in order.

    >>> stopped = Interrupted(["the first"], total=3)
    >>> str(stopped), stopped.done
    ("Stopped after 1 of 3; those are in the error's `done`.", ['the first'])
    """

    def __init__(self, done: Sequence[Any], total: int) -> None:
        super().__init__(f"Stopped after {len(done)} of {total}; those are in the error's `done`.")
        self.done = done


def printable(text: str) -> str:
    r"""Text without characters that command a terminal or turn its lines round.

    Names of columns, levels and files come from strangers; lines and tabs stay.

    >>> printable("ag\x1b[2Je")
    'ag�[2Je'
    """
    return _COMMANDS.sub("\N{REPLACEMENT CHARACTER}", text)


_COMMANDS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")


MOST_NAMED = 30
"""Names that an error lists, at most."""


def nearest_name(name: object, known: Iterable[object]) -> str:
    """Hint with the known name closest to `name`, or all of them when none is close.

    >>> nearest_name("savngs", ["savings", "age"])
    "did you mean 'savings'?"
    >>> nearest_name("x", ["savings", "age"])
    'known: savings, age'
    >>> len(nearest_name("x", [f"a{chr(10)}b"]).splitlines())  # one line, whatever the data
    1
    """
    names = [text if (text := str(each)).isprintable() else repr(text)[1:-1] for each in known]
    close = get_close_matches(str(name), names, n=1)
    if close:
        return f"did you mean {close[0]!r}?"
    more = f" and {len(names) - MOST_NAMED:,} more" if len(names) > MOST_NAMED else ""
    return f"known: {', '.join(names[:MOST_NAMED])}{more}"


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
