"""The geometry of journeys as plain arithmetic: arrays in, arrays out; no graph, model or table.

`curves` measures journeys as curves and says where two of them part and meet again, `opportunity`
how far one journey serves another, `agency` what stays open along the way.
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
from facelift.geometry.curves import (
    TOLERANCE,
    convergence,
    direction_difference,
    distances,
    divergence,
    early,
    length,
    resample,
    separation,
    separation_from_line,
    shared_proportion,
    step_lengths,
    strays,
    tied_ranks,
)
from facelift.geometry.opportunity import (
    direct_opportunity,
    opportunity_matrix,
    opportunity_potential,
    polyline_opportunity,
    steps_kept_open,
    unclipped_opportunity,
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
