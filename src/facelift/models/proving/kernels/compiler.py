"""What compiles the loops; without a compiler they are the same loops, slowly."""

from __future__ import annotations

try:
    from numba import njit
except ImportError:

    def njit(**_):
        """Leave a function as it is."""
        return lambda function: function


OPTIONS = {"cache": True, "nogil": True}

__all__ = ["OPTIONS", "njit"]
