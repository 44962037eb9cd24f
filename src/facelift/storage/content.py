"""Everything a fitted explainer knows, but its model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from facelift._arrays import Floats, Ints, fingerprint
from facelift.graph.graph import Graph
from facelift.terrain.terrain import Terrain


@dataclass(frozen=True, eq=False)
class Content:
    """What is kept of an explainer."""

    parameters: dict[str, Any]
    terrain: Terrain
    graph: Graph
    probabilities: Floats
    classes: list[Any]
    vertices: Ints
    multiplicity: Ints
    share_rows: bool = True

    @property
    def arrays(self) -> dict[str, Any]:
        """What is kept as arrays, by name."""
        costs = self.graph.costs
        return {
            "points": self.graph.points,
            "data": costs.data,
            "indices": costs.indices,
            "indptr": costs.indptr,
            "probabilities": self.probabilities,
            "vertices": self.vertices,
            "multiplicity": self.multiplicity,
        }

    @property
    def fingerprints(self) -> dict[str, str]:
        """Of the records and of the model's answers to them, as on receipts."""
        return {"data": fingerprint(self.graph.points), "model": fingerprint(self.probabilities)}
