"""The comparison told: a table for the terminal, a picture, and a page of the site."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from facelift import __version__ as VERSION  # noqa: N812
from tools.benchmarks.actions.page import markdown_table
from tools.benchmarks.peers.names import NAMES, OURS, PEERS
from tools.benchmarks.results import Line

TEMPLATE = Path(__file__).with_name("page.md")

FUNNEL = {
    "answered": "an answer with the outcome",
    "rules": "… that keeps the rules",
    "plausible": "… and is plausible",
    "way": "… with a way to it that does, too",
}
"""What is counted, each among those counted before."""

NONE = "–"


@dataclass(frozen=True, eq=False)
class Comparison:
    """All lines of a run, and what a method was given: CPU seconds a person, minutes to install."""

    lines: list[Line]
    seconds: float
    minutes: float

    @cached_property
    def answers(self) -> pd.DataFrame:
        """One row per person and method."""
        frame = pd.DataFrame([line for line in self.lines if line["part"] == "answer"])
        needed = [
            "rival",
            "table",
            "person",
            "seconds",
            "preparing",
            "fault",
            "proof",
            "same",
            "effort",
            "columns",
            "megabytes",
        ]
        frame = frame.reindex(columns=list(dict.fromkeys([*frame.columns, *needed])))
        yes = {
            name: frame.reindex(columns=[name])[name].eq(True)
            for name in ("found", "rules", "forest", "outlier", "steps kept", "steps plausible")
        }
        rules = yes["found"] & yes["rules"]
        plausible = rules & yes["forest"] & yes["outlier"]
        way = plausible & yes["steps kept"] & yes["steps plausible"]
        return frame.assign(answered=yes["found"], rules=rules, plausible=plausible, way=way)

    @cached_property
    def packages(self) -> dict[str, Line]:
        return {line["rival"]: line for line in self.lines if line["part"] == "package"}

    def methods(self) -> list[str]:
        """Methods that were asked, in the order in which they are shown."""
        known = set(self.answers["rival"])
        return [name for name in PEERS if name in known]

    def frame(self) -> pd.DataFrame:
        """The table: a row for every method and table, and one for all tables."""
        rows = []
        for name in self.methods():
            for table in (*NAMES, None):
                some = self._some(name, table)
                if len(some):
                    about = {"method": name, "table": NAMES[table] if table else "all"}
                    rows.append(about | self._row(some, table))
        return pd.DataFrame(rows)

    def _some(self, name: str, table: str | None) -> pd.DataFrame:
        all_of = self.answers[self.answers["rival"] == name]
        return all_of if table is None else all_of[all_of["table"] == table]

    def _row(self, some: pd.DataFrame, table: str | None) -> dict[str, Any]:
        ours = self._some(OURS, table)
        both = some.merge(ours, on=["table", "person"], suffixes=("", " ours"))
        both = both[both["rules"] & both["rules ours"]]
        asked_twice = some["same"].dropna()
        proven = some.loc[some["answered"], "proof"].isin(["cheapest", "optimal"])
        return {
            "people": len(some),
            **{name: float(some[name].mean()) for name in FUNNEL},
            "both": len(both),
            "columns": float(both["columns"].mean()),
            "columns ours": float(both["columns ours"].mean()),
            "effort": float(both["effort"].sum() / max(both["effort ours"].sum(), 1e-12))
            if len(both)
            else float("nan"),
            "proven": float(proven.mean()) if len(proven) else float("nan"),
            "same": float(asked_twice.astype(bool).mean()) if len(asked_twice) else float("nan"),
            "ms": 1e3 * float(some["seconds"].median()),
            "preparing": float(some.groupby("table")["preparing"].first().max()),
            "megabytes": float(some["megabytes"].max()),
        }

    def text(self) -> str:
        """Both tables for a terminal."""
        shown, installed = self._shown(), self._installed()
        if shown.empty:
            return "Nothing was measured."
        return f"{shown.to_string(index=False)}\n\n{installed.to_string(index=False)}"

    def _shown(self) -> pd.DataFrame:
        """The table in words."""
        found = self.frame()
        if found.empty:
            return found
        forms = {**dict.fromkeys(FUNNEL, _percent), "both": str, "columns": _decimal}
        forms |= {"columns ours": _decimal, "effort": _times, "proven": _percent, "same": _percent}
        forms |= {"ms": _whole, "preparing": _decimal, "megabytes": _whole}
        titles = {
            "columns": "columns",
            "columns ours": "ours",
            "effort": "effort ÷ ours",
            "same": "same twice",
            "preparing": "preparing, s",
            "megabytes": "MB",
            "both": "of both",
        }
        shown = found.assign(**{name: found[name].map(form) for name, form in forms.items()})
        return shown.rename(columns=titles)

    def _installed(self) -> pd.DataFrame:
        rows = []
        for name, each in self.packages.items():
            works = each["installed"] and each["imported"]
            added = f", with {', '.join(each['added'])} added by hand" if each["added"] else ""
            fault = each["fault"] if not works or each["added"] else ""
            rows.append(
                {
                    "package": each["wanted"] if name != "facelift" else f"facelift {VERSION}",
                    "installs": f"yes{added}" if works else "**no**",
                    "MB on disk": _whole(each["megabytes"]) if works else NONE,
                    "seconds": _whole(each["seconds"]),
                    "what went wrong": fault.replace("|", "/"),
                }
            )
        return pd.DataFrame(rows)

    def better(self) -> Iterator[str]:
        """Where others do better than our actions on the same people, over all tables."""
        found = self.frame()
        found = found[found["table"] == "all"].set_index("method")
        ours = found.loc[OURS]
        for name, row in found.drop(index=OURS).iterrows():
            if points := list(_better(row, ours)):
                yield f"- **{name}** {'; '.join(points)}."
        own = self.packages.get("facelift")
        if own:
            small = [
                f"{each['wanted']} ({each['megabytes']:,.0f} MB)"
                for each in self.packages.values()
                if each["imported"] and each["megabytes"] < own["megabytes"]
            ]
            if small:
                size = f"{own['megabytes']:,.0f} MB"
                yield f"- Smaller on disk than facelift ({size}): {', '.join(small)}."

    def details(self) -> str:
        """The table that the page shows, as a CSV file: all tables together, then each."""
        shown = self._shown().sort_values("table", key=lambda names: names != "all", kind="stable")
        return str(shown.to_csv(index=False, lineterminator="\n"))

    def page(self, date: str) -> str:
        """The page, from all lines."""
        faults = self.answers["fault"].dropna()
        return TEMPLATE.read_text().format(
            version=VERSION,
            date=date,
            python=platform.python_version(),
            people=int(self.answers.groupby(["table", "rival"])["person"].count().max()),
            seconds=self.seconds,
            minutes=self.minutes,
            installed=_markdown(self._installed()),
            better="\n".join(self.better()),
            out_of_time=int((faults == "out of time").sum()),
            versions=self._versions(),
            not_asked=self._not_asked(),
            faults=self._faults(),
        )

    def _not_asked(self) -> str:
        """Who was to be asked and was not, and of whom fewer people were asked."""
        asked = self.answers.groupby(["rival", "table"])["person"].count()
        most = asked.max()
        told = []
        for name, package in PEERS.items():
            if not self.packages.get(package, {}).get("imported"):
                continue
            counts = {NAMES[table]: int(asked.get((name, table), 0)) for table in NAMES}
            fewer = {title: n for title, n in counts.items() if n < most}
            if len(fewer) == len(NAMES) and not any(fewer.values()):
                told.append(f"{name} installs and was not asked in this run.")
            elif fewer:
                few = ", ".join(f"{n} of {title}" for title, n in fewer.items())
                told.append(f"{name} was asked about fewer people: {few}.")
        return " ".join(told) or "Everybody was asked about all of them."

    def _versions(self) -> str:
        """What is installed beside facelift, and where others have something else."""
        own = self.packages.get("facelift", {}).get("versions", {})
        told = [", ".join(f"{n} {v}" for n, v in own.items())]
        for name, each in self.packages.items():
            other = {n: v for n, v in each["versions"].items() if n != name and own.get(n) != v}
            if other and name != "facelift":
                told.append(f"{name}: {', '.join(f'{n} {v}' for n, v in other.items())}")
        return "; ".join(told)

    def _faults(self) -> str:
        """Every reason why there was no answer, with how often it was given."""
        told = []
        none = self.answers[~self.answers["answered"]]
        for name, some in none.groupby("rival", sort=False):
            reasons = some["fault"].fillna("it found nothing")
            told += [f"{name} {n} ({why[:120]})" for why, n in reasons.value_counts().items()]
        return f"{'; '.join(told)}." if told else "Everybody had an answer of every method."

    def figure(self, path: Path) -> None:
        """The funnel of every method on every table, as bars within bars."""
        from matplotlib.figure import Figure

        found, names = self.frame(), self.methods()
        drawn = Figure(figsize=(10, 0.5 + 0.36 * len(names)), layout="constrained")
        axes = drawn.subplots(1, len(NAMES), sharey=True)
        shades = ("#dce4ec", "#a9bfd4", "#6b93b8", "#1f4e79")
        for axis, title in zip(axes, NAMES.values(), strict=True):
            some = found[found["table"] == title].set_index("method").reindex(names)
            for (name, words), shade in zip(FUNNEL.items(), shades, strict=True):
                axis.barh(names, some[name], color=shade, label=words)
            axis.set(title=title, xlim=(0, 1), xticks=[0, 0.5, 1], xticklabels=["0", "50%", "100%"])
            axis.spines[["top", "right", "left"]].set_visible(False)
            axis.tick_params(axis="y", length=0)
        axes[0].invert_yaxis()
        drawn.legend(
            *axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=4, frameon=False
        )
        drawn.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)


CLAIMS = {
    "answered": ("answers more people", ".0%", 1),
    "way": ("leads more people on a plausible way within the rules", ".0%", 1),
    "proven": ("proves more of its answers", ".0%", 1),
    "ms": ("answers in fewer ms", ",.0f", -1),
    "preparing": ("prepares in fewer s", ".1f", -1),
    "megabytes": ("needs fewer MB", ",.0f", -1),
}
"""What may be better: how it is said, how the number is written, and whether more (1) is better."""


def _better(row: Any, ours: Any) -> Iterator[str]:
    """What a method does better, with its number and ours."""
    if row["effort"] < 1:
        same = f"the {row['both']} people whom both serve"
        yield f"asks for less effort of {same} ({row['effort']:.2f} × ours)"
    if row["columns"] < row["columns ours"]:
        numbers = f"{row['columns']:.2f}, ours {row['columns ours']:.2f}"
        yield f"changes fewer columns ({numbers})"
    for what, (words, form, sign) in CLAIMS.items():
        if sign * row[what] > sign * ours[what]:
            yield f"{words} ({row[what]:{form}}, ours {ours[what]:{form}})"


def _markdown(frame: pd.DataFrame) -> str:
    rows = (list(map(str, row)) for row in frame.itertuples(index=False))
    return markdown_table(list(frame.columns), rows)


def _percent(share: float) -> str:
    return NONE if np.isnan(share) else f"{share:.0%}"


def _decimal(number: float) -> str:
    return NONE if np.isnan(number) else f"{number:.1f}"


def _times(number: float) -> str:
    return NONE if np.isnan(number) else f"{number:.2f}"


def _whole(number: float) -> str:
    return NONE if np.isnan(number) else f"{number:,.0f}"
