"""The checklist of a release, line by line; stops at the first that does not hold.

    python -m tools.release

Needs hatchling and twine. The last line installs the wheel in a fresh environment, as newcomers do.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from facelift import __version__

ROOT = Path(__file__).parents[1]
MOST_LINES = 120
MOST_MEGABYTES = 650
MOST_SECONDS = 60
FIRST_WORDS = 4
"""Seconds until the demo of a fresh environment says something."""


def main() -> None:
    """Go through the checklist."""
    with TemporaryDirectory() as scratch:
        archives = Path(scratch) / "dist"
        checks: dict[str, Callable[[], str]] = {
            "nothing is left to commit": committed,
            "one version everywhere": one_version,
            "the recipe asks for what pyproject.toml does": same_requirements,
            "README is short": short_readme,
            "archives are the same bytes twice": lambda: built(archives),
            "their descriptions are in order": lambda: described(archives),
            "a newcomer's first minute": lambda: newcomer(archives, Path(scratch) / "new"),
        }
        for name, check in checks.items():
            print(f"{name} …", end=" ", flush=True)
            print(check())
    print(f"{__version__} can be released.")


def committed() -> str:
    """No file differs from the last commit."""
    changed = run("git", "status", "--porcelain")
    needed(not changed, f"commit or remove these first:\n{changed}")
    return "yes"


def one_version() -> str:
    """Package, citation, recipe and changelog name the same release."""
    found = versions()
    needed(set(found.values()) == {__version__}, f"they differ: {found}")
    return __version__


def versions() -> dict[str, str]:
    """What each file says the next release is."""
    patterns = {
        "CITATION.cff": r"^version: (\S+)$",
        "recipe/meta.yaml": r'set version = "(\S+)"',
        "CHANGELOG.md": r"^## (\S+)",
    }
    texts = {name: (ROOT / name).read_text(encoding="utf-8") for name in patterns}
    found = {name: re.search(patterns[name], text, re.M) for name, text in texts.items()}
    return {name: match[1] if match else "none" for name, match in found.items()}


def same_requirements() -> str:
    """The recipe's packages are those of pyproject.toml, with the same lower bounds."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    ours = {each.partition(";")[0].strip() for each in project["dependencies"]}
    ours.add(f"python{project['requires-python']}")
    run_part = (ROOT / "recipe/meta.yaml").read_text(encoding="utf-8").partition("  run:\n")[2]
    listed = re.findall(r"^    - (.+)$", run_part.partition("\n\n")[0], re.M)
    theirs = {line.replace(" ", "") for line in listed}
    needed(ours == theirs, f"only in one of the two: {sorted(ours ^ theirs)}")
    return f"{len(ours)} packages"


def short_readme() -> str:
    """README can be read in a minute or two."""
    n = len((ROOT / "README.md").read_text(encoding="utf-8").splitlines())
    needed(n <= MOST_LINES, f"{n} lines; at most {MOST_LINES} are wanted")
    return f"{n} lines"


def built(archives: Path) -> str:
    """Both archives, built twice."""
    run(sys.executable, "tools/build_twice.py", str(archives))
    return ", ".join(sorted(path.name for path in archives.iterdir()))


def described(archives: Path) -> str:
    """What an index would show of them."""
    run(sys.executable, "-m", "twine", "check", "--strict", *map(str, archives.iterdir()))
    return "yes"


def newcomer(archives: Path, folder: Path) -> str:
    """Install the wheel in a fresh environment and run the demo: seconds and megabytes."""
    (wheel,) = archives.glob("*.whl")
    began = time.perf_counter()
    run(sys.executable, "-m", "venv", str(folder))
    run(str(folder / "bin/pip"), "install", "--quiet", str(wheel))
    installed = time.perf_counter()
    first = seconds_to_first_words([str(folder / "bin/facelift"), "demo"])
    total = time.perf_counter() - began
    size = sum(path.lstat().st_size for path in folder.rglob("*")) / 1e6
    told = (
        f"installed in {installed - began:.0f} s, first words after {first:.1f} s, "
        f"{total:.0f} s and {size:.0f} MB in all"
    )
    fits = total <= MOST_SECONDS and size <= MOST_MEGABYTES and first <= FIRST_WORDS
    limits = f"{MOST_SECONDS} s, {MOST_MEGABYTES} MB and {FIRST_WORDS} s until the first words"
    needed(fits, f"{told}; at most {limits} are wanted")
    return told


def seconds_to_first_words(command: list[str]) -> float:
    """How long a command is silent; it must end well."""
    began = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd="/") as process:
        assert process.stdout is not None  # noqa: S101 -- it is a pipe
        process.stdout.read(1)
        silent = time.perf_counter() - began
        process.stdout.read()
    needed(process.returncode == 0, f"{command} ended with {process.returncode}")
    return silent


def run(*command: str) -> str:
    """What a command prints; it must end well."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    needed(done.returncode == 0, f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout


def needed(holds: bool, otherwise: str) -> None:
    """Stop with a line unless something holds."""
    if not holds:
        raise SystemExit(f"no: {otherwise}")


if __name__ == "__main__":
    main()
