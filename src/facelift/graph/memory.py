"""What a fit will take, told before the work instead of dying in the middle of it."""

from __future__ import annotations

import os
from pathlib import Path

from facelift.errors import InvalidData

PER_COORDINATE, PER_NEIGHBOR = 32, 60
"""Bytes that a row takes at the peak, for each coordinate and each neighbour; measured.

897,000 rows with 48 coordinates and 20 neighbours took 2.5 GB, 100,000 of them 0.25 GB."""

MOST_EDGES = 2**31 - 1
"""Steps between records that compiled searches can number."""

NOTEWORTHY = 500_000_000
"""Bytes below which nobody needs to look at how much is free."""


def check_room(n_rows: int, n_coordinates: int, n_neighbors: int) -> None:
    """An error if a table is larger than memory, or has more steps than can be numbered.

    >>> check_room(1_000, 50, 20)
    >>> check_room(100_000_000, 50, 20)
    Traceback (most recent call last):
        ...
    facelift.errors.InvalidData: 100,000,000 rows with 20 neighbours make up to 4.0 billion ...
    """
    edges = 2 * n_rows * n_neighbors
    if edges > MOST_EDGES:
        raise InvalidData(
            f"{n_rows:,} rows with {n_neighbors} neighbours make up to {edges / 1e9:.1f} billion "
            f"steps; {MOST_EDGES / 1e9:.1f} billion can be kept: lower n_neighbors, fit on fewer "
            "rows, or take steps='actions'."
        )
    needed = n_rows * (PER_COORDINATE * n_coordinates + PER_NEIGHBOR * n_neighbors)
    free = free_memory() if needed > NOTEWORTHY else None
    if free is not None and needed > free:
        raise InvalidData(
            f"{n_rows:,} rows with {n_coordinates:,} coordinates need about {needed / 1e9:.1f} GB; "
            f"{free / 1e9:.1f} are free: fit on fewer rows, leave out columns of many levels, or "
            "take a machine with more."
        )


def free_memory() -> int | None:
    """Bytes that may still be taken; None where nothing says so."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        kilobytes = next(line.split()[1] for line in lines if line.startswith("MemAvailable"))
        return 1024 * int(kilobytes)
    except (OSError, StopIteration, ValueError):
        pass
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):  # not on every system
        return None
