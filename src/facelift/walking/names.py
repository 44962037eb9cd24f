"""Letters and colours of destinations: a letter is for good, a colour while it is on the map."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2s
from itertools import count

from facelift._arrays import Floats
from facelift.drawing.parts import COLOURS
from facelift.multiverse.words import letter
from facelift.walking.walk import Name

N_COLOURS = len(COLOURS)
"""So many lines can be told apart, also by people who see fewer colours."""


def destination_key(point: Floats) -> str:
    """What tells a destination from others on every later plan: where it ends."""
    return blake2s((point + 0.0).tobytes(), digest_size=8).hexdigest()


def renamed(known: Sequence[Name], shown: Sequence[str]) -> tuple[Name, ...]:
    """All names after a new plan that shows the destinations with these keys.

    Known ones keep their letter, and their colour if they are shown; those no longer shown give it
    back; new ones get the next letter and a free colour.

    >>> first = renamed((), ["x", "y"])
    >>> [(name.letter, name.colour) for name in renamed(first, ["y", "z"])]
    [('A', None), ('B', 1), ('C', 0)]
    """
    letters = {name.key: name.letter for name in known}
    unused = (letter(i) for i in count(len(letters)) if letter(i) not in letters.values())
    for key in shown:
        if key not in letters:
            letters[key] = next(unused)
    colours = {name.key: name.colour for name in known if name.key in shown}
    taken = {colour for colour in colours.values() if colour is not None}
    free = iter([colour for colour in range(N_COLOURS) if colour not in taken])
    for key in shown:
        if colours.get(key) is None:
            colours[key] = next(free, None)
    return tuple(Name(letters[key], key, colours.get(key)) for key in letters)
