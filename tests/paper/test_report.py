"""What the page says of results, made up ones and ours."""

from __future__ import annotations

import shutil
from pathlib import Path

import pandas as pd
import pytest

from facelift.errors import InvalidInput
from facelift.paper import claims, report
from facelift.paper.methods import BASELINES, METHODS, OURS, TOLD
from facelift.paper.results import Lines
from facelift.paper.settings import TABLES

DOCS = Path(__file__).resolve().parents[2] / "docs"
COLUMNS = [c for settings in TABLES.values() for s in settings for c in s.columns]


def made_up(*, gain: float, p: float) -> dict[str, Lines]:
    """Results in which FACElift gains as much on every baseline, everywhere."""
    names = [name for name in METHODS if name not in BASELINES]
    tests = [
        {
            "column": column.name,
            "measure": "opportunity",
            "ours": name,
            "baseline": baseline,
            "difference": gain,
            "t": 1.0,
            "p": p,
            "g": 0.5,
        }
        for column in COLUMNS
        for name in names
        for baseline in BASELINES
    ]
    cells = [
        {
            "column": column.name,
            "method": method,
            "factuals": 10,
            "success": 0.5 if method == "Prototype" and column.name == "adult" else 1.0,
            "compared": 10,
            "is_alternative": 0.1,
            "seconds": 0.25,
            **dict.fromkeys(("distance", "cost", "steps", "opportunity"), 0.5),
            **{f"{m}_sd": 0.1 for m in ("distance", "cost", "steps", "opportunity")},
        }
        for column in COLUMNS
        for method in METHODS
    ]
    studies = [{"column": column.name, "title": column.title, "factuals": 10} for column in COLUMNS]
    spacing = [
        {"column": "adult", "spacing": apart, "method": method, "opportunity": 0.8 - apart / 4}
        for apart in (0.0, 2.0)
        for method in METHODS
    ]
    return {"cells": cells, "tests": tests, "studies": studies, "spacing": spacing}


def first_lines(text: str) -> str:
    return "\n".join(text.splitlines()[:7])


def test_the_first_lines_say_where_the_claim_fails():
    told = first_lines(claims.opening(**made_up(gain=0.1, p=0.3)))
    assert "it is not: of 42 comparisons 0 come out that way" in told
    assert "FACElift c=5: 0 significantly higher, 21 not shown to differ" in told
    assert "Against FACE: not shown to be higher on German Credit, Adult" in told


def test_a_baseline_that_wins_is_named():
    told = first_lines(claims.opening(**made_up(gain=-0.1, p=0.01)))
    assert "21 significantly lower" in told
    assert "Against Prototype: significantly lower" in told


def test_one_count_of_two_is_not_both():
    results = made_up(gain=0.1, p=0.01)
    for line in results["tests"]:
        if line["ours"] == OURS[1] and line["column"] == "adult":
            line["p"] = 0.2
    told = first_lines(claims.opening(**results))
    assert "significantly higher at one c only on Adult Income; significantly higher at b" in told


def test_where_the_claim_holds_the_first_lines_say_so():
    told = claims.opening(**made_up(gain=0.1, p=0.01))
    assert "Under one protocol for all methods it is.**" in first_lines(told)
    assert "it is not" not in told


def test_what_one_is_told_counts_for_itself():
    results = made_up(gain=0.1, p=0.3)
    for line in results["tests"]:
        if line["ours"].endswith(TOLD):
            line["p"] = 0.001
    told = claims.opening(**results)
    assert "of 42 comparisons 0 come out" in told
    assert f"{OURS[0]}{TOLD}: 21 significantly higher" in told


def test_who_was_left_out_is_said():
    told = claims.opening(**made_up(gain=0.1, p=0.3))
    assert "left out of means: Prototype on Adult Income (50%)." in told


def test_how_much_it_rests_on_is_said():
    results = made_up(gain=0.1, p=0.3)
    assert "Each column rests on 10 factuals;" in claims.opening(**results)
    results["studies"][0]["factuals"] = 60
    assert "Each column rests on 10 to 60 factuals;" in claims.opening(**results)


def test_what_the_spacing_does_is_said():
    told = claims.opening(**made_up(gain=0.1, p=0.3))
    assert "Adult Income 0 apart 0.80 → 0.80, 2 apart 0.30 → 0.30." in told


def test_nothing_to_compare_is_not_a_win():
    results = made_up(gain=0.1, p=0.001)
    results["tests"][0].update(p=None, difference=None, g=None)
    assert "of 42 comparisons 41 come out" in claims.opening(**results)


def test_seeds_stand_side_by_side_with_a_star_where_they_differ():
    some, none = made_up(gain=0.1, p=0.01), made_up(gain=-0.2, p=0.4)
    told = report.seeds_text(
        {"0": some["tests"], "7": none["tests"]}, {"german_credit": "German Credit"}
    )
    assert "|  |  | seed 0 | seed 7 |" in told
    assert "| German Credit | FACElift c=10 − FACE | +0.10 * | -0.20 |" in told


def test_the_page_is_what_the_results_give():
    """Made anew with: facelift reproduce report --out docs/reproduction."""
    written = (DOCS / "reproduction.md").read_text(encoding="utf-8")
    assert written == report.page(DOCS / "reproduction") + "\n"


def test_the_page_is_written_beside_its_results(tmp_path):
    folder = tmp_path / "results"
    shutil.copytree(DOCS / "reproduction", folder)
    found = report.write_page("report", folder)
    assert found.files == (tmp_path / "results.md",)
    text = found.files[0].read_text(encoding="utf-8")
    assert text == found.text + "\n"
    assert "](results/table2.svg)" in text


def test_the_results_on_the_page_are_whole():
    for part, settings in TABLES.items():
        cells = pd.read_csv(DOCS / "reproduction" / f"{part}-cells.csv")
        columns = {column.name for setting in settings for column in setting.columns}
        assert set(zip(cells["column"], cells["method"], strict=True)) == {
            (column, method) for column in columns for method in METHODS
        }
        assert (cells["factuals"] > 0).all()
        assert cells["opportunity"].between(0, 1).all()
        tests = pd.read_csv(DOCS / "reproduction" / f"{part}-tests.csv")
        assert len(tests) == len(columns) * 4 * 3 * 2
        assert tests["p"].between(0, 1).all()


def test_results_that_are_not_there_are_asked_for(tmp_path):
    with pytest.raises(InvalidInput, match=r"table1-cells.csv is not there; run: facelift repro"):
        report.page(tmp_path)
