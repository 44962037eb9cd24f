"""`facelift retrospect`: how somebody could have come to where they stand."""

from __future__ import annotations

import click

from facelift.cli import options
from facelift.cli.inputs import Inputs, inputs, label_of
from facelift.cli.running import NO_WAY, guarded, say


@click.command(
    epilog="Example: facelift retrospect loans.csv --target-column risk --target good --row 17"
)
@options.data
@options.row
@click.option(
    "-n",
    "--histories",
    default=3,
    show_default=True,
    type=click.IntRange(1),
    help="How many histories.",
)
@inputs
@options.explainer
@options.as_json
@guarded
def retrospect(asked: Inputs, histories: int, json_output: bool) -> int:
    """How people with the outcome could have come to where one stands, and the last fork."""
    from facelift.questions.retrospect import retrospect as looked_back

    given = asked.prepared()
    explainer = given.explainer("rows")
    case, label = given.table.iloc[[asked.row]], label_of(explainer, asked.target)
    found = looked_back(explainer, case, label, n_histories=histories)
    given.mention_rules()
    say(found.to_json() if json_output else str(found), as_json=json_output)
    return 0 if len(found) else NO_WAY
