"""Certificates on German Credit under strict rules: how long they take, and whether they hold.

    python -m tools.benchmarks.whynot [--people 3]

For people without any way, every set of rules that a certificate lists is relaxed, exactly those
rules, and the journey looked for; then each rule of a set is kept, to see that no smaller set will
do. Seconds are those of the certificates alone.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator

import pandas as pd

import facelift as fl
from facelift.models import small_classifier
from facelift.terrain.rulebook import without

FROZEN = [
    "checking_account",
    "savings",
    "credit_history",
    "employment",
    "property",
    "housing",
    "other_installment_plans",
    "telephone",
    "existing_credits",
    "job",
]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--people", type=int, default=3)
    n_people = parser.parse_args().people
    table = fl.datasets.load_german_credit()
    model = small_classifier(table.data, table.target)
    terrain = fl.datasets.german_credit_rules(fl.Terrain.infer(table.data)).freeze(*FROZEN)
    declined = table.data[model.predict(table.data) == "bad"]
    for steps in ("rows", "actions"):
        explainer = fl.FACElift(model, terrain, steps=steps).fit(table.data)
        found = pd.DataFrame(certified(explainer, declined, n_people))
        print(f"steps={steps!r}, {len(found)} people without any way")
        print(found.agg(["sum", "max"]).round(3).to_string(), "\n")


def certified(
    explainer: fl.FACElift, people: pd.DataFrame, most: int
) -> Iterator[dict[str, float]]:
    """What the certificate of each of some hopeless people comes to."""
    for _, person in people.iterrows():
        multiverse = explainer.explain(person, "good")
        if len(multiverse) or not most:
            continue
        most -= 1
        start = time.perf_counter()
        relaxations = multiverse.why_not.relaxations
        seconds = time.perf_counter() - start
        yield {
            "sets of rules": len(relaxations),
            "verified": sum(opens(explainer, person, each.rules, each) for each in relaxations),
            "at that cost": sum(costs(explainer, person, each) for each in relaxations),
            "larger than needed": sum(not minimal(explainer, person, each) for each in relaxations),
            "seconds": seconds,
        }


def opens(explainer: fl.FACElift, person: pd.Series, rules: tuple, each: object) -> bool:
    """Whether a journey is found with some rules relaxed."""
    other = explainer.under(without(explainer.terrain_, rules), **each.parameters)
    return len(other.explain(person, "good")) > 0


def costs(explainer: fl.FACElift, person: pd.Series, each: object) -> bool:
    """Whether the cheapest journey under relaxed rules costs what was said."""
    other = explainer.under(each.terrain, n_counterfactuals=1, **each.parameters)
    return abs(other.explain(person, "good")[0].cost - each.cost) < 1e-9


def minimal(explainer: fl.FACElift, person: pd.Series, each: object) -> bool:
    """Whether no journey is found when any one of the rules is kept."""
    parts = ([rule for rule in each.rules if rule is not kept] for kept in each.rules)
    return not any(opens(explainer, person, part, each) for part in parts)


if __name__ == "__main__":
    main()
