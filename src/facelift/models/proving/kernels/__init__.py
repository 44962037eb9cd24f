"""Compiled loops of `search`: factors of a score, lower bounds of a cost, and single states.

No loop calls one of another file: numba keeps machine code as long as the file of a loop stays.
"""

from facelift.models.proving.kernels.bounds import bound_of, choose, improve
from facelift.models.proving.kernels.factors import extremes, prune, restrict, specialise
from facelift.models.proving.kernels.states import add_leaves, descend, scores

__all__ = [
    "add_leaves",
    "bound_of",
    "choose",
    "descend",
    "extremes",
    "improve",
    "prune",
    "restrict",
    "scores",
    "specialise",
]
