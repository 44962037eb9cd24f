"""Data graphs, their neighbours and searches; knows neither what features mean nor journeys."""

from facelift.graph.building import Neighbourhood, row_graph
from facelift.graph.edge_costs import Edges, ball, density, distance, kde, power
from facelift.graph.graph import Graph
from facelift.graph.nearest import nearest_admissible
from facelift.graph.routes import forward, remaining_costs
from facelift.graph.search import costs_between

__all__ = [
    "Edges",
    "Graph",
    "Neighbourhood",
    "ball",
    "costs_between",
    "density",
    "distance",
    "forward",
    "kde",
    "nearest_admissible",
    "power",
    "remaining_costs",
    "row_graph",
]
