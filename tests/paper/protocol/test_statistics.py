"""Cells and comparisons, worked out by hand."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from facelift.paper import protocol
from facelift.paper.protocol import BASELINES, METHODS
from facelift.paper.studies import PAPER, TABLES

NAN = float("nan")
NAMES = ("seed", "alternatives", "column", "method")
numbers = st.lists(st.floats(-100, 100), min_size=3, max_size=20).map(np.array)


def records(seed: int = 0, **potentials: list[float]) -> pd.DataFrame:
    """Records of one column; a method that is not named has a certain half and a quarter."""
    given = {name: potentials.get(name.replace(" ", "_"), [0.5, 0.25]) for name in METHODS}
    return pd.DataFrame(
        [
            {
                "seed": seed,
                "alternatives": kind,
                "column": "german_credit",
                "method": name,
                "row": row,
                "failure": "nothing found" if math.isnan(value) else "",
                "n_alternatives": 6,
                "seconds": 0.5,
                "distance": 2 * value,
                "cost": 2 * value,
                "steps": 1 + row % 2 if value == value else NAN,
                "opportunity": value,
                "is_alternative": row == 0,
            }
            for kind in ("drawn", "grown")
            for name, values in given.items()
            for row, value in enumerate(values)
        ]
    )


def test_failures_are_counted_and_left_out_of_means():
    made = protocol.cells(records(FACE=[0.2, NAN, 0.6, 0.7]), NAMES)
    made = made[made["alternatives"] == "drawn"].set_index("method")
    face = made.loc["FACE"]
    assert face["factuals"] == 4
    assert face["success"] == 0.75
    assert face["compared"] == 3
    assert face["opportunity"] == pytest.approx(0.5)
    assert face["opportunity_sd"] == pytest.approx(math.sqrt((0.09 + 0.01 + 0.04) / 2))
    assert face["distance"] == pytest.approx(1.0)
    assert face["is_alternative"] == 0.25
    assert made.loc["Prototype", "success"] == 1.0


def test_of_journeys_of_one_step_the_share_served_is_told():
    """Rows 0 and 2 have one step, row 1 found nothing, row 3 has two steps."""
    made = protocol.cells(records(FACE=[0.2, NAN, 0.6, 0.7]), NAMES).set_index("method")
    face = made.loc["FACE"].iloc[0]
    assert face["one_step"] == pytest.approx(2 / 3)
    assert face["served"] == pytest.approx(0.4)


def compared(*given: pd.DataFrame) -> pd.DataFrame:
    return protocol.comparisons(protocol.people(pd.concat(given)))


def line_of(made: pd.DataFrame, ours: str = "FACElift c=10", baseline: str = "FACE") -> pd.Series:
    chosen = (made["ours"] == ours) & (made["baseline"] == baseline)
    return made[chosen & (made["alternatives"] == "drawn")].iloc[0]


def test_every_method_of_ours_meets_every_baseline_by_both_kinds_of_alternatives():
    made = compared(records(FACE=[0.1, 0.2]))
    assert len(made) == 4 * 3 * 2
    assert not made.duplicated(["alternatives", "column", "ours", "baseline"]).any()
    assert line_of(made)["difference"] == pytest.approx(0.375 - 0.15)


def test_a_person_of_whom_one_method_found_nothing_is_in_no_difference():
    made = compared(records(**{"FACE": [0.1, NAN], "FACElift_c=10": [0.4, 0.9]}))
    assert line_of(made)["difference"] == pytest.approx(0.3)
    assert line_of(made)["people"] == 1


def test_where_nothing_was_found_there_is_nothing_to_compare():
    made = compared(records(GrowingSpheres=[NAN, NAN]))
    against = made[made["baseline"] == "GrowingSpheres"]
    assert against["t_holm"].isna().all()
    assert against["low"].isna().all()
    assert made[made["baseline"] == "FACE"]["difference"].notna().all()


def test_people_are_tested_once_however_many_seeds_explain_them():
    """Two seeds that say the same of the same people are no more certain than one."""
    rng = np.random.default_rng(0)
    given = {"FACE": rng.random(30).tolist(), "FACElift_c=10": rng.random(30).tolist()}
    once = line_of(compared(records(0, **given)))
    twice = line_of(compared(records(0, **given), records(1, **given)))
    assert (once["seeds"], twice["seeds"]) == (1, 2)
    for name in ("people", "difference", "t_p", "wilcoxon_p", "low", "high"):
        assert twice[name] == pytest.approx(once[name])


def test_seeds_count_the_same_however_many_people_they_have():
    few, many = (
        {"FACElift_c=10": [0.5], "FACE": [0.1]},
        {"FACElift_c=10": [0.2] * 9, "FACE": [0.2] * 9},
    )
    others = {name.replace(" ", "_"): [0.5] * 9 for name in METHODS}
    made = compared(records(0, **{**others, **few}), records(1, **{**others, **many}))
    assert line_of(made)["difference"] == pytest.approx(0.2)
    assert (line_of(made)["least_seed"], line_of(made)["most_seed"]) == (0.0, 0.4)


def test_an_interval_covers_the_mean_about_as_often_as_it_says():
    rng = np.random.default_rng(1)
    hits = 0
    for _ in range(120):
        made = rng.exponential(size=(40, 1))
        low, high = protocol.intervals(made, np.zeros(40, dtype=int), np.arange(40))
        hits += bool(low[0] <= 1.0 <= high[0])
    assert 0.85 * 120 <= hits <= 120


def simulated(rng: np.random.Generator, spread: float, n_people: int = 60) -> pd.DataFrame:
    """Differences of five seeds around 0.1, each with people of its own and a mean of its own."""
    means = 0.1 + spread * rng.normal(size=5)
    return pd.DataFrame(
        {"seed": seed, "row": 1000 * seed + i, "difference": value, "truth": means.mean()}
        for seed, mean in enumerate(means)
        for i, value in enumerate(mean + 0.3 * rng.normal(size=n_people))
    )


@pytest.mark.parametrize("spread", [0.0, 0.1])
def test_intervals_cover_what_they_speak_of(spread):
    """People are drawn for these seeds; a seed counts as one for what any seed would say.

    Where seeds differ, the first says too little of others: that is why there are two.
    """
    rng = np.random.default_rng(2)
    these, others, anyone = [], [], []
    for _ in range(200):
        made = simulated(rng, spread)
        values = made["difference"].to_numpy()[:, np.newaxis]
        (low,), (high,) = protocol.intervals(
            values, made["seed"].to_numpy(), made["row"].to_numpy()
        )
        these.append(low <= made["truth"].iloc[0] <= high)
        others.append(low <= 0.1 <= high)
        wide = protocol.any_seed(made.groupby("seed")["difference"].mean().to_numpy())
        anyone.append(wide[0] <= 0.1 <= wide[1])
    assert 0.91 <= np.mean(these) <= 0.985
    assert 0.91 <= np.mean(anyone) <= 0.985
    assert np.mean(others) < 0.7 if spread else np.mean(others) > 0.91


def test_people_of_several_seeds_are_drawn_with_all_that_is_said_of_them():
    """Five seeds that share people are no five samples: the interval stays as wide as theirs."""
    rng = np.random.default_rng(3)
    hits = widths = 0.0
    for _ in range(100):
        own = 0.1 + 0.3 * rng.normal(size=60)
        values = np.concatenate([own + 0.05 * rng.normal(size=60) for _ in range(5)])
        seeds, rows = np.repeat(np.arange(5), 60), np.tile(np.arange(60), 5)
        (low,), (high,) = protocol.intervals(values[:, np.newaxis], seeds, rows)
        hits += low <= 0.1 <= high
        widths += (high - low) / 100
    assert hits >= 90
    assert widths == pytest.approx(2 * 1.96 * 0.3 / np.sqrt(60), rel=0.1)


def test_one_seed_says_nothing_of_others():
    made = compared(records(FACE=[0.1, 0.2]))
    assert math.isnan(line_of(made)["any_seed_low"])


@given(numbers)
def test_t_is_that_of_scipy(differences):
    if differences.std() > 1e-3:
        theirs = stats.ttest_rel(differences, np.zeros(len(differences)))
        expected = theirs.statistic, theirs.pvalue
        assert protocol.paired_t(differences) == pytest.approx(expected, rel=1e-6, abs=1e-12)


@given(st.lists(st.integers(-9, 9), min_size=3, max_size=40).map(np.array))
def test_signed_ranks_are_those_of_scipy(differences):
    noise = np.resize([1e-17, -1e-16, 0.0], len(differences))  # as means over seeds have
    if (differences != 0).sum() > 1:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            theirs = stats.wilcoxon(differences, correction=False, method="approx").pvalue
        assert protocol.signed_ranks(differences / 10 + noise) == pytest.approx(theirs, rel=1e-6)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30).map(np.array))
def test_holm_rejects_what_its_steps_reject(p):
    """Holm's own words: from the smallest on, while p is at most α / (tests left)."""
    rejected = np.zeros(len(p), dtype=bool)
    for i, place in enumerate(np.argsort(p, kind="stable")):
        if p[place] * (len(p) - i) >= protocol.SIGNIFICANT:
            break
        rejected[place] = True
    assert ((protocol.holm(p) < protocol.SIGNIFICANT) == rejected).all()


def test_equal_numbers_do_not_differ():
    assert protocol.paired_t(np.zeros(4)) == (0.0, 1.0)
    assert protocol.paired_t(np.full(4, 0.5)) == (math.inf, 0.0)
    assert protocol.signed_ranks(np.zeros(4)) == 1.0
    assert math.isnan(protocol.signed_ranks(np.zeros(1)))


def test_all_lines_are_one_family():
    made = compared(records(FACE=[0.1, 0.2]))
    expected = protocol.holm(made["t_p"].to_numpy())
    np.testing.assert_allclose(made["t_holm"], expected)
    assert len(made) == 2 * (len(METHODS) - len(BASELINES)) * len(BASELINES)


def test_the_papers_cells_are_those_it_prints():
    """One of every row and column of the paper's Tables 1 and 2."""
    assert PAPER["german_credit", "FACE"] == (2.16, 0.72, 0.31, 0.30)
    assert PAPER["adult", "FACElift c=10"] == (3.90, 0.35, 0.88, 0.32)
    assert PAPER["credit_default", "Prototype"] == (0.74, 0.65, 0.32, 0.24)
    assert PAPER["mnist_others", "FACElift c=5"] == (103.95, 16.61, 0.35, 0.09)
    assert PAPER["mnist_nines", "GrowingSpheres"] == (71.66, 34.11, 0.48, 0.34)
    assert PAPER["pneumonia", "FACElift c=10"] == (31.00, 6.78, 0.58, 0.13)
    assert PAPER["breast", "Prototype"] == (25.34, 7.21, 0.15, 0.11)
    columns = {c.name for settings in TABLES.values() for s in settings for c in s.columns}
    assert {column for column, _ in PAPER} == columns
    assert len(PAPER) == 7 * 5
