"""Draw the picture of the README: what `facelift demo` prints, as an SVG.

Usage: python tools/make_demo_picture.py docs/pictures/demo.svg
"""

from __future__ import annotations

import re
import subprocess
import sys
from io import StringIO
from pathlib import Path

from rich.console import Console
from rich.text import Text


def main() -> None:
    """Run the demo with colours and write its picture."""
    command = "from facelift.cli import commands; commands(['demo'])"
    program = f"import sys; sys.stdout.isatty = lambda: True; {command}"
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    console = Console(record=True, width=102, file=StringIO())
    console.print(Text.from_ansi(run.stdout))
    picture = console.export_svg(title="facelift demo", unique_id="demo")
    picture = re.sub(r"@font-face \{.*?\}\s*", "", picture, flags=re.DOTALL)  # no web fonts
    picture = picture.replace("Fira Code", "DejaVu Sans Mono")
    target = Path(sys.argv[1])
    target.parent.mkdir(parents=True, exist_ok=True)
    lines = [line.rstrip() for line in picture.splitlines()]
    target.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
