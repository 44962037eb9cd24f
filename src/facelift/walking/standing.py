"""How one stands among real records: how ordinary a place is, and what the model says nearby."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from facelift.explainer import FACElift
from facelift.geometry import distances
from facelift.graph.plausibility import learn_plausibility
from facelift.walking.guide import Guide
from facelift.walking.plan import Plan

N_NEARBY = 10
"""So many of the nearest records say how firm a place is."""


@dataclass(frozen=True)
class Standing:
    """Distance to real records as a share of what is ordinary, and how many nearby succeed."""

    rarity: float
    n_nearby: int
    n_succeed: int


def standing(guide: Guide, plan: Plan) -> Standing | None:
    """How one stands here; None where there are no records to compare with."""
    explainer, goal = guide.explainer, guide.multiverse.goal
    if explainer is None or goal is None:
        return None
    records = explainer.graph_.points
    away = distances(records, plan.point)
    nearest = np.argsort(away, kind="stable")[:N_NEARBY]
    succeed = int(goal.reached(explainer.probabilities_[nearest]).sum())
    rarity = 0.0 if (away == 0).any() else _rarity(explainer, plan)
    return Standing(rarity, len(nearest), succeed)


def _rarity(explainer: FACElift, plan: Plan) -> float:
    learnt = getattr(explainer, "plausibility_", None)  # journeys through records need none
    learnt = learnt or learn_plausibility(explainer.graph_.points, explainer.plausibility)
    return float(learnt.rarity(plan.point[np.newaxis, :])[0])
