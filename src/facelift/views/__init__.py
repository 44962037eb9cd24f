"""Views: a value in, an artefact out; they never compute, show or save.

`text` for a terminal, `table` as frames, `plot` with matplotlib; each loads when first used.
`explore` is the exception to the rule: it opens the navigator, and lives with it in `facelift.web`.
"""

from importlib import import_module
from typing import Any

from facelift.views import text

__all__ = ["explore", "plot", "table", "text"]


def __getattr__(name: str) -> Any:
    if name == "explore":  # the page is built on views, so it can only be looked up when asked for
        return import_module("facelift.web").explore
    if name in ("plot", "table"):
        return import_module(f"facelift.views.{name}")
    raise AttributeError(f"module 'facelift.views' has no attribute {name!r}")
