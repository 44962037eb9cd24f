"""Commands, options and columns that a shell completes."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from tests.cli.calling import run


def completed(*words: str, shell: str = "bash") -> list[str]:
    """What a shell would offer for the last of some words."""
    line = " ".join(["facelift", *map(str, words)])
    done = subprocess.run(
        [sys.executable, "-m", "facelift.cli"],
        env={
            **os.environ,
            "_FACELIFT_COMPLETE": f"{shell}_complete",
            "COMP_WORDS": line,
            "COMP_CWORD": str(len(words)),
        },
        capture_output=True,
        text=True,
        check=True,
    )
    return [offer.partition(",")[2] for offer in done.stdout.split()]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_prints_a_script_for_a_shell(shell):
    result = run("completion", shell)
    assert result.exit_code == 0
    assert "_FACELIFT_COMPLETE" in result.stdout


def test_a_shell_completes_commands_and_options():
    assert completed("exp") == ["explain", "explore"]
    assert "--target-column" in completed("explain", "--tar")


def test_a_shell_completes_the_columns_of_the_table_named(tmp_path):
    table = tmp_path / "loans.csv"
    table.write_text("amount,risk,rate\n1,good,2\n")
    assert completed("explain", table, "--target-column", "r") == ["risk", "rate"]
    assert completed("explain", tmp_path / "none.csv", "--target-column", "r") == []
