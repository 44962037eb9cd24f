"""The results of a run in words: a table for the terminal, and a page of the site."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd

from tools.benchmarks.actions.figures import Lines, broken, duel, duels, exceptions, figures

TEMPLATE = Path(__file__).with_name("page.md")
A_TRIAL = 100
"""Fewer people of a table are a trial of the command."""

FIRST, LAST = "## Against DiCE and NICE\n", "### Bars we miss\n"
"""Where the page begins and ends to tell of rivals."""

EARLIER = "\n*Rivals were not asked this time: this section is of an earlier, slower engine.*\n"

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


def page(lines: list[dict[str, Any]], limit: float, earlier: str = "") -> str:
    """The page, from the lines of a run; `limit` are the seconds rivals had.

    Where no rival was asked, what the `earlier` page says of them stays, and says so.
    """
    known = Lines(lines)
    found = list(figures(known))
    rows = ([f.what, f.case, str(f.n), f.said, f.bar, VERDICTS[f.met]] for f in found)
    missed = [
        f"- {f.what}, {f.case}: {f.said}; the bar is {f.bar}." for f in found if f.met is False
    ]
    text = TEMPLATE.read_text().format(
        limit=limit,
        scope=_scope(known),
        figures=markdown_table(["what", "of", "people", "measured", "bar", "met"], rows),
        broken=int(known.people()["faults"].map(broken).sum()),
        exceptions=_exceptions(known),
        rivals=_rivals(known),
        better="\n".join(_better(known)) or "Nobody, in what is measured here.",
        missed="\n".join(missed) or "None of those measured this time.",
    )
    if FIRST not in earlier or len(known.part("rivals")):
        return text
    before, after = text.split(FIRST)[0], text.split(LAST)[1]
    kept = earlier.split(FIRST)[1].split(LAST)[0].replace(EARLIER, "")
    return f"{before}{FIRST}{EARLIER}{kept}{LAST}{after}"


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


HEAD = {
    "people": ("people", "d"),
    "ours": ("we serve", ".0%"),
    "theirs": ("they serve", ".0%"),
    "kept": ("rules and plausible", ".0%"),
    "both": ("both", "d"),
    "columns ours": ("columns, ours", ".2f"),
    "columns theirs": ("theirs", ".2f"),
    "fewest ours": ("fewest of all ways, ours", ".2f"),
    "fewest theirs": ("theirs", ".2f"),
    "effort ours": ("effort, ours", ".2f"),
    "effort theirs": ("theirs", ".2f"),
    "ms ours": ("ms, ours", ",.0f"),
    "ms theirs": ("theirs", ",.0f"),
}
"""What is shown of a rival on a table: its title and how the number is written."""


def _rivals(lines: Lines) -> str:
    groups = [(names, duel(some)) for names, some in _groups(lines)]
    rows = ([*names, *(f"{d[n]:{form}}" for n, (_, form) in HEAD.items())] for names, d in groups)
    return markdown_table(["rival", "table", *(title for title, _ in HEAD.values())], rows)


def _groups(lines: Lines) -> Any:
    return duels(lines).groupby(["rival", "table"], sort=False)


def _better(lines: Lines) -> Iterator[str]:
    """What rivals do better, one line each."""
    for (rival, table), some in _groups(lines):
        d = duel(some)
        about = f"- {rival} on {table}"
        if d["theirs"] > d["ours"]:
            kept = f"within the rules and plausible {d['kept']:.0%}"
            yield f"{about} serves more people: {d['theirs']:.0%} ({kept}), we {d['ours']:.0%}."
        for name, words, form in (
            ("columns", "changes fewer columns", ".2f"),
            ("effort", "asks for less effort", ".2f"),
            ("ms", "takes fewer milliseconds", ",.0f"),
        ):
            theirs, ours = d[f"{name} theirs"], d[f"{name} ours"]
            if theirs < ours:
                yield f"{about} {words}: {theirs:{form}}, we {ours:{form}}."
        if d["cheaper than ours"] > 0:
            share = f"{d['cheaper than ours']:.0%}"
            yield f"{about} finds an end within the rules that takes less effort for {share}."
