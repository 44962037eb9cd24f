"""`facelift explain`: ways for one row of a table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from facelift.cli import options
from facelift.cli.inputs import Inputs, explained, inputs
from facelift.cli.running import guarded, show


@click.command(
    epilog="Example: facelift explain loans.csv --target-column risk --target good --row 17"
)
@click.argument("data", type=options.FILE)
@options.row
@inputs
@options.counterfactuals
@options.prototypes
@options.committee
@options.min_agreement
@options.ways
@options.steps
@click.option("--max-steps", type=click.IntRange(1), help="Largest number of steps of a way.")
@click.option(
    "--threshold",
    default=0.5,
    show_default=True,
    type=options.Between(0, 1, min_open=True),
    help="Chance of the outcome that counts as reaching it.",
)
@options.as_json
@guarded
def explain(
    asked: Inputs,
    counterfactuals: Path | None,
    prototypes: int | None,
    committee: int,
    min_agreement: float,
    ways: int,
    steps: str,
    max_steps: int | None,
    threshold: float,
    json_output: bool,
) -> int:
    """Ways to another outcome for one row of a CSV table."""
    given = asked.prepared()
    limits: dict[str, Any] = {"max_steps": max_steps, "threshold": threshold}
    if committee or min_agreement:
        limits["committee"] = given.committee(committee)
        limits["min_agreement"] = min_agreement
    whose = (asked.row, asked.target)
    multiverse = explained(given, *whose, ways, steps, counterfactuals, prototypes, **limits)
    asked.mention_rules()
    return show(multiverse, f"Row {asked.row}", json_output)
