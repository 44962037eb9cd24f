"""`facelift retrospect`, as people call it."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner
from tests.cli.planning import make_loans, run

from facelift import cli


@pytest.fixture(scope="module")
def loans(tmp_path_factory):
    return make_loans(tmp_path_factory.mktemp("plans"))


def test_histories_are_told_with_their_last_fork(loans):
    rising = loans[0] / "rising.toml"
    rising.write_text('[debts]\nchange = "increase"\n')
    result = run(loans, "retrospect", "-n", "2", "--rules", str(rising))
    assert result.exit_code == 0, result.stderr
    assert result.stdout.startswith("1. From a record with good")
    assert result.stdout.count("← here it was lost") == 2


def test_nobody_to_come_from_is_no_way(loans):
    frozen = loans[0] / "kept.toml"
    frozen.write_text('[debts]\nchange = "never"\n[income]\nchange = "increase"\n')
    result = run(loans, "retrospect", "--rules", str(frozen))
    assert result.exit_code == cli.NO_WAY
    assert "No record with good leads to this case" in result.stdout


def test_histories_are_json_too(loans):
    folder, row = loans
    given = ["retrospect", str(folder / "loans.csv"), "--target-column", "risk", "--target", "good"]
    result = CliRunner().invoke(cli.commands, [*given, "--row", str(row), "--json"])
    assert result.exit_code == 0, result.stderr
    found = json.loads(result.stdout)
    assert found["goal"] == "good"
    assert len(found["histories"]) == 3
    assert found["histories"][0]["fork"] is None or "changes" in found["histories"][0]["fork"]
