"""Families: journeys that run alike, with a representative and the trunk they share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from facelift import geometry
from facelift._arrays import Floats, Ints
from facelift.errors import InvalidInput
from facelift.multiverse.journey import Journey


@dataclass(frozen=True, eq=False)
class Family:
    """Members (numbers of journeys), the most central of them, and the vertices all share first.

    Examples
    --------
    >>> from facelift.toys import loan
    >>> families = loan().multiverse().families(n_families=2)
    >>> [(family.members, family.representative, family.trunk.tolist()) for family in families]
    [((0,), 0, [0, 1]), ((1, 2), 1, [0, 4])]
    """

    members: tuple[int, ...]
    representative: int
    trunk: Ints


def direction_differences(
    journeys: Sequence[Journey], n_sections: int = 20, weights: npt.ArrayLike | None = None
) -> Floats:
    """Direction difference of every pair of journeys; shape (c, c), symmetric, zero diagonal."""
    stations = [geometry.resample(journey.waypoints, n_sections) for journey in journeys]
    differences = np.zeros((len(stations), len(stations)))
    for a in range(len(stations)):
        for b in range(a):
            differences[a, b] = geometry.direction_difference(stations[a], stations[b], weights)
    return differences + differences.T


def journey_families(
    journeys: Sequence[Journey],
    *,
    threshold: float | None = None,
    n_families: int | None = None,
    n_sections: int = 20,
    weights: npt.ArrayLike | None = None,
) -> list[Family]:
    """Collapse journeys by average-linkage clustering of their direction differences (SPEC 8)."""
    if (threshold is None) == (n_families is None):
        raise InvalidInput("Give either a threshold or n_families.")
    if threshold is not None and not threshold >= 0:  # also catches NaN
        raise InvalidInput(f"threshold must be 0 or more, got {threshold}.")
    if n_families is not None and not n_families >= 1:
        raise InvalidInput(f"n_families must be 1 or more, got {n_families}.")
    differences = direction_differences(journeys, n_sections, weights)
    labels = average_linkage(differences, threshold=threshold, n_families=n_families)
    return [
        _family(journeys, differences, np.flatnonzero(labels == label))
        for label in dict.fromkeys(labels.tolist())
    ]


def common_trunk(routes: Sequence[Ints]) -> Ints:
    """The vertices that all routes share from their start."""
    shortest = min(len(route) for route in routes)
    heads = np.array([route[:shortest] for route in routes])
    same = (heads == heads[0]).all(axis=0)
    return routes[0][: shortest if same.all() else int(np.argmin(same))]


def average_linkage(
    differences: Floats, *, threshold: float | None = None, n_families: int | None = None
) -> Ints:
    """The cluster of each of some things, joined nearest first up to a threshold or a number.

    >>> average_linkage(np.array([[0.0, 1.0, 9.0], [1.0, 0.0, 9.0], [9.0, 9.0, 0.0]]), threshold=2)
    array([1, 1, 2])
    """
    from scipy.cluster.hierarchy import fcluster, linkage
    from scipy.spatial.distance import squareform

    if len(differences) == 1:
        return np.zeros(1, dtype=np.int64)
    tree = linkage(squareform(differences, checks=False), method="average")
    if n_families is not None:
        labels = fcluster(tree, t=n_families, criterion="maxclust")
    else:
        labels = fcluster(tree, t=float(threshold or 0.0), criterion="distance")
    return np.asarray(labels, dtype=np.int64)


def _family(journeys: Sequence[Journey], differences: Floats, members: Ints) -> Family:
    central = members[np.argmin(differences[np.ix_(members, members)].sum(axis=1))]
    trunk = common_trunk([journeys[i].vertices for i in members])
    return Family(tuple(members.tolist()), int(central), trunk)
