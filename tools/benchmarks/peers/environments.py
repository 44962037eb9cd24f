"""An environment for every method: a virtual environment of its own, made once, and its receipt.

The receipt says whether `pip install` succeeds, whether the package can then be imported, what had
to be added by hand, how long it took and how large it is. It is made anew if its folder is deleted.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path

import sklearn

import facelift as fl

ROOT = Path(__file__).parents[3]


@dataclass(frozen=True)
class Package:
    """What pip is asked for, what is imported, and what must be added for it to work."""

    name: str
    wanted: str
    imported: str
    added: tuple[str, ...] = ()
    """Packages that it needs and does not ask for."""

    beside: tuple[str, ...] = ()
    """What the benchmark needs beside it: the model's library, where the method reads the model."""


MODEL = f"scikit-learn=={sklearn.__version__}"
PACKAGES = {
    package.name: package
    for package in (
        Package("facelift", str(ROOT), "facelift"),
        Package("dice-ml", "dice-ml==0.12", "dice_ml"),
        Package("NICEx", "NICEx==0.2.3", "nice", ("scipy",)),
        Package("treecf", "treecf==0.3.2", "treecf", (), (MODEL,)),
        Package("cfnow", "cfnow==0.0.6", "cfnow.cf_finder"),
        Package("alibi", "alibi[tensorflow]==0.9.6", "alibi.explainers", ("click",)),
        Package("carla", "carla-recourse==0.0.5", "carla"),
    )
}


@dataclass(frozen=True)
class Receipt:
    """What came of installing a package."""

    package: str
    wanted: str
    python: str
    installed: bool
    imported: bool
    added: tuple[str, ...] = ()
    fault: str = ""
    seconds: float = 0.0
    megabytes: float = 0.0
    versions: dict[str, str] = field(default_factory=dict)

    @property
    def usable(self) -> bool:
        return self.installed and self.imported


@dataclass(frozen=True)
class Environment:
    """The folder of a package's environment."""

    package: Package

    @property
    def folder(self) -> Path:
        version = ".".join(map(str, sys.version_info[:2]))
        return fl.datasets.cache_home() / "peers" / f"{self.package.name}-{version}"

    @property
    def python(self) -> Path:
        """Ours is asked with this very Python: its environment is only weighed."""
        ours = self.package.name == "facelift"
        return Path(sys.executable) if ours else self.folder / "bin" / "python"

    def receipt(self, minutes: float) -> Receipt:
        """What came of installing it, now or earlier; a longer time than earlier tries again."""
        note = self.folder / "receipt.json"
        if note.exists():
            known = json.loads(note.read_text())
            if known.pop("minutes") >= minutes or known["installed"]:
                return Receipt(**known | {"added": tuple(known["added"])})
        shutil.rmtree(self.folder, ignore_errors=True)
        found = self._installed(minutes)
        self.folder.mkdir(parents=True, exist_ok=True)
        note.write_text(json.dumps({**asdict(found), "minutes": minutes}))
        return found

    def _installed(self, minutes: float) -> Receipt:
        start, package = time.monotonic(), self.package
        version = ".".join(map(str, sys.version_info[:3]))
        about = (package.name, package.wanted.replace(str(ROOT), "."), version)
        base = getattr(sys, "_base_executable", sys.executable)
        self._run([base, "-m", "venv", str(self.folder)], 120)
        fault = self._pip(package.wanted, seconds=60 * minutes)
        seconds = time.monotonic() - start
        if fault:
            return Receipt(*about, installed=False, imported=False, fault=fault, seconds=seconds)
        megabytes, added = _megabytes(self.folder), ()
        fault = still = self._import()
        if fault and package.added:
            added = package.added
            still = self._pip(*added, seconds=300) or self._import()
        if package.beside and not still:
            self._pip(*package.beside, seconds=300)
        return Receipt(
            *about,
            installed=True,
            imported=not still,
            added=added,
            fault=still or fault,
            seconds=seconds,
            megabytes=megabytes,
            versions=self._versions(),
        )

    def _pip(self, *wanted: str, seconds: float) -> str:
        command = [str(self.folder / "bin" / "python"), "-m", "pip", "install", "--quiet"]
        return self._run([*command, "--disable-pip-version-check", *wanted], seconds)

    def _import(self) -> str:
        command = [str(self.folder / "bin" / "python"), "-c", f"import {self.package.imported}"]
        return self._run(command, 300)

    def _versions(self) -> dict[str, str]:
        command = [str(self.folder / "bin" / "python"), "-m", "pip", "list", "--format=json"]
        listed = subprocess.run(command, capture_output=True, check=True, text=True).stdout
        named = {"numpy", "pandas", "scikit-learn", "scipy", "tensorflow"}
        found = {each["name"]: each["version"] for each in json.loads(listed)}
        return {name: version for name, version in found.items() if name.lower() in named}

    def _run(self, command: list[str], seconds: float) -> str:
        """Run a command; what went wrong in one line, or nothing."""
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, timeout=seconds, check=False
            )
        except subprocess.TimeoutExpired:
            return f"not done after {seconds / 60:.0f} minutes"
        return "" if done.returncode == 0 else _last_fault(done.stderr)


def _last_fault(text: str) -> str:
    """The line of a log that says most: the last error."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    errors = [line for line in lines if re.match(r"(\w*Error|ERROR|error)\b.*:", line)]
    return (errors or lines or ["no message"])[-1][:200]


def _megabytes(folder: Path) -> float:
    return sum(each.lstat().st_size for each in folder.rglob("*") if not each.is_dir()) / 1e6
