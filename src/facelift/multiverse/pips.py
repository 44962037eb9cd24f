"""Pips: what each step of a journey does to each destination, as one mark each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facelift.geometry import effects

if TYPE_CHECKING:
    from collections.abc import Iterable

    from facelift.multiverse.journey import Journey

PIPS = {"nearer": "●", "open": "○", "closed": "✕"}
"""The pips: a step brings a destination nearer, leaves it open without helping, or closes it."""

PIP_WORDS = {
    "nearer": "brings that way nearer",
    "open": "no help, still in reach",
    "closed": "out of reach for good",
}
"""What the pips mean."""


def pips(journey: Journey) -> list[str]:
    """One pip per destination after each step of a journey.

    >>> from facelift.toys import loan
    >>> pips(loan().multiverse()[2])
    ['✕●●', '✕●●', '✕✕●', '✕✕●']
    """
    said = effects(journey.remaining, journey.step_costs).tolist()
    return ["".join(PIPS[effect] for effect in step) for step in said]


def legend(journeys: Iterable[Journey]) -> str:
    """What the pips mean; that of a closed way is left out where no step closes any.

    >>> from facelift.toys import loan
    >>> legend(loan().multiverse()[:1])
    '● brings that way nearer   ○ no help, still in reach   ✕ out of reach for good'
    """
    closes = any(lost for journey in journeys for lost in journey.closes)
    known = [effect for effect in PIPS if closes or effect != "closed"]
    return "   ".join(f"{PIPS[effect]} {PIP_WORDS[effect]}" for effect in known)
