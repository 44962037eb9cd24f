"""Results in words: the tables as Markdown, and the page that says what holds and what does not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from facelift.errors import InvalidInput
from facelift.paper import claims
from facelift.paper.methods import BASELINES, METHODS, OURS, TOLD
from facelift.paper.protocol import verdict
from facelift.paper.results import Line, Lines, Result, lines, read_results, write_text
from facelift.paper.settings import PAPER, QUICK, TABLES, Extent


def write_page(part: str, folder: Path, _: Extent = QUICK) -> Result:
    """Write the page made of the results in a folder, beside it; nothing is computed."""
    text = page(folder)
    path = write_text(text, folder.with_name(f"{folder.name}.md"))
    return Result(text, {"part": part, "page": text}, (path,))


def page(folder: Path) -> str:
    """Everything there is to say of the results of all tables and the ablation in a folder."""
    names = ("cells", "tests", "studies")
    tables = {
        part: {name: _read(folder / f"{part}-{name}.csv", part) for name in names}
        for part in TABLES
    }
    joined = {name: [line for each in tables.values() for line in each[name]] for name in names}
    spacing = _read(folder / "ablation-spacing.csv", "ablation")
    pictures = f"{folder.name}/"
    sections = [
        claims.opening(**joined, spacing=spacing),
        *(table_text(part, **table, pictures=pictures) for part, table in tables.items()),
        _other_seeds(folder, tables["table1"]),
        ablation_text(_read(folder / "ablation.csv", "ablation"), spacing, pictures=pictures),
        claims.again(),
    ]
    return "\n\n".join(section.strip() for section in sections if section)


def table_text(part: str, cells: Lines, tests: Lines, studies: Lines, *, pictures: str = "") -> str:
    """One of the paper's tables: our cells with the paper's in brackets, details, comparisons.

    `pictures` is where figures lie, seen from the text.
    """
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
            f"![Opportunity potential of every method]({pictures}{part}.svg)",
        ]
    )


def seeds_text(tests: Mapping[str, Lines], titles: Mapping[str, str]) -> str:
    """How FACElift with c = 10 compares with every baseline, seed by seed."""
    names = ["", "", *(f"seed {seed}" for seed in tests)]
    by = {
        (seed, line["column"], line["ours"], line["baseline"]): line
        for seed, own in tests.items()
        for line in own
        if line["measure"] == "opportunity"
    }
    rows = [
        [
            title,
            f"{ours} − {baseline}",
            *(_difference(by[seed, column, ours, baseline]) for seed in tests),
        ]
        for column, title in titles.items()
        for ours in (OURS[-1], OURS[-1] + TOLD)
        for baseline in BASELINES
    ]
    return "\n\n".join(
        [
            "## Other seeds",
            "A seed decides the split, the network and who is drawn. Differences of mean "
            "opportunity potential, with a star where p < 0.05.",
            _markdown(names, rows),
        ]
    )


def ablation_text(curves: Lines, spacing: Lines, *, pictures: str = "") -> str:
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
            "told the alternatives.",
            _markdown(["data", "c", "choice", *names], grown),
            f"![Opportunity and distance as c grows]({pictures}ablation.svg)",
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
    effect = "" if test["g"] is None else f" g {claims.signed(test['g'])},"
    return f"{word}: {claims.signed(test['difference'])},{effect} {p}"


def _difference(test: Line) -> str:
    star = "" if verdict(test["difference"], test["p"]) == "not shown" else " *"
    return f"{claims.signed(test['difference'])}{star}"


def _other_seeds(folder: Path, known: Mapping[str, Lines]) -> str:
    """The same table at other seeds, where there are folders of them."""
    others = {
        path.name.removeprefix("seed-"): _read(path / "table1-tests.csv", "table1")
        for path in sorted(folder.glob("seed-*"))
    }
    if not others:
        return ""
    own = str(known["studies"][0]["seed"])
    titles = {line["column"]: line["title"] for line in known["studies"]}
    return seeds_text({own: known["tests"], **others}, titles)


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
    return lines(read_results(path))
