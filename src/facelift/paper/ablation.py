"""The paper's ablation: what FACElift's choice gains and costs as c grows; and by the spacing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from facelift.paper import charts, report, statistics
from facelift.paper.finding import Finding, lines
from facelift.paper.methods import Method, face, facelift, facelift_apart
from facelift.paper.settings import N_QUICK, TABLES, Setting
from facelift.paper.studies import Home
from facelift.paper.trials import Circumstances, trial, write_table
from facelift.paper.world import World

COUNTS = (1, 2, 3, 5, 7, 10, 15, 20, 30, 50)
"""Numbers of counterfactuals to choose among."""

SPACINGS = (0.0, 0.5, 1.0, 2.0)
"""Least distances between alternatives."""

STUDIES = ("german_credit", "adult")


def run(
    part: str,
    folder: Path,
    *,
    full: bool = False,
    seed: int = 0,
    data_home: Home = None,
    models_home: Path | None = None,
    most: int | None = N_QUICK,
) -> Finding:
    """Opportunity, distance and cost of FACElift's choice for several c; results go to a folder."""
    given = Circumstances(folder / "blocks", None if full else most, seed, data_home, models_home)
    chosen = [setting for setting in TABLES["table1"] if setting.study in STUDIES]
    made = trial(chosen, growing_choice, f"{part} {COUNTS}", given)
    curves = by_count(statistics.cells(made.records))
    spaced = by_spacing(chosen, given)
    files = [
        write_table(curves, folder / f"{part}.csv"),
        write_table(spaced, folder / f"{part}-spacing.csv"),
    ]
    document = {"curves": lines(curves), "spacing": lines(spaced)}
    text = report.ablation_text(document["curves"], document["spacing"])
    files.append(report.write_text(text, folder / f"{part}.md"))
    files += charts.drawn(folder / f"{part}.svg", lambda: _figure(curves))
    studies = lines(made.studies)
    return Finding(text, {"part": part, **document, "studies": studies}, tuple(files))


def by_spacing(settings: Sequence[Setting], given: Circumstances) -> pd.DataFrame:
    """Cells of FACE and of FACElift with c = 10, for alternatives less or more apart."""
    found = []
    for spacing in SPACINGS:
        spaced = [replace(setting, spacing=spacing) for setting in settings]
        made = trial(spaced, spaced_choice, "spacing", given)
        found.append(statistics.cells(made.records).assign(spacing=spacing))
    table = pd.concat(found, ignore_index=True)
    return table.sort_values("column", kind="stable", key=lambda names: pd.factorize(names)[0])


def spaced_choice(world: World) -> list[Method]:
    """FACE, and FACElift as it is, told the alternatives, and with its own destinations apart."""
    return [face(world), facelift(world, 10), facelift_apart(world, 10)]


def growing_choice(world: World) -> list[Method]:
    """FACElift with more and more counterfactuals to choose among."""
    return [facelift(world, n_counterfactuals) for n_counterfactuals in COUNTS]


def by_count(cells: pd.DataFrame) -> pd.DataFrame:
    """Cells whose methods are FACElift's, with c and the choice in columns of their own."""
    parts = cells["method"].str.extract(r"c=(?P<c>\d+)(?P<told>, told)?")
    numbered = cells.assign(c=parts["c"].astype(int), told=parts["told"].notna())
    front = ["column", "c", "told"]
    rest = [name for name in numbered.columns if name not in (*front, "method", "seconds")]
    return numbered[front + rest]


def _figure(curves: pd.DataFrame) -> Any:
    from facelift.paper.figures.ablation import draw_ablation

    return draw_ablation(curves)
