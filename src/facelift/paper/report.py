"""Results in words: the tables as Markdown, and the page that says what holds and what does not."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from facelift.errors import InvalidInput
from facelift.paper import (
    Line,
    Lines,
    Result,
    claims,
    lines,
    read_results,
    write_table,
    write_text,
)
from facelift.paper.protocol import BASELINES, METHODS
from facelift.paper.studies import PAPER, QUICK, TABLES, Extent


@dataclass(frozen=True)
class Results:
    """What was measured: cells of every seed, comparisons over all of them, and data and models."""

    cells: Lines
    tests: Lines
    studies: Lines

    def part(self, part: str) -> Results:
        """The same of the columns of one table."""
        names = {column.name for setting in TABLES[part] for column in setting.columns}

        def own(found: Lines) -> Lines:
            return [line for line in found if line["column"] in names]

        return Results(own(self.cells), own(self.tests), own(self.studies))

    def document(self, part: str) -> dict[str, Lines]:
        """One table as plain values."""
        return dict(vars(self.part(part)))

    @property
    def titles(self) -> dict[str, str]:
        """The columns and their titles, in the order of the paper's tables."""
        known = {line["column"] for line in self.studies}
        settings = [setting for table in TABLES.values() for setting in table]
        columns = [column for setting in settings for column in setting.columns]
        return {each.name: each.title for each in columns if each.name in known}

    @property
    def pooled(self) -> Lines:
        """Cells as means over seeds, their people counted together, in the order of the tables."""
        if not self.cells:
            return []
        table = pd.DataFrame(list(self.cells))
        names = ["alternatives", "column", "method"]
        means = table.drop(columns=["seed", "factuals"]).groupby(names, sort=False).mean()
        means.insert(0, "factuals", table.groupby(names, sort=False)["factuals"].sum())
        order = list(self.titles)
        ranks = {"column": order.index, "method": METHODS.index}
        found = means.reset_index().sort_values(
            ["alternatives", "column", "method"],
            key=lambda names: names.map(ranks[str(names.name)]) if names.name in ranks else names,
        )
        return lines(found)


def read(folder: Path) -> Results:
    """The results in a folder."""
    return Results(
        *(_read(folder / f"{name}.csv", "--full") for name in ("cells", "tests", "studies"))
    )


def write_page(part: str, folder: Path, _: Extent = QUICK) -> Result:
    """Write the page made of the results in a folder, beside it; nothing is computed."""
    text = page(folder)
    path = write_text(text, folder.with_name(f"{folder.name}.md"))
    results = read(folder)
    files = [write_table(table, folder / name) for name, table in page_tables(results).items()]
    return Result(text, {"part": part, "page": text}, (path, *files))


def page_tables(results: Results) -> dict[str, pd.DataFrame]:
    """The tables that the page shows, by the names of their files."""
    found = {}
    for part in TABLES:
        own = results.part(part)
        if own.studies:
            drawn = [line for line in own.pooled if line["alternatives"] == "drawn"]
            found[f"{part}.csv"] = _frame(*_main_table(drawn, own.titles))
            found[f"{part}-models.csv"] = _frame(*_studies(own.studies, own.titles))
    seeds = seeds_table(results)
    return {**found, "seeds.csv": seeds} if len(seeds) else found


def _frame(names: Sequence[str], rows: Sequence[Sequence[str]]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=list(names))


def page(folder: Path) -> str:
    """Everything there is to say of the results of all tables and the ablation in a folder."""
    results = read(folder)
    spacing = _read(folder / "ablation-spacing.csv", "ablation")
    titles = results.titles
    ordered = sorted(results.studies, key=lambda line: list(titles).index(line["column"]))
    sections = [
        claims.opening(results.pooled, results.tests, ordered, spacing),
        *(summary_text(part, results, folder.name) for part in TABLES),
        seeds_text(results, folder.name),
        f"## Ablation\n\n{claims.ablated(folder.name, _read(folder / 'ablation.csv', 'ablation'))}",
        "## The paper's distances on tables",
        claims.told_distances(_read(folder / "distances.csv", "distances")),
        claims.again(folder.name),
    ]
    return "\n\n".join(section.strip() for section in sections if section)


def summary_text(part: str, results: Results, folder: str) -> str:
    """One of the paper's tables as the page has it: the picture, and files that the site shows."""
    if not results.part(part).studies:
        return ""
    return "\n\n".join(
        [
            f"## Table {part[-1]}",
            f"![Opportunity potential of every method]({folder}/{part}.svg)",
            f"{CELLS} " * (part == "table1") + f"Files: [the cells]({folder}/{part}.csv), [data "
            f"and models]({folder}/{part}-models.csv).",
            *(
                f"```{{csv-table}}\n:file: {folder}/{part}{name}.csv\n:header-rows: 1\n```"
                for name in ("", "-models")
            ),
        ]
    )


CELLS = (
    "Mean ± standard deviation over factuals, the paper's cell in brackets. Distance is Euclidean, "
    "from factual to counterfactual; alternatives are drawn."
)
"""What the cells of a table are."""


def table_text(part: str, results: Results) -> str:
    """One of the paper's tables: our cells with the paper's in brackets, details, comparisons."""
    own = results.part(part)
    if not own.studies:
        return ""
    titles = own.titles
    drawn = [line for line in own.pooled if line["alternatives"] == "drawn"]
    return "\n\n".join(
        [
            f"## Table {part[-1]}",
            CELLS,
            _markdown(*_main_table(drawn, titles)),
            "FACElift against each baseline, opportunity potential: difference and its 95 % "
            "interval, what both tests say, and p of the paired t-test and of Wilcoxon's, both by "
            "Holm. First by alternatives drawn, then by alternatives grown from the nearest.",
            _comparisons(claims.judged(own.tests, "drawn"), titles),
            _comparisons(claims.judged(own.tests, "grown"), titles),
            "Beside it: for how many factuals a counterfactual was found, what the journey costs, "
            "its steps, how many journeys have one step, how often a journey led to one of the "
            "alternatives (a further one stood in), opportunity by alternatives grown from the "
            "nearest, and processor seconds per factual.",
            _details(own.pooled, titles),
            "Data and models:",
            _markdown(*_studies(own.studies, titles)),
            f"![Opportunity potential of every method]({part}.svg)",
        ]
    )


def seeds_text(results: Results, folder: str) -> str:
    """How far differences spread over seeds, if there are several: a file that the site shows."""
    if not len(seeds_table(results)):
        return ""
    return "\n\n".join(
        [
            "## Seeds",
            "A seed decides the split, the network and who is drawn. The mean difference, that of "
            "the seeds with the least and the most, and its interval for any seed.",
            f"```{{csv-table}}\n:file: {folder}/seeds.csv\n:header-rows: 1\n```",
        ]
    )


def seeds_table(results: Results) -> pd.DataFrame:
    """Every difference by drawn alternatives, how seeds spread, and what is likely of any."""
    rows = [
        [
            results.titles[line["column"]],
            f"{line['ours']} − {line['baseline']}",
            f"{line['seeds']}",
            *(claims.signed(line[name]) for name in ("difference", "least_seed", "most_seed")),
            claims.interval(line, "any_seed_low", "any_seed_high"),
        ]
        for line in results.tests
        if line["alternatives"] == "drawn" and line["seeds"] and line["seeds"] > 1
    ]
    return _frame(["data", "methods", "seeds", "difference", "least", "most", "any seed"], rows)


def distances_text(found: Lines) -> str:
    """What encodings and definitions of distance give for FACE, beside what the paper prints."""
    names = ["data", "the paper", "encoding", "records", *claims.DEFINITIONS.values()]
    rows = [
        [
            claims.TITLES[line["study"]],
            f"{PAPER[line['study'], 'FACE'].distance:.2f}",
            line["encoding"],
            line["records"],
            *(_near(line, name) for name in claims.DEFINITIONS),
        ]
        for line in found
    ]
    return "\n\n".join(
        [
            "## The paper's distances on tables",
            f"{claims.told_distances(found)} In bold: within a tenth.",
            _markdown(names, rows),
        ]
    )


def _near(line: Line, name: str) -> str:
    """A mean distance, bold where it is within a tenth of the paper's."""
    mean, printed = line[name], PAPER[line["study"], "FACE"].distance
    return f"**{mean:.2f}**" if claims.is_near(mean, printed) else f"{mean:.2f}"


def ablation_text(curves: Lines, spacing: Lines) -> str:
    """How the choice changes as c grows, and with the spacing of the alternatives."""
    names = ["opportunity", "distance", "journey cost", "steps"]
    grown = [
        [line["column"], f"{line['c']}", "told" if line["told"] else "own", *_spreads(line)]
        for line in curves
    ]
    spaced = [
        [line["column"], f"{line['spacing']:g}", line["method"], *_spreads(line)]
        for line in spacing
    ]
    return "\n\n".join(
        [
            "## Ablation",
            "FACElift's choice among the c nearest counterfactuals: by its own destinations, and "
            f"told the alternatives (drawn); {claims.one_seed(curves)}.",
            _markdown(["data", "c", "choice", *names], grown),
            "![Opportunity and distance as c grows](ablation.svg)",
            "The same for alternatives less or more apart. FACElift's own destinations are the "
            "nearest, or (apart) at least as far from each other as the alternatives.",
            _markdown(["data", "spacing", "method", *names], spaced),
        ]
    )


def spread(line: Line, measure: str) -> str:
    """A mean and its deviation; "none" where nothing was measured.

    >>> spread({"cost": 1.0, "cost_sd": 0.25}, "cost"), spread({"cost": None}, "cost")
    ('1.00 ± 0.25', 'none')
    """
    mean = line[measure]
    return "none" if mean is None else f"{mean:.2f} ± {line[f'{measure}_sd'] or 0:.2f}"


def _spreads(line: Line) -> list[str]:
    return [spread(line, measure) for measure in ("opportunity", "distance", "cost", "steps")]


def _main_table(cells: Lines, titles: dict[str, str]) -> tuple[list[str], list[list[str]]]:
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
    return ["method", *names], rows


def _beside(cell: Line, measure: str) -> str:
    """Our cell, and the paper's in brackets where it has one."""
    printed = PAPER.get((cell["column"], cell["method"]))
    ours = spread(cell, measure)
    return ours if printed is None else f"{ours} ({spread(printed._asdict(), measure)})"


def _details(cells: Lines, titles: dict[str, str]) -> str:
    names = ["", "", "found", "journey cost", "steps", "one step", "to an alternative"]
    by = {(line["alternatives"], line["column"], line["method"]): line for line in cells}
    rows = []
    for (kind, column, method), line in by.items():
        if kind == "drawn":
            rows.append(
                [
                    titles[column],
                    method,
                    f"{round(line['success'] * line['factuals'])} of {line['factuals']}",
                    spread(line, "cost"),
                    spread(line, "steps"),
                    f"{line['one_step']:.0%}",
                    f"{line['is_alternative']:.0%}",
                    spread(by["grown", column, method], "opportunity"),
                    f"{line['seconds']:.3f}",
                ]
            )
    return _markdown([*names, "opportunity, grown", "seconds"], rows)


def _comparisons(judged: Lines, titles: dict[str, str]) -> str:
    by = {(line["column"], line["ours"], line["baseline"]): line for line in judged}
    pairs = [
        (column, ours)
        for column in titles
        for ours in METHODS
        if (column, ours, BASELINES[0]) in by
    ]
    rows = [
        [titles[column], ours, *(_compared(by[column, ours, name]) for name in BASELINES)]
        for column, ours in pairs
    ]
    return _markdown(["", "", *(f"against {name}" for name in BASELINES)], rows)


def _compared(test: Line) -> str:
    if test["t_holm"] is None:
        return "nothing to compare"
    return f"{claims.difference(test)}, {_p(test['t_holm'])} and {_p(test['wilcoxon_holm'])}"


def _p(p: float) -> str:
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"


def _studies(studies: Lines, titles: dict[str, str]) -> tuple[list[str], list[list[str]]]:
    names = ["data", "model: accuracy, AUC", "seed", "from → to", "factuals", "k", "λ", "spacing"]
    rows = [
        [
            title,
            f"{line['accuracy']:.1%}, {line['auc']:.3f} on {line['n_tested']:,} rows",
            f"{line['seed']}",
            f"{line['undesired']} → {line['target']}",
            f"{line['factuals']:,} of {line['population']:,}",
            f"{line['n_neighbors']}",
            f"{line['decrease']:g}",
            f"{line['spacing']:g}",
        ]
        for column, title in titles.items()
        for line in studies
        if line["column"] == column
    ]
    return names, rows


def _markdown(names: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    table = [names, ["---"] * len(names), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in table)


def _read(path: Path, part: str) -> Lines:
    if not path.exists():
        raise InvalidInput(
            f"{path} is not there; run: facelift reproduce {part} --out {path.parent}"
        )
    return lines(read_results(path))
