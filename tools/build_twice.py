"""Build the sdist and the wheel twice, in two places; they must be the same to the byte.

    python tools/build_twice.py FOLDER

The two copies of the tree differ in what must not matter: their place, and the dates and
permissions of files. Dates inside the archives are SOURCE_DATE_EPOCH, or that of the last commit.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[1]


def main(folder: Path) -> None:
    """Leave the archives in a folder and print their checksums; stop if any of them differ."""
    with TemporaryDirectory() as scratch:
        first = built(Path(scratch) / "here", date=10**9, mode=0o644)
        second = built(Path(scratch) / "over" / "there", date=15 * 10**8, mode=0o600)
        found = checksums(first)
        if found != checksums(second):
            raise SystemExit(f"Built twice, not the same: {found}, {checksums(second)}")
        shutil.copytree(first, folder, dirs_exist_ok=True)
    for name, checksum in found.items():
        print(checksum, name)


def built(tree: Path, *, date: int, mode: int) -> Path:
    """A folder with the archives made of a copy of the tree."""
    for name in output("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"):
        copy = tree / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, copy)
        copy.chmod(mode)
        os.utime(copy, (date, date))
    epoch = os.environ.get("SOURCE_DATE_EPOCH") or output("git", "log", "-1", "--format=%ct")[0]
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-d", "dist"],
        cwd=tree,
        env={**os.environ, "SOURCE_DATE_EPOCH": epoch},
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    return tree / "dist"


def output(*command: str) -> list[str]:
    """What a command prints, split at zeros and ends of lines."""
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    return [part for part in done.stdout.replace("\n", "\0").split("\0") if part]


def checksums(folder: Path) -> dict[str, str]:
    """SHA-256 of every file in a folder."""
    return {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.iterdir())
    }


if __name__ == "__main__":
    main(Path(sys.argv[1]))
