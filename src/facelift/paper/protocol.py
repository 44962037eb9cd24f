"""The five methods of the tables, and one protocol for all of them.

The same factuals, the same alternatives, the same measures; a method says how it finds journeys,
and which of them it recommends.

How methods differ is said by intervals first, then by paired tests, corrected for how many there
are. Methods explain the same people, so what is tested is everybody's difference. Somebody whom
several seeds explain is one person: tests see the mean of their differences, and a bootstrap draws
people, with all that the seeds say of them. Both speak of these seeds. What another seed, split and
network would say is another question, for which a seed counts as one: an interval of the seeds'
means.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from facelift import Journey, Multiverse, best, opportunity, proximity
from facelift.baselines import GrowingSpheres, Prototype
from facelift.geometry import distances
from facelift.paper import Floats, Ints
from facelift.paper.studies import THRESHOLD, Column
from facelift.paper.world import Alternatives, World

MEASURES = ("distance", "cost", "steps", "opportunity")

NAN = float("nan")


@dataclass(frozen=True)
class Record:
    """What one method came to for one factual in one column, by one kind of alternatives.

    `distance` is Euclidean, between factual and counterfactual; `cost` is what the journey costs at
    the setting's prices. Where nothing was found, these are NaN and `failure` says why.
    `is_alternative` says that it led to one of the alternatives, and a further one stood in.
    `seconds` are of processor time, for one factual, without the fit.
    """

    column: str
    alternatives: str
    method: str
    row: int
    failure: str
    seconds: float
    n_alternatives: int = 0
    distance: float = NAN
    cost: float = NAN
    steps: float = NAN
    opportunity: float = NAN
    is_alternative: bool = False


def measured(world: World, numbers: Ints, methods: Iterable[Method]) -> list[Record]:
    """What every method comes to for some rows, in every column, by both kinds of alternatives."""
    vertices = world.explainer.vertices_[numbers].tolist()
    instead = {
        column: [world.alternatives(column, vertex) for vertex in vertices]
        for column in world.setting.columns
    }
    known = list(methods)
    found, seconds = [], []
    for method in known:
        start = time.process_time()
        found.append(method.explain(world.rows(numbers)))
        seconds.append((time.process_time() - start) / len(numbers))
    _look_ahead(world, found, list(instead.values()))
    records: list[Record] = []
    for method, multiverses, each in zip(known, found, seconds, strict=True):
        choices: list[tuple[Record, Journey | None, Alternatives]] = []
        for column, sets in instead.items():
            for row, multiverse, others in zip(numbers.tolist(), multiverses, sets, strict=True):
                for kind, alternatives in others.items():
                    about = Record(column.name, kind, "", row, "", each)
                    choices += _choices(world, column, method, multiverse, alternatives, about)
        records += _records(world, method, choices)
    return records


def _look_ahead(
    world: World,
    found: Sequence[Sequence[Multiverse]],
    instead: Sequence[Sequence[Mapping[str, Alternatives]]],
) -> None:
    """Search once for all that will be asked about each person."""
    everybody = [
        [point for multiverse in own for journey in multiverse for point in journey.waypoints]
        for own in zip(*found, strict=True)
    ]
    world.meet(point for waypoints in everybody for point in waypoints)
    for waypoints, sets in zip(everybody, zip(*instead, strict=True), strict=True):
        vertices = world.vertices_of(waypoints)
        for alternatives in [each for kinds in sets for each in kinds.values()]:
            alternatives.left.at(vertices)


def _choices(
    world: World,
    column: Column,
    method: Method,
    found: Multiverse,
    instead: Alternatives,
    about: Record,
) -> Iterator[tuple[Record, Journey | None, Alternatives]]:
    """Each of a method's choices among the journeys it found for a row; None of none."""
    for name, choice in method.choices.items():
        known = replace(about, method=name, n_alternatives=len(instead.vertices))
        chosen = best(found, choice(world, column, instead)) if len(found) else None
        yield known, chosen, instead


def _records(
    world: World, method: Method, choices: Sequence[tuple[Record, Journey | None, Alternatives]]
) -> Iterator[Record]:
    """What comes of the choices; the model is asked about all their ends at once."""
    ends = [journey.counterfactual for _, journey, _ in choices if journey is not None]
    confirmed = iter(world.confirmed(np.array(ends), method.target) if ends else ())
    for about, journey, instead in choices:
        if journey is None:
            yield replace(about, failure="nothing found")
        elif next(confirmed):
            yield replace(about, **_measures(world, journey, instead))
        else:
            yield replace(about, failure="not confirmed by the model")


def _measures(world: World, journey: Journey, instead: Alternatives) -> dict[str, Any]:
    return {
        "distance": float(distances(journey.waypoints[0], journey.counterfactual)),
        "cost": journey.cost,
        "steps": journey.n_steps,
        "opportunity": world.opportunity(journey, instead),
        "is_alternative": world.is_alternative(journey, instead),
    }


def cells(records: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """Means and deviations of every group of records; failures are counted and left out.

    `one_step` is the share of journeys that have a single step. For these opportunity is the share
    of the alternatives that the step brings nearer, `served`.
    """
    names = list(by)
    found, single = records["failure"] == "", records["steps"] == 1
    noted = records.assign(found=found, one_step=single.where(found).astype(float))
    noted["served"] = records["opportunity"].where(single)
    groups = noted.groupby(names, sort=False)
    table = pd.DataFrame(
        {
            "factuals": groups.size(),
            "success": groups["found"].mean(),
            "compared": groups["opportunity"].count(),
            "is_alternative": groups["is_alternative"].mean(),
            "one_step": groups["one_step"].mean(),
            "served": groups["served"].mean(),
            "seconds": groups["seconds"].mean(),
        }
    )
    for measure in MEASURES:
        table[measure], table[f"{measure}_sd"] = groups[measure].mean(), groups[measure].std()
    return table.reset_index()


def people(records: pd.DataFrame) -> pd.DataFrame:
    """Opportunity potential of everybody in thousandths, a column for each method.

    This is what is tested; rounded, so that it can be kept and tested again.
    """
    shares = records.assign(opportunity=(records["opportunity"] * 1000).round())
    wide = shares.pivot_table(
        index=["seed", "alternatives", "column", "row"],
        columns="method",
        values="opportunity",
        sort=False,
        dropna=False,
    )
    return wide[list(METHODS)].dropna(how="all").astype("Int64").reset_index()


Criterion = Callable[[Multiverse], Floats]
"""A score per journey, the highest wins."""

Choice = Callable[[World, Column, Alternatives], Criterion]
"""What a method recommends by: a criterion that may depend on the column and the alternatives."""


@dataclass(frozen=True, eq=False)
class Method:
    """A search for journeys to some classes, and the choices among what it finds, by name."""

    explain: Callable[[Any], list[Multiverse]]
    choices: Mapping[str, Choice]
    target: tuple[Any, ...]


def by_cost(_world: World, _column: Column, _instead: Alternatives) -> Criterion:
    """The cheapest: what FACE takes, and the only one where there is only one."""
    return proximity


def by_own_destinations(world: World, column: Column, _instead: Alternatives) -> Criterion:
    """FACElift's choice (SPEC 5): what keeps most of its own other destinations open.

    Where alternatives are of other classes it looks at those classes instead, each a destination
    as a whole (SPEC 3). Either way it does not know the alternatives it will be judged by.
    """
    if not column.classes:
        return opportunity

    def criterion(multiverse: Multiverse) -> Floats:
        return np.asarray(world.class_potentials(column, multiverse).mean(axis=1))

    return criterion


def by_alternatives(world: World, _column: Column, instead: Alternatives) -> Criterion:
    """As the paper scores FACElift: by the very alternatives it is then judged by."""

    def criterion(multiverse: Multiverse) -> Floats:
        return np.array([world.opportunity(journey, instead) for journey in multiverse])

    return criterion


TOLD, APART = ", told", ", apart"
"""What is added to the name of a method that knows the alternatives it is judged by, or whose own
destinations are as far apart as these."""

BASELINES = ("FACE", "GrowingSpheres", "Prototype")
OURS = ("FACElift c=5", "FACElift c=10")
METHODS = (*BASELINES, *OURS, *(name + TOLD for name in OURS))


def methods(world: World) -> list[Method]:
    """All methods, fitted, in the order of the tables."""
    ours = [facelift(world, n_counterfactuals) for n_counterfactuals in (5, 10)]
    return [face(world), _growing_spheres(world), _prototype(world), *ours]


def face(world: World) -> Method:
    """FACE on the k-NN graph: the first of FACElift's journeys."""
    return Method(_through_records(world, 1), {"FACE": by_cost}, (world.setting.target,))


def facelift(world: World, n_counterfactuals: int) -> Method:
    """FACElift, choosing by its own destinations, and told the alternatives."""
    name = f"FACElift c={n_counterfactuals}"
    choices = {name: by_own_destinations, name + TOLD: by_alternatives}
    return Method(_through_records(world, n_counterfactuals), choices, (world.setting.target,))


def facelift_apart(world: World, n_counterfactuals: int) -> Method:
    """FACElift whose own destinations are as far apart as the alternatives, not told these."""
    search = _through_records(world, n_counterfactuals, world.setting.spacing)
    name = f"FACElift c={n_counterfactuals}{APART}"
    return Method(search, {name: by_own_destinations}, (world.setting.target,))


def _through_records(
    world: World, n_counterfactuals: int, min_separation: float = 0.0
) -> Callable[[Any], list[Multiverse]]:
    """Journeys to the nearest records with the outcome, on the graph that all share."""

    def explain(rows: Any) -> list[Multiverse]:
        explainer = world.explainer.set_params(
            n_counterfactuals=n_counterfactuals, min_separation=min_separation
        )
        return list(explainer.explain_many(rows, world.setting.target, progress=False))

    return explain


class _AskedOnPoints:
    """Asks the network about states that were made up without making rows of them."""

    model: Any

    def _ask(self, points: Floats) -> Floats:
        return np.asarray(self.model.on_points(points))


class _GrowingSpheres(_AskedOnPoints, GrowingSpheres):
    pass


class _Prototype(_AskedOnPoints, Prototype):
    pass


def _growing_spheres(world: World) -> Method:
    study, setting = world.study, world.setting
    explainer = _GrowingSpheres(
        study.model,
        world.terrain,
        threshold=THRESHOLD,
        random_state=world.seed,
        **setting.spheres,  # type: ignore[arg-type]
    ).fit(study.rows)
    others = tuple(each for each in explainer.classes_.tolist() if each != setting.undesired)
    target = others if setting.any_class else (setting.target,)
    return Method(
        lambda rows: explainer.explain_many(rows, target), {"GrowingSpheres": by_cost}, target
    )


def _prototype(world: World) -> Method:
    study, setting = world.study, world.setting
    explainer = _Prototype(
        study.model,
        world.terrain,
        differentiable=study.model.differentiable,
        threshold=THRESHOLD,
        random_state=world.seed,
        **setting.prototype,
    ).fit(study.rows)
    target = (setting.target,)
    return Method(lambda rows: explainer.explain_many(rows, target), {"Prototype": by_cost}, target)


SIGNIFICANT = 0.05
"""Below this chance of a difference as large where there is none, we say that there is one."""

N_BOOTSTRAP = 2000
"""How often people are drawn anew for an interval."""


def comparisons(people: pd.DataFrame) -> pd.DataFrame:
    """FACElift against every baseline, in every column, by both kinds of alternatives.

    A line has the difference (the mean over seeds of the mean over people), its 95 % interval for
    these seeds and for any (`any_seed`), how it spreads over seeds, paired t and Wilcoxon's signed
    ranks, both with Holm's correction over all lines, and the effect, the mean difference in units
    of its deviation.
    """
    pairs = [(ours, name) for ours in METHODS if ours not in BASELINES for name in BASELINES]
    found = []
    for (kind, column), own in people.groupby(["alternatives", "column"], sort=False):
        values = own[list(METHODS)].astype(float) / 1000
        differences = pd.DataFrame({pair: values[pair[0]] - values[pair[1]] for pair in pairs})
        low, high = intervals(differences.to_numpy(), own["seed"].to_numpy(), own["row"].to_numpy())
        for i, (ours, baseline) in enumerate(pairs):
            about = {"alternatives": kind, "column": column, "ours": ours, "baseline": baseline}
            known = own[["seed", "row"]].assign(difference=differences.iloc[:, i]).dropna()
            found.append({**about, **_tested(known), "low": low[i], "high": high[i]})
    table = pd.DataFrame(found)
    for test in ("t", "wilcoxon"):
        table[f"{test}_holm"] = holm(table[f"{test}_p"].to_numpy(dtype=np.float64))
    return table


def _tested(known: pd.DataFrame) -> dict[str, float]:
    """What one comparison comes to but its interval, from a difference per seed and person."""
    by_seed = known.groupby("seed")["difference"].mean()
    each = known.groupby("row")["difference"].mean().to_numpy(dtype=np.float64)
    t, t_p = paired_t(each)
    spread = each.std(ddof=1) if len(each) > 1 else 0.0
    any_low, any_high = any_seed(by_seed.to_numpy(dtype=np.float64))
    return {
        "people": len(each),
        "seeds": len(by_seed),
        "difference": by_seed.mean(),
        "least_seed": by_seed.min(),
        "most_seed": by_seed.max(),
        "any_seed_low": any_low,
        "any_seed_high": any_high,
        "effect": each.mean() / spread if spread else NAN,
        "t": t,
        "t_p": t_p,
        "wilcoxon_p": signed_ranks(each),
    }


def intervals(differences: Floats, seeds: Ints, rows: Ints) -> tuple[Floats, Floats]:
    """Bootstrap intervals (95 %) of the means of some differences; (n, d) gives two of shape (d,).

    Whole people are drawn; the mean of a draw is the mean over seeds of the mean over the people
    whom that seed explains. NaN is left out.

    >>> made = np.array([[0.1], [0.3], [0.2], [0.2]])
    >>> low, high = intervals(made, np.zeros(4, int), np.arange(4))
    >>> bool(0.1 <= low[0] < 0.2 < high[0] <= 0.3)
    True
    """
    _, person = np.unique(rows, return_inverse=True)
    n_people = int(person.max(initial=-1)) + 1
    rng = np.random.default_rng(0)
    drawn = rng.multinomial(n_people, np.full(n_people, 1 / n_people), size=N_BOOTSTRAP)
    means = []
    for seed in np.unique(seeds):
        here = seeds == seed
        weights = drawn[:, person[here]].astype(np.float64)
        known = np.isfinite(differences[here])
        with np.errstate(invalid="ignore"):
            means.append(
                (weights @ np.where(known, differences[here], 0.0))
                / (weights @ known.astype(float))
            )
    with warnings.catch_warnings():  # a method that found nothing has no interval
        warnings.simplefilter("ignore", RuntimeWarning)
        low, high = np.nanquantile(np.nanmean(means, axis=0), [0.025, 0.975], axis=0)
    return low, high


def any_seed(means: Floats) -> tuple[float, float]:
    """Interval (95 %) of what seeds say on average, from the means of some, by Student's t.

    >>> [round(each, 3) for each in any_seed(np.array([0.1, 0.2, 0.3]))]
    [-0.048, 0.448]
    """
    from scipy.stats import t

    if len(means) < 2:
        return NAN, NAN
    half = float(t.ppf(0.975, len(means) - 1)) * means.std(ddof=1) / np.sqrt(len(means))
    return float(means.mean() - half), float(means.mean() + half)


def paired_t(differences: Floats) -> tuple[float, float]:
    """Statistic and p of Student's paired t-test; equal differences are certain, or nothing.

    >>> [round(each, 4) for each in paired_t(np.array([1.0, 2.0, 3.0]))]
    [3.4641, 0.0742]
    """
    from scipy.stats import ttest_1samp

    if len(differences) < 2:
        return NAN, NAN
    if np.ptp(differences) == 0:
        mean = float(differences[0])
        return (0.0, 1.0) if mean == 0 else (float(np.copysign(np.inf, mean)), 0.0)
    t, p = ttest_1samp(differences, 0.0)
    return float(t), float(p)


def signed_ranks(differences: Floats) -> float:
    """P of Wilcoxon's signed-rank test; people without a difference are left out, as he did.

    >>> round(signed_ranks(np.array([1.0, 2.0, 3.0, 4.0, 5.0, 0.0])), 4)
    0.0431
    """
    from scipy.stats import norm, rankdata

    if len(differences) < 2:
        return NAN
    known = np.round(differences, 9)  # a mean of 0.2 and -0.2 is no difference, but for noise
    moved = known[known != 0]
    if not len(moved):
        return 1.0
    ranks = rankdata(np.abs(moved))
    _, ties = np.unique(ranks, return_counts=True)
    n = len(moved)
    variance = n * (n + 1) * (2 * n + 1) / 24 - float((ties**3 - ties).sum()) / 48
    z = (float(ranks[moved > 0].sum()) - n * (n + 1) / 4) / np.sqrt(variance)
    return float(2 * norm.sf(abs(z)))


def holm(p: Floats) -> Floats:
    """P corrected for the number of tests, step down (Holm 1979); NaN stays and does not count.

    >>> holm(np.array([0.01, 0.04, 0.03])).tolist()
    [0.03, 0.06, 0.06]
    """
    found = np.full(len(p), NAN)
    known = np.flatnonzero(np.isfinite(p))
    order = known[np.argsort(p[known], kind="stable")]
    worse = p[order] * np.arange(len(order), 0, -1)
    found[order] = np.minimum(np.maximum.accumulate(worse), 1.0)
    return found


def verdict(difference: float | None, t_holm: float | None, wilcoxon_holm: float | None) -> str:
    """Whether one is higher or lower, or not shown to differ, by both tests; or they disagree.

    >>> verdict(0.2, 0.01, 0.02), verdict(-0.2, 0.01, 0.0), verdict(0.2, 0.3, 1.0)
    ('higher', 'lower', 'not shown')
    >>> verdict(0.2, 0.01, 0.2)
    'tests disagree'
    """
    if difference is None or t_holm is None or wilcoxon_holm is None:
        return "not shown"
    shown = {t_holm < SIGNIFICANT, wilcoxon_holm < SIGNIFICANT}
    if shown == {False}:
        return "not shown"
    if shown == {True, False}:
        return "tests disagree"
    return "higher" if difference > 0 else "lower"
