"""`facelift contingency`: what to do when destinations get lost on the way."""

from __future__ import annotations

import click

from facelift.cli import options
from facelift.cli.inputs import Inputs, explained, inputs
from facelift.cli.running import guarded, say, show


@click.command(
    epilog="Example: facelift contingency loans.csv --target-column risk --target good --row 17 "
    "--loss 0.2"
)
@options.data
@options.row
@click.option(
    "--loss",
    default=0.2,
    show_default=True,
    type=options.Between(0, 1, max_open=True),
    help="Probability that a step loses a destination.",
)
@click.option(
    "--dead-end",
    type=options.Between(0),
    help="What ending with nothing costs.  [default: twice the dearest way]",
)
@inputs
@options.explainer
@options.ways
@options.steps
@options.as_json
@guarded
def contingency(
    asked: Inputs,
    loss: float,
    dead_end: float | None,
    ways: int,
    steps: str,
    json_output: bool,
) -> int:
    """The plan that costs least on average when destinations get lost, with its fallbacks."""
    from facelift.questions.contingency import contingency as planned

    given = asked.prepared()
    multiverse = explained(asked, given, steps=steps, n_counterfactuals=ways)
    given.mention_rules()
    if not len(multiverse):
        return show(multiverse, f"Row {asked.row}", json_output)
    plan = planned(multiverse, loss, dead_end=dead_end)
    if json_output:
        say(plan.to_json(), as_json=True)
        return 0
    compared = ", ".join(f"{name} {cost:.2f}" for name, cost in plan.compared.items())
    say(f"{plan}\nExpected cost: {compared}.")
    return 0
