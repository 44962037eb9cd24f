"""Tables that cannot be right are refused at once; nothing from a stranger commands a terminal."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.cli.calling import loans, one_line, run

from facelift.cli.tables import read_table
from facelift.errors import InvalidData

ESCAPE = "\x1b]0;PWNED\x07\x1b[2J"
WANTED = ("--target-column", "risk", "--target", "good", "--row", "0")


def explained(table: pd.DataFrame, folder: Path, *more: str):
    table.to_csv(folder / "table.csv", index=False)
    return run("explain", str(folder / "table.csv"), *WANTED, *more)


def test_names_and_identifiers_are_refused_by_name(tmp_path):
    table = loans()
    table = pd.concat([table] * (3000 // len(table) + 1), ignore_index=True)
    table["applicant"] = [f"Person {i}" for i in range(len(table))]
    result = explained(table, tmp_path)
    assert result.exit_code == 4
    (line,) = result.stderr.splitlines()
    assert "'applicant' (3," in line
    assert "facelift rules table.csv" in line


def test_a_column_that_numbers_the_rows_is_mentioned(tmp_path):
    table = loans()
    table.insert(0, "loan_id", np.arange(len(table)) + 1000)
    result = explained(table, tmp_path)
    assert "'loan_id' differs in every row" in result.stderr


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252"])
def test_a_table_in_another_encoding_is_one_line_that_says_what_to_do(tmp_path, encoding):
    path = tmp_path / "table.csv"
    loans().replace("Bern", "Bärn").to_csv(path, index=False, encoding=encoding)
    assert "save it as UTF-8" in one_line(run("explain", str(path), *WANTED).stderr)


def test_lines_may_end_as_on_old_macintoshes(tmp_path):
    path = tmp_path / "table.csv"
    lines = loans().to_csv(index=False).splitlines()
    path.write_bytes("\r".join(lines).encode())
    assert run("explain", str(path), *WANTED).stdout == explained(loans(), tmp_path).stdout


def test_a_first_line_without_end_is_one_line_that_says_so(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("a" * 200_000)
    assert "as a CSV table" in one_line(run("explain", str(path), *WANTED).stderr)


def test_two_columns_of_one_name_are_an_error(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("a,a,risk\n1,2,good\n3,4,bad\n")
    result = run("explain", str(path), *WANTED)
    assert result.exit_code == 4
    assert "two columns 'a'" in result.stderr


def test_a_packed_file_that_is_a_bomb_is_refused_before_it_fills_the_memory(tmp_path, monkeypatch):
    monkeypatch.setattr("facelift.cli.tables.MOST_UNPACKED", 1_000_000)
    path = tmp_path / "table.csv.gz"
    with gzip.open(path, "wt") as file:
        file.write("a,risk\n" + "1,good\n" * 1_000_000)
    result = run("explain", str(path), *WANTED)
    assert result.exit_code == 4
    assert "unpacks to more than" in result.stderr


@pytest.mark.parametrize("mark", [";", "\t", "|"])
def test_columns_may_stand_between_other_marks(tmp_path, mark):
    table = loans().assign(debts=loans()["debts"] + 0.5, town="Bern, Aarau\n" + loans()["town"])
    table.to_csv(tmp_path / "commas.csv", index=False)
    table = table.assign(income=[f"{each}.000,50" for each in table["income"]])
    table = table if mark == ";" else loans().assign(**table[["debts", "town"]])
    table.to_csv(tmp_path / "marks.csv", index=False, sep=mark, decimal="," if mark == ";" else ".")
    found = read_table(tmp_path / "marks.csv", "risk")[0]
    asked = read_table(tmp_path / "commas.csv", "risk")[0]
    asked["income"] = asked["income"] * 1000 + 0.5 if mark == ";" else asked["income"]
    pd.testing.assert_frame_equal(found, asked)


def test_numbers_with_points_stay_numbers_between_semicolons(tmp_path):
    (tmp_path / "wine.csv").write_text("acid;sugar;when\n7.4;0,7;1.2.2020\n1.125;2;3.2.2020\n")
    found = read_table(tmp_path / "wine.csv", None)[0]
    assert found.to_dict("list") == {
        "acid": [7.4, 1.125],
        "sugar": [0.7, 2.0],
        "when": ["1.2.2020", "3.2.2020"],
    }


def test_a_mark_at_the_end_of_every_line_makes_no_column(tmp_path):
    (tmp_path / "table.csv").write_text("\ufeffa,,risk,\n1,x,good,\n2,y,bad,\n", encoding="utf-8")
    assert list(read_table(tmp_path / "table.csv", None)[0].columns) == ["a", "Unnamed: 1", "risk"]


@pytest.fixture
def gaps(tmp_path):
    table = loans()
    table["known"] = (table["risk"] == "good").where(table.index % 7 > 0).astype(float)
    table["many"] = np.arange(len(table)) / 2
    table["ids"] = [f"p{i}" for i in table.index]
    table["few"] = table.index % 3
    table["one"] = 1
    table.to_csv(tmp_path / "table.csv", index=False)
    return tmp_path / "table.csv"


def test_yes_and_no_with_gaps_are_outcomes(gaps):
    table = pd.read_csv(gaps)[["income", "debts", "known"]]
    table["known"] = table["known"].map({0.0: False, 1.0: True})
    table.to_csv(gaps, index=False)
    result = run("explain", gaps, "--target-column", "known", "--row", 0, "--target", "True")
    assert result.exit_code in (0, 3), result.stderr


def test_a_model_learns_from_the_rows_that_have_an_outcome(gaps):
    table = pd.read_csv(gaps)[["income", "debts", "known"]]
    table.to_csv(gaps, index=False)
    row = int((table["income"] - 6 * table["debts"]).argmin())
    asked = ("explain", gaps, "--target-column", "known", "--row", row, "--json")
    result = run(*asked, "--committee", 2)
    assert result.exit_code == 0, result.stderr
    assert "18 of 120 rows have no 'known': the model learns from the others." in result.stderr
    assert json.loads(result.stdout)["goal"]["target"] == ["1"]
    named = run(*asked, "--committee", 2, "--target", "1.0")
    assert named.stdout == result.stdout


@pytest.mark.parametrize(
    ("column", "target", "words"),
    [
        ("many", (), "'many' holds 120 different numbers, from 0.0 to 59.5: give the range wanted"),
        ("many", ("--target", "30"), "such as --target 30.0.. for that or more."),
        ("ids", (), "'ids' has 120 different values, and no model learns so many outcomes"),
        ("few", (), "Name the outcome wanted with --target; known: 0, 1, 2"),
        ("one", (), "Column 'one' has one outcome only: 1."),
        ("few", ("--target", "3"), "There is no outcome '3'; known: 0, 1, 2"),
    ],
)
def test_an_outcome_that_cannot_be_wanted_is_refused_before_a_model_learns(
    gaps, monkeypatch, column, target, words
):
    monkeypatch.setattr("facelift.cli.inputs._trained", None)
    kept = ["income", "debts", column]
    pd.read_csv(gaps)[kept].to_csv(gaps, index=False)
    result = run("explain", gaps, "--target-column", column, "--row", 0, *target)
    assert words in one_line(result.stderr)


@pytest.fixture
def hostile() -> pd.DataFrame:
    table = loans()
    return table.rename(columns={"income": f"income{ESCAPE}"}).assign(
        town=np.where(np.arange(len(table)) % 2, f"Bern{ESCAPE}", "Aarau\x9b31m")
    )


@pytest.mark.parametrize("more", [(), ("--json",)])
def test_no_escape_of_a_table_reaches_the_terminal(hostile, tmp_path, more):
    table = hostile
    row = int((table[f"income{ESCAPE}"] - 6 * table["debts"]).argmin())
    table.to_csv(tmp_path / "table.csv", index=False)
    result = run("explain", str(tmp_path / "table.csv"), *WANTED[:4], "--row", str(row), *more)
    assert result.exit_code == 0
    for text in (result.stdout, result.stderr):
        assert not any(mark in text for mark in "\x1b\x07\x9b\x7f")
    assert "PWNED" in result.stdout
    if more:
        assert ESCAPE in str(json.loads(result.stdout).values()).encode().decode("unicode_escape")


def test_errors_name_hostile_columns_safely(tmp_path):
    result = run("explain", str(tmp_path / f"none{ESCAPE}.csv"), *WANTED)
    assert result.exit_code != 0
    assert "\x1b" not in result.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a disk that is always full")
@pytest.mark.parametrize("more", [(), ("--json",)])
def test_a_full_disk_is_one_line(more):
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "facelift.cli", "demo", *more],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1:] == [
        "facelift: The result could not be written: No space left on device."
    ]
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("ending", ["parquet", "feather", "arrow"])
def test_files_of_columns_are_read_as_csv_is(tmp_path, ending):
    pytest.importorskip("pyarrow", reason="needs the extra files")
    table = loans().assign(since=pd.date_range("2020-01-01", periods=len(loans())))
    table["town"] = table["town"].astype("category")
    table.to_csv(tmp_path / "table.csv", index=False)
    path = tmp_path / f"table.{ending}"
    (table.to_parquet if ending == "parquet" else table.to_feather)(path)
    shown = [run("explain", each, *WANTED, "--json") for each in (path, tmp_path / "table.csv")]
    assert shown[0].exit_code == 0, shown[0].stderr
    ends = [
        [journey["rows"][-1][:2] for journey in json.loads(each.stdout)["journeys"]]
        for each in shown
    ]
    assert ends[0] == ends[1]


def test_a_file_that_is_no_parquet_is_one_line(tmp_path):
    pytest.importorskip("pyarrow", reason="needs the extra files")
    (tmp_path / "table.parquet").write_text("a,b")
    result = run("explain", tmp_path / "table.parquet", *WANTED)
    assert result.exit_code == 4
    assert "Cannot read" in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_parts_of_a_table_are_fitted_as_one(tmp_path):
    pytest.importorskip("pyarrow", reason="needs the extra files")
    table = loans()
    table[:50].to_parquet(tmp_path / "a.parquet")
    table[50:][["risk", "town", "debts", "income"]].to_parquet(tmp_path / "b.parquet")
    parts = (tmp_path / "a.parquet", tmp_path / "b.parquet")
    saved = ("--target-column", "risk", "--save", tmp_path / "saved", "--json")
    result = run("fit", *parts, *saved)
    assert result.exit_code == 0, result.stderr
    whole = len(table.drop(columns="risk").drop_duplicates())
    assert json.loads(result.stdout)["records"] == whole
    table[["town", "risk"]].to_parquet(tmp_path / "b.parquet")
    result = run("fit", *parts, *saved)
    assert "no parts of one table: one lacks 'debts'" in result.stderr


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
    assert "a draft of rules; 5 lines to check" in written.stdout
    assert (tmp_path / "rules.toml").read_text() == printed.stdout
    document = run("rules", path, "--target-column", "risk", "--json")
    assert json.loads(document.stdout) == {"rules": printed.stdout}


def test_a_draft_leaves_out_what_says_the_same_as_the_outcome(tmp_path):
    table = loans().assign(code=lambda each: each["risk"].map({"good": "A1", "bad": "R7"}))
    table.to_csv(tmp_path / "loans.csv", index=False)
    printed = run("rules", tmp_path / "loans.csv", "--target-column", "risk")
    assert "leave_out = true  # says the same as the outcome: check this" in printed.stdout
    assert "[risk]" not in printed.stdout


def test_a_raw_table_is_explained_by_its_draft(raw, tmp_path):
    path, row = raw
    rules = tmp_path / "rules.toml"
    assert run("rules", path, "--target-column", "risk", "--output", rules).exit_code == 0
    result = run("explain", path, *WANTED[:4], "--row", row, "--rules", rules, "--json")
    assert result.exit_code == 0, result.stderr
    columns = json.loads(result.stdout)["columns"]
    assert [each["name"] for each in columns] == ["income", "debts", "town"]


def test_without_rules_one_line_names_the_columns_and_what_to_do(raw):
    path, row = raw
    table = pd.concat([pd.read_csv(path)] * 3, ignore_index=True)
    table["applicant"] = [f"Person {i}" for i in range(len(table))]
    table.to_csv(path, index=False)
    result = run("explain", path, *WANTED[:4], "--row", row)
    assert result.exit_code == 4
    line = one_line(result.stderr)
    assert "'applicant' (360 different values, 100% of the rows)" in line
    assert "`facelift rules loans.csv --target-column risk --output rules.toml`" in line


def test_a_saved_explainer_reads_raw_tables_as_its_rules_did(raw, tmp_path):
    path, row = raw
    rules, folder = tmp_path / "rules.toml", tmp_path / "saved"
    run("rules", path, "--target-column", "risk", "--output", rules)
    fitted = run("fit", path, *WANTED[:4], "--rules", rules, "--save", folder, "--steps", "actions")
    assert fitted.exit_code == 0, fitted.stderr
    fresh = run("explain", path, *WANTED[:4], "--row", row, "--rules", rules, "--json")
    saved = run("explain", path, *WANTED[:4], "--row", row, "--explainer", folder, "--json")
    assert saved.exit_code == 0, saved.stderr
    assert json.loads(saved.stdout)["journeys"] == json.loads(fresh.stdout)["journeys"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le"])
def test_unicode_text_as_spreadsheets_save_it_is_read(tmp_path, encoding):
    path = tmp_path / "people.csv"
    text = "\ufeff" if encoding == "utf-16-le" else ""
    path.write_text(f"{text}naïve\tage\nzażółć\t3\n", encoding=encoding)
    table, _ = read_table(path, None)
    assert table.columns.tolist() == ["naïve", "age"]
    assert table.iloc[0].tolist() == ["zażółć", 3]


def test_utf_16_cut_in_the_middle_is_one_clear_line(tmp_path):
    path = tmp_path / "people.csv"
    path.write_bytes("name\tage\nAnna\t3\n".encode("utf-16")[:-1])
    with pytest.raises(InvalidData, match="Cannot read"):
        read_table(path, None)
