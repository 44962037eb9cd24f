"""Audits: who has ways out, how many and at what cost, and whether groups differ.

An audit has numbers of groups, with intervals, what they need to change, and what to beware of.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from numbers import Integral, Real
from typing import Any

import numpy as np
import pandas as pd

from facelift._arrays import Ints
from facelift._progress import tracked
from facelift.auditing.comparison import (
    MEASURES,
    NUMBERS,
    Comparison,
    Estimate,
    is_harder,
    strata,
    turned,
)
from facelift.auditing.people import Groups, People, Readable, explained, grouped, surveyed
from facelift.auditing.pockets import pockets as pockets_of
from facelift.drawing.markup import html_table, text_table
from facelift.errors import check_number
from facelift.explainer import FACElift
from facelift.multiverse.goal import Goal, Range
from facelift.multiverse.words import Features

__all__ = ["Audit", "audit"]


MOST_PEOPLE = 500
"""Pockets are looked for among so many people; every pair of their ways is compared."""

N_NEEDED = 3
"""Features named per group."""

WORDS = {
    "coverage": "coverage",
    "cost": "mean cost",
    "destinations": "mean number of destinations in reach",
    "opportunity": "opportunity",
    "commitment": "share travelled before the first loss",
    "resilience": "number of independent ways",
    "median": "the median",
    "matched": "people of equal chance",
    "spread": "changes weighed by the spread of values instead of their range",
    "rank": "changes weighed by ranks instead of ranges",
    "share": "the share of what anybody of the group has in reach",
}


@dataclass(frozen=True, eq=False)
class Audit:
    """What an audit found.

    `groups` has one row per group, `differences` one per group and number: of the group, of all
    others, and the difference with its interval. `needs` has the share of each group's people with
    a way whose cheapest one changes a feature, `people` one row per rejected person. `notes` say
    what to beware of: small groups, rows that could not be read, conclusions that turn round when
    one counts differently. `features` say what columns are called. `pockets`, where asked for, are
    groups of people for whom the same ways exist, or none (`facelift.pockets`).

    Examples
    --------
    >>> from facelift import toys
    >>> line, model = toys.line()
    >>> explainer = FACElift(model, n_neighbors=2).fit(line)
    >>> side = np.where(line[:, 0] < 2, "far", "near")
    >>> found = Audit.of(explainer, line, by=side, target=1, min_size=1)
    >>> found.to_frame()[["n", "rejected", "coverage", "cost"]].round(2)
           n  rejected  coverage  cost
    group
    far    2         2       1.0  0.55
    near   9         3       1.0  0.30
    >>> found.differences.loc[("far", "cost"), "difference"].round(2)
    np.float64(0.25)
    >>> found.shown()[1][0][:5]
    ['far', '2', '2 (100%)', '100% [22%, 100%]', '0.55 [not known]']
    """

    groups: pd.DataFrame
    differences: pd.DataFrame
    needs: pd.DataFrame
    people: pd.DataFrame
    notes: tuple[str, ...]
    goal: Goal | Range
    min_size: int
    features: Features = field(default_factory=dict)
    pockets: pd.DataFrame | None = None

    @classmethod
    def of(
        cls,
        explainer: FACElift,
        X: Any,
        *,
        by: Any,
        target: Any = None,
        n_resamples: int = 1000,
        confidence: float = 0.95,
        n_strata: int = 5,
        min_size: int = 30,
        n_resilience: int = 0,
        random_state: int = 0,
        pockets: bool = False,
        progress: bool | None = None,
    ) -> Audit:
        """The whole audit; `fl.audit` gives its table of groups and tells the parameters."""
        counts = {"n_resamples": n_resamples, "n_strata": n_strata, "min_size": min_size}
        for name, count in counts.items():
            check_number(name, count, Integral, "1 or more", lambda v: v >= 1)
        check_number("confidence", confidence, Real, "between 0 and 1", lambda v: 0 < v < 1)
        table, groups = grouped(X, by, explainer.terrain_.schema.names)
        check_number("n_resilience", n_resilience, Integral, "0 or more", lambda v: v >= 0)
        rng = np.random.default_rng([random_state, 1])  # not the draws of the bootstrap
        readable = Readable.of(explainer, table, target)
        people = surveyed(
            explainer, readable, groups, n_resilience=n_resilience, rng=rng, progress=progress
        )
        found = audited(
            people,
            groups,
            explainer.terrain_.by_name,
            n_resamples=n_resamples,
            confidence=confidence,
            n_strata=n_strata,
            min_size=min_size,
            random_state=random_state,
        )
        if notes := _cut_off(explainer, table, found.groups):
            found.groups.attrs["notes"] = (*notes, *found.notes)
            found = replace(found, notes=found.groups.attrs["notes"])
        if not pockets:
            return found
        drawn, told = _pockets(explainer, readable, rng, progress)
        found.groups.attrs["pockets"] = drawn
        return replace(found, pockets=drawn, notes=(*found.notes, *told))

    @property
    def measures(self) -> list[str]:
        """What was measured; resilience only where it was asked for."""
        asked = bool(self.groups["resilience"].notna().any())
        return [measure for measure in MEASURES if asked or measure != "resilience"]

    def sizes(self, measure: str) -> pd.Series[int]:
        """How many people of each group a number is of: of a cost, those who have a way.

        >>> from facelift import toys
        >>> line, model = toys.line()
        >>> explainer = FACElift(model, n_neighbors=2).fit(line)
        >>> Audit.of(explainer, line, by=line[:, 0] < 2, target=1).sizes("cost").tolist()
        [3, 2]
        """
        index = self.groups.index
        columns = ["group" if name is None else name for name in index.names]
        known = (
            self.people[measure]
            .notna()
            .groupby([self.people[name] for name in columns], sort=False)
        )
        return known.sum().reindex(index, fill_value=0).astype(int)

    def to_frame(self) -> pd.DataFrame:
        """The table of groups."""
        return self.groups

    def __repr__(self) -> str:
        lines = [text_table(*self.shown()), *(f"Note: {note}" for note in self.notes)]
        if self.pockets is not None:
            shown = self.pockets.drop(columns="members").round(3).astype(str)
            lines += ["", text_table(list(shown.columns), shown.to_numpy().tolist())]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        notes = " ".join(self.notes)
        return html_table(*self.shown(), caption=f"Ways to {self.goal}. {notes}")

    def shown(self) -> tuple[list[str], list[list[str]]]:
        """Head and rows of a short table for people."""
        head = [
            ", ".join(map(str, self.groups.index.names)),
            "people",
            "rejected",
            *self.measures,
            "needed",
        ]
        rows = [
            [
                name_of(name),
                f"{row['n']:,}",
                f"{row['rejected']:,} ({row['rejected_share']:.0%})",
                *(_shown(row, measure) for measure in self.measures),
                row["needed"],
            ]
            for name, row in self.groups.iterrows()
        ]
        return head, rows


def audited(
    people: People,
    groups: Groups,
    features: Features,
    *,
    n_resamples: int = 1000,
    confidence: float = 0.95,
    n_strata: int = 5,
    min_size: int = 30,
    random_state: int = 0,
) -> Audit:
    """The audit of people whose prospects are known already."""
    compared = _comparison(people, len(groups), n_strata)
    estimate = compared.estimate(
        n_draws=n_resamples, confidence=confidence, rng=np.random.default_rng(random_state)
    )
    differences = _differences(estimate, groups)
    needs = pd.DataFrame(people.needs(len(groups)), groups.names, people.features)
    rows = _rows(people, groups, estimate, compared.n_matched, needs)
    notes = (*people.notes, *_sizes(rows, min_size), *_reversals(differences, rows, min_size))
    rows.attrs["notes"] = notes
    shown = people.to_frame(groups)
    return Audit(rows, differences, needs, shown, notes, people.goal, min_size, features)


def audit(explainer: FACElift, X: Any, *, by: Any, **options: Any) -> pd.DataFrame:
    """Who has ways out, how many and at what cost, group by group, with intervals.

    One row per group; every number comes with `_low` and `_high`. Costs and what stays open are of
    the rejected who have a way; `coverage` says how many do.

    - `n`, `rejected`, `rejected_share`: people, and those without the outcome.
    - `coverage`: share of the rejected with any way.
    - `cost`, `cost_median`: of the cheapest way; `cost_spread` and `cost_rank` weigh the same
      changes differently (by standard deviation, by ranks) and are there to be compared with it.
    - `destinations`, `destinations_median`: records with the outcome that some way leads to,
      however far; `destinations_share`: of those that anybody of the group has in reach. With
      steps="actions": destinations found, of those looked for.
    - `opportunity`: score of the way that keeps most open (`fl.best`); `commitment`: share of its
      cost travelled before the first loss of opportunity (its branching delay).
    - `resilience`: how many ways share no state (`fl.resilience`), of the people asked for.
    - `…_matched`: the same, comparing people to whom the model gives equal chances now; `n_matched`
      of the group share a stratum of chance with somebody of another.
    - `needed`: the features that the cheapest way changes most often.

    Notes on what to beware of are in `.attrs["notes"]`; `fl.Audit.of` gives all that was found.

    Parameters
    ----------
    explainer
        A fitted explainer. Through records, everybody is searched for at once (unless `max_steps`
        or `min_separation` are set); journeys of actions are found person by person.
    X
        People: the table fitted or any other; those who have the outcome already only count in
        `rejected_share`.
    by
        A column of X or a list of them, also one that the explainer does not know, or one value
        per row (or a frame of them).
    target
        The outcome wanted; may be left out if all of X have the same one of two.
    n_resamples, confidence, random_state
        Of the intervals (1000, 0.95 and 0 if left out): exact for shares of people, studentised
        draws of people within their group for means.
    n_strata
        In how many bands of equal chance people are compared; 5 if left out.
    min_size
        Groups with fewer rejected people (30 if left out) are said to be too small.
    n_resilience
        Of how many people with a way, drawn from each group, independent ways are counted: one
        search per person. None if left out.
    pockets
        Whether to look for groups of people for whom the same few ways exist, or none
        (`facelift.pockets`), among at most 500 of the rejected; in `.attrs["pockets"]`.
    progress
        Whether to show a bar where people are explained one by one; None: on terminals.

    Examples
    --------
    >>> from facelift.toys import moons
    >>> points = moons(200).points
    >>> model = lambda points: np.column_stack([points[:, 1] > 0.25, points[:, 1] <= 0.25])
    >>> explainer = FACElift(model, n_neighbors=5, n_counterfactuals=3).fit(points)
    >>> side = np.where(points[:, 0] > 0.5, "right", "left")
    >>> found = audit(explainer, points, by=side, target=1)
    >>> found[["n", "rejected", "coverage", "cost"]].round(2)
             n  rejected  coverage  cost
    group
    left    99        65       1.0  0.34
    right  101        36       1.0  0.20
    """
    return Audit.of(explainer, X, by=by, **options).groups


def name_of(name: Any) -> str:
    """A group's name in words.

    >>> name_of("female"), name_of(("female", 40))
    ('female', 'female, 40')
    """
    return ", ".join(map(str, name)) if isinstance(name, tuple) else str(name)


def _pockets(
    explainer: FACElift, readable: Readable, rng: np.random.Generator, progress: bool | None
) -> tuple[pd.DataFrame, list[str]]:
    """The pockets of the rejected, or of a sample of them, and what to beware of."""
    rejected, notes = np.flatnonzero(~readable.reached), []
    if len(rejected) > MOST_PEOPLE:
        notes = [
            f"Pockets are of {MOST_PEOPLE} of the {len(rejected):,} rejected, drawn at random."
        ]
        rejected = np.sort(rng.choice(rejected, MOST_PEOPLE, replace=False))
    asked = tracked(rejected.tolist(), len(rejected), "pockets", show=progress)
    found = [explained(explainer, readable.goal, readable.cases[i]) for i in asked]
    return pockets_of(found, readable.index[readable.places[rejected]].tolist()), notes


def _comparison(people: People, n_groups: int, n_strata: int) -> Comparison:
    """People in the order of groups and strata."""
    bands = strata(people.goal.merit(people.answers), n_strata)
    order = np.lexsort((bands, people.groups))
    values = {name: each[order] for name, each in people.values.items()}
    return Comparison(values, people.groups[order], bands[order], n_groups)


def _rows(
    people: People, groups: Groups, estimate: Estimate, n_matched: Ints, needs: pd.DataFrame
) -> pd.DataFrame:
    """The table of groups."""
    n = np.bincount(people.everybody, minlength=len(groups))
    rejected = np.bincount(people.groups, minlength=len(groups))
    columns: dict[str, Any] = {
        "n": n,
        "rejected": rejected,
        "rejected_share": rejected / np.maximum(n, 1),
        "n_matched": n_matched,
    }
    for i, name in enumerate(NUMBERS):
        columns[name] = estimate.value[i, :, 0]
        columns[f"{name}_low"] = estimate.low[i, :, 0]
        columns[f"{name}_high"] = estimate.high[i, :, 0]
    columns["needed"] = [_most_needed(needs.iloc[i]) for i in range(len(needs))]
    return pd.DataFrame(columns, index=groups.names)


def _most_needed(row: pd.Series[Any]) -> str:
    """The features needed most often, with how often."""
    often = row[row > 0].sort_values(ascending=False, kind="stable").head(N_NEEDED)
    return ", ".join(f"{name} {share:.0%}" for name, share in often.items())


def _differences(estimate: Estimate, groups: Groups) -> pd.DataFrame:
    """One row per group and number."""
    k = len(groups)
    content = {
        "own": estimate.value[..., 0],
        "others": estimate.value[..., 1],
        "difference": estimate.value[..., 2],
        "low": estimate.low[..., 2],
        "high": estimate.high[..., 2],
    }
    keys = pd.MultiIndex.from_tuples(
        [(name_of(name), number) for number in NUMBERS for name in groups.names],
        names=["group", "number"],
    )
    frame = pd.DataFrame({name: each.reshape(len(NUMBERS) * k) for name, each in content.items()})
    return frame.set_axis(keys, axis=0)


def _cut_off(explainer: FACElift, table: pd.DataFrame, rows: pd.DataFrame) -> list[str]:
    """That nobody has a way from record to record, and which columns may keep all apart."""
    somebody = not rows["rejected"].any() or (rows["coverage"] > 0).any()
    if somebody or not explainer.steps_.shares_graph:
        return []
    frozen = [each.name for each in explainer.terrain_.features if each.frozen]
    apart = [str(name) for name in frozen if 2 * table[name].nunique() > len(table)]
    why = f"{' and '.join(apart)} never changes and differs between most: " if apart else ""
    return [f'Nobody has a way from record to record; {why}steps="actions" needs no such record.']


def _sizes(rows: pd.DataFrame, min_size: int) -> list[str]:
    """Groups that are too small."""
    return [
        f"{name_of(name)}: {count} rejected, too few to conclude anything ({min_size} are needed)."
        for name, count in rows["rejected"].items()
        if count < min_size
    ]


def _reversals(differences: pd.DataFrame, rows: pd.DataFrame, min_size: int) -> list[str]:
    """Conclusions that turn round when one counts differently."""
    large = [name_of(name) for name, count in rows["rejected"].items() if count >= min_size]
    notes = []
    for group in large[:1] if len(rows) == 2 else large:  # of two, one mirrors the other
        found = {
            str(row["number"]): {name: float(row[name]) for name in differences.columns}
            for _, row in differences.reset_index().query("group == @group").iterrows()
        }
        notes += [
            _reversal(group, measure, variant, found)
            for measure in MEASURES
            for variant in turned(measure, found)
        ]
    return notes


def _reversal(
    group: str, measure: str, variant: str, found: Mapping[str, Mapping[str, float]]
) -> str:
    """A sentence about one conclusion."""
    first, second = found[measure], found[variant]
    harder = is_harder(measure, first["difference"])
    words = ("harder", "easier") if harder else ("easier", "harder")
    kind = variant.removeprefix(f"{measure}_")
    return (
        f"{group}: {words[0]} by {WORDS[measure]} ({_pair(first)}), "
        f"{words[1]} by {WORDS[kind]} ({_pair(second)}): do not conclude from one of them."
    )


def _pair(row: Mapping[str, float]) -> str:
    return f"{row['own']:.3g} against {row['others']:.3g}"


def _shown(row: pd.Series[Any], measure: str) -> str:
    value, low, high = (row[measure + end] for end in ("", "_low", "_high"))
    if np.isnan(value):
        return "–"
    ends = (
        "not known"
        if np.isnan(low)
        else f"{figure_words(measure, low)}, {figure_words(measure, high)}"
    )
    return f"{figure_words(measure, value)} [{ends}]"


def figure_words(number: str, value: float) -> str:
    """A number of an audit for people.

    >>> [figure_words(*each) for each in (("coverage", 0.5), ("cost", 0.12345), ("cost", 1214.2))]
    ['50%', '0.123', '1,214']
    """
    if number.startswith(("coverage", "commitment")):
        return f"{value:.0%}"
    return f"{value:.3g}" if abs(value) < 1000 else f"{value:,.0f}"
