"""Percentages written as text, such as "12 %" or "7.5%": 12 stands for the first."""

from __future__ import annotations

import re

from facelift.terrain.kinds.written import Written


class Percent(Written):
    """Numbers with a percent sign behind them."""

    name = "percent"
    units = re.compile("%")
    plain_first = True
