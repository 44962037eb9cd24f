"""Guiding a person through their ways: limits, moves, and a new plan after each of them.

Everything the navigator computes happens here and below; it knows no page and no request. A `Walk`
is all there is to know about where somebody stands and what they ruled out; `Guide.plan` says what
is open from there. Both are values, so undo, sharing and several walks at once are free.
"""

from facelift.walking.guide import Guide
from facelift.walking.limits import Limits, RuledOut
from facelift.walking.plan import Plan
from facelift.walking.walk import (
    Again,
    Event,
    Move,
    Name,
    Other,
    RuleOut,
    SetLimits,
    Take,
    Unfold,
    Walk,
)

__all__ = [
    "Again",
    "Event",
    "Guide",
    "Limits",
    "Move",
    "Name",
    "Other",
    "Plan",
    "RuleOut",
    "RuledOut",
    "SetLimits",
    "Take",
    "Unfold",
    "Walk",
]
