"""What is shipped: the same bytes twice, everything in it, and bounds that say from when on."""

from __future__ import annotations

import re
import subprocess
import sys
import tarfile
import tomllib
from pathlib import Path
from zipfile import ZipFile

import pytest

ROOT = Path(__file__).parents[1]


def script(name: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, f"tools/{name}.py", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def archives(tmp_path_factory) -> Path:
    """A folder with the sdist and the wheel, which are built twice."""
    pytest.importorskip("hatchling", reason="packages are built by hatchling")
    if not (ROOT / ".git").exists():
        pytest.skip("git says which files are ours")
    folder = tmp_path_factory.mktemp("archives")
    done = script("build_twice", str(folder))
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == 2
    return folder


def test_the_wheel_built_twice_holds_the_whole_package_and_nothing_else(archives):
    (wheel,) = archives.glob("*.whl")
    held = {name for name in ZipFile(wheel).namelist() if ".dist-info/" not in name}
    package = ROOT / "src" / "facelift"
    ours = {
        path for path in package.rglob("*") if path.is_file() and "__pycache__" not in str(path)
    }
    assert held == {str(path.relative_to(ROOT / "src")) for path in ours}


def test_the_sdist_built_twice_holds_what_its_tests_need(archives):
    (sdist,) = archives.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        held = {name.partition("/")[2] for name in archive.getnames()}
    needed = ["conftest.py", "CONTRIBUTING.md", "README.md", "docs/conf.py", "docs/index.md"]
    tests = [str(path.relative_to(ROOT)) for path in (ROOT / "tests").rglob("*.py")]
    assert {*needed, *tests} <= held


def test_every_dependency_says_from_which_version_on():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    done = script("oldest", *project["optional-dependencies"])
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert all(line.count("==") == 1 for line in lines)
    assert {line.partition("==")[0] for line in lines} >= {
        requirement.partition(">=")[0] for requirement in project["dependencies"]
    }


def test_the_guide_to_installing_says_which_versions_were_tried():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    guide = (ROOT / "docs/how-to/install.md").read_text(encoding="utf-8")
    tried = re.findall(r"^\| ([\w-]+) \| ([\d.]+) \| ([\d.]+) \|$", guide, re.MULTILINE)
    needed = dict(each.partition(";")[0].split(">=") for each in project["dependencies"])
    assert {name: oldest for name, oldest, _ in tried} == {
        "Python": project["requires-python"].removeprefix(">="),
        **needed,
    }
    assert all(_numbers(oldest) <= _numbers(newest) for _, oldest, newest in tried)


def _numbers(version: str) -> list[int]:
    return [int(part) for part in version.split(".")]
