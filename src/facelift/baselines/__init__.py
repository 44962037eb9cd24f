"""Other explainers, as their authors describe them, to compare facelift with.

All are called like `FACElift`: `fit(X)`, `explain(x)`, `explain_many(X)`, and give multiverses.
"""

from facelift.baselines.growing_spheres import GrowingSpheres
from facelift.baselines.prototype import Prototype
from facelift.baselines.records import FACE, DiverseNearest

__all__ = ["FACE", "DiverseNearest", "GrowingSpheres", "Prototype"]
