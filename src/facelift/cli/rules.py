"""`facelift rules`: a first rules file for a table."""

from __future__ import annotations

import json
from pathlib import Path

import click

from facelift.cli import options
from facelift.cli.running import guarded, say
from facelift.cli.tables import read_table


@click.command(epilog="Example: facelift rules loans.csv --target-column risk --output rules.toml")
@click.argument("data", type=options.FILE)
@options.target_column
@click.option("--output", type=options.OUTPUT, help="File to write; printed when left out.")
@options.as_json
@guarded
def rules(data: Path, target_column: str | None, output: Path | None, json_output: bool) -> int:
    """Draft a rules file for a CSV table: what may change, and what to leave out or to read."""
    from facelift._files import written_whole
    from facelift.terrain.drafting import draft_rules

    table, _ = read_table(data, target_column)
    text = draft_rules(table)
    if output is not None:
        with written_whole(output) as fresh:
            fresh.write_text(text, encoding="utf-8")
    if json_output:
        say(json.dumps({"rules": text}, ensure_ascii=False), as_json=True)
    elif output is None:
        say(text, nl=False)
    else:
        n = text.count("check this") - 1
        say(f"{output}: a draft of rules; {n} line{'' if n == 1 else 's'} to check.")
    return 0
