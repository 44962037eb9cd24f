"""`facelift explore`: the navigator."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from facelift.cli import options
from facelift.cli.inputs import (
    Inputs,
    check_row,
    explained,
    inputs,
    label_of,
    load_model,
)
from facelift.cli.running import UsageError, guarded
from facelift.cli.tables import read_table

if TYPE_CHECKING:
    import pandas as pd

    from facelift.multiverse.multiverse import Multiverse


@click.command(
    epilog="Examples: facelift explore · facelift explore --demo digits · facelift explore "
    "--data loans.csv --target-column risk --target good --row 17 --rules rules.toml"
)
@click.option(
    "--demo",
    default="german",
    show_default=True,
    type=click.Choice(["german", "digits"]),
    help="Embedded data, where no --data is given.",
)
@click.option(
    "--data",
    type=options.FILE,
    help="A CSV table of your own.",
)
@options.row_if_any
@inputs
@click.option(
    "--explainer",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="A saved explainer, instead of --rules; needs --data and its --model.",
)
@click.option("--picture", metavar="HxW", help="Columns are pixels of pictures this high and wide.")
@options.counterfactuals
@options.ways
@options.steps_option(
    "One change at a time, or from record to record.  [default: actions; pictures: rows]"
)
@click.option(
    "--port", default=0, type=click.IntRange(0, 65535), help="Where to listen; 0: any free port."
)
@click.option("--no-browser", is_flag=True, help="Only print the address.")
@options.as_json
@guarded
def explore(
    asked: Inputs,
    demo: str,
    explainer: Path | None,
    picture: str | None,
    counterfactuals: Path | None,
    ways: int,
    steps: str | None,
    port: int,
    no_browser: bool,
    json_output: bool,
) -> int:
    """Open the navigator: a page on this machine to walk the ways on, step by step."""
    from facelift.web.server import serve

    own: dict[str, Any] = {
        "explainer": explainer,
        "picture": picture,
        "counterfactuals": counterfactuals,
    }
    if asked.data is None:
        guide = _demo_guide(demo, asked, ways, steps, own)
    else:
        guide = _own_guide(asked, ways, steps, **own)
    page = serve(guide, port=port, browser=not no_browser)
    with suppress(KeyboardInterrupt):  # the way to end it, as soon as the address is known
        click.echo("Serving on this machine only, until you press Ctrl-C.", err=True)
        click.echo(json.dumps({"url": page.url}) if json_output else page.url)
        page.wait()
    page.stop()
    return 0


def _demo_guide(demo: str, asked: Inputs, ways: int, steps: str | None, own: dict[str, Any]) -> Any:
    from facelift.cli import demos

    known = {**vars(asked), **own, "row": None}
    if given := [name for name, value in known.items() if value]:
        raise UsageError(f"{_option(given[0])} is for a table of your own: give --data too.")
    if demo == "german":
        return demos.german_credit(asked.row, n_ways=ways, steps=steps or "actions")
    if steps == "actions":
        raise UsageError("Pictures are walked from record to record: leave --steps out.")
    return demos.digits(asked.row, n_ways=ways)


def _option(name: str) -> str:
    return "--model" if name == "model_path" else "--" + name.replace("_", "-")


def _own_guide(
    asked: Inputs,
    ways: int,
    steps: str | None,
    explainer: Path | None,
    counterfactuals: Path | None,
    picture: str | None,
) -> Any:
    from facelift.walking.guide import Guide

    row, target = asked.row, asked.target
    if row is None:
        raise UsageError("Say which case with --row.")
    shape = None if picture is None else _shape(picture)
    steps = steps or ("actions" if shape is None else "rows")
    if explainer is not None:
        if asked.model_path is None or asked.rules is not None:
            raise UsageError("A saved explainer needs its --model, and has its rules already.")
        if counterfactuals is not None:
            raise UsageError("--counterfactuals are for an explainer made on the spot.")
        table, _ = read_table(asked.data, asked.target_column)
        check_row(row, table)
        model = load_model(asked.model_path, asked.trust_pickle)
        multiverse = _loaded(explainer, model, table, row, target)
    else:
        multiverse = explained(asked.prepared(), row, target, ways, steps, counterfactuals)
    return Guide(multiverse, title=f"Row {row}", picture=shape)


def _shape(picture: str) -> tuple[int, int]:
    height, _, width = picture.lower().partition("x")
    if not (height.isdigit() and width.isdigit() and int(height) and int(width)):
        raise UsageError(f"--picture takes a height and a width such as 28x28, got {picture!r}.")
    return int(height), int(width)


def _loaded(
    folder: Path, model: Any, table: pd.DataFrame, row: int, target: str | None
) -> Multiverse:
    from facelift.explainer import FACElift

    explainer = FACElift.load(folder, model=model)
    return explainer.explain(table.iloc[[row]], label_of(explainer, target))
