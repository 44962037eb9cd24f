"""`facelift explain`, `demo` and `letter`: ways for a row of a table; and questions about them.

`facelift contingency`, `retrospect`, and `check`: whether a certificate proves what it says.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from contextlib import suppress
from dataclasses import asdict
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import click

from facelift.cli import options
from facelift.cli.inputs import Inputs, called, explained, inputs, label_of, load_model
from facelift.cli.running import NO_WAY, UsageError, can_answer, guarded, say, show, wants_longer
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
    "--or-target",
    multiple=True,
    metavar="OUTCOME",
    help="An outcome that will do as well as the target; may be given more than once.",
)
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
    or_target: tuple[str, ...],
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
        or_target=or_target,
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
    from facelift.choosing import USUAL, branching, keeping, lasting, simplicity, steadiness
    from facelift.questions.ground import correctness, feasibility, stability
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
    from facelift.choosing import recommended
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


BROWSERS = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "msedge",
    "microsoft-edge",
)
"""Programs that can print HTML to PDF without a window."""

FORMATS = (".txt", ".html", ".pdf")


class LetterFile(click.Path):
    """A file for a letter, whose ending says the format."""

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """The path, if a letter can be written in its format."""
        path: Any = super().convert(value, param, ctx)
        if path.suffix.lower() not in FORMATS:
            self.fail(f"{value!r} must end in {', '.join(FORMATS)}.", param, ctx)
        return path


@click.command(
    epilog="Example: facelift letter loans.csv --target-column risk --target good --row 17 "
    "--language de --output letter.html"
)
@options.data
@options.row
@inputs
@options.explainer
@options.committee
@options.ways
@options.steps
@click.option(
    "--threshold",
    default=0.5,
    show_default=True,
    type=options.Between(0, 1, min_open=True),
    help="Chance of the outcome that counts as reaching it.",
)
@options.language
@click.option(
    "--regime",
    default="eu",
    show_default=True,
    type=click.Choice(["eu", "us", "plain"]),
    help="Which law the letter follows: eu (GDPR), us (ECOA) or plain (neither). No legal advice.",
)
@click.option(
    "--show",
    "n_ways",
    default=2,
    show_default=True,
    type=click.IntRange(1, 3),
    help="How many ways the letter describes.",
)
@click.option("--sender", default="", help="Name and address; \\n begins a new line.")
@click.option("--recipient", default="", help="Name and address; \\n begins a new line.")
@click.option("--date", default=None, type=click.DateTime(["%Y-%m-%d"]), help="Date of the letter.")
@click.option("--reference", default="", help="Reference of the sender.")
@click.option("--contact", default="", help="Whom the person can write to.")
@click.option("--subject", default="", help="What the letter is about.")
@click.option(
    "--outcome",
    default="",
    help='The outcome in words, such as "a loan", for the sentence on the chance.',
)
@click.option(
    "--person/--no-person", default=None, help="Whether a person took part in the decision."
)
@click.option("--authority", default="", help="Name and address of the supervising authority.")
@click.option(
    "--output", type=LetterFile(dir_okay=False, path_type=Path), help="A .txt, .html or .pdf file."
)
@options.as_json
@guarded
def letter(
    asked: Inputs,
    committee: int,
    ways: int,
    steps: str,
    threshold: float,
    date: Any,
    sender: str,
    recipient: str,
    output: Path | None,
    json_output: bool,
    **words: Any,
) -> int:
    """One page in plain words for the person: the decision, ways to another, and rights."""
    from facelift.language import language_of
    from facelift.views.letters import letter as written

    given = asked.prepared()
    limits: dict[str, Any] = {"threshold": threshold, "n_counterfactuals": ways}
    if committee:
        limits["committee"] = given.committee(committee)
    multiverse = explained(asked, given, steps=steps, prototypes=None, **limits)
    given.mention_rules()
    if not words["outcome"] and (outcome := called(asked, multiverse.goal)):
        told_in = language_of(words["language"])
        words["outcome"] = told_in.say("“{words}”", words=outcome)
    told = written(
        multiverse,
        sender=sender.replace("\\n", "\n"),
        recipient=recipient.replace("\\n", "\n"),
        date="" if date is None else date.date(),
        **words,
    )
    if output is not None:
        _write(output, told)
    if json_output:
        say(json.dumps({"text": told.text, "html": told.html}, ensure_ascii=False), as_json=True)
    elif output is None:
        say(told.text, nl=False)
    else:
        say(f"{output}: a letter for row {asked.row}.")
    return 0 if len(multiverse) else NO_WAY


def _write(output: Path, told: Any) -> None:
    """The letter in the format that the file's ending says."""
    from facelift._files import written_whole

    kind = output.suffix.lower()
    with written_whole(output) as fresh:
        if kind == ".pdf":
            _print(told.html, fresh)
        else:
            fresh.write_text(told.text if kind == ".txt" else told.html, encoding="utf-8")


def _print(html: str, output: Path) -> None:
    """Print a page to PDF by a browser without a window."""
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        raise UsageError(
            "A PDF needs Chromium, Chrome or Edge, and none was found; give --output letter.html "
            "and print that from a browser."
        )
    as_root = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    with TemporaryDirectory() as folder:
        page, made = Path(folder) / "letter.html", Path(folder) / "letter.pdf"
        page.write_text(html, encoding="utf-8")
        command = [browser, "--headless", "--disable-gpu", *as_root, "--no-pdf-header-footer"]
        command += [f"--user-data-dir={folder}/profile", f"--print-to-pdf={made}", page.as_uri()]
        subprocess.run(command, capture_output=True, check=False, timeout=120)  # noqa: S603
        if not made.is_file():
            raise UsageError(
                f"{browser} made no PDF; give --output letter.html and print that from a browser."
            )
        output.write_bytes(made.read_bytes())
