"""facelift as one of the methods compared: in a process of its own, like the others."""

from __future__ import annotations

import pickle
from dataclasses import dataclass
from typing import Any

import numpy as np

import facelift as fl
from tools.benchmarks.peers.methods import Wish


@dataclass(frozen=True)
class Ways:
    """Ends, the waypoints of the way to each, and what is proven of the first."""

    rows: Any
    proof: str | None
    ways: list[Any]


class Ours:
    """facelift with one kind of step, asked for ways that end at the threshold, as others' do."""

    def __init__(self, steps: str, world: bytes) -> None:
        data, terrain, model = pickle.loads(world)  # noqa: S301  (written by our own process)
        self.explainer = fl.FACElift(model, terrain, steps=steps, margin=0.0).fit(data)
        self.data = data
        declined = int(model.predict_proba(data)[:, 1].argmin())
        self.explainer.explain(data.iloc[[declined]], 1)  # compiles, or loads

    def __call__(self, wish: Wish) -> Ways | None:
        """Our ways of a person, whose row number is asked for: types and words stay as they are."""
        found = self.explainer.explain(self.data.iloc[[int(wish.row[0])]], 1)
        if not len(found):
            return None
        proof = None if found.proof is None else found.proof.kind
        ends = np.array([journey.counterfactual for journey in found])
        return Ways(ends, proof, [journey.waypoints for journey in found])
