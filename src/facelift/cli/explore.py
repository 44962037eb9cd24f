"""`facelift explore` and `site`: everybody of a table, and the navigator of one; `facelift audit`.

Tables that somebody drops on the page are read, trained and fitted as by the commands.
"""

from __future__ import annotations

import gc
import json
import math
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import click

from facelift._files import written_whole
from facelift.cli import options
from facelift.cli.inputs import Given, Inputs, called, explained, inputs, label_of
from facelift.cli.running import UsageError, guarded, say
from facelift.cli.tables import read_table
from facelift.errors import FaceliftError, InvalidData, UnknownColumn, nearest_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pandas as pd

    from facelift.walking.population import Population
    from facelift.web.tables import Tables


class Bench:
    """Reads a table that comes as text, and opens it with the small model of `facelift explain`."""

    def __init__(self, n_ways: int, steps: str) -> None:
        self.n_ways, self.steps = n_ways, steps

    def read(self, name: str, text: str) -> pd.DataFrame:
        """The table as it is."""
        with _written(name, text) as path:
            return read_table(path, None)[0]

    def open(
        self, name: str, text: str, target_column: str, target: str | None, rules: str
    ) -> Population:
        """Everybody in it, by a model trained on the column of the outcome, under rules."""
        with _written(name, text) as path:
            ruled = path.with_name("rules.toml")
            ruled.write_text(rules, encoding="utf-8")
            asked = Inputs(target_column, target, None, False, ruled, data=path, asks=False)
            settings: dict[str, Any] = {"steps": self.steps, "n_counterfactuals": self.n_ways}
            return people_of(asked, asked.prepared(), settings, None, name)


@contextmanager
def _written(name: str, text: str) -> Iterator[Path]:
    """A file for as long as it is read; faults name it as its owner does."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "table.csv")
        path.write_text(text, encoding="utf-8")
        try:
            yield path
        except FaceliftError as fault:
            words = str(fault).replace(str(path), name).replace(f"{folder}/", "")
            raise InvalidData(words) from None


WAYS = 7
"""How many ways, where neither the command line nor a saved explainer says."""


@click.command(
    epilog="Examples: facelift explore · facelift explore --demo digits · facelift explore "
    "loans.csv --target-column risk --target good --rules rules.toml · the same with --row 17"
)
@options.data
@click.option(
    "--demo",
    default="german",
    show_default=True,
    type=click.Choice(["german", "digits"]),
    help="Embedded data, where no DATA is given.",
)
@click.option("--data", "named", type=options.FILE, help="The same as DATA.")
@click.option(
    "--row",
    type=int,
    help="Row of the case to walk with, from 0; without it, everybody is shown to choose from.",
)
@inputs
@options.explainer
@click.option("--picture", metavar="HxW", help="Columns are pixels of pictures this high and wide.")
@options.counterfactuals
@click.option(
    "-n",
    "--ways",
    type=click.IntRange(1, 26),
    help=f"How many ways.  [default: {WAYS}; of a saved explainer: its own]",
)
@options.steps_option(
    "One change at a time, or from record to record.  [default: actions; pictures: rows]"
)
@options.routes
@click.option(
    "--port", default=0, type=click.IntRange(0, 65535), help="Where to listen; 0: any free port."
)
@click.option("--no-browser", is_flag=True, help="Only print the address.")
@options.as_json
@guarded
def explore(
    asked: Inputs,
    named: Path | None,
    demo: str,
    picture: str | None,
    counterfactuals: Path | None,
    ways: int | None,
    steps: str | None,
    routes: int,
    port: int,
    no_browser: bool,
    json_output: bool,
) -> int:
    """Open a page on this machine: everybody of a table, and the ways of each, step by step."""
    from facelift.web.server import serve

    asked = replace(asked, data=asked.data or named)
    if asked.data is None and asked.explainer is None:
        own = {"picture": picture, "counterfactuals": counterfactuals}
        shown = _demo(demo, asked, ways or WAYS, steps, own)
    elif asked.row is None:
        shown = _own_people(asked, ways, steps, counterfactuals, picture)
    else:
        shown = _own_guide(asked, ways, steps, counterfactuals, picture, routes)
    gc.freeze()  # what is loaded stays: no click shall wait while it is looked through for garbage
    page = serve(shown, port=port, browser=not no_browser, bookmarks=True)
    with suppress(KeyboardInterrupt):  # the way to end it, as soon as the address is known
        click.echo("Serving on this machine only, until you press Ctrl-C.", err=True)
        click.echo(json.dumps({"url": page.url}) if json_output else page.url)
        page.wait()
    page.stop()
    return 0


def _demo(demo: str, asked: Inputs, ways: int, steps: str | None, own: dict[str, Any]) -> Any:
    from facelift.cli import demos

    known = {**vars(asked), **own, "row": None, "asks": False}
    if given := [name for name, value in known.items() if value]:
        raise UsageError(f"{_option(given[0])} is for a table of your own: give DATA too.")
    if demo == "digits" and steps == "actions":
        raise UsageError("Pictures are walked from record to record: leave --steps out.")
    if asked.row is None:
        from facelift.web.tables import Tables

        bench = Bench(ways, steps or "actions")
        return Tables(demos.examples(ways, steps or "actions"), demo, bench)
    if demo == "german":
        return demos.german_credit(asked.row, n_ways=ways, steps=steps or "actions")
    return demos.digits(asked.row, n_ways=ways)


def _option(name: str) -> str:
    return "--model" if name == "model_path" else "--" + name.replace("_", "-")


def _own_guide(
    asked: Inputs,
    ways: int | None,
    steps: str | None,
    counterfactuals: Path | None,
    picture: str | None,
    routes: int,
) -> Any:
    from facelift.language import joined, label
    from facelift.walking.guide import Guide

    shape = _shape(picture)
    given = asked.prepared()
    settings = _settings(given, ways, steps, picture)
    multiverse = explained(asked, given, counterfactuals, routes=routes, **settings)
    title = joined([label("Row"), asked.row], " ")
    words = _called(getattr(multiverse.goal, "classes", ()), asked)
    return Guide(multiverse, title=title, words=words, picture=shape)


def _own_people(
    asked: Inputs,
    ways: int | None,
    steps: str | None,
    counterfactuals: Path | None,
    picture: str | None,
) -> Any:
    from facelift.web.tables import Example, Tables

    if counterfactuals is not None:
        raise UsageError("Counterfactuals are those of one case: say which with --row.")
    shape = _shape(picture)
    given = replace(asked, row=0, asks=False).prepared()
    settings = _settings(given, ways, steps, picture)

    def opened() -> Any:
        return people_of(asked, given, settings, shape, asked.name)

    bench = Bench(ways or WAYS, steps or "actions")
    return Tables({"own": Example("own", asked.name, "", opened)}, "own", bench)


def people_of(
    asked: Inputs, given: Given, settings: dict[str, Any], shape: tuple[int, int] | None, name: str
) -> Population:
    """Everybody of a table that a command was given."""
    from facelift.walking.population import Population

    explainer = given.explainer(**settings)
    return Population.of(
        explainer,
        given.table,
        _wanted(explainer, asked),
        title=name,
        picture=shape,
        outcome=given.outcome,
        words=_called(explainer.classes_.tolist(), asked),
    )


def _wanted(explainer: Any, asked: Inputs) -> Any:
    """The outcome wanted of everybody; guessed where none is named and there are several."""
    from facelift.walking.population import wanted_outcome

    if asked.target is None and len(explainer.classes_):
        return wanted_outcome(explainer.classes_.tolist(), asked.target_column or "")
    return label_of(explainer, asked.target)


def _called(outcomes: Iterable[Any], asked: Inputs) -> dict[str, str]:
    """What the outcomes are called."""
    from facelift.walking.population import outcome_words

    return outcome_words(outcomes, asked.target_column or "")


def _settings(
    given: Given, ways: int | None, steps: str | None, picture: str | None
) -> dict[str, Any]:
    """How a table of one's own is explained."""
    limits = {} if ways is None and given.saved else {"n_counterfactuals": ways or WAYS}
    return {"steps": steps or ("actions" if picture is None else "rows"), **limits}


def _shape(picture: str | None) -> tuple[int, int] | None:
    if picture is None:
        return None
    height, _, width = picture.lower().partition("x")
    if not (height.isdigit() and width.isdigit() and int(height) and int(width)):
        raise UsageError(f"--picture takes a height and a width such as 28x28, got {picture!r}.")
    return int(height), int(width)


@click.command(epilog="Example: facelift site public && python -m http.server -d public")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option(
    "--pyodide",
    metavar="ADDRESS",
    help="Where pages load Python from: an address, or a folder that is copied into the site. "
    "[default: Pyodide's own address]",
)
@options.as_json
@guarded
def site(folder: Path, pyodide: str | None, json_output: bool) -> int:
    """Write the demo as a site for any web server: Python runs in the visitor's browser."""
    from facelift.web.publishing import PYODIDE, publish

    source = PYODIDE if pyodide is None else pyodide
    files = publish(folder, source if source.startswith(("https:", "http:")) else Path(source))
    hint = f"python -m http.server -d {folder}"
    say(f"{len(files)} files. Serve the folder, for example: {hint}", err=True)
    told = {"folder": str(folder), "files": [str(each.relative_to(folder)) for each in files]}
    click.echo(json.dumps(told) if json_output else str(folder / "index.html"))
    return 0


def answer(message: str) -> tuple[str, bytes]:
    """The answer to a message of the page: its head as JSON, and content; called by the worker.

    >>> answer('{"id": "1", "ask": "door"}')[0]
    '{"id": "1", "kind": "application/json"}'
    """
    from facelift.web.messages import reply

    head, content = reply(_tables(), json.loads(message))
    return json.dumps(head), content


@cache
def _tables() -> Tables:
    """The embedded tables, opened without threads."""
    from facelift.cli.demos import examples
    from facelift.cli.explore import Bench
    from facelift.web.tables import Tables

    return Tables(examples(WAYS, "actions"), "german", Bench(WAYS, "actions"), threads=False)


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
