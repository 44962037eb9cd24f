"""Questions about the ways of one person: `facelift contingency`, `retrospect` and `check`.

The last asks whether a certificate proves what it says.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import click

from facelift.cli import options
from facelift.cli.inputs import Inputs, explained, inputs, label_of, load_model
from facelift.cli.running import NO_WAY, guarded, say, show


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
    help="The cost of ending without any destination.  [default: twice the dearest way]",
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
    """The plan that costs least on average if destinations may become impossible on the way."""
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
    """How somebody who had the outcome could have lost it and come to this case, step by step."""
    from facelift.questions.retrospect import retrospect as looked_back

    given = asked.prepared()
    explainer = given.explainer("rows")
    case, label = given.table.iloc[[asked.row]], label_of(explainer, asked.target)
    found = looked_back(explainer, case, label, n_histories=histories)
    given.mention_rules()
    say(found.to_json() if json_output else str(found), as_json=json_output)
    return 0 if len(found) else NO_WAY


@click.command(epilog="Example: facelift check proof.json --model m.joblib --trust-pickle")
@click.argument("file", type=options.FILE)
@click.option("--model", "model_path", required=True, type=options.FILE, help="The fitted model.")
@options.trust_pickle
@options.as_json
@guarded
def check(file: Path, model_path: Path, trust_pickle: bool, json_output: bool) -> int:
    """Check a certificate that no cheaper way exists, without repeating the search."""
    from facelift.steps.proof import check_document

    text = file.read_text(encoding="utf-8", errors="replace")
    found = check_document(text, load_model(model_path, trust_pickle))
    say(json.dumps(asdict(found)) if json_output else str(found), as_json=json_output)
    return 0
