"""How wide words are and where they may break, without a font at hand: never too narrow."""

from __future__ import annotations

import re

NAME, VALUE = 12.5, 12.0
"""Sizes of letters: what changes, and what is said about it."""

LINE = 15.0
"""From one line of words to the next."""

WIDTHS = {
    **dict.fromkeys("ijlIJ.,:;'|!/\\ ", 0.4),
    **dict.fromkeys('ftr()[]-"·', 0.52),
    **dict.fromkeys("mwMW@%→…+−<=>", 1.0),
}
CAPITAL, LETTER, FAR = 0.85, 0.72, 1.1
"""Widths of bold letters in DejaVu Sans, the widest of the fonts in use, as a share of the size."""


def width(words: str, size: float = NAME, *, bold: bool = True) -> float:
    """About how many pixels wide words are, rather more than less.

    >>> round(width("Savings")), round(width("Savings", 12.0, bold=False))
    (61, 54)
    """
    share = sum(map(_letter, words))
    return size * share * (1.0 if bold else 0.92)


def _letter(letter: str) -> float:
    if letter in WIDTHS:
        return WIDTHS[letter]
    if ord(letter) >= 0x2E80:
        return FAR
    return CAPITAL if letter.isupper() else LETTER


def wrapped(words: str, room: float, size: float = NAME, *, bold: bool = True) -> tuple[str, ...]:
    """Words on as many lines as they need; only a single part may be wider than the room.

    Parts end at spaces, after hyphens and slashes, and between small and capital letters. Facts
    between middle dots that do not fit on one line begin a line each.

    >>> wrapped("Duration of the loan", 110)
    ('Duration of', 'the loan')
    >>> wrapped("MSinceMostRecentTradeOpen", 110)
    ('MSinceMost', 'RecentTrade', 'Open')
    """
    if " · " in words and width(words, size, bold=bold) > room:
        facts = [wrapped(fact, room, size, bold=bold) for fact in words.split(" · ")]
        return tuple(line for fact in facts for line in fact)
    lines: list[str] = []
    for part in parts(words):
        longer = lines[-1] + part if lines else part
        if lines and width(longer.rstrip(), size, bold=bold) <= room:
            lines[-1] = longer
        else:
            lines.append(part.lstrip())
    return tuple(line.rstrip() for line in lines)


def parts(words: str) -> list[str]:
    """Words in pieces between which a line may end; an arrow stays with what follows it.

    >>> parts("→ 100 to 500 DM"), parts("NetFraction"), parts("self-employed")
    (['→ 100 ', 'to ', '500 ', 'DM'], ['Net', 'Fraction'], ['self-', 'employed'])
    """
    found = r"(?:→ )?.+?(?:(?<=[a-z])(?=[A-Z])|(?<=[A-Za-z][-/_])(?=\w)|\s+|$)"
    return re.findall(found, words)
