"""Other explainers, as their authors describe them, to compare facelift with.

All are called like `FACElift`: `fit(X)`, `explain(x)`, `explain_many(X)`, and give multiverses.
"""

from facelift.baselines.diverse_nearest import DiverseNearest
from facelift.baselines.face import FACE
from facelift.baselines.growing_spheres import GrowingSpheres
from facelift.baselines.prototype import Prototype

__all__ = ["FACE", "DiverseNearest", "GrowingSpheres", "Prototype"]
