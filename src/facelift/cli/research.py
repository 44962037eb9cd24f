"""`facelift reproduce` and `facelift bench`: the paper's evaluation, and speed beside others."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from facelift.cli import options
from facelift.cli.running import UsageError, guarded, say
from facelift.errors import nearest_name

PARTS = {
    "all": "experiments.everything",
    "table1": "experiments.table",
    "table2": "experiments.table",
    "ablation": "experiments.ablation",
    "distances": "experiments.distances",
    "figures": "figures.draw_all",
    "report": "report.write_page",
}
"""What can be reproduced, and the function of `facelift.paper` that does it."""

PAUSE = 30.0
"""Seconds between two lines on what is done, where there is no terminal."""


@click.command(epilog="Example: facelift reproduce table1 --out results")
@click.argument("part", type=click.Choice(list(PARTS)), default="all")
@click.option("--full", is_flag=True, help="All factuals; without it at most 60 of each data set.")
@click.option("--seed", default=0, show_default=True, type=options.SEED, help="Of all chance.")
@click.option(
    "--seeds",
    "n_seeds",
    default=1,
    show_default=True,
    type=click.IntRange(min=1),
    help="How many seeds, from --seed on: splits, networks and people of their own.",
)
@click.option("--so-far", is_flag=True, help="Write up what a stopped run has left; run nothing.")
@click.option(
    "--out",
    "folder",
    default="facelift-results",
    show_default=True,
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder for results; a run that was stopped goes on from what it finds there.",
)
@click.option(
    "--data-home",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder with the publishers' files; FACELIFT_DATA, else a cache, when left out.",
)
@options.as_json
@guarded
def reproduce(
    part: str,
    full: bool,
    seed: int,
    n_seeds: int,
    so_far: bool,
    folder: Path,
    data_home: Path | None,
    json_output: bool,
) -> int:
    """Run the paper's evaluation, or a part of it, and print the results beside the paper's."""
    from facelift.paper.studies import Extent

    module, function = PARTS[part].split(".")
    run = getattr(import_module(f"facelift.paper.{module}"), function)
    with _progress() as tell:
        extent = Extent(
            full=full, seed=seed, n_seeds=n_seeds, so_far=so_far, data_home=data_home, tell=tell
        )
        found = run(part, folder, extent)
    for path in found.files:
        say(f"Written: {path}", err=True)
    click.echo(json.dumps(found.document, ensure_ascii=False) if json_output else found.text)
    return 0


@contextmanager
def _progress() -> Iterator[Callable[[str], None]]:
    """A line that changes on a terminal; elsewhere a line at most every half minute."""
    if sys.stderr.isatty():
        from rich.console import Console

        with Console(stderr=True).status("Reading data and models") as status:
            yield status.update
        return
    last = -PAUSE

    def tell(line: str) -> None:
        nonlocal last
        if time.monotonic() - last >= PAUSE:
            last = time.monotonic()
            say(line, err=True)

    yield tell


@click.command(
    epilog="Names: startup, small, neighbours, tables, searches, batch, growth, navigator. "
    "By its name alone: peers, which installs other packages, asks all about the same people, and "
    "goes on where it was cut off. "
    "Examples: facelift bench searches --quick · facelift bench peers --quick"
)
@click.argument("names", nargs=-1)
@click.option("--quick", is_flag=True, help="Small sizes, to see that everything runs.")
@click.option(
    "--figure",
    type=options.FIGURE,
    help="File for a plot (SVG, PNG, PDF): how time grows; of peers: whom they serve.",
)
@click.option("--save-baseline", is_flag=True, help="Keep these ratios to compare later runs with.")
@options.as_json
@guarded
def bench(
    names: tuple[str, ...],
    quick: bool,
    figure: Path | None,
    save_baseline: bool,
    json_output: bool,
) -> int:
    """Measure facelift against others, side by side; all benchmarks, or those named."""
    suite = _benchmarks()
    known = (*suite.NAMES, *suite.ALONE)
    unknown = [name for name in names if name not in known]
    if unknown:
        raise UsageError(f"There is no benchmark {unknown[0]!r}; {nearest_name(unknown[0], known)}")
    chosen = names or suite.NAMES
    if quick and save_baseline:
        raise UsageError("--save-baseline keeps full runs, not --quick ones.")
    if alone := [name for name in chosen if name in suite.ALONE]:
        if len(chosen) > 1 or save_baseline:
            raise UsageError(f"{alone[0]} runs by itself, and has no baseline.")
        return _by_itself(suite.by_itself(alone[0]), quick, figure, json_output)
    found = suite.run(chosen, quick=quick, say=lambda line: click.echo(line, err=True))
    if figure is not None:
        suite.figure(found, figure)
    if save_baseline:
        suite.save_baseline(found)
    click.echo(found.to_json(orient="records") if json_output else suite.as_text(found))
    return 0


def _by_itself(benchmark: Any, quick: bool, figure: Path | None, json_output: bool) -> int:
    """Run a benchmark that has a table of its own."""
    found = benchmark.run(quick=quick, say=lambda line: click.echo(line, err=True))
    if figure is not None:
        found.figure(figure)
    click.echo(found.frame().to_json(orient="records") if json_output else found.text())
    return 0


def _benchmarks() -> Any:
    """The benchmarks, which are part of the source tree and not of the installed package."""
    import facelift

    root = Path(facelift.__file__).parents[2]
    if not (root / "tools" / "benchmarks" / "suite.py").exists():
        raise UsageError(
            "Benchmarks are in the source tree only: in a checkout, run "
            "pip install -e '.[bench]', then this again."
        )
    sys.path.insert(0, str(root))
    try:
        return import_module("tools.benchmarks.suite")
    except ImportError as fault:
        raise UsageError(f"Benchmarks need more: pip install -e '.[bench]' ({fault}).") from None
