"""A program that is killed while it saves leaves the old explainer or the new one."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


def test_a_save_killed_at_any_point_leaves_the_old_or_the_new_explainer():
    pytest.importorskip("resource", reason="processes are killed in the POSIX way")
    done = subprocess.run(
        [sys.executable, "-m", "tests.harness.faults.saving"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    told = json.loads(done.stdout)
    assert told["violations"] == 0
    assert told["faults"] > 100
    assert min(told["left"][each] for each in ("old", "new", "nothing")) > 2
