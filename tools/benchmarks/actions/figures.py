"""Numbers from the lines of a run: the table of what must be reached, and who does better where."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

FAST = ("heloc-dropped", "heloc-missing", "german", "adult")
"""Tables with a bar for the time per person."""

BOOSTING = ("histogram", "xgboost", "lightgbm", "logistic")
"""Models with a bar for proofs."""

OTHERS = ("prover", "greedy", "long run", "treecf", "record", "end", "a rival")
"""Methods that may know a success; the last three need no way to it."""

CLOSE = 1e-9

WHO = ["table", "seed", "person"]


@dataclass(frozen=True)
class Figure:
    """One number of the table: what, of which table, how much, of how many people, and its bar."""

    what: str
    case: str
    said: str
    n: int
    bar: str = ""
    met: bool | None = None


@dataclass(frozen=True, eq=False)
class Lines:
    """All lines of a run, part by part."""

    lines: list[dict[str, Any]]

    def part(self, name: str, *needed: str) -> pd.DataFrame:
        """The lines of one part; columns that no line has are there and empty."""
        frame = pd.DataFrame([line for line in self.lines if line["part"] == name])
        common = ("table", "model", "seed", "person", "seconds", "n_ways", *needed)
        return frame.reindex(columns=list(dict.fromkeys([*frame.columns, *common])))

    def people(self) -> pd.DataFrame:
        """Everybody asked about ways, with the best that any method knows."""
        ways = self.part("ways", "cost", "proof", "stopped", "faults", "even", "rare")
        ours = [name for name in OTHERS if name not in ("treecf", "a rival")]
        both = ways
        for known in (
            self.part("best", *ours, "proven")[[*WHO, "proven", *ours]],
            self.part("treecf", "way")[[*WHO, "way"]].rename(columns={"way": "treecf"}),
            self.rival_ends(),
        ):
            both = both.merge(known, on=WHO, how="left")
        both[["cost", *OTHERS]] = both[["cost", *OTHERS]].astype(float)
        both["best"] = both[["cost", *OTHERS[:4]]].min(axis=1)
        both["known"] = both[["cost", *OTHERS]].notna().any(axis=1)
        return both.assign(served=both["n_ways"] > 0, ratio=both["cost"] / both["best"])

    def rival_ends(self) -> pd.DataFrame:
        """The least effort of a rival's end that keeps the rules and is plausible."""
        ends = self.part("rivals", "rules", "plausible", "effort")
        ends = ends[ends["rules"].eq(True) & ends["plausible"].eq(True)]
        return ends.groupby(WHO)["effort"].min().rename(OTHERS[-1]).reset_index()


def figures(lines: Lines) -> Iterator[Figure]:
    """The whole table, row by row of what must be shown."""
    people = lines.people()
    even, rare = people[people["even"] == True], people[people["rare"] == True]  # noqa: E712
    yield from coverage("people with a way", even, 0.98)
    yield from coverage("rarer than 95 % of the records", rare, 0.95)
    yield from ratios(even)
    yield from proven(lines)
    yield from false_claims(people)
    yield from outside(lines)
    yield from seconds(even)
    yield from growth(lines)
    yield from against(lines)


def coverage(what: str, people: pd.DataFrame, bar: float) -> Iterator[Figure]:
    """Of those for whom a success is known by any method, the share that gets a way."""
    for (table, seed), some in people.groupby(["table", "seed"], sort=False):
        known = some[some["known"]]
        share, unsure = known["served"].mean(), int((~some["known"] & some["proven"].isna()).sum())
        said = f"{int(some['served'].sum())} of {len(some)}"
        said += f", known {len(known)}" if len(known) < len(some) else ""
        said = f"{share:.1%} ({said})" if len(known) else said
        said += f"; {unsure} not looked for" if unsure else ""
        met = bool(share >= bar) if len(known) and not unsure else None
        yield Figure(what, f"{table}, seed {seed}", said, len(some), f"≥ {bar:.0%}", met)


def ratios(people: pd.DataFrame) -> Iterator[Figure]:
    """How much dearer the first way is than the best that is known."""
    for table, some in people[people["served"]].groupby("table", sort=False):
        some = some[some["proven"].notna()]
        compared = some["ratio"]
        if not len(compared):
            continue
        mean, high = compared.mean(), compared.quantile(0.95)
        sure = some["proven"].eq(True).mean()
        said = f"mean {mean:.3f}, 95th {high:.3f}, largest {compared.max():.2f}; {sure:.0%} proven"
        met = bool(mean <= 1.02 and high <= 1.1)
        yield Figure("cost ÷ best known", table, said, len(compared), "≤ 1.02; ≤ 1.1", met)


def proven(lines: Lines) -> Iterator[Figure]:
    """First ways that are proven the cheapest within a second."""
    both = pd.concat([lines.part("ways", "proof"), lines.part("proofs", "proof")])
    for (model, table), some in both[both["n_ways"] > 0].groupby(["model", "table"], sort=False):
        said_any = some["proof"].notna().any()
        good = (some["proof"] == "cheapest") & (some["seconds"] <= 1.0)
        said = f"{good.mean():.1%}" if said_any else "no proof is given"
        bar = "≥ 95 %" if model in BOOSTING else "stated"
        met = bool(good.mean() >= 0.95) if model in BOOSTING else None
        yield Figure("proven cheapest within 1 s", f"{table}, {model}", said, len(some), bar, met)


def false_claims(people: pd.DataFrame) -> Iterator[Figure]:
    """First ways said to be the cheapest, of those compared, where somebody knows a cheaper."""
    said = people[(people["proof"] == "cheapest") & people["proven"].notna()]
    for table, some in said.groupby("table", sort=False):
        wrong = int((some["ratio"] > 1 + CLOSE).sum())
        claim = 'falsely said "cheapest"'
        yield Figure(claim, table, str(wrong), len(some), "none", wrong == 0)


def outside(lines: Lines) -> Iterator[Figure]:
    """treecf on our levels beside our prover: ends only, plausible or not."""
    frame = lines.part("treecf", "ours", "theirs", "proven", "proven_ours", "seconds_ours")
    for table, some in frame[frame["theirs"].notna()].groupby("table", sort=False):
        both = some[some["proven"].eq(True) & some["proven_ours"].eq(True)]
        apart = (both["ours"].astype(float) - both["theirs"].astype(float)).abs() > CLOSE
        ours, theirs = (some[name].eq(True).mean() for name in ("proven_ours", "proven"))
        times = 1e3 * some[["seconds_ours", "seconds"]].median()
        said = f"proven by us {ours:.0%} ({times.iloc[0]:.0f} ms, median), by treecf {theirs:.0%} "
        said += f"({times.iloc[1]:.0f} ms); of {len(both)} proven by both, {apart.sum()} differ"
        met = not apart.any()
        yield Figure("cheapest end, treecf", table, said, len(some), "none differs", met)


def seconds(people: pd.DataFrame) -> Iterator[Figure]:
    """CPU time per person, everything included."""
    for table, some in people.groupby("table", sort=False):
        median, high = 1e3 * some["seconds"].median(), 1e3 * some["seconds"].quantile(0.95)
        bar, met = ("≤ 150 ms", bool(median <= 150)) if table in FAST else ("", None)
        said = f"median {median:.0f} ms, 95th {high:.0f} ms"
        yield Figure("CPU per person", table, said, len(some), bar, met)


def growth(lines: Lines) -> Iterator[Figure]:
    """CPU time per person among many records and among few."""
    frame = lines.part("growth", "size")
    for table, some in frame.groupby("table", sort=False):
        wide = some.pivot_table(index="person", columns="size", values="seconds").dropna()
        if len(wide.columns) < 2:
            continue
        small, large = wide.median().sort_index()
        served = some[some["n_ways"] > 0].groupby("size").size().reindex(wide.columns, fill_value=0)
        said = f"{large / small:.2f} × ({1e3 * small:.0f} → {1e3 * large:.0f} ms; "
        said += f"{' → '.join(map(str, served))} ways)"
        met = bool(large / small <= 1.3)
        yield Figure("3,000 → 300,000 records", table, said, len(wide), "≤ 1.3 ×", met)


def duels(lines: Lines) -> pd.DataFrame:
    """Every rival's answers beside ours, for the same people."""
    names = ["rules", "plausible", "listed", "effort", "columns", "fewest", "found", "fault"]
    theirs = lines.part("rivals", "rival", *names)
    theirs = theirs[[*WHO, "rival", "seconds", *names]]
    own = lines.part("ways", "cost", "columns", "fewest", "faults")
    own = own[[*WHO, "seconds", "cost", "columns", "fewest", "n_ways", "faults"]]
    both = theirs.merge(own, on=WHO, suffixes=("", "_ours"))
    flags = {name: both[name].eq(True) for name in ("found", "rules", "plausible", "listed")}
    return both.assign(**flags, served=both["n_ways"] > 0)


def duel(some: pd.DataFrame) -> dict[str, Any]:
    """One rival on one table: shares of people, and means over those whom both serve.

    Of a rival only ends within the rules and plausible are compared: any others are no answer.
    """
    valid = some["found"] & some["rules"] & some["plausible"]
    both = some[valid & some["served"]]
    cheaper = both["effort"] < both["cost"] * (1 - CLOSE)
    return {
        "people": len(some),
        "ours": some["served"].mean(),
        "theirs": some["found"].mean(),
        "kept": valid.mean(),
        "theirs alone": int((valid & ~some["served"]).sum()),
        "both": len(both),
        "columns ours": both["columns_ours"].mean(),
        "columns theirs": both["columns"].mean(),
        "fewest ours": both["fewest_ours"].mean(),
        "fewest theirs": both["fewest"].mean(),
        "effort ours": both["cost"].mean(),
        "effort theirs": both["effort"].mean(),
        "cheaper than ours": cheaper.mean(),
        "cheaper on our levels": int((cheaper & both["listed"]).sum()),
        "ms ours": 1e3 * some["seconds_ours"].median(),
        "ms theirs": 1e3 * some["seconds"].median(),
        "failed": int(some["fault"].notna().sum()),
        "faults ours": int(some["faults"].map(broken).sum()),
    }


def broken(faults: Any) -> bool:
    """Whether faults were found; somebody without a way has none."""
    return isinstance(faults, list) and len(faults) > 0


def against(lines: Lines) -> Iterator[Figure]:
    """What must be as good as each rival, on each table."""
    for (rival, table), some in duels(lines).groupby(["rival", "table"], sort=False):
        d = duel(some)
        good = {
            "coverage": d["ours"] >= d["kept"],
            "columns": not d["columns ours"] > d["columns theirs"] + CLOSE,
            "effort": not d["effort ours"] > d["effort theirs"] + CLOSE,
            "rules": d["faults ours"] == 0,
            "time": d["ms ours"] <= d["ms theirs"] or not rival.startswith("DiCE"),
        }
        worse = [name for name, fine in good.items() if not fine]
        said = "as good or better in all" if not worse else f"worse: {', '.join(worse)}"
        yield Figure(f"against {rival}", table, said, d["people"], "all five", not worse)


def exceptions(people: pd.DataFrame) -> pd.DataFrame:
    """Everybody without a way, with the reason and what other methods know."""
    without = people[~people["served"]]
    rows = [
        {
            "table": line["table"],
            "seed": line["seed"],
            "person": line["person"],
            "reason": reason(line),
            "known": known(line),
        }
        for _, line in without.iterrows()
    ]
    return pd.DataFrame(rows, columns=["table", "seed", "person", "reason", "known"])


def known(line: pd.Series) -> str:
    """Which methods know a success, and its cost."""
    found = [f"{name} {line[name]:.3g}" for name in OTHERS if not np.isnan(line[name])]
    return ", ".join(found) or "none"


def reason(line: pd.Series) -> str:
    """Why somebody has no way, as far as other methods tell."""
    if not np.isnan(line[list(OTHERS[:4])].astype(float).min()):
        return "missed: a way is known"
    if line["proven"] is True and not np.isnan(line["end"]):
        return "proven: successes exist, but no plausible order of at most 7 steps leads to one"
    if line["proven"] is True:
        return "proven: no plausible success on these levels"
    if line["known"]:
        return "a success is known, a way is not"
    if pd.isna(line["proven"]):
        return "no other method was asked"
    if line["stopped"] == "exhausted":
        return "nobody knows a success, and we judged all plausible states in reach"
    return "nobody knows a success"
