"""Results in words: the tables as Markdown, and the page that says what holds and what does not."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from facelift.errors import InvalidInput
from facelift.files import written_whole
from facelift.reproduction import claims
from facelift.reproduction.finding import Finding, Line, Lines, lines
from facelift.reproduction.methods import BASELINES, METHODS
from facelift.reproduction.paper import PAPER
from facelift.reproduction.settings import TABLES
from facelift.reproduction.statistics import verdict


def run(part: str, folder: Path, **_: Any) -> Finding:
    """The page made of the results in a folder, as text; nothing is computed."""
    text = page(folder)
    return Finding(text, {"part": part, "page": text})


def page(folder: Path) -> str:
    """Everything there is to say of the results of all tables and the ablation in a folder."""
    names = ("cells", "tests", "studies")
    tables = {
        part: {name: _read(folder / f"{part}-{name}.csv", part) for name in names}
        for part in TABLES
    }
    joined = {name: [line for each in tables.values() for line in each[name]] for name in names}
    sections = [
        claims.opening(**joined),
        *(table_text(part, **table) for part, table in tables.items()),
        ablation_text(_read(folder / "ablation.csv", "ablation")),
        claims.AGAIN,
    ]
    return "\n\n".join(section.strip() for section in sections) + "\n"


def table_text(part: str, cells: Lines, tests: Lines, studies: Lines) -> str:
    """One of the paper's tables: our cells with the paper's in brackets, details, comparisons."""
    titles = {line["column"]: line["title"] for line in studies}
    return "\n\n".join(
        [
            f"## Table {part[-1]}",
            "Mean ± standard deviation over factuals, the paper's cell in brackets. Distance is "
            "Euclidean, between factual and counterfactual.",
            _main_table(cells, titles),
            "Beside it: for how many factuals a counterfactual was found, what the journey costs, "
            "its steps, how often it led to one of the alternatives (which was then left out), and "
            "processor seconds per factual.",
            _details(cells, titles),
            "FACElift against each baseline, opportunity potential: difference of means, Hedges' g "
            "and p of Welch's t-test.",
            _comparisons(tests, titles),
            "Data and models:",
            _studies(studies),
            f"![Opportunity potential of every method](reproduction/{part}.svg)",
        ]
    )


def ablation_text(curves: Lines) -> str:
    """How the choice changes as c grows."""
    names = ["data", "c", "choice", "opportunity", "distance", "journey cost", "steps"]
    rows = [
        [
            line["column"],
            f"{line['c']}",
            "told" if line["told"] else "own",
            *(spread(line, measure) for measure in ("opportunity", "distance", "cost", "steps")),
        ]
        for line in curves
    ]
    return "\n\n".join(
        [
            "## Ablation",
            "FACElift's choice among the c nearest counterfactuals: by its own destinations, and "
            "told the alternatives.",
            _markdown(names, rows),
            "![Opportunity and distance as c grows](reproduction/ablation.svg)",
        ]
    )


def write_text(text: str, path: Path) -> Path:
    """A text as a file, whole or not there."""
    with written_whole(path) as fresh:
        fresh.write_text(text.strip() + "\n", encoding="utf-8")
    return path


def spread(line: Line, measure: str) -> str:
    """A mean and its deviation; "none" where nothing was measured.

    >>> spread({"cost": 1.0, "cost_sd": 0.25}, "cost"), spread({"cost": None}, "cost")
    ('1.00 ± 0.25', 'none')
    """
    mean = line[measure]
    return "none" if mean is None else f"{mean:.2f} ± {line[f'{measure}_sd'] or 0:.2f}"


def _main_table(cells: Lines, titles: dict[str, str]) -> str:
    found = {(line["column"], line["method"]): line for line in cells}
    measures = {"distance": "distance ↓", "opportunity": "opportunity ↑"}
    names = [f"{title}, {what}" for title in titles.values() for what in measures.values()]
    rows = [
        [
            method,
            *(_beside(found[column, method], measure) for column in titles for measure in measures),
        ]
        for method in METHODS
    ]
    return _markdown(["", *names], rows)


def _beside(cell: Line, measure: str) -> str:
    """Our cell, and the paper's in brackets where it has one."""
    printed = PAPER.get((cell["column"], cell["method"]))
    ours = spread(cell, measure)
    return ours if printed is None else f"{ours} ({spread(printed._asdict(), measure)})"


def _details(cells: Lines, titles: dict[str, str]) -> str:
    names = ["", "", "found", "journey cost", "steps", "to an alternative", "seconds"]
    rows = [
        [
            titles[line["column"]],
            line["method"],
            f"{round(line['success'] * line['factuals'])} of {line['factuals']}",
            spread(line, "cost"),
            spread(line, "steps"),
            f"{line['is_alternative']:.0%}",
            f"{line['seconds']:.3f}",
        ]
        for line in cells
    ]
    return _markdown(names, rows)


def _comparisons(tests: Lines, titles: dict[str, str]) -> str:
    by = {
        (line["column"], line["ours"], line["baseline"]): line
        for line in tests
        if line["measure"] == "opportunity"
    }
    pairs = dict.fromkeys((column, ours) for column, ours, _ in by)
    rows = [
        [titles[column], ours, *(_compared(by[column, ours, name]) for name in BASELINES)]
        for column, ours in pairs
    ]
    return _markdown(["", "", *(f"against {name}" for name in BASELINES)], rows)


def _compared(test: Line) -> str:
    if test["p"] is None:
        return "nothing to compare"
    p = "p < 0.001" if test["p"] < 0.001 else f"p = {test['p']:.3f}"
    word = verdict(test["difference"], test["p"])
    effect = "" if test["g"] is None else f" g {test['g']:+.2f},"
    return f"{word}: {test['difference']:+.2f},{effect} {p}"


def _studies(studies: Lines) -> str:
    names = ["", "model: accuracy, AUC", "seed", "from → to", "factuals", "k", "λ", "spacing"]
    rows = [
        [
            line["title"],
            f"{line['accuracy']:.1%}, {line['auc']:.3f} on {line['n_tested']:,} rows",
            f"{line['seed']}",
            f"{line['undesired']} → {line['target']}",
            f"{line['factuals']} of {line['population']:,}",
            f"{line['n_neighbors']}",
            f"{line['decrease']:g}",
            f"{line['spacing']:g}",
        ]
        for line in studies
    ]
    return _markdown(names, rows)


def _markdown(names: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    table = [names, ["---"] * len(names), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in table)


def _read(path: Path, part: str) -> Lines:
    if not path.exists():
        raise InvalidInput(
            f"{path} is not there; run: facelift reproduce {part} --out {path.parent}"
        )
    return lines(pd.read_csv(path))
