"""A new kind of column, or of step, is one file and one line of registration."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_a_toy_kind_of_column_and_of_step_work_everywhere():
    run = subprocess.run(
        [sys.executable, "-m", "tools.extension"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert "interest  share    never     at 1      3 to 18; between 3 and 18" in run.stdout
    assert "interest can be 16 %, 15 %, 14 %, 10 %, 5 %" in run.stdout
    assert "leaps [1, 1, 1, 1]" in run.stdout
    assert "without the first 3" in run.stdout
    assert "frozen: no candidate" in run.stdout
    assert "audited" in run.stdout
