"""`facelift reproduce` and `facelift bench`: the paper's evaluation, and speed beside others."""

from __future__ import annotations

import json
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from facelift.cli import options
from facelift.cli.running import UsageError, guarded, say
from facelift.errors import nearest_name

PARTS = {
    "table1": "experiments.table",
    "table2": "experiments.table",
    "ablation": "experiments.ablation",
    "figures": "figures.draw_all",
    "report": "report.write_page",
}
"""What can be reproduced, and the function of `facelift.paper` that does it."""


@click.command(epilog="Example: facelift reproduce table1 --out results")
@click.argument("part", type=click.Choice(list(PARTS)))
@click.option("--full", is_flag=True, help="All factuals; without it at most 60 of each data set.")
@click.option("--seed", default=0, show_default=True, type=options.SEED, help="Of all chance.")
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
    folder: Path,
    data_home: Path | None,
    json_output: bool,
) -> int:
    """Run a part of the paper's evaluation and print the results beside the paper's."""
    from facelift.paper.settings import Extent

    module, function = PARTS[part].split(".")
    run = getattr(import_module(f"facelift.paper.{module}"), function)
    found = run(part, folder, Extent(full=full, seed=seed, data_home=data_home))
    for path in found.files:
        say(f"Written: {path}", err=True)
    click.echo(json.dumps(found.document, ensure_ascii=False) if json_output else found.text)
    return 0


@click.command(
    epilog="Names: startup, small, neighbours, tables, searches, batch, growth, navigator, "
    "peers. "
    "Example: facelift bench searches --quick"
)
@click.argument("names", nargs=-1)
@click.option("--quick", is_flag=True, help="Small sizes, to see that everything runs.")
@click.option(
    "--figure",
    type=options.FIGURE,
    help="File for a plot of how time grows with the table (SVG, PNG, PDF).",
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
    unknown = [name for name in names if name not in suite.NAMES]
    if unknown:
        raise UsageError(
            f"There is no benchmark {unknown[0]!r}; {nearest_name(unknown[0], suite.NAMES)}"
        )
    chosen = names or suite.NAMES
    if quick and save_baseline:
        raise UsageError("--save-baseline keeps full runs, not --quick ones.")
    found = suite.run(chosen, quick=quick, say=lambda line: click.echo(line, err=True))
    if figure is not None:
        suite.figure(found, figure)
    if save_baseline:
        suite.save_baseline(found)
    click.echo(found.to_json(orient="records") if json_output else suite.as_text(found))
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
