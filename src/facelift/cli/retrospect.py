"""`facelift retrospect`: how somebody could have come to where they stand."""

from __future__ import annotations

from pathlib import Path

import click

from facelift.cli import options
from facelift.cli.answers import label_of
from facelift.cli.inputs import mention_rules, prepared
from facelift.cli.running import NO_WAY, guarded


@click.command(
    epilog="Example: facelift retrospect loans.csv --target-column risk --target good --row 17"
)
@click.argument("data", type=options.FILE)
@options.row
@click.option(
    "-n",
    "--histories",
    default=3,
    show_default=True,
    type=click.IntRange(1),
    help="How many histories.",
)
@options.target_column
@options.target
@options.model
@options.trust_pickle
@options.rules
@options.as_json
@guarded
def retrospect(
    data: Path,
    row: int,
    histories: int,
    target_column: str | None,
    target: str | None,
    model_path: Path | None,
    trust_pickle: bool,
    rules: Path | None,
    json_output: bool,
) -> int:
    """How people with the outcome could have come to where one stands, and the last fork."""
    from facelift.explainer import FACElift
    from facelift.questions.retrospect import retrospect as looked_back

    given = prepared(data, row, target_column, model_path, trust_pickle, rules, target)
    explainer = FACElift(given.model, given.terrain).fit(given.table)
    case, label = given.table.iloc[[row]], label_of(explainer, target)
    found = looked_back(explainer, case, label, n_histories=histories)
    mention_rules(rules)
    click.echo(found.to_json() if json_output else str(found))
    return 0 if len(found) else NO_WAY
