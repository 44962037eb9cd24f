"""The paper's tables and its ablation: the protocol over studies, block by block, and its results.

The ablation says what FACElift's choice gains and costs as c grows, and by the spacing of the
alternatives.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, replace
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd
from rich.console import Console
from rich.progress import track

from facelift.paper import protocol, report
from facelift.paper.methods import METHODS, Method, face, facelift, facelift_apart, methods
from facelift.paper.networks import digest
from facelift.paper.protocol import measured
from facelift.paper.results import (
    BLOCK_SIZE,
    Result,
    in_blocks,
    lines,
    write_chart,
    write_table,
    write_text,
)
from facelift.paper.settings import QUICK, TABLES, Extent, Setting
from facelift.paper.studies import study
from facelift.paper.world import World

COUNTS = (1, 2, 3, 5, 7, 10, 15, 20, 30, 50)
"""Numbers of counterfactuals to choose among, in the ablation."""

SPACINGS = (0.0, 0.5, 1.0, 2.0)
"""Least distances between alternatives, in the ablation."""

ABLATED = ("german_credit", "adult")
"""Studies of the ablation."""


def table(part: str, folder: Path, extent: Extent = QUICK) -> Result:
    """Compare all methods over the settings of "table1" or "table2"; results go to a folder.

    What a run that was stopped has left in the folder is not done again.
    """
    records, studies = trial(TABLES[part], methods, " ".join(METHODS), folder, extent)
    tables = {
        "cells": protocol.cells(records),
        "tests": protocol.tests(records),
        "studies": studies,
    }
    files = [
        write_table(table, folder / f"{part}-{name}.csv")
        for name, table in {**tables, "factuals": records}.items()
    ]
    document = {name: lines(table) for name, table in tables.items()}
    text = report.table_text(part, document["cells"], document["tests"], document["studies"])
    files.append(write_text(text, folder / f"{part}.md"))
    files += write_chart(folder / f"{part}.svg", "draw_table", part, document["cells"])
    return Result(text, {"part": part, **document}, tuple(files))


def ablation(part: str, folder: Path, extent: Extent = QUICK) -> Result:
    """Opportunity, distance and cost of FACElift's choice for several c; results go to a folder."""
    chosen = [setting for setting in TABLES["table1"] if setting.study in ABLATED]
    records, studies = trial(chosen, growing_choice, f"{part} {COUNTS}", folder, extent)
    curves = by_count(protocol.cells(records))
    spaced = by_spacing(chosen, folder, extent)
    files = [
        write_table(curves, folder / f"{part}.csv"),
        write_table(spaced, folder / f"{part}-spacing.csv"),
    ]
    document = {"curves": lines(curves), "spacing": lines(spaced)}
    text = report.ablation_text(document["curves"], document["spacing"])
    files.append(write_text(text, folder / f"{part}.md"))
    files += write_chart(folder / f"{part}.svg", "draw_ablation", curves)
    return Result(text, {"part": part, **document, "studies": lines(studies)}, tuple(files))


def by_spacing(settings: Sequence[Setting], folder: Path, extent: Extent) -> pd.DataFrame:
    """Cells of FACE and of FACElift with c = 10, for alternatives less or more apart."""
    found = []
    for spacing in SPACINGS:
        spaced = [replace(setting, spacing=spacing) for setting in settings]
        records, _ = trial(spaced, spaced_choice, "spacing", folder, extent)
        found.append(protocol.cells(records).assign(spacing=spacing))
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


def trial(
    settings: Iterable[Setting],
    compared: Callable[[World], list[Method]],
    about: str,
    folder: Path,
    extent: Extent,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """A record per factual, method and column, and a line per column; `about` names the methods."""
    records: list[dict[str, Any]] = []
    about_studies: list[dict[str, Any]] = []
    for setting in settings:
        known = study(
            setting.study,
            seed=extent.seed,
            data_home=extent.data_home,
            models_home=extent.models_home,
        )
        world = World(setting, known, extent.seed)
        own = _records(world, compared, about, folder, extent)
        records += own
        about_studies += _lines(world, len({record["row"] for record in own}))
    return pd.DataFrame(records), pd.DataFrame(about_studies)


def _records(
    world: World,
    compared: Callable[[World], list[Method]],
    about: str,
    folder: Path,
    extent: Extent,
) -> list[dict[str, Any]]:
    """All records of one world; where its blocks are known, it is not even looked at."""
    numbers = world.factuals[: extent.n_factuals]
    parts = [numbers[i : i + BLOCK_SIZE] for i in range(0, len(numbers), BLOCK_SIZE)]
    keys = [digest(about + world.fingerprint, {"rows": part}) for part in parts]

    @cache
    def fitted() -> list[Method]:
        found = compared(world)
        found[0].explain(world.rows(numbers[:1]))  # compiles, so that no one's seconds have it
        return found

    def work(number: int) -> list[dict[str, Any]]:
        return [asdict(record) for record in measured(world, parts[number], fitted())]

    name = world.setting.study
    found = in_blocks(folder / "blocks", name, keys, work)
    shown = track(
        found,
        f"{name}, blocks of people",
        len(parts),
        console=Console(stderr=True),
        transient=True,
        disable=not sys.stderr.isatty(),
    )
    return [record for rows in shown for record in rows]


def _lines(world: World, n_factuals: int) -> list[dict[str, Any]]:
    """What is to be known of a study, once per column."""
    setting, quality = world.setting, world.study.quality
    about = {
        "study": setting.study,
        "seed": world.seed,
        "accuracy": quality.accuracy,
        "auc": quality.auc,
        "n_tested": quality.n_tested,
        "undesired": str(setting.undesired),
        "target": str(setting.target),
        "population": len(world.factuals),
        "factuals": n_factuals,
        "n_neighbors": setting.n_neighbors,
        "decrease": setting.decrease,
        "spacing": setting.spacing,
    }
    return [{"column": each.name, "title": each.title, **about} for each in setting.columns]
