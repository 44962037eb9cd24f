"""The paper's Tables 1 and 2 under one protocol, the paper's own cells beside ours."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from facelift.paper import charts, report, statistics
from facelift.paper.finding import Finding, Lines, lines
from facelift.paper.methods import METHODS, methods
from facelift.paper.settings import N_QUICK, TABLES
from facelift.paper.studies import Home
from facelift.paper.trials import Circumstances, trial, write_table


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
    """Compare all methods over the settings of "table1" or "table2"; results go to a folder.

    At most `most` factuals of each data set, all of them if `full`. What a run that was stopped has
    left in the folder is not done again.
    """
    given = Circumstances(folder / "blocks", None if full else most, seed, data_home, models_home)
    made = trial(TABLES[part], methods, " ".join(METHODS), given)
    tables = {
        "cells": statistics.cells(made.records),
        "tests": statistics.tests(made.records),
        "studies": made.studies,
    }
    files = [
        write_table(table, folder / f"{part}-{name}.csv")
        for name, table in {**tables, "factuals": made.records}.items()
    ]
    document = {name: lines(table) for name, table in tables.items()}
    text = report.table_text(part, document["cells"], document["tests"], document["studies"])
    files.append(report.write_text(text, folder / f"{part}.md"))
    files += charts.drawn(folder / f"{part}.svg", lambda: _figure(part, document["cells"]))
    return Finding(text, {"part": part, **document}, tuple(files))


def _figure(part: str, cells: Lines) -> Any:
    from facelift.paper.figures.tables import draw_table

    return draw_table(part, cells)
