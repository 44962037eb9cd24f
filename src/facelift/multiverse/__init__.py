"""Journeys and the multiverse they form; knows no models."""

from facelift.multiverse.bridging import bridge, bridge_many
from facelift.multiverse.exploration import explore
from facelift.multiverse.families import Family
from facelift.multiverse.goal import Goal, Range
from facelift.multiverse.journey import Journey
from facelift.multiverse.multiverse import Multiverse
from facelift.multiverse.whynot import Survey, WhyNot

__all__ = [
    "Family",
    "Goal",
    "Journey",
    "Multiverse",
    "Range",
    "Survey",
    "WhyNot",
    "bridge",
    "bridge_many",
    "explore",
]
