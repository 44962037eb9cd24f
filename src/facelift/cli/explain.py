"""`facelift explain`: ways for one row of a table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from facelift.cli import options
from facelift.cli.answers import explained, show
from facelift.cli.inputs import mention_rules, prepared
from facelift.cli.running import guarded


@click.command(
    epilog="Example: facelift explain loans.csv --target-column risk --target good --row 17"
)
@click.argument("data", type=options.FILE)
@options.row
@options.target_column
@options.target
@options.model
@options.trust_pickle
@options.rules
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
    data: Path,
    row: int,
    target_column: str | None,
    target: str | None,
    model_path: Path | None,
    trust_pickle: bool,
    rules: Path | None,
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
    given = prepared(data, row, target_column, model_path, trust_pickle, rules, target)
    limits: dict[str, Any] = {"max_steps": max_steps, "threshold": threshold}
    if committee or min_agreement:
        limits["committee"] = given.committee(committee)
        limits["min_agreement"] = min_agreement
    asked = (row, target, ways, steps, counterfactuals, prototypes)
    multiverse = explained(given, *asked, **limits)
    mention_rules(rules)
    return show(multiverse, f"Row {row}", json_output)
