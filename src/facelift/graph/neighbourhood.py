"""Which moves between records become edges, and what they cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from facelift.errors import InvalidInput
from facelift.graph.edge_costs import EdgeCost, distance
from facelift.terrain.prices import Prices

EdgeRule = Literal["out", "union", "mutual"]


@dataclass(frozen=True, eq=False)
class Neighbourhood:
    """Which moves become edges, and what they cost.

    Each vertex leads to its `n_neighbors` nearest admissible others, or to all within `max_step`
    when `n_neighbors` is None (an ε-ball); both limits may hold at once.

    >>> import numpy as np
    >>> from facelift.graph.rows import row_graph
    >>> prices = Prices(increase=np.array([1.0]), decrease=np.array([np.inf]))
    >>> row_graph(np.array([[0.0], [1.0], [3.0]]), Neighbourhood(prices, None, max_step=2.5))
    Graph(3 vertices, 2 edges, 1 coordinates)
    """

    prices: Prices
    n_neighbors: int | None = 20
    edges: EdgeRule = "union"
    edge_cost: EdgeCost = distance
    max_step: float | None = None

    def __post_init__(self) -> None:
        if self.n_neighbors is None and self.max_step is None:
            raise InvalidInput("Give n_neighbors, max_step (a largest cost per step), or both.")
        if self.n_neighbors is not None and self.n_neighbors < 1:
            raise InvalidInput(f"n_neighbors must be at least 1, got {self.n_neighbors}.")
        if self.max_step is not None and not self.max_step > 0:
            raise InvalidInput(f"max_step must be positive, got {self.max_step}.")
        if self.edges not in ("out", "union", "mutual"):
            raise InvalidInput(f"edges must be 'out', 'union' or 'mutual', got {self.edges!r}.")
