"""`facelift explore`: the navigator."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import click

from facelift.cli import options
from facelift.cli.inputs import Inputs, explained, inputs
from facelift.cli.running import UsageError, guarded

WAYS = 7
"""How many ways, where neither the command line nor a saved explainer says."""


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
@options.explainer
@click.option("--picture", metavar="HxW", help="Columns are pixels of pictures this high and wide.")
@options.counterfactuals
@click.option(
    "-n",
    "--ways",
    type=click.IntRange(1, 26),
    help=f"How many ways.  [default: {WAYS}; of a saved explainer: its own]",
)
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
    picture: str | None,
    counterfactuals: Path | None,
    ways: int | None,
    steps: str | None,
    port: int,
    no_browser: bool,
    json_output: bool,
) -> int:
    """Open the navigator: a page on this machine to walk the ways on, step by step."""
    from facelift.web.server import serve

    if asked.data is None and asked.explainer is None:
        own = {"picture": picture, "counterfactuals": counterfactuals}
        guide = _demo_guide(demo, asked, ways or WAYS, steps, own)
    else:
        guide = _own_guide(asked, ways, steps, counterfactuals, picture)
    page = serve(guide, port=port, browser=not no_browser, bookmarks=True)
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
    ways: int | None,
    steps: str | None,
    counterfactuals: Path | None,
    picture: str | None,
) -> Any:
    from facelift.walking.guide import Guide

    if asked.row is None:
        raise UsageError("Say which case with --row.")
    shape = None if picture is None else _shape(picture)
    given = asked.prepared()
    limits = {} if ways is None and given.saved else {"n_counterfactuals": ways or WAYS}
    steps = steps or ("actions" if shape is None else "rows")
    multiverse = explained(asked, given, counterfactuals, steps=steps, **limits)
    return Guide(multiverse, title=f"Row {asked.row}", picture=shape)


def _shape(picture: str) -> tuple[int, int]:
    height, _, width = picture.lower().partition("x")
    if not (height.isdigit() and width.isdigit() and int(height) and int(width)):
        raise UsageError(f"--picture takes a height and a width such as 28x28, got {picture!r}.")
    return int(height), int(width)
