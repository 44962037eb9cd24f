"""Views: a value in, an artefact out; they never compute, show or save.

`text` for a terminal, `table` as frames, `plot` with matplotlib, `letter` for the person; each
loads when first used.
`explore` and `widget` are exceptions to the rule: they open the navigator, and live with it in
`facelift.web`.
"""

from importlib import import_module
from typing import Any

from facelift.views import text
from facelift.views.proofs import certificate

__all__ = ["certificate", "explore", "letter", "plot", "table", "text", "widget"]


def __getattr__(name: str) -> Any:
    if name in ("explore", "widget"):  # built on views, so only looked up when asked for
        return getattr(import_module("facelift.web"), name)
    if name == "letter":
        return import_module("facelift.views.letters").letter
    if name in ("plot", "table"):
        return import_module(f"facelift.views.{name}")
    raise AttributeError(f"module 'facelift.views' has no attribute {name!r}")
