"""The page's files as text, and its modules of script joined into one."""

from __future__ import annotations

import re
from importlib.resources import files
from posixpath import dirname, join, normpath

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


def joined(name: str) -> str:
    """A module and all it imports as one module, for a notebook's widget or a single file.

    Modules share one scope, so their names must differ; only a default export remains.

    >>> "import {" in joined("report.js")
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
