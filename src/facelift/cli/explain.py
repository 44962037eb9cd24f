"""`facelift explain` and `demo`: ways for a row of a table; and questions about the ways of one.

`facelift contingency`, `retrospect`, and `check`: whether a certificate proves what it says.
"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from facelift.cli import options
from facelift.cli.inputs import Inputs, called, explained, inputs, label_of, load_model
from facelift.cli.running import NO_WAY, can_answer, guarded, say, show, wants_longer
from facelift.errors import InvalidInput

if TYPE_CHECKING:
    import pandas as pd

    from facelift.multiverse.multiverse import Multiverse


@click.command(
    epilog="Example: facelift explain loans.csv --target-column risk --target good --row 17"
)
@options.data
@options.row
@inputs
@options.explainer
@options.counterfactuals
@options.prototypes
@options.committee
@options.min_agreement
@options.ways
@options.steps
@click.option("--max-steps", type=click.IntRange(1), help="Largest number of steps of a way.")
@click.option(
    "--max-states", type=click.IntRange(1), help="Actions: stop the search after so many states."
)
@options.patience
@click.option(
    "--plausibility",
    type=options.Between(0, 1, min_open=True),
    help="Actions: no state lies farther from the records than this share of them from others.",
)
@click.option(
    "--neighbors", type=click.IntRange(1), help="Rows: to how many nearest records a step can lead."
)
@click.option(
    "--freeze",
    multiple=True,
    metavar="NAME",
    help="A column that will not change; may be given more than once.",
)
@click.option(
    "--threshold",
    default=0.5,
    show_default=True,
    type=options.Between(0, 1, min_open=True),
    help="Chance of the outcome that decides.",
)
@click.option(
    "--margin",
    default=0.02,
    show_default=True,
    type=options.Between(0, 1, max_open=True),
    help="How far above the threshold ways end.",
)
@click.option(
    "--deadline",
    metavar="TIME",
    help='Leave out ways that take longer, by the rates of the rules: "12 months".',
)
@options.routes
@click.option(
    "--keep-open",
    multiple=True,
    metavar="OUTCOME",
    help="An outcome besides the target that ways are to keep open; may be given more than once.",
)
@click.option(
    "--criteria",
    is_flag=True,
    help="Also print how each way scores on every criterion; with --json, all that is measured.",
)
@options.failure
@options.language
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
    max_states: int | None,
    patience: str | int | None,
    plausibility: float | None,
    neighbors: int | None,
    freeze: tuple[str, ...],
    threshold: float,
    margin: float,
    deadline: str | None,
    routes: int,
    keep_open: tuple[str, ...],
    criteria: bool,
    failure: float,
    language: str,
    json_output: bool,
) -> int:
    """Ways to another outcome for one row of a table: a CSV, Parquet or Arrow file."""
    from facelift.language import say
    from facelift.models import Committee

    given = asked.prepared().without_change_of(freeze)
    limits: dict[str, Any] = {"max_steps": max_steps, "threshold": threshold, "margin": margin}
    more: dict[str, Any] = {"max_states": max_states, "patience": patience}
    more |= {"plausibility": plausibility, "n_neighbors": neighbors}
    limits.update({name: value for name, value in more.items() if value is not None})
    if committee or min_agreement:
        limits["committee"] = Committee(given.committee(committee), min_agreement)
    limits |= {"n_counterfactuals": ways, "deadline": deadline, "routes": routes}
    limits["keep_open"] = keep_open or None
    asks = can_answer() and not json_output
    multiverse = explained(
        asked,
        given,
        counterfactuals,
        wants_longer=partial(wants_longer, language=language) if asks else None,
        steps=steps,
        prototypes=prototypes,
        **limits,
    )
    given.mention_rules()
    title = say("Row {row}", row=str(asked.row))
    if outcome := called(asked, multiverse.goal):
        title = say("Row {row}, {outcome}", row=str(asked.row), outcome=outcome)
    scores = _scores(multiverse) if criteria else None
    return show(
        multiverse,
        title,
        json_output,
        language=language,
        failure=failure,
        scores=scores,
        measured=None if scores is None else _measured(multiverse, scores, failure),
    )


@click.command(epilog="Example: facelift demo --applicant 4")
@click.option("--applicant", default=None, type=int, help="Row of the German Credit table, from 0.")
@options.ways
@options.steps
@options.failure
@options.language
@options.as_json
@guarded
def demo(
    applicant: int | None, ways: int, steps: str, failure: float, language: str, json_output: bool
) -> int:
    """Ways to a loan for a declined applicant of the embedded German Credit table."""
    from facelift.cli.demos import ways_to_a_loan
    from facelift.language import say

    row, multiverse = ways_to_a_loan(applicant, ways, steps)
    title = say("Applicant {row}", row=str(row))
    return show(multiverse, title, json_output, language=language, failure=failure)


def _scores(multiverse: Multiverse) -> pd.DataFrame:
    """Every way by all that ways can be chosen by, as far as enough is known of these."""
    from facelift.questions.ground import correctness, feasibility, stability
    from facelift.selection import USUAL, branching, keeping, lasting, simplicity, steadiness
    from facelift.views import table

    found = [*USUAL, simplicity, branching]
    found += [steadiness] if multiverse.graph is not None else []
    found += [feasibility, stability, correctness] if multiverse.question is not None else []
    found += [keeping] if multiverse.kept else []
    agreed = len(multiverse) and multiverse[0].agreement is not None
    return table.criteria(multiverse, [*found, lasting] if agreed else found)


def _measured(multiverse: Multiverse, scores: pd.DataFrame, failure: float) -> dict[str, Any]:
    """All that is measured of ways, and of pairs and families of them, for other programs."""
    import facelift as fl
    from facelift.selection import recommended
    from facelift.views import table

    frames = {
        "criteria": scores,
        "pairs": multiverse.pairs(),
        "stays_open": table.stays_open(multiverse),
        "no_return": fl.points_of_no_return(multiverse),
    }
    if multiverse.question is not None:
        frames["ground"] = fl.ground(multiverse)
    with suppress(InvalidInput):  # only a field in a plane flows
        frames["flow"] = fl.flow(multiverse, n_points=20)
    told: dict[str, Any] = {
        name: json.loads(frame.to_json(orient="records")) for name, frame in frames.items()
    }
    told["families"] = [
        {"members": each.members, "representative": each.representative}
        for each in multiverse.overview()
    ]
    if not len(multiverse):
        return told
    trunk = multiverse.trunk()
    told["trunk"] = trunk and {
        "vertices": trunk.journey.in_steps.vertices[: trunk.n_steps + 1].tolist(),
        "cost": trunk.cost,
        "ways": trunk.ways,
    }
    told["recommended"] = recommended(multiverse)
    if multiverse.graph is not None:
        told["expected_effort"] = multiverse.expected_effort(failure).tolist()
        told["independent_ways"] = fl.resilience(multiverse).n_independent
    return told


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
