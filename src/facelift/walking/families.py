"""Ways that run alike, collapsed into one when there are too many to look at."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from facelift.multiverse.exploration import Route
from facelift.multiverse.multiverse import Multiverse
from facelift.walking.names import N_COLOURS, destination_key
from facelift.walking.plan import grouped
from facelift.walking.walk import Walk


def shown_as_one(found: Multiverse, walk: Walk, route: Route) -> list[list[int]] | None:
    """Which ways are shown as one: all alike, or the members of the family one looks into."""
    if walk.unfolded is not None:
        names = {name.letter: name.key for name in walk.names}
        for family in _families(found, range(len(found))):
            shown = grouped(found, [family], route)
            if destination_key(shown[0].counterfactual) == names.get(walk.unfolded):
                return _families(found, family)
    if len(found) <= N_COLOURS:
        return None
    return _families(found, range(len(found)))


def _families(found: Multiverse, members: Iterable[int]) -> list[list[int]]:
    """At most seven groups of ways that run alike."""
    numbers = list(members)
    if len(numbers) <= N_COLOURS:
        return [[number] for number in numbers]
    some = replace(found, journeys=tuple(found[i] for i in numbers))
    return [[numbers[i] for i in f.members] for f in some.families(n_families=N_COLOURS)]


def sizes(found: Multiverse, groups: list[list[int]] | None, keys: list[str]) -> tuple[int, ...]:
    """How many ways each destination shown stands for."""
    if groups is None:
        return (1,) * len(keys)
    found_sizes: dict[str, int] = {}
    for group in groups:
        ends = [destination_key(found[i].counterfactual) for i in group]
        found_sizes |= dict.fromkeys(ends, len(group))
    return tuple(found_sizes[key] for key in keys)
