"""What the results say of the paper's claims, in sentences; first of all where they fail."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files

from facelift.paper.methods import BASELINES, OURS, TOLD
from facelift.paper.protocol import verdict
from facelift.paper.results import Line, Lines
from facelift.paper.settings import N_ALTERNATIVES


def opening(cells: Lines, tests: Lines, studies: Lines, spacing: Lines) -> str:
    """What holds, what does not, at what price, and why."""
    titles = {line["column"]: line["title"] for line in studies}
    judged = [
        {**line, "verdict": "not shown" if line["p"] is None else _verdict(line)}
        for line in tests
        if line["measure"] == "opportunity"
    ]
    return "\n\n".join(
        [
            "# The paper, reproduced",
            _headline(judged),
            _list([_against(judged, titles, name) for name in BASELINES]),
            _told(judged),
            _extent(studies),
            "## What it costs, and who is left out",
            _list([*_prices(cells, titles), _failures(cells, titles)]),
            "## Why",
            _list(_reasons(cells, titles, spacing)),
            "## How it was measured",
            _fixed_text()["How it was measured"].format(n_alternatives=N_ALTERNATIVES),
        ]
    )


def again() -> str:
    """How to run everything anew."""
    return f"## Do it again\n\n{_fixed_text()['Do it again']}"


def _verdict(line: Line) -> str:
    return verdict(line["difference"], line["p"])


HELPS = (
    "A higher opportunity potential does not by itself lower anybody's effort: "
    "[is it good advice?](is-it-good-advice.md)"
)


def _headline(judged: Lines) -> str:
    own = [line for line in judged if line["ours"] in OURS]
    n_higher = sum(line["verdict"] == "higher" for line in own)
    says = (
        "The paper says that FACElift's opportunity potential is significantly higher than that of "
        "every baseline on every data set, with c = 5 and with c = 10."
    )
    if n_higher == len(own):
        return f"**{says} Under one protocol for all methods it is.** {HELPS}"
    return (
        f"**{says} Under one protocol for all methods it is not: of {len(own)} comparisons "
        f"{n_higher} come out that way.** {_counts(own)}. {HELPS}"
    )


def _counts(judged: Lines) -> str:
    """How often each of our methods is higher, lower, or neither."""
    names = dict.fromkeys(line["ours"] for line in judged)
    return "; ".join(f"{name}: {_counted(judged, name)}" for name in names)


def _counted(judged: Lines, ours: str) -> str:
    counts = Counter(line["verdict"] for line in judged if line["ours"] == ours)
    return (
        f"{counts['higher']} significantly higher, {counts['not shown']} not shown to differ, "
        f"{counts['lower']} significantly lower"
    )


def _against(judged: Lines, titles: Mapping[str, str], baseline: str) -> str:
    """On which data sets FACElift beats one baseline, and on which it does not."""
    words: dict[str, set[str]] = {}
    for line in judged:
        if line["baseline"] == baseline and line["ours"] in OURS:
            words.setdefault(titles[line["column"]], set()).add(line["verdict"])
    groups: dict[str, list[str]] = {text: [] for _, text in OUTCOMES}
    for title, found in words.items():
        groups[next(text for outcome, text in OUTCOMES if outcome <= found)].append(title)
    parts = [f"{text} on {joined(columns)}" for text, columns in groups.items() if columns]
    return f"Against {baseline}: {'; '.join(parts)}."


def _told(judged: Lines) -> str:
    own = [line for line in judged if line["ours"] not in OURS]
    return (
        "If FACElift is told the alternatives before it chooses, and is then judged by the same "
        f"(as the paper does for FACElift but for no other method): {_counts(own)}."
    )


def _extent(studies: Lines) -> str:
    """How much the results rest on."""
    counts = [line["factuals"] for line in studies]
    some = f"{min(counts)} to {max(counts)}" if min(counts) < max(counts) else f"{max(counts)}"
    return f"Each column rests on {some} factuals; more of them would show smaller differences."


def _prices(cells: Lines, titles: Mapping[str, str]) -> list[str]:
    """What choosing by opportunity gains on FACE, and what it adds to distance and cost."""
    by = {(line["method"], line["column"]): line for line in cells}

    def price(name: str, column: str) -> str:
        own, face = by[name, column], by["FACE", column]
        farther, dearer = (own[what] / face[what] - 1 for what in ("distance", "cost"))
        gain = own["opportunity"] - face["opportunity"]
        return f"{titles[column]} {signed(gain)} for {farther:+.0%} distance, {dearer:+.0%} cost"

    return [
        f"{name} beside FACE, opportunity and its price: "
        f"{'; '.join(price(name, column) for column in titles)}."
        for name in (OURS[-1], OURS[-1] + TOLD)
    ]


def _failures(cells: Lines, titles: Mapping[str, str]) -> str:
    failed = [line for line in cells if line["success"] < 1]
    if not failed:
        return "Every method found a counterfactual for every factual; the model confirmed all."
    parts = [
        f"{line['method']} on {titles[line['column']]} ({1 - line['success']:.0%})"
        for line in failed
    ]
    return f"Not found, or not confirmed by the model, and left out of means: {joined(parts)}."


def _reasons(cells: Lines, titles: Mapping[str, str], spacing: Lines) -> list[str]:
    """Why the results are not the paper's: what the results show, and what is known of its code."""
    steps = {(line["method"], line["column"]): line["steps"] or 0 for line in cells}
    named = ("FACE", OURS[-1], "GrowingSpheres", "Prototype")
    walked = "; ".join(
        f"{title} " + ", ".join(f"{steps[name, column]:.2f} ({name})" for name in named)
        for column, title in titles.items()
    )
    columns = dict.fromkeys(line["column"] for line in spacing)
    spaced = "; ".join(_spaced(spacing, column, titles) for column in columns)
    reasons = f"\n{_fixed_text()['Why']}".split("\n- ")[1:]
    return [" ".join(each.split()).format(steps=walked, spacing=spaced) for each in reasons]


def _spaced(spacing: Lines, column: str, titles: Mapping[str, str]) -> str:
    """What FACE keeps open on one data set at every spacing, and what FACElift does when told."""
    by = {
        (line["spacing"], line["method"]): line["opportunity"]
        for line in spacing
        if line["column"] == column
    }
    parts = [
        f"{apart:g} apart {by[apart, 'FACE']:.2f} → {by[apart, OURS[-1] + TOLD]:.2f}"
        for apart in dict.fromkeys(apart for apart, _ in by)
    ]
    return f"{titles[column]} {', '.join(parts)}"


def signed(number: float) -> str:
    """A number with its sign, and no sign that rounding made meaningless.

    >>> signed(0.126), signed(-0.001)
    ('+0.13', '+0.00')
    """
    return f"{round(number, 2) + 0.0:+.2f}"


def joined(parts: Sequence[str]) -> str:
    """Some words in a row.

    >>> joined(["a"]), joined(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    return " and ".join(filter(None, [", ".join(parts[:-1]), *parts[-1:]]))


def _list(sentences: Sequence[str]) -> str:
    return "\n".join(f"- {each}" for each in sentences)


OUTCOMES = (
    ({"lower"}, "significantly lower at c = 5 or 10"),
    ({"higher", "not shown"}, "significantly higher at one c only"),
    ({"not shown"}, "not shown to be higher"),
    ({"higher"}, "significantly higher at both c"),
)
"""What came of both c, worst first: the first whose verdicts are all among those found."""


@cache
def _fixed_text() -> dict[str, str]:
    """The sections of `page.md`, by their heading."""
    text = (files("facelift.paper") / "page.md").read_text(encoding="utf-8")
    parts = (part.partition("\n") for part in text.split("\n## ")[1:])
    return {heading: body.strip("\n") for heading, _, body in parts}
