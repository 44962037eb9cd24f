"""Names for the arrays that travel through facelift, and how they are checked at the boundary.

Shape letters everywhere: `n` points, `m` coordinates, `k` waypoints, `c` counterfactuals,
`o` sections.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import sha256
from itertools import accumulate

import numpy as np
import numpy.typing as npt

from facelift.errors import InvalidInput

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

CELLS = 4_000_000
"""Largest number of cells of an array made in one go: 32 MB."""

FEW_CELLS = 1 << 15
"""Cells that stay near the processor from one operation to the next: 256 kB."""


def finite_floats(values: npt.ArrayLike, name: str, *, ndim: int) -> Floats:
    """`values` as a C-ordered float array with `ndim` axes and no NaN or infinity."""
    array = as_floats(values, name, ndim=ndim)
    if not np.isfinite(array).all():
        raise InvalidInput(f"{name} must be finite numbers; found NaN or infinity.")
    return array


def as_floats(values: npt.ArrayLike, name: str, *, ndim: int) -> Floats:
    """`values` as a C-ordered float array with `ndim` axes."""
    try:
        array = np.ascontiguousarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidInput(f"{name} must be numbers, got {type(values).__name__}.") from None
    if array.ndim != ndim:
        raise InvalidInput(f"{name} must have {ndim} axes, got shape {array.shape}.")
    return array


def slices(lengths: Iterable[int]) -> list[slice]:
    """Where parts of these lengths lie, one after the other.

    >>> slices([2, 1])
    [slice(0, 2, None), slice(2, 3, None)]
    """
    ends = list(accumulate(lengths))
    return list(map(slice, [0, *ends[:-1]], ends))


def chunks(n_rows: int, cells_per_row: int, cells: int | None = None) -> Iterator[slice]:
    """Slices that cover `n_rows` rows, each of at most `cells` cells (and at least one row).

    `CELLS` of them, if not given.

    >>> list(chunks(5, CELLS // 2))
    [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    """
    size = max(1, (cells or CELLS) // max(cells_per_row, 1))
    return (slice(i, min(i + size, n_rows)) for i in range(0, n_rows, size))


def frozen(array: npt.NDArray[np.generic]) -> None:
    """Make an array read-only, so that a value stays what it was."""
    array.setflags(write=False)


def fingerprint(array: npt.NDArray[np.generic]) -> str:
    """Sixteen digits that differ where a bit of the array does.

    >>> fingerprint(np.zeros(3)) == fingerprint(np.zeros(3)), fingerprint(np.zeros(3))
    (True, '9d908ecfb6b256de')
    """
    return sha256(np.ascontiguousarray(array).data).hexdigest()[:16]
