"""What a page carries in itself: pictures as data addresses, its looks and its script as text."""

from __future__ import annotations

import re
import struct
import zlib
from base64 import b64encode
from importlib.resources import files
from posixpath import dirname, join, normpath

import numpy as np
import numpy.typing as npt

from facelift._arrays import Floats
from facelift.errors import InvalidInput, check_picture
from facelift.walking.guide import Guide

ADDED, REMOVED = (1, 38, 163), (217, 96, 10)
"""Ink that was added, and ink that was taken away."""


def picture_of(guide: Guide, point: Floats) -> Floats:
    """The ink of a point from 0 to 1, where the lowest value seen in any column is paper."""
    if guide.picture is None:
        raise InvalidInput("These points are no pictures; give the guide a height and a width.")
    height, width = guide.picture
    explainer = guide.explainer
    if explainer is None:
        values = np.asarray(point, dtype=np.float64)
        low, high = 0.0, 1.0
    else:
        features = explainer.terrain_.features
        values = explainer.terrain_.to_pandas(point[np.newaxis, :]).to_numpy(dtype=np.float64)[0]
        low = min(feature.low for feature in features)
        high = max(feature.high for feature in features)
    check_picture((height, width), len(values))
    return np.asarray((values.reshape(height, width) - low) / ((high - low) or 1.0))


def step_pictures(guide: Guide, before: Floats, after: Floats) -> tuple[str, str]:
    """The picture after a step, and what it adds and removes; empty where points are none."""
    if guide.picture is None:
        return "", ""
    pictures = picture_of(guide, before), picture_of(guide, after)
    return ink(pictures[1]), difference(*pictures)


def ink(values: Floats) -> str:
    """A picture of ink from 0 (paper) to 1, dark on white.

    >>> ink(np.zeros((8, 8)))[:22]
    'data:image/png;base64,'
    """
    grey = np.rint(255 * (1 - np.clip(values, 0, 1))).astype(np.uint8)
    return _png(np.repeat(grey[:, :, np.newaxis], 3, axis=2))


def difference(before: Floats, after: Floats) -> str:
    """What was added (blue) and removed (orange) between two pictures of ink."""
    return _png(difference_colours(before, after))


def difference_colours(before: Floats, after: Floats) -> npt.NDArray[np.uint8]:
    """The same as colours; shape (height, width, 3).

    >>> difference_colours(np.array([[0.0, 1.0]]), np.array([[0.0, 0.0]])).tolist()
    [[[255, 255, 255], [217, 96, 10]]]
    """
    change = np.clip(after - before, -1, 1)[:, :, np.newaxis]
    colour = np.where(change > 0, ADDED, REMOVED)
    shades: Floats = np.rint(255 - np.abs(change) * (255 - colour))
    return shades.astype(np.uint8)


def _png(pixels: npt.NDArray[np.uint8]) -> str:
    """Colours (height, width, 3) as a data address."""
    height, width, _ = pixels.shape
    rows = b"".join(b"\0" + row.tobytes() for row in pixels)
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = [(b"IHDR", header), (b"IDAT", zlib.compress(rows, 9)), (b"IEND", b"")]
    png = b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(*chunk) for chunk in chunks)
    return "data:image/png;base64," + b64encode(png).decode("ascii")


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


_IMPORT = re.compile(r'^import \{[^}]*\} from "(\.[^"]+)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?!default)", re.MULTILINE)


def static(name: str) -> str:
    """A file of the page.

    >>> static("page.js").partition(":")[0]
    "// The page's host"
    """
    return (files("facelift.web") / "static" / name).read_text(encoding="utf-8")


def parts(ending: str, folder: str = "navigator") -> list[str]:
    """The navigator's modules of script ("js") or its sheets of looks ("css"), or a page's.

    >>> parts("js")[0]
    'navigator/asking.js'
    """
    found = files("facelift.web") / "static" / folder
    names = sorted(each.name for each in found.iterdir())
    return [f"{folder}/{name}" for name in names if name.endswith(f".{ending}")]


def looks() -> str:
    """The navigator's looks in one sheet.

    >>> ".trial" in looks()
    True
    """
    return static("navigator.css") + "".join(map(static, parts("css")))


def bundled(name: str) -> str:
    """A module and all it imports as one module, for a notebook's widget or a single file.

    Modules share one scope, so their names must differ; only a default export remains.

    >>> "import {" in bundled("report.js")
    False
    """
    return "".join(_EXPORT.sub("", _IMPORT.sub("", static(each))) for each in _in_order(name))


def _in_order(name: str) -> list[str]:
    """The module and those it imports, each after what it needs."""
    found: list[str] = []

    def visit(each: str) -> None:
        for needed in _IMPORT.findall(static(each)):
            path = normpath(join(dirname(each), needed))
            if path not in found:
                visit(path)
        found.append(each)

    visit(name)
    return found
