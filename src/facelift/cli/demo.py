"""`facelift demo`: a declined applicant of the embedded table."""

from __future__ import annotations

import click

from facelift.cli import options
from facelift.cli.running import guarded, show


@click.command(epilog="Example: facelift demo --applicant 4")
@click.option("--applicant", default=None, type=int, help="Row of the German Credit table, from 0.")
@options.ways
@options.steps
@options.as_json
@guarded
def demo(applicant: int | None, ways: int, steps: str, json_output: bool) -> int:
    """Ways to a loan for a declined applicant of the embedded German Credit table."""
    from facelift.cli.demos import ways_to_a_loan

    row, multiverse = ways_to_a_loan(applicant, ways, steps)
    return show(multiverse, f"Applicant {row}", json_output)
