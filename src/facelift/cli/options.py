"""Options that several commands share, and `facelift completion`: all of them at a key press."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import click
from click.shell_completion import get_completion_class

from facelift.cli.running import guarded
from facelift.errors import InvalidInput
from facelift.steps import KINDS, PATIENCE, patience_of

SHELLS = ("bash", "zsh", "fish")


@click.command(epilog='Example: eval "$(facelift completion bash)"')
@click.argument("shell", type=click.Choice(SHELLS))
@guarded
def completion(shell: str) -> int:
    """Print a script that makes a shell complete commands, options and columns of a table."""
    made = get_completion_class(shell)
    if made is None:  # pragma: no cover  (click knows all three)
        raise click.ClickException(f"click does not know {shell}.")
    root = click.get_current_context().find_root().command
    click.echo(made(root, {}, "facelift", "_FACELIFT_COMPLETE").source())
    return 0


def columns(context: click.Context, _: click.Parameter, incomplete: str) -> list[str]:
    """Columns of the table named so far that start with what has been typed."""
    given = [
        context.params.get("data"),
        *context.args,
    ]  # click leaves it in either
    tables = [Path(each) for each in given if each is not None and Path(each).is_file()]
    try:
        with tables[0].open(newline="", encoding="utf-8") as file:
            header = next(csv.reader(file), [])
    except (IndexError, OSError, ValueError):  # nothing to complete is not an error
        return []
    return [name for name in header if name.startswith(incomplete)]


Command = Callable[..., Any]

FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
OUTPUT = click.Path(dir_okay=False, path_type=Path)
data = click.argument("data", type=FILE, required=False)
SEED = click.IntRange(0, 2**32 - 1)
"""What every generator of random numbers takes."""


class Between(click.FloatRange):
    """A finite number within a range; NaN lies in none, and is told so before any work."""

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """The number, if it is finite and within the range."""
        number: float = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value} is not a finite number.", param, ctx)
        return number


class FigureFile(click.Path):
    """A file for a figure, whose ending says the format."""

    FORMATS = (".svg", ".png", ".pdf")

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """The path, if a figure can be written in its format."""
        path: Any = super().convert(value, param, ctx)
        if path.suffix.lower() not in self.FORMATS:
            self.fail(f"{value!r} must end in {', '.join(self.FORMATS)}.", param, ctx)
        return path


class Effort(click.ParamType):  # type: ignore[type-arg]  # not generic in older versions
    """A named patience, or a number of units of work."""

    name = "|".join([*PATIENCE, "UNITS"])

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """The name or the number, if it is one."""
        given = int(value) if str(value).isdecimal() else value
        try:
            patience_of(given)
        except InvalidInput as fault:
            self.fail(str(fault), param, ctx)
        return given


FIGURE = FigureFile(dir_okay=False, path_type=Path)

language = click.option(
    "--language",
    default="en",
    show_default=True,
    type=click.Choice(["en", "de", "fr", "pl", "es"]),
    help="Language of what people read; names of columns are those of the rules.",
)
failure = click.option(
    "--failure",
    default=0.1,
    show_default=True,
    type=Between(0, 1, max_open=True),
    help="How often a step fails, for the effort to expect: 0.1 is one in ten.",
)
routes = click.option(
    "--routes",
    default=1,
    show_default=True,
    type=click.IntRange(1),
    help="How many different routes to show to each destination.",
)
as_json = click.option("--json", "json_output", is_flag=True, help="Print a JSON document.")
patience = click.option("--patience", type=Effort(), help="Actions: how long to search for ways.")
ways = click.option(
    "-n", "--ways", default=7, show_default=True, type=click.IntRange(1, 26), help="How many ways."
)


def steps_option(text: str, default: str | None = None) -> Callable[[Command], Command]:
    """Which steps ways are made of."""
    choice = click.Choice(sorted(KINDS))
    shown = default is not None
    return click.option("--steps", default=default, show_default=shown, type=choice, help=text)


steps = steps_option(
    "actions: one change at a time; rows: from one real record to the next; field: along a "
    "smooth line.",
    "actions",
)
row = click.option(
    "--row", required=True, type=int, help="Row of the case, from 0, not counting the header."
)
_COLUMN = partial(click.option, "--target-column", shell_complete=columns)
target_column = _COLUMN(
    help="Column of the outcome. Without --model, a small model is trained to predict it."
)
column_without_rules = _COLUMN(help="Column of the outcome, which gets no rules.")
target = click.option(
    "--target",
    help="The outcome wanted; with two outcomes, the other one when left out. Of a predicted "
    "number, the range wanted: 100..200, 120.. or ..80.",
)
_MODEL = (
    "A fitted model: .skops, .onnx, .json or .ubj (XGBoost), .txt (LightGBM), .cbm (CatBoost); a "
    "joblib file with --trust-pickle."
)
model = click.option("--model", "model_path", type=FILE, help=_MODEL)
explainer = click.option(
    "--explainer",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="A folder saved by facelift fit, instead of --rules and fitting; needs its --model, or "
    "DATA and --target-column. Without DATA, --row is a row of the table it was fitted to.",
)
TRUSTED = f"{__name__}.trusted"
"""Where a command's context keeps the types named by --trust-type."""

prototypes = click.option(
    "--prototypes",
    metavar="K",
    type=click.IntRange(2),
    help="For privacy, replace real records by averages of at least K of them.",
)
committee = click.option(
    "--committee",
    default=0,
    type=click.IntRange(0, 1000),
    help="Also ask so many models trained on resampled tables; needs --target-column.",
)
min_agreement = click.option(
    "--min-agreement",
    default=0.0,
    type=Between(0, 1),
    help="Share of these models that must give the outcome at the end of a way.",
)
counterfactuals = click.option(
    "--counterfactuals",
    type=FILE,
    help="A CSV table of counterfactuals that another tool found: ways lead to these.",
)
_trust_pickle = click.option(
    "--trust-pickle", is_flag=True, help="Load a pickled model; it can run any code."
)
_trust_type = click.option(
    "--trust-type",
    multiple=True,
    metavar="TYPE",
    expose_value=False,
    callback=lambda context, _, types: context.meta.update({TRUSTED: types}),
    help="A type in a skops file to trust; may be given more than once.",
)


def trust_pickle(command: Command) -> Command:
    """Whom to trust when a model is loaded."""
    return _trust_pickle(_trust_type(command))


rules = click.option(
    "--rules", type=FILE, help="A rules file (TOML): what may change and at what price."
)
