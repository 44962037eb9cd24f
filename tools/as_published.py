"""MNIST with the published code's own choices: what the paper prints of FACE and FACElift.

    python tools/as_published.py            # about a minute and a half; needs MNIST
    python tools/as_published.py 0 1 2 3 4  # networks of several seeds

These choices are not the paper's text, nor ours (`facelift reproduce table2` has those). They are
gathered here to show that its figures are understood:

- the first 1,000 images of each digit; the network is fitted to all of them, none is held back;
- a step costs x·ln(x/r), r = k/(2n), where x is the distance with λ = 1.1 on ink taken away; the
  "distance" of a journey is the sum of that;
- an alternative is chosen anew at every waypoint, from where one stands: the nearest image of each
  of the digits 2 to 8, or the five nearest nines, the waypoint itself left out;
- a step counts while none of them gets farther; the last step of a journey never counts, unless it
  is the only one.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import dijkstra

import facelift as fl

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

START, TARGET, OTHERS = 1, 9, range(2, 9)
N_FACTUALS, N_NEIGHBORS, THRESHOLD, PENALTY, N_RANKS = 100, 20, 0.55, 1.1, 5
SETTINGS = ("other classes", "nines")
METHODS = {"FACE": 1, "FACElift c=5": 5, "FACElift c=10": 10}
"""Of how many nearest journeys each takes the one of the highest opportunity."""

PAPER = {
    ("FACE", "other classes"): (79.33, 16.19, 0.23, 0.10),
    ("FACE", "nines"): (79.33, 16.19, 0.38, 0.19),
    ("FACElift c=5", "other classes"): (103.95, 16.61, 0.35, 0.09),
    ("FACElift c=5", "nines"): (105.97, 21.05, 0.59, 0.11),
    ("FACElift c=10", "other classes"): (110.38, 17.48, 0.36, 0.19),
    ("FACElift c=10", "nines"): (114.93, 22.73, 0.63, 0.09),
}
"""Table 2: distance, its standard deviation, opportunity, its standard deviation."""


@dataclass(frozen=True)
class Cell:
    """What one method comes to in one setting, over all factuals."""

    distance: float
    distance_spread: float
    opportunity: float
    opportunity_spread: float


def published_explainer(images: Floats, model: Any) -> fl.FACElift:
    """The graph of the published experiments, and what the model says of its images."""
    pixels = fl.datasets.pixel_rules(fl.Terrain.infer(images))
    terrain = replace(pixels, features=tuple(p.priced(decrease=PENALTY) for p in pixels.features))
    explainer = fl.FACElift(
        model,
        terrain,
        n_neighbors=N_NEIGHBORS,
        edge_cost="density",
        n_counterfactuals=max(METHODS.values()),
        threshold=THRESHOLD,
        margin=0,
    )
    return explainer.fit(images)


def journeys_of_ones(explainer: fl.FACElift, images: Floats, labels: Any) -> list[fl.Multiverse]:
    """The nearest journeys of the first hundred ones to images that are nines by label, too."""
    ones = np.flatnonzero(labels == START)[:N_FACTUALS]
    return explainer.explain_many(images[ones], target=TARGET, among=labels == TARGET)


def published_opportunity(step_costs: Floats, chosen_anew: Floats) -> Floats:
    """Share of a journey that counts towards each alternative; (k - 1,) and (k, c) to (c,).

    `chosen_anew` holds the cost from each waypoint to the alternative chosen there.
    """
    kept = np.logical_and.accumulate(~(chosen_anew[1:] > chosen_anew[:-1]), axis=0)
    if len(kept) > 1:
        kept[-1] = False
    return np.asarray(step_costs @ kept / step_costs.sum())


def costs_anew(
    graph: fl.Graph, vertices: Sequence[int], groups: Sequence[Bools], n_ranks: int
) -> dict[int, Floats]:
    """Costs from each vertex to its `n_ranks` nearest other vertices of each group, one by one."""
    found: dict[int, Floats] = {}
    for part in _portions(vertices):
        costs = dijkstra(graph.costs, indices=part)
        costs[np.arange(len(part)), part] = np.inf
        ranked = [np.sort(costs[:, group], axis=1)[:, :n_ranks] for group in groups]
        found.update(zip(part, np.hstack(ranked), strict=True))
    return found


def published_cells(
    multiverses: Sequence[fl.Multiverse], explainer: fl.FACElift, labels: Any
) -> dict[tuple[str, str], Cell]:
    """Every cell of Table 2 that belongs to MNIST and to FACE or FACElift."""
    digits = np.empty(len(explainer.graph_.points), dtype=np.int64)
    digits[explainer.vertices_] = labels
    nine = list(explainer.classes_).index(TARGET)
    nines = (digits == TARGET) & (explainer.probabilities_[:, nine] >= THRESHOLD)
    passed = sorted({int(v) for many in multiverses for each in many for v in each.vertices})
    others = [digits == digit for digit in OTHERS]
    anew = {
        "other classes": costs_anew(explainer.graph_, passed, others, 1),
        "nines": costs_anew(explainer.graph_, passed, [nines], N_RANKS),
    }
    scores = {
        setting: [[_score(each, anew[setting]) for each in many] for many in multiverses]
        for setting in SETTINGS
    }
    costs = [[each.cost for each in many] for many in multiverses]
    return {
        (method, setting): _cell(costs, scores[setting], n)
        for method, n in METHODS.items()
        for setting in SETTINGS
    }


def _score(journey: fl.Journey, anew: dict[int, Floats]) -> float:
    chosen_anew = np.array([anew[int(vertex)] for vertex in journey.vertices])
    return float(published_opportunity(journey.step_costs, chosen_anew).mean())


def _cell(costs: list[list[float]], scores: list[list[float]], n_nearest: int) -> Cell:
    """Mean and spread of the journeys of the highest score among the nearest."""
    chosen = [int(np.argmax(each[:n_nearest])) for each in scores]
    distances = [each[best] for each, best in zip(costs, chosen, strict=True)]
    potentials = [each[best] for each, best in zip(scores, chosen, strict=True)]
    return Cell(
        *map(
            float, (np.mean(distances), np.std(distances), np.mean(potentials), np.std(potentials))
        )
    )


def _portions(vertices: Sequence[int], size: int = 100) -> Iterator[Sequence[int]]:
    return (vertices[start : start + size] for start in range(0, len(vertices), size))


def published_network(images: Floats, labels: Any, seed: int) -> Any:
    """scikit-learn's ordinary network of 100 rectified units, fitted to everything."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.neural_network import MLPClassifier

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return MLPClassifier(random_state=seed).fit(images, labels)


def main() -> None:
    """Print the cells of every seed beside the paper's."""
    parser = argparse.ArgumentParser(description="MNIST as published, beside the paper's figures.")
    parser.add_argument("seeds", nargs="*", type=int, default=[0], help="of the network; 0")
    images, labels = fl.datasets.load_mnist(subset="train", n_per_class=1000, return_X_y=True)
    for seed in parser.parse_args().seeds:
        model = published_network(images, labels, seed)
        explainer = published_explainer(images, model)
        multiverses = journeys_of_ones(explainer, images, labels)
        nines = model.predict_proba(images[labels == TARGET])[:, TARGET] >= THRESHOLD
        print(f"Seed {seed}: {nines.sum():,} of {len(nines):,} nines have p ≥ {THRESHOLD}.")
        waypoints = [len(many[0].vertices) for many in multiverses]
        print(f"Waypoints of FACE: {_two(np.mean(waypoints), np.std(waypoints))}, paper 3.37±0.69")
        _print(published_cells(multiverses, explainer, labels))


def _print(cells: dict[tuple[str, str], Cell]) -> None:
    print(f"{'':14}{'alternatives':16}{'distance':14}{'paper':16}{'opportunity':14}paper")
    for (method, setting), cell in cells.items():
        far, far_spread, open_, open_spread = PAPER[method, setting]
        print(
            f"{method:14}{setting:16}{_two(cell.distance, cell.distance_spread):14}"
            f"{_two(far, far_spread):16}{_two(cell.opportunity, cell.opportunity_spread):14}"
            f"{_two(open_, open_spread)}"
        )


def _two(mean: Any, spread: Any) -> str:
    return f"{mean:.2f}±{spread:.2f}"


if __name__ == "__main__":
    main()
