"""From a case to its multiverse, and its multiverse on the terminal."""

from __future__ import annotations

import os
import shutil
import sys
from typing import TYPE_CHECKING, Any

import click

from facelift.cli.inputs import Given, range_ends, read_table
from facelift.cli.running import NO_WAY, UsageError
from facelift.errors import nearest_name

if TYPE_CHECKING:
    from pathlib import Path

    from facelift.multiverse.multiverse import Multiverse


def explained(
    given: Given,
    row: int,
    target: str | None,
    ways: int,
    steps: str,
    counterfactuals: Path | None = None,
    prototypes: int | None = None,
    **limits: Any,
) -> Multiverse:
    """The multiverse of one row of a table, explained on the spot.

    Where a table of counterfactuals is named, its journeys lead to these; with `prototypes`, they
    run through such of that many records.
    """
    from facelift.explainer import FACElift

    table = given.table
    explainer = FACElift(given.model, given.terrain, steps=steps, n_counterfactuals=ways, **limits)
    explainer.fit(table, share_rows=prototypes is None, min_records=prototypes or 2)
    case, label = table.iloc[[row]], label_of(explainer, target)
    if counterfactuals is None:
        return explainer.explain(case, label)
    ends, _ = read_table(counterfactuals, None)
    return explainer.bridge(case, ends[[name for name in ends if name in table]], label)


def label_of(explainer: Any, target: str | None) -> Any:
    """The outcome wanted as the model's own label, or a range; None for the other of two."""
    if not len(explainer.classes_):
        return _range(target)
    labels = {str(label): label for label in explainer.classes_.tolist()}
    if target is not None and target not in labels:
        raise UsageError(f"There is no outcome {target!r}; {nearest_name(target, labels)}")
    if target is None and len(labels) > 2:
        raise UsageError(f"Name the outcome wanted with --target; known: {', '.join(labels)}")
    return None if target is None else labels[target]


def _range(target: str | None) -> tuple[float | None, float | None]:
    """The range wanted of a predicted number, such as "100..200", "120.." or "..80"."""
    ends = range_ends(target)
    if ends is None:
        raise UsageError(
            "The model predicts a number; give the range wanted as --target LOW..HIGH, "
            f"either may be left out, got {target!r}."
        )
    return ends


def show(multiverse: Multiverse, title: str, json_output: bool) -> int:
    """Print a multiverse, for people or as JSON, and return the exit code."""
    from facelift.views.text import multiverse_text

    if json_output:
        click.echo(multiverse.to_json())
    else:
        width = min(shutil.get_terminal_size((100, 24)).columns, 120)
        color = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
        click.echo(multiverse_text(multiverse, title=title, width=width, color=color), nl=False)
    why_not = multiverse.why_not
    return NO_WAY if why_not is not None and why_not.reason != "already there" else 0
