"""Numbers with intervals, drawn on one axis."""

from __future__ import annotations

import itertools
import math
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.crowd import population

from facelift import toys
from facelift.auditing import Audit
from facelift.drawing.layout import ticks_over
from facelift.explainer import FACElift
from facelift.terrain import Terrain
from facelift.toys import moons
from facelift.views.audits import (
    Mark,
    audit_figure,
    audit_report,
    audit_text,
    group_table,
    interval_drawing,
)
from facelift.walking.population import N_WAYS

numbers = st.floats(-1e9, 1e9).map(lambda x: 0.0 if abs(x) < 1e-9 else x)


@given(numbers, numbers)
def test_ticks_are_round_evenly_spaced_and_reach_both_ends(a, b):
    low, high = sorted((a, b))
    if 0 < high - low < 1e-6 * max(abs(low), abs(high)):
        return  # ends that an axis cannot tell apart
    ticks = ticks_over(low, high)
    width = max(high - low, 1.0 if high == low else 0.0)
    assert ticks[0] <= low + 1e-6 * width
    assert ticks[-1] >= high - 1e-6 * width
    assert 3 <= len(ticks) <= 8
    steps = [after - before for before, after in itertools.pairwise(ticks)]
    assert steps == pytest.approx([steps[0]] * len(steps), rel=1e-3)
    digits = steps[0] / 10 ** math.floor(math.log10(steps[0]) + 1e-9)
    assert min(abs(digits - each) for each in (1, 2, 5, 10)) < 1e-3


def places(svg: str, shape: str, at: str) -> list[float]:
    return [float(found) for found in re.findall(rf"<{shape} [^>]*\b{at}='([-\d.]+)'", svg)]


def test_marks_stand_where_their_numbers_are():
    rows = [("a", [Mark(1.0, 0.5, 2.0, "plain")]), ("b", [Mark(2.0, 2.0, 4.0, "plain")])]
    svg = interval_drawing(rows, "told", "{:g}".format)
    one, two = places(svg, "circle", "cx")
    (zero, *_, last) = places(svg, "line class='grid'", "x1")
    assert one - zero == pytest.approx((last - zero) / 4, abs=0.2)
    assert two - zero == pytest.approx((last - zero) / 2, abs=0.2)


def test_what_has_no_number_is_named_but_not_drawn():
    gone = Mark(math.nan, math.nan, math.nan, "plain")
    svg = interval_drawing([("<nobody>", [gone, gone])], "told", "{:g}".format)
    assert "&lt;nobody&gt;" in svg
    assert "<circle" not in svg
    assert "nan" not in svg


def test_kinds_are_told_apart_without_colour():
    marks = [Mark(1.0, 0.5, 2.0, "plain"), Mark(1.0, 0.5, 2.0, "matched small", square=True)]
    svg = interval_drawing([("a", marks)], "told", "{:g}".format)
    assert svg.count("<circle") == svg.count("<rect") == 1
    assert "class='matched small'" in svg


def test_efforts_of_groups_have_a_word_and_small_groups_are_said_not_to_be_judged(monkeypatch):
    people = population(30)
    assert list(people.census.take())
    groups = group_table(people, "sex", "cost")
    sizes = ("small (", "medium (", "large (")
    assert all(row.words == "–" or row.words.startswith(sizes) for row in groups.rows)
    assert any(row.words != "–" for row in groups.rows)
    audit = people.census.audit(np.repeat(["few", "many"], [10, 20]))
    least = int(audit.groups["rejected"].min()) + 1
    monkeypatch.setattr(people.census, "audit", lambda _: replace(audit, min_size=least))
    verdict = group_table(people, "sex", "cost").verdict
    assert verdict.endswith(f"Groups of fewer than {least} people are not judged.")


@pytest.mark.parametrize(("ways", "told"), [(N_WAYS, f"{N_WAYS}+"), (3, "3")])
def test_ways_are_told_as_far_as_they_were_counted(ways, told, monkeypatch):
    people = population(30)
    assert list(people.census.take())
    audit = people.census.audit(np.zeros(30))
    monkeypatch.setitem(audit.groups, "destinations_median", float(ways))
    monkeypatch.setattr(people.census, "audit", lambda _: audit)
    assert [row.ways for row in group_table(people, "sex", "cost").rows] == [told, told]


def test_a_clear_difference_is_told_once_of_two_groups_and_none_of_small_ones():
    points = moons(200).points
    explainer = FACElift(
        lambda points: np.column_stack([points[:, 1] > 0.25, points[:, 1] <= 0.25]),
        n_neighbors=5,
        n_counterfactuals=3,
    ).fit(points)
    side = np.where(points[:, 0] > 0.5, "right", "left")
    found = Audit.of(explainer, points, by=side, target=1, n_resamples=200)
    told = audit_text(found)
    own, others = found.groups.loc[["left", "right"], "cost"]
    assert f"  group left: cost {own:.3g}, all others {others:.3g}." in told
    assert "group right" not in told
    assert "No two groups are large enough" in audit_text(replace(found, min_size=500))


def unequal(n: int = 400) -> Audit:
    """The audit of two groups that never meet, of which one has nine times as many people."""
    rng = np.random.default_rng(0)
    kind = np.where(np.arange(n) < n // 10, "few", "many")
    X = pd.DataFrame({"a": rng.uniform(0, 1, n), "b": rng.uniform(0, 1, n), "kind": kind})
    terrain = Terrain.infer(X).freeze("kind").increase_only("b")
    explainer = FACElift(lambda rows: np.column_stack([1 - rows["a"], rows["a"]]), terrain).fit(X)
    return Audit.of(explainer, X, by="kind", target=1, min_size=10)


def test_more_destinations_of_a_larger_group_are_no_difference():
    audit = unequal()
    assert audit.differences.loc[("few", "destinations"), "high"] < 0  # fewer are like them
    assert audit.differences.loc[("few", "destinations_share"), "high"] > 0
    assert "kind few: destinations" not in audit_text(audit)


def test_a_number_that_few_have_is_not_called_a_difference():
    audit = unequal()
    few = audit.people["kind"] == "few"
    rare = audit.people.assign(cost=audit.people["cost"].where(~few | (few.cumsum() < 5)))
    apart = audit.differences.copy()
    apart.loc[("few", "cost"), ["low", "high"]] = 1.0, 2.0
    assert "kind few: cost" in audit_text(replace(audit, differences=apart))
    assert "kind few: cost" not in audit_text(replace(audit, differences=apart, people=rare))
    assert replace(audit, people=rare).sizes("cost")["few"] == 4


def test_pockets_stand_in_the_report_and_have_a_panel_of_the_figure():
    line, model = toys.line()
    explainer = FACElift(model, n_neighbors=2).fit(line)
    found, asked = (
        Audit.of(explainer, line, by=np.arange(len(line)) % 2, target=1, pockets=pockets)
        for pockets in (False, True)
    )
    assert asked.pockets is not None
    report = audit_report(asked)
    assert "<h2>Pockets" in report
    assert all(f"<td>{changes}</td>" in report for changes in asked.pockets["changes"])
    assert "Pockets" not in audit_report(found)
    assert len(audit_figure(asked).axes) == len(audit_figure(found).axes) + 1


def test_a_pocket_without_ways_says_so():
    line, model = toys.line()
    explainer = FACElift(model, n_neighbors=2).fit(line)
    asked = Audit.of(explainer, line, by=np.arange(len(line)) % 2, target=1, pockets=True)
    nobody = {"people": 2, "share": 0.5, "ways": 0.0, "cost": np.nan, "changes": "no way"}
    report = audit_report(replace(asked, pockets=pd.DataFrame([nobody])))
    assert "<td>none</td><td>–</td><td>no way</td>" in report.replace("\n", "")
