"""`facelift reproduce`: the paper's evaluation, our results beside the paper's."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path

import click

from facelift.cli import options
from facelift.cli.running import guarded, say

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
