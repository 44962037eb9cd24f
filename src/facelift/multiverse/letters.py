"""Destinations by letter, as people speak of them."""

from __future__ import annotations

from string import ascii_uppercase


def letter(number: int) -> str:
    """Letter of a destination: A to Z, then A2, B2 and so on.

    >>> letter(0), letter(25), letter(26)
    ('A', 'Z', 'A2')
    """
    round_, place = divmod(number, len(ascii_uppercase))
    return ascii_uppercase[place] + (str(round_ + 1) if round_ else "")
