"""The command `facelift`: the only module that prints.

Exit codes: 0 result, 1 error, 2 usage, 3 no way within the rules, 4 bad data or model,
130 interrupted. Standard output carries only the result; errors are one line plus a hint. With
--json an error is also a result: {"error": {"kind": …, "message": …}} on standard output.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from functools import wraps
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from facelift import __version__
from facelift.errors import (
    FaceliftError,
    InvalidData,
    InvalidInput,
    InvalidModel,
    MissingValues,
    UnknownColumn,
    nearest_name,
)

if TYPE_CHECKING:
    import pandas as pd

    from facelift.multiverse.multiverse import Multiverse

NO_RULES = "No rules given: every column may change, in both directions. See --rules."

ERROR, USAGE, NO_WAY, BAD_DATA, INTERRUPTED = 1, 2, 3, 4, 130


class UsageError(InvalidInput):
    """A command line that cannot be followed."""


class Commands(click.Group):
    """A group whose usage errors are machine readable too when --json was given."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Note whether --json is among the arguments before anything can go wrong."""
        ctx.meta[__name__] = "--json" in args
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except click.UsageError as fault:
            if ctx.meta[__name__]:
                click.echo(_error_json("UsageError", fault.format_message()))
            raise


def main() -> None:
    """Entry point of the command."""
    commands.main(prog_name="facelift")


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="facelift")
def commands() -> None:
    """Routes, not verdicts: ways to another outcome, and what each keeps open."""


def guarded(command: Callable[..., int]) -> Callable[..., None]:
    """Turn errors into one line on standard error and the right exit code."""

    @click.option("--debug", is_flag=True, help="Show the traceback of an error.")
    @wraps(command)
    def run(*args: Any, debug: bool, **options: Any) -> None:
        try:
            code = command(*args, **options)
        except BrokenPipeError:  # whoever read our output has enough; click ends quietly
            raise
        except (Exception, KeyboardInterrupt) as fault:
            code = _report(fault, debug=debug, json_output=options.get("json_output", False))
        sys.exit(code)

    return run


def _report(fault: BaseException, *, debug: bool, json_output: bool) -> int:
    """Tell what went wrong and return the exit code."""
    message = _message(fault)
    if debug:
        traceback.print_exception(fault)
    click.echo(f"facelift: {message}", err=True)
    if json_output:
        click.echo(_error_json(type(fault).__name__, message))
    return _exit_code(fault)


def _message(fault: BaseException) -> str:
    if isinstance(fault, KeyboardInterrupt):
        return "interrupted"
    words = " ".join(str(fault).split())
    if isinstance(fault, FaceliftError):
        return words
    kind = type(fault).__name__
    return f"unexpected {kind}: {words}; this is a fault of facelift, --debug shows where."


def _exit_code(fault: BaseException) -> int:
    if isinstance(fault, KeyboardInterrupt):
        return INTERRUPTED
    if isinstance(fault, UsageError):
        return USAGE
    return BAD_DATA if isinstance(fault, InvalidData | InvalidModel | UnknownColumn) else ERROR


def _error_json(kind: str, message: str) -> str:
    return json.dumps({"error": {"kind": kind, "message": message}}, ensure_ascii=False)


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


@commands.command(epilog="Example: facelift demo --applicant 4")
@click.option("--applicant", default=None, type=int, help="Row of the German Credit table, from 0.")
@ways
@steps
@as_json
@guarded
def demo(applicant: int | None, ways: int, steps: str, json_output: bool) -> int:
    """Ways to a loan for a declined applicant of the embedded German Credit table."""
    from facelift import datasets
    from facelift.models import small_classifier
    from facelift.terrain.terrain import Terrain

    table = datasets.load_german_credit()
    _check_row(applicant or 0, table.data)
    model = small_classifier(table.data, table.target)
    terrain = datasets.german_credit_rules(Terrain.infer(table.data))
    row = _first_declined(model, table.data) if applicant is None else applicant
    multiverse = _explained(model, terrain, table.data, row, "good", ways, steps)
    return _show(multiverse, f"Applicant {row}", json_output)


@commands.command(
    epilog="Example: facelift explain loans.csv --target-column risk --target good --row 17"
)
@click.argument("data", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--row", required=True, type=int, help="Row of the case, from 0, not counting the header."
)
@click.option("--target-column", help="Column of the outcome; a small model is trained on it.")
@click.option("--target", help="Outcome wanted; any other than the predicted when left out.")
@click.option(
    "--model",
    "model_path",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A fitted model: a joblib file, with --trust-pickle.",
)
@click.option("--trust-pickle", is_flag=True, help="Load a pickled model; it can run any code.")
@click.option(
    "--rules",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A rules file (TOML): what may change and at what price.",
)
@ways
@steps
@click.option("--max-steps", type=click.IntRange(1), help="Largest number of steps of a way.")
@click.option(
    "--threshold",
    default=0.5,
    show_default=True,
    type=click.FloatRange(0, 1, min_open=True),
    help="Chance of the outcome that counts as reaching it.",
)
@as_json
@guarded
def explain(
    data: Path,
    row: int,
    target_column: str | None,
    target: str | None,
    model_path: Path | None,
    trust_pickle: bool,
    rules: Path | None,
    ways: int,
    steps: str,
    max_steps: int | None,
    threshold: float,
    json_output: bool,
) -> int:
    """Ways to another outcome for one row of a CSV table."""
    model, terrain, table = _prepared(data, row, target_column, model_path, trust_pickle, rules)
    limits = {"max_steps": max_steps, "threshold": threshold}
    multiverse = _explained(model, terrain, table, row, target, ways, steps, **limits)
    if rules is None:
        click.echo(NO_RULES, err=True)
    return _show(multiverse, f"Row {row}", json_output)


def _prepared(
    data: Path,
    row: int,
    target_column: str | None,
    model_path: Path | None,
    trust_pickle: bool,
    rules: Path | None,
) -> tuple[Any, Any, pd.DataFrame]:
    """A model, the terrain and the table, from what was named on the command line."""
    from facelift.terrain.rules import read_rules
    from facelift.terrain.terrain import Terrain

    table, outcome = _table(data, target_column)
    if model_path is None and outcome is None:
        raise UsageError("Give --target-column to train a small model on, or --model.")
    _check_row(row, table)
    if model_path is None:
        model = None
    else:
        model = _load_model(model_path, trust_pickle)
        table = _known_columns(table, model)
    terrain = Terrain.infer(table)
    if rules is not None:
        terrain = read_rules(rules, terrain)
    if model is None:
        click.echo("Training a small model (50 neurons) on the table …", err=True)
        model = _trained(table, outcome)
    return model, terrain, table


@commands.command(
    epilog="Examples: facelift explore · facelift explore --demo digits · facelift explore "
    "--data loans.csv --target-column risk --target good --row 17 --rules rules.toml"
)
@click.option(
    "--demo",
    default="german",
    show_default=True,
    type=click.Choice(["german", "digits"]),
    help="Embedded data, where no --data is given.",
)
@click.option(
    "--data",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A CSV table of your own.",
)
@click.option("--row", type=int, help="Row of the case, from 0, not counting the header.")
@click.option("--target-column", help="Column of the outcome; a small model is trained on it.")
@click.option("--target", help="Outcome wanted; any other than the predicted when left out.")
@click.option(
    "--model",
    "model_path",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A fitted model: a joblib file, with --trust-pickle.",
)
@click.option("--trust-pickle", is_flag=True, help="Load a pickled model; it can run any code.")
@click.option(
    "--rules",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A rules file (TOML): what may change and at what price.",
)
@click.option(
    "--explainer",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="A saved explainer, instead of --rules; needs --data and its --model.",
)
@click.option("--picture", metavar="HxW", help="Columns are pixels of pictures this high and wide.")
@ways
@click.option(
    "--steps",
    type=click.Choice(["actions", "rows"]),
    help="One change at a time, or from record to record.  [default: actions; pictures: rows]",
)
@click.option(
    "--port", default=0, type=click.IntRange(0, 65535), help="Where to listen; 0: any free port."
)
@click.option("--no-browser", is_flag=True, help="Only print the address.")
@guarded
def explore(demo: str, data: Path | None, port: int, no_browser: bool, **asked: Any) -> int:
    """Open the navigator: a page on this machine to walk the ways on, step by step."""
    from facelift.web.server import serve

    guide = _demo_guide(demo, **asked) if data is None else _own_guide(data, **asked)
    page = serve(guide, port=port, browser=not no_browser)
    click.echo(page.url)
    click.echo("Serving on this machine only, until you press Ctrl-C.", err=True)
    with suppress(KeyboardInterrupt):  # the way to end it
        page.wait()
    page.stop()
    return 0


def _demo_guide(demo: str, row: int | None, ways: int, steps: str | None, **own: Any) -> Any:
    from facelift import demos

    if given := [name for name, value in own.items() if value]:
        raise UsageError(f"{_option(given[0])} is for a table of your own: give --data too.")
    if demo == "german":
        return demos.german_credit(row, n_ways=ways, steps=steps or "actions")
    if steps == "actions":
        raise UsageError("Pictures are walked from record to record: leave --steps out.")
    return demos.digits(row, n_ways=ways)


def _option(name: str) -> str:
    return "--model" if name == "model_path" else "--" + name.replace("_", "-")


def _own_guide(
    data: Path,
    row: int | None,
    target_column: str | None,
    target: str | None,
    model_path: Path | None,
    trust_pickle: bool,
    rules: Path | None,
    explainer: Path | None,
    picture: str | None,
    ways: int,
    steps: str | None,
) -> Any:
    from facelift.guide.guide import Guide

    if row is None:
        raise UsageError("Say which case with --row.")
    shape = None if picture is None else _shape(picture)
    steps = steps or ("actions" if shape is None else "rows")
    if explainer is not None:
        if model_path is None or rules is not None:
            raise UsageError("A saved explainer needs its --model, and has its rules already.")
        table, _ = _table(data, target_column)
        _check_row(row, table)
        multiverse = _loaded(explainer, _load_model(model_path, trust_pickle), table, row, target)
    else:
        model, terrain, table = _prepared(data, row, target_column, model_path, trust_pickle, rules)
        multiverse = _explained(model, terrain, table, row, target, ways, steps)
    return Guide(multiverse, title=f"Row {row}", picture=shape)


def _shape(picture: str) -> tuple[int, int]:
    height, _, width = picture.lower().partition("x")
    if not (height.isdigit() and width.isdigit() and int(height) and int(width)):
        raise UsageError(f"--picture takes a height and a width such as 28x28, got {picture!r}.")
    return int(height), int(width)


def _loaded(
    folder: Path, model: Any, table: pd.DataFrame, row: int, target: str | None
) -> Multiverse:
    from facelift.explainer import FACElift

    explainer = FACElift.load(folder, model=model)
    return explainer.explain(table.iloc[[row]], _label(explainer, target))


@commands.command(
    epilog="Example: facelift fit loans.csv --model m.joblib --trust-pickle --save saved"
)
@click.argument("data", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--model",
    "model_path",
    required=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A fitted model: a joblib file, with --trust-pickle.",
)
@click.option("--trust-pickle", is_flag=True, help="Load a pickled model; it can run any code.")
@click.option(
    "--rules",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A rules file (TOML): what may change and at what price.",
)
@click.option(
    "--save",
    "folder",
    required=True,
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder to write the fitted explainer to.",
)
@click.option(
    "--steps",
    default="rows",
    show_default=True,
    type=click.Choice(["actions", "rows"]),
    help="From one real record to the next, or one change at a time.",
)
@click.option("--cluster", "address", help="Address of a Dask scheduler whose workers help.")
@as_json
@guarded
def fit(
    data: Path,
    model_path: Path,
    trust_pickle: bool,
    rules: Path | None,
    folder: Path,
    steps: str,
    address: str | None,
    json_output: bool,
) -> int:
    """Learn the graph of a CSV table once, and save it for later explanations."""
    from facelift import cluster
    from facelift.explainer import FACElift
    from facelift.terrain.rules import read_rules
    from facelift.terrain.terrain import Terrain

    table, _ = _table(data, None)
    model = _load_model(model_path, trust_pickle)
    table = _known_columns(table, model)
    terrain = Terrain.infer(table)
    if rules is not None:
        terrain = read_rules(rules, terrain)
    explainer = FACElift(model, terrain, steps=steps)
    if address is None:
        explainer.fit(table)
    else:
        with cluster.connected(address) as client:
            cluster.fit(explainer, table, client)
    explainer.save(folder)
    graph = explainer.graph_
    counts = {"folder": str(folder), "records": len(graph), "edges": int(graph.costs.nnz)}
    words = f"{folder}: {len(graph):,} different records, {graph.costs.nnz:,} steps between them"
    click.echo(json.dumps(counts) if json_output else words)
    return 0


@commands.command(epilog="Example: facelift bench searches --quick")
@click.argument("names", nargs=-1)
@click.option("--quick", is_flag=True, help="Small sizes, to see that everything runs.")
@click.option(
    "--figure",
    type=click.Path(dir_okay=False, path_type=Path),
    help="File for a plot of how time grows with the table (SVG, PNG, PDF).",
)
@click.option("--save-baseline", is_flag=True, help="Keep these ratios to compare later runs with.")
@as_json
@guarded
def bench(
    names: tuple[str, ...],
    quick: bool,
    figure: Path | None,
    save_baseline: bool,
    json_output: bool,
) -> int:
    """Measure facelift against others, side by side; all benchmarks, or those named."""
    suite = _benchmarks()
    unknown = [name for name in names if name not in suite.NAMES]
    if unknown:
        raise UsageError(
            f"There is no benchmark {unknown[0]!r}; {nearest_name(unknown[0], suite.NAMES)}"
        )
    chosen = names or suite.NAMES
    found = suite.run(chosen, quick=quick, say=lambda line: click.echo(line, err=True))
    if figure is not None:
        suite.figure(found, figure)
    if save_baseline:
        suite.save_baseline(found)
    click.echo(found.to_json(orient="records") if json_output else suite.as_text(found))
    return 0


def _benchmarks() -> Any:
    """The benchmarks, which are part of the source tree and not of the installed package."""
    import facelift

    root = Path(facelift.__file__).parents[2]
    if not (root / "benchmarks" / "suite.py").exists():
        raise UsageError("Benchmarks come with the source of facelift: run this in a checkout.")
    sys.path.insert(0, str(root))
    return import_module("benchmarks.suite")


def _known_columns(table: pd.DataFrame, model: Any) -> pd.DataFrame:
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


def _check_row(row: int, table: pd.DataFrame) -> None:
    if len(table) and not 0 <= row < len(table):
        raise UsageError(f"There is no row {row}; rows run from 0 to {len(table) - 1}.")


def _explained(
    model: Any,
    terrain: Any,
    table: pd.DataFrame,
    row: int,
    target: str | None,
    ways: int,
    steps: str,
    **limits: Any,
) -> Multiverse:
    from facelift.explainer import FACElift

    explainer = FACElift(model, terrain, steps=steps, n_counterfactuals=ways, **limits)
    explainer.fit(table)
    return explainer.explain(table.iloc[[row]], _label(explainer, target))


def _label(explainer: Any, target: str | None) -> Any:
    """The outcome wanted as the model's own label; None for the other of two."""
    labels = {str(label): label for label in explainer.classes_.tolist()}
    if target is not None and target not in labels:
        raise UsageError(f"There is no outcome {target!r}; {nearest_name(target, labels)}")
    if target is None and len(labels) > 2:
        raise UsageError(f"Name the outcome wanted with --target; known: {', '.join(labels)}")
    return None if target is None else labels[target]


def _show(multiverse: Multiverse, title: str, json_output: bool) -> int:
    from facelift.views.text import multiverse_text

    if json_output:
        click.echo(multiverse.to_json())
    else:
        width = min(shutil.get_terminal_size((100, 24)).columns, 120)
        color = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
        click.echo(multiverse_text(multiverse, title=title, width=width, color=color), nl=False)
    why_not = multiverse.why_not
    return NO_WAY if why_not is not None and why_not.reason != "already there" else 0


def _first_declined(model: Any, table: pd.DataFrame) -> int:
    return int((model.predict(table) == "bad").argmax())


def _table(path: Path, target_column: str | None) -> tuple[pd.DataFrame, Any]:
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


def _trained(table: pd.DataFrame, outcome: pd.Series[Any]) -> Any:
    from facelift.models import small_classifier

    if outcome.nunique() < 2:
        raise InvalidData(f"Column {outcome.name!r} has one outcome only: {outcome.iloc[0]!r}.")
    try:
        return small_classifier(table, outcome)
    except ValueError as fault:
        raise InvalidData(f"Cannot train a model on column {outcome.name!r}: {fault}") from fault


def _load_model(path: Path, trust_pickle: bool) -> Any:
    if not trust_pickle:
        raise InvalidModel(
            f"{path} would be unpickled, which can run any code; "
            "add --trust-pickle if you trust where it comes from."
        )
    import joblib

    try:
        return joblib.load(path)
    except Exception as fault:
        raise InvalidModel(f"Cannot load a model from {path}: {fault}") from None


if __name__ == "__main__":
    main()
