"""Compiled loops, loaded when first needed: numba turns them into machine code once per machine.

What is small is done with NumPy and SciPy instead, with the same answers, so that nobody waits for
a compiler to explain a thousand rows.
"""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

from facelift._progress import announced

HERE = Path(__file__).parent


@cache
def can_compile() -> bool:
    """Whether there is a compiler; browsers have none, and all but large tables do without."""
    try:
        return find_spec("numba") is not None
    except ValueError:  # somebody keeps it from being imported
        return False


@cache
def kernel(name: str) -> ModuleType:
    """A module of this package; the first time on a machine, loading it compiles it."""
    forget_stale(HERE, [*HERE.glob("*.py")])
    message = f"Preparing compiled {name} (slow only the first time on a machine) …"
    with announced(message):
        return import_module(f"facelift.graph.kernels.{name}")


def forget_stale(folder: Path, sources: list[Path]) -> None:
    """Remove machine code that is older than any of its sources.

    numba looks at a function's own file only, not at the functions and types it is made of; after
    a change of those it would go on with the code of before.
    """
    with suppress(OSError):  # where nothing may be written, nothing was kept either
        newest = max(source.stat().st_mtime for source in sources)
        for kept in folder.glob("__pycache__/*.nb[ic]"):
            if kept.stat().st_mtime < newest:
                kept.unlink(missing_ok=True)
