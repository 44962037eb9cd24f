"""Compiled loops of `search`: factors of a score, bounds of a cost, and single states.

No loop calls one of another file: numba keeps machine code as long as the file of a loop stays.
Without a compiler they are the same loops, slowly.
"""

from __future__ import annotations

try:
    from numba import njit
except ImportError:

    def njit(**_):
        """Leave a function as it is."""
        return lambda function: function


OPTIONS = {"cache": True, "nogil": True}

from facelift.models.proving.kernels.bounds import (  # noqa: E402  (they need what stands above)
    add_leaves,
    bound_of,
    choose,
    descend,
    improve,
    scores,
)
from facelift.models.proving.kernels.factors import (  # noqa: E402
    extremes,
    prune,
    restrict,
    specialise,
)

__all__ = [
    "OPTIONS",
    "add_leaves",
    "bound_of",
    "choose",
    "descend",
    "extremes",
    "improve",
    "njit",
    "prune",
    "restrict",
    "scores",
    "specialise",
]
