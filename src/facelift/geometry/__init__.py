"""The geometry of journeys as plain arithmetic: arrays in, arrays out; no graph, model or table.

`polyline` treats a journey as a curve, `divergence` says where two curves part and meet again,
`opportunity` how far one journey serves another, `agency` what stays open along the way.
"""

from facelift.geometry.agency import (
    branching_delay,
    branching_factor,
    choice_complexity,
    closes,
    effects,
    keeps_open,
    loss_of_opportunity,
    open_area,
    open_share,
    reachable_share,
    vertex_branching,
)
from facelift.geometry.divergence import (
    convergence,
    direction_difference,
    divergence,
    early,
    separation,
    separation_from_line,
    shared_proportion,
    strays,
)
from facelift.geometry.opportunity import (
    direct_opportunity,
    opportunity_matrix,
    opportunity_potential,
    polyline_opportunity,
    steps_kept_open,
    unclipped_opportunity,
)
from facelift.geometry.polyline import (
    TOLERANCE,
    distances,
    length,
    resample,
    step_lengths,
    tied_ranks,
)

__all__ = [
    "TOLERANCE",
    "branching_delay",
    "branching_factor",
    "choice_complexity",
    "closes",
    "convergence",
    "direct_opportunity",
    "direction_difference",
    "distances",
    "divergence",
    "early",
    "effects",
    "keeps_open",
    "length",
    "loss_of_opportunity",
    "open_area",
    "open_share",
    "opportunity_matrix",
    "opportunity_potential",
    "polyline_opportunity",
    "reachable_share",
    "resample",
    "separation",
    "separation_from_line",
    "shared_proportion",
    "step_lengths",
    "steps_kept_open",
    "strays",
    "tied_ranks",
    "unclipped_opportunity",
    "vertex_branching",
]
