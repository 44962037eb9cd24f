"""How methods differ: intervals first, then paired tests, corrected for how many there are.

Methods explain the same people, so what is tested is everybody's difference. Somebody whom several
seeds explain is one person: tests see the mean of their differences, and a bootstrap draws people,
with all that the seeds say of them. Both speak of these seeds. What another seed, split and network
would say is another question, for which a seed counts as one: an interval of the seeds' means.
"""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd

from facelift.paper import Floats, Ints
from facelift.paper.protocol import BASELINES, METHODS

SIGNIFICANT = 0.05
"""Below this chance of a difference as large where there is none, we say that there is one."""

N_BOOTSTRAP = 2000
"""How often people are drawn anew for an interval."""

NAN = float("nan")


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
