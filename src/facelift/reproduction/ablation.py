"""The paper's ablation: what FACElift's choice gains, and what it costs, as c grows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from facelift.reproduction import charts, report, statistics
from facelift.reproduction.finding import Finding, lines
from facelift.reproduction.methods import Method, facelift
from facelift.reproduction.settings import N_QUICK, TABLES
from facelift.reproduction.studies import Home
from facelift.reproduction.trials import trial, write_table
from facelift.reproduction.world import World

COUNTS = (1, 2, 3, 5, 7, 10, 15, 20, 30, 50)
"""Numbers of counterfactuals to choose among."""

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
    made = trial(
        [setting for setting in TABLES["table1"] if setting.study in STUDIES],
        folder / "blocks",
        growing_choice,
        about=f"{part} {COUNTS}",
        most=None if full else most,
        seed=seed,
        data_home=data_home,
        models_home=models_home,
    )
    curves = by_count(statistics.cells(made.records))
    files = [write_table(curves, folder / f"{part}.csv")]
    text = report.ablation_text(lines(curves))
    files.append(report.write_text(text, folder / f"{part}.md"))
    files += charts.drawn(folder / f"{part}.svg", lambda: _figure(curves))
    document = {"part": part, "curves": lines(curves), "studies": lines(made.studies)}
    return Finding(text, document, tuple(files))


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
    from facelift.reproduction.figures.ablation import draw_ablation

    return draw_ablation(curves)
