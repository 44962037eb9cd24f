"""The results of a run in words: a table for the terminal, and a page of the site."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd

from tools.benchmarks.actions.figures import Figure, Lines, broken, duel, duels, exceptions, figures

TEMPLATE = Path(__file__).with_name("page.md")
A_TRIAL = 100
"""Fewer people of a table are a trial of the command."""

EARLIER = "*Rivals were not asked this time: this section is of an earlier, slower engine.*\n\n"

VERDICTS = {True: "yes", False: "**no**", None: ""}


def summary(lines: list[dict[str, Any]]) -> str:
    """The table for a terminal."""
    rows = [
        {
            "what": each.what,
            "of": each.case,
            "people": each.n,
            "measured": each.said,
            "bar": each.bar,
            "met": VERDICTS[each.met].strip("*"),
        }
        for each in figures(Lines(lines))
    ]
    return pd.DataFrame(rows).to_string(index=False) if rows else "Nothing was measured."


def page(lines: list[dict[str, Any]], limit: float) -> str:
    """The page, from the lines of a run; `limit` are the seconds rivals had."""
    known = Lines(lines)
    missed = [
        f"- {f.what}, {f.case}: {f.said}; the bar is {f.bar}."
        for f in figures(known)
        if f.met is False
    ]
    return TEMPLATE.read_text().format(
        limit=limit,
        scope=_scope(known),
        broken=int(known.people()["faults"].map(broken).sum()),
        exceptions=_exceptions(known),
        earlier="" if len(known.part("rivals")) else EARLIER,
        missed="\n".join(missed) or "None of those measured this time.",
    )


def tables(lines: list[dict[str, Any]]) -> dict[str, str]:
    """The tables that the page shows, as CSV by file; where no rival was asked, theirs stays."""
    known = Lines(lines)
    found = {"actions-measured.csv": _figures(list(figures(known)))}
    if len(known.part("rivals")):
        found["actions-rivals.csv"] = _rivals(known)
    return {
        name: str(each.to_csv(index=False, lineterminator="\n")) for name, each in found.items()
    }


def _figures(found: list[Figure]) -> pd.DataFrame:
    """A row for every measure and bar, a column for every table; what misses its bar is bold."""
    names = list(dict.fromkeys(f.case.partition(", ")[0] for f in found))
    rows: dict[tuple[str, str], dict[str, str]] = {}
    for f in found:
        table, _, detail = f.case.partition(", ")
        said = f.said if f" of {f.n}" in f.said else f"{f.said} ({f.n})"
        what = f"{f.what}, {detail}" if detail else f.what
        rows.setdefault((what, f.bar), {})[table] = f"**{said}**" if f.met is False else said
    cells = [[*row, *(said.get(name, "") for name in names)] for row, said in rows.items()]
    return pd.DataFrame(cells, columns=["what", "bar", *names])


def _scope(lines: Lines) -> str:
    """Who was asked about, and a warning where that is a trial."""
    people = lines.people()
    counts = people[people["even"].eq(True)].groupby("table", sort=False)["person"].count()
    told = ", ".join(f"{table} {n}" for table, n in counts.items())
    trial = "" if counts.min() >= A_TRIAL else " **This is a trial of few people: trust no share.**"
    return f"{_measured(lines)} People, of all seeds: {told}.{trial}"


def _measured(lines: Lines) -> str:
    """When what was measured, and by which version."""
    days = sorted({str(line.get("day", "an unknown day")) for line in lines.lines})
    engines = sorted({str(line.get("engine", "of unknown version")) for line in lines.lines})
    when = days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"
    return f"Measured {when} with facelift {', '.join(engines)}: {len(lines.lines):,} answers."


def markdown_table(head: list[str], rows: Iterable[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', '/') for cell in line)} |" for line in lines)


def _exceptions(lines: Lines) -> str:
    """Those for whom a success is known, one by one; of the others, how many and why."""
    found = exceptions(lines.people())
    if found.empty:
        return "None: everybody who was asked about has one."
    nobody = found["known"].eq("none")
    counts = found[nobody].groupby(["table", "reason"], sort=False).size()
    others = [f"- {table}, {n} people: {why}." for (table, why), n in counts.items()]
    head = ["table", "seed", "row", "why there is none", "success known by (effort)"]
    rows = (list(map(str, row)) for row in found[~nobody].itertuples(index=False))
    named = [markdown_table(head, rows)] if not nobody.all() else []
    return "\n\n".join([*named, "\n".join(others)]).strip()


SHARES = {"ours": "we serve", "theirs": "they serve", "kept": "… rules kept, plausible"}
PAIRS = {
    "columns": ("columns", ".2f"),
    "fewest": ("fewest columns of all ways", ".2f"),
    "effort": ("effort", ".2f"),
    "ms": ("ms", ",.0f"),
}
"""What is shown of us and a rival on a table: its title and how the numbers are written."""


def _rivals(lines: Lines) -> pd.DataFrame:
    """A row for every rival and table; what a rival does better is bold."""
    groups = duels(lines).groupby(["rival", "table"], sort=False)
    pairs = [title for title, _ in PAIRS.values()]
    titles = [*SHARES.values(), "only they", *pairs, "cheaper end", "… on our levels"]
    rows = [[*names, *_duel_cells(duel(some))] for names, some in groups]
    return pd.DataFrame(rows, columns=["rival", "table", "people", *titles])


def _duel_cells(d: dict[str, Any]) -> Iterator[str]:
    yield str(d["people"])
    for name in SHARES:
        yield _bold(f"{d[name]:.0%}", name != "ours" and d[name] > d["ours"])
    yield _bold(str(d["theirs alone"]), d["theirs alone"] > 0)
    for name, (_, form) in PAIRS.items():
        ours, theirs = d[f"{name} ours"], d[f"{name} theirs"]
        yield f"{ours:{form}}/{_bold(f'{theirs:{form}}', theirs < ours)}"
    yield _bold(f"{d['cheaper than ours']:.0%}", d["cheaper than ours"] > 0)
    yield _bold(str(d["cheaper on our levels"]), d["cheaper on our levels"] > 0)


def _bold(text: str, wanted: bool) -> str:
    return f"**{text}**" if wanted else text
