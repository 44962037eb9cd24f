"""`facelift audit`: who has ways out, group by group."""

from __future__ import annotations

import math
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from facelift._files import written_whole
from facelift.cli import options
from facelift.cli.inputs import Inputs, called, inputs, label_of
from facelift.cli.running import UsageError, guarded, say
from facelift.errors import UnknownColumn, nearest_name

if TYPE_CHECKING:
    import pandas as pd


@click.command(
    epilog="Example: facelift audit loans.csv --target-column risk --target good --by sex "
    "--by age:25,40 --rules rules.toml --report audit.html"
)
@options.data
@click.option(
    "--by",
    required=True,
    multiple=True,
    metavar="COLUMN[:EDGES]",
    help="Column of the groups, numbers cut at edges such as age:25,40; several make combinations.",
)
@inputs
@options.explainer
@options.ways
@options.steps_option(
    "From one real record to the next, everybody at once; or one change at a time, person by "
    "person.",
    "rows",
)
@click.option(
    "--sample", type=click.IntRange(1), help="Audit only so many people, drawn at random."
)
@click.option(
    "--resilience",
    default=0,
    type=click.IntRange(0),
    metavar="N",
    help="For N people of each group, also count the ways that share no state (slow).",
)
@click.option(
    "--pockets",
    is_flag=True,
    help="Also find groups of people for whom the same few ways exist, or none.",
)
@click.option(
    "--seed",
    default=0,
    show_default=True,
    type=options.SEED,
    help="Seed of the random draws.",
)
@click.option("--report", type=options.OUTPUT, help="File for a report: one HTML page.")
@click.option("--figure", type=options.FIGURE, help="File for a figure (SVG, PNG, PDF).")
@options.as_json
@guarded
def audit(
    asked: Inputs,
    by: tuple[str, ...],
    ways: int,
    steps: str,
    sample: int | None,
    resilience: int,
    pockets: bool,
    seed: int,
    report: Path | None,
    figure: Path | None,
    json_output: bool,
) -> int:
    """Which groups have ways to the outcome, how many, at what cost, and whether groups differ."""
    from facelift.auditing import Audit
    from facelift.views.audits import audit_figure, audit_json, audit_report, audit_text

    given = asked.prepared()
    known, groups = given.table, _groups(given.whole, by)
    explainer = given.explainer(steps, n_counterfactuals=ways, n_jobs=-1)
    if sample is not None and sample < len(known):
        known = known.sample(sample, random_state=seed)
        groups = groups.loc[known.index]
    wanted = {"target": label_of(explainer, asked.target), "random_state": seed}
    wanted["n_resilience"] = resilience
    found = Audit.of(explainer, known, by=groups, pockets=pockets, **wanted)
    given.mention_rules()
    if report is not None:
        model, rules = asked.origins
        counted = f"Model: {model}. Steps: {explainer.steps}. Rules: {rules}."
        title = f"Audit of {asked.name}"
        page = audit_report(found, title=title, counted=counted, ruled=given.ruled)
        with written_whole(report) as fresh:
            fresh.write_text(page, encoding="utf-8")
    if figure is not None:
        with written_whole(figure) as fresh:
            audit_figure(found).savefig(fresh, format=figure.suffix.removeprefix("."))
    text = audit_json(found) if json_output else audit_text(found, called(asked, found.goal))
    say(text, nl=json_output, as_json=json_output)
    return 0


def _groups(table: pd.DataFrame, by: tuple[str, ...]) -> pd.DataFrame:
    """The columns that make the groups, numbers cut into bands where edges are given."""
    import pandas as pd

    return pd.DataFrame(dict(_column(table, each) for each in by))


def _column(table: pd.DataFrame, asked: str) -> tuple[str, pd.Series[Any]]:
    name, _, edges = asked.partition(":") if asked not in table.columns else (asked, "", "")
    if name not in table.columns:
        raise UnknownColumn(f"There is no column {name!r}; {nearest_name(name, table.columns)}")
    return name, _cut(table[name], edges) if edges else table[name]


def _cut(column: pd.Series[Any], edges: str) -> pd.Series[Any]:
    """Numbers in bands, each up to and with its upper edge."""
    import pandas as pd

    needed = "Edges are numbers such as age:25,40, for a column of numbers"
    try:
        cuts = sorted({float(edge) for edge in edges.split(",")})
        values = column.astype(float)
    except ValueError:
        raise UsageError(f"{needed}; got {column.name}:{edges}.") from None
    if not all(map(math.isfinite, cuts)):
        raise UsageError(f"{needed}, and finite; got {column.name}:{edges}.")
    words = [f"{edge:.15g}" for edge in cuts]
    between = [f"over {low} to {high}" for low, high in pairwise(words)]
    labels = [f"up to {words[0]}", *between, f"over {words[-1]}"]
    bands = pd.cut(values, [-float("inf"), *cuts, float("inf")], labels=labels)
    return pd.Series(bands, index=column.index)
