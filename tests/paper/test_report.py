"""What the page says of results, made up ones and ours."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from facelift.errors import InvalidInput
from facelift.paper import Lines, claims, protocol, report
from facelift.paper.protocol import BASELINES, METHODS, OURS, TOLD
from facelift.paper.studies import TABLES

DOCS = Path(__file__).resolve().parents[2] / "docs"
COLUMNS = [c for settings in TABLES.values() for s in settings for c in s.columns]


def made_up(*, gain: float, p: float) -> dict[str, Lines]:
    """Results in which FACElift gains as much on every baseline, everywhere."""
    names = [name for name in METHODS if name not in BASELINES]
    tests = [
        {
            "alternatives": kind,
            "column": column.name,
            "ours": name,
            "baseline": baseline,
            "people": 10,
            "seeds": 1,
            "difference": gain,
            "low": gain - 0.05,
            "high": gain + 0.05,
            "least_seed": gain - 0.02,
            "most_seed": gain + 0.02,
            "t_holm": p,
            "wilcoxon_holm": p,
        }
        for kind in ("drawn", "grown")
        for column in COLUMNS
        for name in names
        for baseline in BASELINES
    ]
    cells = [
        {
            "seed": 0,
            "alternatives": kind,
            "column": column.name,
            "method": method,
            "factuals": 10,
            "success": 0.5 if method == "Prototype" and column.name == "adult" else 1.0,
            "compared": 10,
            "is_alternative": 0.1,
            "one_step": 0.25,
            "served": 0.4,
            "seconds": 0.25,
            **dict.fromkeys(("distance", "cost", "steps", "opportunity"), 0.5),
            **{f"{m}_sd": 0.1 for m in ("distance", "cost", "steps", "opportunity")},
        }
        for kind in ("drawn", "grown")
        for column in COLUMNS
        for method in METHODS
    ]
    studies = [
        {
            "column": column.name,
            "title": column.title,
            "seed": 0,
            "factuals": 10,
            "population": 1200,
        }
        for column in COLUMNS
    ]
    spacing = [
        {
            "column": "adult",
            "spacing": apart,
            "method": method,
            "opportunity": 0.8 - apart / 4,
        }
        for apart in (0.0, 2.0)
        for method in METHODS
    ]
    return {"cells": cells, "tests": tests, "studies": studies, "spacing": spacing}


def first_lines(text: str) -> str:
    return "\n".join(text.splitlines()[:9])


def test_the_first_paragraph_says_whether_it_helps_anybody():
    told = claims.opening(**made_up(gain=0.1, p=0.3)).splitlines()
    assert told[0] == "# The paper, reproduced"
    assert told[2].startswith("**Does a higher opportunity potential help anybody? By itself it do")


def test_what_the_first_paragraph_says_is_what_the_study_of_advice_found():
    """In every kind of trouble the whole interval of choosing by opportunity lies above 1."""
    text = (DOCS / "is-it-good-advice.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (blocked|vanish|refuse|costs) \| [^|]+\| ([^|]+) \|.*\|$", text, re.M)[
        :4
    ]
    assert [name for name, _ in rows] == ["blocked", "vanish", "refuse", "costs"]
    for _, cell in rows:
        found = re.fullmatch(r"[\d.]+ \(([\d.]+) to [\d.]+\)", cell)
        assert found is not None
        assert float(found[1]) > 1


def test_the_first_lines_say_where_the_claim_fails():
    told = first_lines(claims.opening(**made_up(gain=0.1, p=0.3)))
    assert "this holds in 0 of 42 comparisons" in told
    assert "FACElift c=5: 21 not shown to differ; FACElift c=10: 21 not shown to differ." in told
    assert "against FACE: German Credit +0.10 [+0.05, +0.15], not shown; Adult" in told


def test_a_baseline_that_wins_is_named():
    told = first_lines(claims.opening(**made_up(gain=-0.1, p=0.01)))
    assert "21 significantly lower" in told
    assert "against Prototype: German Credit -0.10 [-0.15, -0.05], lower" in told


def test_tests_that_disagree_show_nothing():
    results = made_up(gain=0.1, p=0.01)
    for line in results["tests"]:
        if line["ours"] == OURS[1] and line["column"] == "adult":
            line["wilcoxon_holm"] = 0.2
    told = first_lines(claims.opening(**results))
    assert "this holds in 39 of 42 comparisons" in told
    assert "3 on which the two tests disagree" in told


def test_where_the_claim_holds_the_first_lines_say_so():
    told = claims.opening(**made_up(gain=0.1, p=0.01))
    assert "Under one protocol for all methods it is.**" in first_lines(told)


def test_what_one_is_told_and_what_is_grown_count_for_themselves():
    results = made_up(gain=0.1, p=0.3)
    for line in results["tests"]:
        if line["ours"].endswith(TOLD) and line["alternatives"] == "drawn":
            line.update(t_holm=0.001, wilcoxon_holm=0.001)
        if line["ours"] == OURS[0] and line["alternatives"] == "grown":
            line.update(t_holm=0.001, wilcoxon_holm=0.001)
    told = claims.opening(**results)
    assert "this holds in 0 of 42 comparisons" in told
    assert f"{OURS[0]}{TOLD}: 21 significantly higher" in told
    assert f"come to: {OURS[0]}: 21 significantly higher" in told


def test_who_was_left_out_is_said():
    told = claims.opening(**made_up(gain=0.1, p=0.3))
    assert "left out of means: Prototype on Adult Income (50%)." in told
    results = made_up(gain=0.1, p=0.3)
    for cell in results["cells"]:
        if cell["method"] == "Prototype" and cell["column"] == "adult":
            cell["success"] = 0.996
    assert "Prototype on Adult Income (under 1%)." in claims.opening(**results)


def test_how_much_it_rests_on_is_said():
    results = made_up(gain=0.1, p=0.3)
    told = claims.opening(**results)
    assert "All this rests on one model seed" in told
    assert "German Credit 10 of 1,200 (seed 0); Adult" in told
    assert "stopped before everybody of German Credit, Adult Income, Credit Default" in told
    whole = [{**line, "factuals": 1200} for line in results["studies"]]
    assert "where it was stopped, so are those explained" in told
    complete = claims.opening(**{**results, "studies": whole})
    assert "stopped" not in complete
    assert "(Adult: 1,000, drawn at random)." in " ".join(complete.split())
    twice = [*whole, *({**line, "seed": 1} for line in whole)]
    assert "rests on 2 model seeds" in claims.opening(**{**results, "studies": twice})
    results["studies"].append({**results["studies"][0], "seed": 1, "factuals": 7})
    told = claims.opening(**results)
    assert "All this rests on up to 2 model seeds" in told
    assert "German Credit 17 (2 seeds, each 7–10 of 1,200); Adult Income 10 of" in told


def test_what_the_spacing_does_is_said():
    told = claims.opening(**made_up(gain=0.1, p=0.3))
    assert "Adult Income 0 apart 0.80 → 0.80, 2 apart 0.30 → 0.30." in told


def test_whether_it_helps_to_be_told_the_alternatives_is_counted():
    results = made_up(gain=0.1, p=0.3)
    told = claims.opening(**results)
    assert f"Told the alternatives, {OURS[-1]} gains more on FACE in 0 of 7 columns." in told
    for line in results["tests"]:
        if line["ours"].endswith(TOLD) and line["column"] == "adult":
            line["difference"] = 0.2
    assert "gains more on FACE in 1 of 7 columns." in claims.opening(**results)


def test_what_the_ablations_rest_on_is_said():
    curves = [{"column": name, "factuals": 50} for name in ("german_credit", "adult")]
    text = claims.ablated("here", curves)
    assert "(one seed; people: German Credit 50, Adult Income 50)" in text


def test_the_share_served_by_single_steps_is_said():
    told = claims.opening(**made_up(gain=0.1, p=0.3))
    assert "- Adult Income: FACE 25% serve 40%, GrowingSpheres 25% serve 40%" in told


def test_waypoints_stand_beside_the_papers():
    told = claims.opening(**made_up(gain=0.1, p=0.3))
    assert "FACE 1.50 ± 0.10 (paper: 3.37 ± 0.69); GrowingSpheres 1.50 ± 0.10 (paper: 5.21" in told


def test_nothing_to_compare_is_not_a_win():
    results = made_up(gain=0.1, p=0.001)
    results["tests"][0].update(t_holm=None, wilcoxon_holm=None, difference=None)
    assert "this holds in 41 of 42" in claims.opening(**results)


def test_cells_of_several_seeds_are_means_and_people_are_counted_together():
    results = made_up(gain=0.1, p=0.3)
    others = [{**cell, "seed": 1, "opportunity": 0.7, "factuals": 4} for cell in results["cells"]]
    made = report.Results([*results["cells"], *others], results["tests"], results["studies"])
    cell = made.pooled[0]
    assert (cell["column"], cell["method"]) == ("german_credit", METHODS[0])
    assert cell["opportunity"] == pytest.approx(0.6)
    assert cell["factuals"] == 14


def test_seeds_are_told_where_there_are_several():
    results = made_up(gain=0.1, p=0.3)
    results.pop("spacing")
    assert report.seeds_text(report.Results(**results), "here") == ""
    for line in results["tests"]:
        line.update(seeds=3, any_seed_low=-0.01, any_seed_high=0.21)
    told = report.Results(**results)
    assert ":file: here/seeds.csv" in report.seeds_text(told, "here")
    rows = report.seeds_table(told).to_numpy().tolist()
    expected = ["German Credit", "FACElift c=10 − FACE", "3", "+0.10", "+0.08", "+0.12"]
    assert [*expected, "[-0.01, +0.21]"] in rows


def test_how_much_is_left_for_any_seed_is_said():
    """Of 42 that are higher, those on Adult are not above 0 with a seed counted as one."""
    results = made_up(gain=0.1, p=0.001)
    for line in results["tests"]:
        line["any_seed_low"] = -0.1 if line["column"] == "adult" else 0.02
    told = claims.opening(**results)
    assert "36 of the 42 comparisons over several seeds that are significantly higher" in told
    assert "Another seed, split and network may" in claims.opening(**made_up(gain=0.1, p=0.3))


def distance_lines(**means: float) -> Lines:
    given = dict.fromkeys(claims.DEFINITIONS, 99.0)
    return [
        {"study": name, "encoding": "some", "records": "all", "people": 100, **given, "l1": mean}
        for name, mean in means.items()
    ]


def test_the_distances_that_agree_with_ours_are_counted():
    lines = distance_lines(german_credit=9.0, adult=9.0, credit_default=9.0)
    assert "agree with ours, within a tenth, on none." in claims.told_distances(lines)
    for line in lines:
        line["encoding"] = claims.AS_OURS
        line["l2"] = {"german_credit": 2.3, "adult": 3.5}.get(line["study"], 0.2)
    told = claims.told_distances(lines)
    assert "agree with ours, within a tenth, on German Credit and Adult Income only." in told


def test_distances_that_nothing_gives_are_called_unexplained():
    told = claims.told_distances(distance_lines(german_credit=2.2, adult=3.5, credit_default=3.0))
    assert "stay **unexplained**" in told
    assert "comes near the distance of Credit Default." in told
    told = claims.told_distances(distance_lines(german_credit=2.2, adult=3.5, credit_default=1.1))
    assert "1 of them give all three within a tenth: sum of changes (some; records: all)." in told


def test_the_page_is_what_the_results_give():
    """Made anew with: facelift reproduce report --out docs/reproduction."""
    written = (DOCS / "reproduction.md").read_text(encoding="utf-8")
    assert written == report.page(DOCS / "reproduction") + "\n"
    for name, table in report.page_tables(report.read(DOCS / "reproduction")).items():
        shown = pd.read_csv(DOCS / "reproduction" / name, dtype=str)
        pd.testing.assert_frame_equal(shown, table, check_dtype=False)
        assert f":file: reproduction/{name}" in written


def test_the_tests_are_what_people_give():
    """Everybody's potentials are kept, so that whoever doubts the tests can do others."""
    people = pd.read_csv(DOCS / "reproduction" / "people.csv")
    written = pd.read_csv(DOCS / "reproduction" / "tests.csv")
    one = people[people["column"] == "german_credit"]
    found = protocol.comparisons(one)
    kept = written[written["column"] == "german_credit"].reset_index(drop=True)
    for name in ("people", "difference", "low", "high", "t_p", "wilcoxon_p"):
        np.testing.assert_allclose(found[name], kept[name], rtol=1e-4, atol=1e-9)
    for name in ("t", "wilcoxon"):
        expected = protocol.holm(written[f"{name}_p"].to_numpy())
        np.testing.assert_allclose(written[f"{name}_holm"], expected, rtol=1e-4)


def test_the_page_is_written_beside_its_results(tmp_path):
    folder = tmp_path / "results"
    shutil.copytree(DOCS / "reproduction", folder)
    found = report.write_page("report", folder)
    assert found.files[0] == tmp_path / "results.md"
    shown = {f"table{n}{kind}.csv" for n in (1, 2) for kind in ("", "-models")}
    assert shown <= {path.name for path in found.files[1:]} <= {*shown, "seeds.csv"}
    text = found.files[0].read_text(encoding="utf-8")
    assert text == found.text + "\n"
    assert "](results/table2.svg)" in text


def test_the_results_on_the_page_are_whole():
    found = report.read(DOCS / "reproduction")
    assert {line["column"] for line in found.studies} == {column.name for column in COLUMNS}
    cells = pd.DataFrame(list(found.cells))
    for column in COLUMNS:
        own = cells[cells["column"] == column.name]
        assert set(own["method"]) == set(METHODS)
        assert set(own["alternatives"]) == {"drawn", "grown"}
    assert (cells["factuals"] > 0).all()
    assert cells["opportunity"].between(0, 1).all()
    assert len(found.tests) == len(COLUMNS) * 4 * 3 * 2


def test_results_that_are_not_there_are_asked_for(tmp_path):
    with pytest.raises(
        InvalidInput, match=r"cells.csv is not there; run: facelift reproduce --full"
    ):
        report.page(tmp_path)
