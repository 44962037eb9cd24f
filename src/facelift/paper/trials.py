"""Running the protocol over studies: block by block, with what is known of each study."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd

from facelift._files import written_whole
from facelift._progress import tracked
from facelift.paper import blocks
from facelift.paper.methods import Method
from facelift.paper.protocol import measured
from facelift.paper.settings import Setting
from facelift.paper.shelf import digest
from facelift.paper.studies import Home, study
from facelift.paper.world import World


@dataclass(frozen=True, eq=False)
class Trial:
    """What methods came to: a record per factual, method and column, and a line per column."""

    records: pd.DataFrame
    studies: pd.DataFrame


@dataclass(frozen=True)
class Circumstances:
    """Where blocks, data and models are kept, how many factuals there are at most, and the seed."""

    folder: Path
    most: int | None = None
    seed: int = 0
    data_home: Home = None
    models_home: Path | None = None


def trial(
    settings: Iterable[Setting],
    compared: Callable[[World], list[Method]],
    about: str,
    given: Circumstances,
) -> Trial:
    """Run methods over settings; `about` names the methods."""
    records: list[dict[str, Any]] = []
    lines: list[dict[str, Any]] = []
    for setting in settings:
        known = study(
            setting.study,
            seed=given.seed,
            data_home=given.data_home,
            models_home=given.models_home,
        )
        world = World(setting, known, given.seed)
        own = _in_blocks(world, compared, about, given)
        records += own
        lines += _lines(world, len({record["row"] for record in own}))
    return Trial(pd.DataFrame(records), pd.DataFrame(lines))


def _in_blocks(
    world: World, compared: Callable[[World], list[Method]], about: str, given: Circumstances
) -> blocks.Rows:
    """All records of one world; where its blocks are known, it is not even looked at."""
    numbers = world.factuals[: given.most]
    parts = [numbers[i : i + blocks.SIZE] for i in range(0, len(numbers), blocks.SIZE)]
    keys = [digest(about + world.fingerprint, {"rows": part}) for part in parts]

    @cache
    def fitted() -> list[Method]:
        found = compared(world)
        found[0].explain(world.rows(numbers[:1]))  # compiles, so that no one's seconds have it
        return found

    def work(number: int) -> blocks.Rows:
        return [asdict(record) for record in measured(world, parts[number], fitted())]

    name = world.setting.study
    found = blocks.done(given.folder, name, keys, work)
    shown = tracked(found, len(parts), f"{name}, blocks of people")
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


def write_table(table: pd.DataFrame, path: Path) -> Path:
    """A table as CSV, six digits of every number; whole or not there."""
    with written_whole(path) as fresh:
        table.to_csv(fresh, index=False, float_format="%.6g", lineterminator="\n")
    return path
