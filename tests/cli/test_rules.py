"""`facelift rules`: a draft that the other commands accept as it stands."""

from __future__ import annotations

import json

import pandas as pd
import pytest
from tests.cli.calling import loans, one_line, run

WANTED = ("--target-column", "risk", "--target", "good")


@pytest.fixture
def raw(tmp_path):
    """Loans with a name, money as text and a code, and a row that is declined."""
    table = loans()
    row = int((table["income"] - 6 * table["debts"]).argmin())
    table["income"] = [f"${each * 1000:,.2f} " for each in table["income"]]
    table["debts"] = table["debts"].where(table.index % 9 > 0, 999)
    table.insert(0, "applicant", [f"Person {i}" for i in range(len(table))])
    table.to_csv(tmp_path / "loans.csv", index=False)
    return tmp_path / "loans.csv", row


def test_a_draft_is_printed_or_written(raw, tmp_path):
    path, _ = raw
    printed = run("rules", path, "--target-column", "risk")
    assert printed.exit_code == 0
    assert "[risk]" not in printed.stdout
    written = run("rules", path, "--target-column", "risk", "--output", tmp_path / "rules.toml")
    assert "a draft of rules; 2 lines to check" in written.stdout
    assert (tmp_path / "rules.toml").read_text() == printed.stdout
    document = run("rules", path, "--target-column", "risk", "--json")
    assert json.loads(document.stdout) == {"rules": printed.stdout}


def test_a_raw_table_is_explained_by_its_draft(raw, tmp_path):
    path, row = raw
    rules = tmp_path / "rules.toml"
    assert run("rules", path, "--target-column", "risk", "--output", rules).exit_code == 0
    result = run("explain", path, *WANTED, "--row", row, "--rules", rules, "--json")
    assert result.exit_code == 0, result.stderr
    columns = json.loads(result.stdout)["columns"]
    assert [each["name"] for each in columns] == ["income", "debts", "town"]


def test_without_rules_one_line_names_the_columns_and_what_to_do(raw):
    path, row = raw
    table = pd.concat([pd.read_csv(path)] * 3, ignore_index=True)
    table["applicant"] = [f"Person {i}" for i in range(len(table))]
    table.to_csv(path, index=False)
    result = run("explain", path, *WANTED, "--row", row)
    assert result.exit_code == 4
    line = one_line(result.stderr)
    assert "'applicant' (360 different values, 100% of the rows)" in line
    assert "`facelift rules loans.csv`" in line


def test_a_saved_explainer_reads_raw_tables_as_its_rules_did(raw, tmp_path):
    path, row = raw
    rules, folder = tmp_path / "rules.toml", tmp_path / "saved"
    run("rules", path, "--target-column", "risk", "--output", rules)
    fitted = run("fit", path, *WANTED, "--rules", rules, "--save", folder, "--steps", "actions")
    assert fitted.exit_code == 0, fitted.stderr
    fresh = run("explain", path, *WANTED, "--row", row, "--rules", rules, "--json")
    saved = run("explain", path, *WANTED, "--row", row, "--explainer", folder, "--json")
    assert saved.exit_code == 0, saved.stderr
    assert json.loads(saved.stdout)["journeys"] == json.loads(fresh.stdout)["journeys"]
