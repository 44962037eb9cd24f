"""`facelift audit`, as people call it."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from facelift import cli
from facelift.auditing.comparison import MEASURES


@pytest.fixture(scope="module")
def loans(tmp_path_factory):
    """A table with an outcome, and rules that keep the town."""
    folder = tmp_path_factory.mktemp("audit")
    rows = [
        {"income": 20 + 3 * i % 41, "debts": i % 4, "age": 20 + i % 40, "town": "AB"[i % 2]}
        for i in range(120)
    ]
    table = pd.DataFrame(rows)
    table["risk"] = (table["income"] - 5 * table["debts"] > 30).map({True: "good", False: "bad"})
    table.to_csv(folder / "loans.csv", index=False)
    (folder / "rules.toml").write_text('[town]\nchange = "never"\n')
    return folder


def run(loans, *more):
    table, rules = str(loans / "loans.csv"), str(loans / "rules.toml")
    given = ["audit", table, "--target-column", "risk", "--rules", rules, "--target", "good", *more]
    return CliRunner().invoke(cli.commands, given)


def test_groups_are_printed_as_a_table(loans):
    result = run(loans, "--by", "town")
    assert result.exit_code == 0, result.stderr
    lines = result.stdout.splitlines()
    assert lines[0] == "Ways to good"
    assert lines[2].split()[:4] == ["town", "people", "rejected", "coverage"]
    assert [line.split()[0] for line in lines[3:5]] == ["A", "B"]
    assert "coverage: share of the rejected with any way" in lines


def test_a_difference_is_told_where_its_interval_supports_that_and_groups_are_large(loans):
    found = json.loads(run(loans, "--by", "town", "--json").stdout)
    told = run(loans, "--by", "town").stdout
    clear = {
        each["number"]
        for each in found["differences"]
        if each["group"] == "A" and each["number"] in MEASURES
        if each["low"] is not None and (each["low"] > 0 or each["high"] < 0)
    }
    large = all(group["rejected"] >= 30 for group in found["groups"].values())
    lines = re.findall(r"  town A: (\w+) \S+, all others \S+\.", told)
    assert set(lines) == (clear if large else set())
    assert ("No two groups are large enough" in told) == (not large)


def test_json_has_groups_differences_needs_and_notes(loans):
    result = run(loans, "--by", "town", "--by", "age:30,45", "--json", "--sample", "100")
    found = json.loads(result.stdout)
    assert set(found["groups"]) == {
        f"{town}, {band}" for town in "AB" for band in ("up to 30", "over 30 to 45", "over 45")
    }
    assert sum(group["n"] for group in found["groups"].values()) == 100
    assert {"own", "others", "difference", "low", "high"} <= found["differences"][0].keys()
    assert "income" in found["needs"]["A, up to 30"]
    assert any("too few" in note for note in found["notes"])


def test_bands_of_large_numbers_have_names_of_their_own(loans):
    table = pd.read_csv(loans / "loans.csv")
    table["big"] = 1_000_000 + np.arange(len(table)) % 10
    table.to_csv(loans / "big.csv", index=False)
    given = ["audit", str(loans / "big.csv"), "--target-column", "risk", "--target", "good"]
    edges = "big:1000003,1000004,1000005"
    result = CliRunner().invoke(cli.commands, [*given, "--by", edges, "--json"])
    assert result.exit_code == 0, result.stderr
    assert "over 1000003 to 1000004" in json.loads(result.stdout)["groups"]


def test_a_report_without_rules_warns_whoever_reads_it(loans, tmp_path):
    table, report = str(loans / "loans.csv"), str(tmp_path / "audit.html")
    given = ["audit", table, "--target-column", "risk", "--target", "good", "--by", "town"]
    result = CliRunner().invoke(cli.commands, [*given, "--report", report])
    assert result.exit_code == 0, result.stderr
    page = (tmp_path / "audit.html").read_text(encoding="utf-8")
    assert "Rules: none." in page
    assert "No rules were given: every column may change" in page


def test_a_report_is_one_page_without_scripts_and_a_figure_is_a_file(loans, tmp_path):
    report, figure = tmp_path / "audit.html", tmp_path / "audit.svg"
    result = run(loans, "--by", "town", "--report", str(report), "--figure", str(figure))
    assert result.exit_code == 0, result.stderr
    page = report.read_text(encoding="utf-8")
    assert "Model: a small one, trained on the spot. Steps: rows. Rules: rules.toml." in page
    assert "No rules were given" not in page
    assert page.count("<svg") == 5
    n_groups = page.count("(n = ") // 5
    assert (page.count("<circle"), page.count("<rect")) == (5 * n_groups, 5 * n_groups)
    assert "Audit of loans.csv" in page
    assert "<script" not in page
    assert "src=" not in page
    assert "<svg" in figure.read_text()


@pytest.mark.parametrize(
    ("by", "words", "code"),
    [
        ("twon", "did you mean 'town'?", cli.BAD_DATA),
        ("town:3", "Edges are numbers", cli.USAGE),
        ("age:a,b", "Edges are numbers", cli.USAGE),
    ],
)
def test_groups_that_cannot_be_are_one_line(loans, by, words, code):
    result = run(loans, "--by", by)
    assert result.exit_code == code
    assert words in result.stderr
    assert result.stdout == ""


def test_without_rules_it_says_so(loans):
    table = str(loans / "loans.csv")
    given = ["audit", table, "--target-column", "risk", "--target", "good", "--by", "town"]
    result = CliRunner().invoke(cli.commands, given)
    assert result.exit_code == 0
    assert cli.NO_RULES in result.stderr
