"""Make the pictures of docs/gallery.md by running the code on that page.

    python tools/make_gallery.py [FOLDER]

Each picture named on the page is the figure that the code before it drew.
"""

from __future__ import annotations

import re
import sys
from doctest import DocTestParser, Example
from pathlib import Path

import matplotlib as mpl

mpl.use("agg")
from matplotlib import pyplot as plt

PAGE = Path(__file__).parents[1] / "docs" / "gallery.md"
RESOLUTION = 110


def main(folder: Path) -> None:
    """Run the page from top to bottom, and save what it draws."""
    folder.mkdir(parents=True, exist_ok=True)
    names: dict[str, object] = {}
    for part in re.split(r"(!\[.*?\]\(pictures/.*?\))", PAGE.read_text(encoding="utf-8")):
        picture = re.fullmatch(r"!\[.*?\]\(pictures/(.*?)\)", part)
        if picture is None:
            _run(part, names)
            continue
        path = folder / picture[1]
        plt.savefig(path, dpi=RESOLUTION, bbox_inches="tight", pil_kwargs={"optimize": True})
        plt.close("all")
        print(path)


def _run(text: str, names: dict[str, object]) -> None:
    for example in DocTestParser().parse(text):
        if isinstance(example, Example):
            exec(compile(example.source, str(PAGE), "single"), names)  # noqa: S102  (our own page)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else PAGE.parent / "pictures")
