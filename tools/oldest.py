"""Print constraints that hold every dependency at the oldest version pyproject.toml allows.

    python tools/oldest.py [EXTRA ...] > oldest.txt
    pip install -c oldest.txt .

`.ci/oldest` does so in a fresh environment and runs tests there: a lower bound that nobody tries
is a guess.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path

PROJECT = Path(__file__).parents[1] / "pyproject.toml"
BOUND = re.compile(r"(?P<name>[\w.-]+)(\[[\w,]+\])?>=(?P<version>[\w.]+)(;.*)?")


def main(extras: Iterable[str]) -> None:
    """Print one line per dependency of the base package and of some extras."""
    project = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]
    wanted = [project["dependencies"], *(project["optional-dependencies"][name] for name in extras)]
    for line in oldest(each for group in wanted for each in group):
        print(line)


def oldest(requirements: Iterable[str]) -> Iterator[str]:
    """Each requirement at its lower bound; our own extras have none."""
    for requirement in requirements:
        if requirement.startswith("facelift-multiverse["):
            continue
        bound = BOUND.fullmatch(requirement)
        if bound is None:
            raise SystemExit(f"{requirement!r} has no lower bound; write it as name>=version.")
        yield f"{bound['name']}=={bound['version']}"


if __name__ == "__main__":
    main(sys.argv[1:])
