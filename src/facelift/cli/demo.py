"""`facelift demo`: a declined applicant of the embedded table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from facelift.cli import options
from facelift.cli.answers import explained, show
from facelift.cli.inputs import Given, check_row
from facelift.cli.running import guarded

if TYPE_CHECKING:
    import pandas as pd


@click.command(epilog="Example: facelift demo --applicant 4")
@click.option("--applicant", default=None, type=int, help="Row of the German Credit table, from 0.")
@options.ways
@options.steps
@options.as_json
@guarded
def demo(applicant: int | None, ways: int, steps: str, json_output: bool) -> int:
    """Ways to a loan for a declined applicant of the embedded German Credit table."""
    from facelift import datasets
    from facelift.models import small_classifier
    from facelift.terrain.terrain import Terrain

    table = datasets.load_german_credit()
    check_row(applicant or 0, table.data)
    model = small_classifier(table.data, table.target)
    terrain = datasets.german_credit_rules(Terrain.infer(table.data))
    row = _first_declined(model, table.data) if applicant is None else applicant
    given = Given(model, terrain, table.data, table.data, table.target)
    multiverse = explained(given, row, "good", ways, steps)
    return show(multiverse, f"Applicant {row}", json_output)


def _first_declined(model: Any, table: pd.DataFrame) -> int:
    return int((model.predict(table) == "bad").argmax())
