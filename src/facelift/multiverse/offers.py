"""What else could be asked for where there is no way, and what came of trying it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from facelift.geometry import TOLERANCE
from facelift.language import fixed, joined, say


@dataclass(frozen=True)
class Tried:
    """Whether an offer was tried to its end, and the effort of the cheapest way seen, if any."""

    to_the_end: bool = False
    effort: float | None = None


OfferKind = Literal["longer", "leave out", "rows", "rarer", "more steps", "actions"]


@dataclass(frozen=True)
class Offer:
    """Something else to ask for, and what came of trying it.

    `parameters` are those of an explainer to change ("freeze": columns to leave out).

    Examples
    --------
    >>> print(Offer("longer", {"patience": "thorough"}, Tried(True, 0.402)))
    search longer: explainer.under(explainer.terrain_, patience="thorough") (effort 0.41 or less)
    """

    kind: OfferKind
    parameters: Mapping[str, Any]
    tried: Tried = Tried()

    @property
    def helps(self) -> bool:
        """Whether it was seen to find a way."""
        return self.tried.effort is not None

    @property
    def call(self) -> str:
        """How to take it."""
        ((name, value),) = self.parameters.items()
        if name == "freeze":
            columns = ", ".join(f'"{each}"' for each in value)
            return f"explainer.under(explainer.terrain_.freeze({columns}))"
        return f'steps="{value}"' if name == "steps" else under_call(name, value)

    def __str__(self) -> str:
        offer, call = _OFFERED[self.kind], self.call
        if self.tried.effort is None:
            return say("{offer}: {call}", offer=offer, call=call)
        most = math.ceil(100 * self.tried.effort * (1 - TOLERANCE)) / 100  # up: it must hold
        return say(
            "{offer}: {call} (effort {effort} or less)", offer=offer, call=call, effort=fixed(most)
        )


_OFFERED: dict[OfferKind, str] = {
    "longer": say("search longer"),
    "leave out": say("leave out the columns that bring least"),
    "rows": say("go through records of people like you"),
    "rarer": say("accept rarer states"),
    "more steps": say("allow more steps"),
    "actions": say("change one thing at a time"),
}


def offer_lines(offers: tuple[Offer, ...]) -> list[str]:
    """What helps, call by call; then what was tried and does not, and what was not tried out.

    >>> rarer = Offer("rarer", {"plausibility": 1}, Tried(True))
    >>> for line in offer_lines((rarer, Offer("rows", {"steps": "rows"}))):
    ...     print(line)
    Tried, but finds no way either: accept rarer states.
    Not tried to the end: go through records of people like you: steps="rows".
    """
    helping = [each for each in offers if each.helps]
    vain = [_OFFERED[each.kind] for each in offers if each.tried.to_the_end and not each.helps]
    open_ = [each for each in offers if not each.tried.to_the_end and not each.helps]
    lines = [say("What finds a way:")] if helping else []
    lines += numbered(helping)
    if vain:
        lines.append(say("Tried, but finds no way either: {offers}.", offers=joined(vain)))
    if open_:
        untried = joined(map(str, open_), "; ")
        lines.append(say("Not tried to the end: {offers}.", offers=untried))
    return lines


def numbered(lines: Iterable[object]) -> list[str]:
    """Lines of a list, numbered from 1."""
    return [joined((f"  {n}.", str(each)), " ") for n, each in enumerate(lines, start=1)]


def under_call(name: str, value: object) -> str:
    """The call that explains with another setting."""
    shown = f'"{value}"' if name == "patience" and isinstance(value, str) else value
    return f"explainer.under(explainer.terrain_, {name}={shown})"
