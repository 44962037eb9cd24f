"""A few seconds of fuzzing of every reader find nothing."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
SECONDS = 6


@pytest.mark.parametrize("name", ["rules", "document", "folder", "requests"])
def test_nothing_is_found_in_a_few_seconds(name):
    pytest.importorskip("atheris", reason='fuzzing needs pip install "facelift-multiverse[fuzz]"')
    done = subprocess.run(
        [sys.executable, "-m", f"tests.harness.fuzz.{name}", "--seconds", str(SECONDS)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
    counted = re.search(r"number_of_executed_units: (\d+)", done.stderr)
    assert counted
    assert int(counted[1]) > 50


def test_a_reader_that_breaks_is_found(tmp_path):
    """The same machinery on a reader with a fault."""
    pytest.importorskip("atheris", reason='fuzzing needs pip install "facelift-multiverse[fuzz]"')
    (tmp_path / "broken.py").write_text(BROKEN)
    done = subprocess.run(
        [sys.executable, "broken.py", "--seconds", "20"],
        cwd=tmp_path,
        env={"PYTHONPATH": f"{ROOT}", "TMPDIR": f"{tmp_path}"},
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    assert done.returncode != 0
    assert "found by fuzzing" in done.stdout


BROKEN = """
from tests.harness.fuzz.running import main

def read(data):
    if data[:1] == b"f":
        raise KeyError("found by fuzzing")

main(lambda home: (read, [b"a"]), instrumented=[])
"""
