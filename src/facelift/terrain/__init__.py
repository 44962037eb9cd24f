"""What each column is, how it may change and what a move costs; knows no graphs and no models."""

from facelift.terrain.feature import Feature
from facelift.terrain.preparing import prepare
from facelift.terrain.prices import Prices
from facelift.terrain.rules import read_rules, write_rules
from facelift.terrain.terrain import Terrain

__all__ = ["Feature", "Prices", "Terrain", "prepare", "read_rules", "write_rules"]
