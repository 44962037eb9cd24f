"""What a command is given: a table, a model and rules, read and checked."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from facelift.cli import options
from facelift.cli.running import UsageError
from facelift.errors import InvalidData, MissingValues, UnknownColumn, nearest_name

if TYPE_CHECKING:
    import pandas as pd


NO_RULES = "No rules given: every column may change, in both directions. See --rules."


@dataclass(frozen=True, eq=False)
class Given:
    """What a command was given to explain with.

    `table` has the columns that the model knows, `whole` all of the file, `outcome` what it was
    or could be trained on, where the command line names that.
    """

    model: Any
    terrain: Any
    table: pd.DataFrame
    whole: pd.DataFrame
    outcome: Any

    def committee(self, n: int) -> list[Any]:
        """Models like the given one, fitted to bootstrap samples of the table."""
        from facelift.models import committee

        if n == 0 or self.outcome is None:
            raise UsageError(
                "A committee is fitted to the table: give --committee and --target-column."
            )
        click.echo(f"Fitting {n} models to bootstrap samples of the table …", err=True)
        return committee(self.model, self.table, self.outcome, n=n)


def prepared(
    data: Path,
    row: int,
    target_column: str | None,
    model_path: Path | None,
    trust_pickle: bool,
    rules: Path | None,
    target: str | None = None,
) -> Given:
    """A model, the terrain and the table, from what was named on the command line."""
    from facelift.terrain.rules import read_rules
    from facelift.terrain.terrain import Terrain

    whole, outcome = read_table(data, target_column)
    if model_path is None and outcome is None:
        raise UsageError("Give --target-column to train a small model on, or --model.")
    check_row(row, whole)
    if model_path is None:
        model, table = None, whole
    else:
        model = load_model(model_path, trust_pickle)
        table = known_columns(whole, model)
    terrain = Terrain.infer(table)
    if rules is not None:
        terrain = read_rules(rules, terrain)
    if model is None:
        click.echo("Training a small model (50 neurons) on the table …", err=True)
        model = _trained(table, outcome, range_ends(target) is not None)
    return Given(model, terrain, table, whole, outcome)


def mention_rules(rules: Path | None) -> None:
    """Say aside what it means to give none."""
    if rules is None:
        click.echo(NO_RULES, err=True)


def read_table(path: Path, target_column: str | None) -> tuple[pd.DataFrame, Any]:
    """A CSV table and, where a column of it is named as such, its outcome."""
    import pandas as pd

    try:
        table = pd.read_csv(path)
    except (ValueError, OSError) as fault:
        raise InvalidData(f"Cannot read {path} as a CSV table: {fault}") from None
    if target_column is None:
        return table, None
    if target_column not in table.columns:
        raise UnknownColumn(
            f"{path} has no column {target_column!r}; known: {', '.join(map(str, table.columns))}"
            + _separator_hint(table)
        )
    outcome = table[target_column]
    if outcome.isna().any():
        raise MissingValues(
            f"Missing values in {target_column} ({outcome.isna().sum()}); every row needs an "
            "outcome: drop or fill them first."
        )
    return table.drop(columns=target_column), outcome


def _separator_hint(table: pd.DataFrame) -> str:
    only = str(table.columns[0]) if table.shape[1] == 1 else ""
    marks = [mark for mark in (";", "\t", "|") if mark in only]
    return f" (columns look separated by {marks[0]!r}: save them with commas)" if marks else ""


def known_columns(table: pd.DataFrame, model: Any) -> pd.DataFrame:
    """The columns the model was fitted on, where it says so; the outcome is not among them."""
    known = getattr(model, "feature_names_in_", None)
    if known is None:
        return table
    missing = [name for name in known if name not in table.columns]
    if missing:
        raise UnknownColumn(
            f"The model needs a column {missing[0]!r}; {nearest_name(missing[0], table.columns)}"
        )
    return table[list(known)]


def check_row(row: int, table: pd.DataFrame) -> None:
    """Refuse a row that the table does not have."""
    if len(table) and not 0 <= row < len(table):
        raise UsageError(f"There is no row {row}; rows run from 0 to {len(table) - 1}.")


def range_ends(target: str | None) -> tuple[float | None, float | None] | None:
    """The ends of a range such as "100..200", "120.." or "..80"; None if it is none.

    >>> range_ends("120.."), range_ends("-1.5..2"), range_ends("good"), range_ends("..")
    ((120.0, None), (-1.5, 2.0), None, None)
    """
    low, dots, high = (target or "").partition("..")
    try:
        ends = (float(low) if low else None, float(high) if high else None)
    except ValueError:
        return None
    return ends if dots and ends != (None, None) else None


def _trained(table: pd.DataFrame, outcome: pd.Series[Any], predicts: bool) -> Any:
    import pandas as pd

    from facelift.models import small_classifier, small_regressor

    if predicts and pd.api.types.is_numeric_dtype(outcome.dtype):
        return small_regressor(table, outcome)

    if outcome.nunique() < 2:
        raise InvalidData(f"Column {outcome.name!r} has one outcome only: {outcome.iloc[0]!r}.")
    try:
        return small_classifier(table, outcome)
    except ValueError as fault:
        raise InvalidData(f"Cannot train a model on column {outcome.name!r}: {fault}") from fault


def load_model(path: Path, trust_pickle: bool) -> Any:
    """A fitted model from a file; one that is pickled only with the user's word."""
    from facelift.models import files as model_files

    trusted = click.get_current_context().meta.get(options.TRUSTED, ())
    return model_files.load_model(path, trust_pickle=trust_pickle, trusted=trusted)
