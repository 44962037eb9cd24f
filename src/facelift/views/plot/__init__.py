"""Plots with matplotlib: a value in, `Axes` out; nothing is shown or saved.

Every function takes the axes to draw on as `ax`, or makes its own. Ways have the letters and the
seven colours of the map; letters and markers say the same as colours. Where there is no way, a plot
says why. What a plot shows can be had as data from `fl.views.table`, under the same name.
"""

from facelift.errors import optional

optional("matplotlib", extra="plot", what="Plotting")  # one clear line instead of a traceback

from facelift.views.plot.groups import fairness, pockets  # noqa: E402
from facelift.views.plot.maps import flow, journeys, world  # noqa: E402
from facelift.views.plot.shares import (  # noqa: E402
    criteria,
    opportunity,
    pictures,
    stays_open,
    steps,
    trade_off,
)

__all__ = [
    "criteria",
    "fairness",
    "flow",
    "journeys",
    "opportunity",
    "pictures",
    "pockets",
    "stays_open",
    "steps",
    "trade_off",
    "world",
]
