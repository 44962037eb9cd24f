"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path

import click

FILE = click.Path(exists=True, dir_okay=False, path_type=Path)

as_json = click.option("--json", "json_output", is_flag=True, help="Print a JSON document.")
ways = click.option(
    "-n", "--ways", default=7, show_default=True, type=click.IntRange(1, 26), help="How many ways."
)
steps = click.option(
    "--steps",
    default="actions",
    show_default=True,
    type=click.Choice(["actions", "rows"]),
    help="One change at a time, or from one real record to the next.",
)
row = click.option("--row", type=int, help="Row of the case, from 0, not counting the header.")
target_column = click.option(
    "--target-column", help="Column of the outcome; a small model is trained on it."
)
target = click.option(
    "--target",
    help="Outcome wanted; any other than the predicted when left out. Of a predicted number, the "
    "range wanted: 100..200, 120.. or ..80.",
)
model = click.option(
    "--model",
    "model_path",
    type=FILE,
    help="A fitted model: a joblib file, with --trust-pickle.",
)
trust_pickle = click.option(
    "--trust-pickle", is_flag=True, help="Load a pickled model; it can run any code."
)
rules = click.option(
    "--rules", type=FILE, help="A rules file (TOML): what may change and at what price."
)
