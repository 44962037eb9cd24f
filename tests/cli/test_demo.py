"""`facelift demo`."""

from __future__ import annotations

import json

import pytest
from tests.cli.calling import run

from facelift import Multiverse


def test_the_demo_recommends_a_way():
    result = run("demo")
    assert result.exit_code == 0
    assert "Recommended" in result.stdout
    assert result.stdout.startswith("Applicant 1 ")
    assert "chance of good now 37%" in result.stdout
    assert result.stderr == ""


@pytest.mark.parametrize("steps", ["rows", "actions"])
def test_the_demo_as_json_reads_back(steps):
    result = run("demo", "--applicant", 4, "--ways", 3, "--steps", steps, "--json")
    assert result.exit_code == 0
    multiverse = Multiverse.from_json(result.stdout)
    assert len(multiverse) == 3
    assert multiverse.goal.target == ("good",)
    assert json.loads(result.stdout)["schema"] == "facelift/multiverse/1"
