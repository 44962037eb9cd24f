"""Compiled loops, loaded when first needed: numba turns them into machine code once per machine.

What is small is done with NumPy and SciPy instead, with the same answers, so that nobody waits for
a compiler to explain a thousand rows.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from types import ModuleType

from facelift.progress import announced


@cache
def kernel(name: str) -> ModuleType:
    """A module of this package; the first time on a machine, loading it compiles it."""
    message = f"Preparing compiled {name} (slow only the first time on a machine) …"
    with announced(message):
        return import_module(f"facelift.graph.kernels.{name}")
