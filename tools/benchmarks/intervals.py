"""How often the audit's intervals hold what they promise, by the size of a group and its share.

    python -m tools.benchmarks.intervals [--quick]

Shares and differences of shares are counted exactly, over every possible sample. Means are drawn:
people whose costs are spread evenly, normally or with a long tail, in two groups of one truth.
"""

from __future__ import annotations

import argparse

import numpy as np
from scipy.stats import binom

from facelift.auditing.comparison import NUMBERS, Comparison, difference_interval
from facelift.models.doubts import share_interval

SIZES = (8, 35, 200)
SHARES = (0.0, 0.02, 0.5, 0.98, 1.0)
OTHERS = 200
"""How many people are not of the group."""

COSTS = {
    "even": lambda rng, n: rng.random(n),
    "normal": lambda rng, n: rng.normal(5, 1, n),
    "long tail": lambda rng, n: rng.lognormal(0, 0.5, n),
}


def share_coverage(n: int, share: float, confidence: float = 0.95) -> float:
    """Share of all samples of n whose interval holds the true share, by their probability."""
    counts = np.arange(n + 1)
    low, high = share_interval(counts, np.full(n + 1, n), confidence)
    holds = (low <= share + 1e-12) & (high >= share - 1e-12)
    return float(binom.pmf(counts, n, share)[holds].sum())


def false_alarms(n: int, m: int, share: float, confidence: float = 0.95) -> float:
    """Share of all pairs of samples with one true share whose difference is called clear."""
    counts = np.arange(n + 1)[:, np.newaxis], np.arange(m + 1)[np.newaxis, :]
    sides = [
        (k / size, *share_interval(k, np.full(k.shape, size), confidence))
        for k, size in zip(counts, (n, m), strict=True)
    ]
    low, high = difference_interval(*sides)
    chance = binom.pmf(counts[0], n, share) * binom.pmf(counts[1], m, share)
    return float(chance[(low > 1e-12) | (high < -1e-12)].sum())


def mean_coverage(n: int, costs: str, n_samples: int, n_draws: int) -> tuple[float, float]:
    """How often the interval of a mean holds the truth, and a null difference is clear."""
    rng = np.random.default_rng([n, n_samples])
    truth = float(COSTS[costs](rng, 1_000_000).mean())
    place, held, clear = NUMBERS.index("cost"), 0, 0
    for sample in range(n_samples):
        compared = Comparison(*people(n, COSTS[costs], rng), n_groups=2)
        draws = np.random.default_rng(sample)
        found = compared.estimate(n_draws=n_draws, confidence=0.95, rng=draws)
        low, high = found.low[place, 0], found.high[place, 0]
        held += low[0] <= truth <= high[0]
        clear += low[2] > 0 or high[2] < 0
    return held / n_samples, clear / n_samples


def people(n, costs, rng):
    """Values, groups and strata of a group of n, and of others like them."""
    groups = np.repeat([0, 1], [n, OTHERS])
    cost, one = costs(rng, n + OTHERS), np.ones(n + OTHERS)
    names = ("coverage", "destinations", "destinations_share", "opportunity", "commitment")
    values = dict.fromkeys(("cost", "cost_spread", "cost_rank"), cost)
    values |= dict.fromkeys((*names, "resilience"), one)
    return values, groups, np.zeros_like(groups)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    print("shares: held (exact) | null differences from 200 others called clear (exact)")
    for n in SIZES:
        held = "  ".join(f"{share:g}: {share_coverage(n, share):.3f}" for share in SHARES)
        alarms = "  ".join(f"{share:g}: {false_alarms(n, OTHERS, share):.3f}" for share in SHARES)
        print(f"  n = {n:3}  {held}  |  {alarms}")
    print("means: held | null differences called clear")
    for costs in COSTS:
        for n in SIZES:
            held, clear = mean_coverage(n, costs, *((100, 200) if quick else (2000, 1000)))
            print(f"  {costs:9}  n = {n:3}  {held:.3f} | {clear:.3f}", flush=True)


if __name__ == "__main__":
    main()
