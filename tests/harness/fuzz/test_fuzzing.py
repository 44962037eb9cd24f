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
