"""Results as vector graphics where Matplotlib is at hand; else one line says how to get it."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

from facelift.errors import MissingExtra

_log = logging.getLogger("facelift")


def drawn(path: Path, draw: Callable[[], Any]) -> list[Path]:
    """The file of a figure, or none where it cannot be drawn; `draw` loads what it needs."""
    try:
        figure = draw()
    except MissingExtra as fault:
        _log.warning("%s", fault)
        return []
    from facelift.paper.figures.style import write_svg

    return [write_svg(figure, path)]
