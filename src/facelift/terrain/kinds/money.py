"""Amounts of money written as text, such as "$60,000.00 " or "1.234,50 €"."""

from __future__ import annotations

import re

from facelift.terrain.kinds.written import Written

SIGN = r"(?:USD|EUR|GBP|CHF|JPY|CNY|INR|PLN|CAD|AUD|SEK|NOK|DKK|NT\$|DM|kr\.?|zł|[$€£¥₹₽₩])"
"""Signs and short names of currencies."""


class Money(Written):
    """Amounts with the sign of a currency before or behind them."""

    name = "money"
    units = re.compile(SIGN)
    in_front = True
