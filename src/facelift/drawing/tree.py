"""Ways from one place as a tree: what they share at first is one branch, and none crosses another.

An order given (that of the map before) is kept as far as the tree allows, so the map stays put.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from facelift.drawing.parts import Leg, Line


@dataclass(eq=False)
class Node:
    """A place on the map: the lines that come here, those that end here, where others go on."""

    depth: int = 0
    effort: float = 0.0
    time: float = 0.0
    leg: Leg | None = None
    lines: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    children: dict[int, Node] = field(default_factory=dict)

    def all(self) -> Iterator[Node]:
        """The place itself and all that follow."""
        yield self
        for child in self.children.values():
            yield from child.all()


def tree(lines: Sequence[Line]) -> Node:
    """Ways with the same first steps share them; a place met again after a fork is a new node.

    >>> legs = [Leg(v, 0.5, "", "", "") for v in (1, 2, 3)]
    >>> ways = [Line(n, 0, (legs[0], last), "", "", "") for n, last in zip("AB", legs[1:])]
    >>> [node.lines for node in tree(ways).all()]
    [[0, 1], [0, 1], [0], [1]]
    """
    root = Node()
    for number, line in enumerate(lines):
        node = root
        node.lines.append(number)
        for leg in line.legs:
            if leg.vertex not in node.children:
                effort = node.effort + leg.effort
                time = max(node.time, leg.time)
                node.children[leg.vertex] = Node(node.depth + 1, effort, time, leg)
            node = node.children[leg.vertex]
            node.lines.append(number)
        node.ends.append(number)
    return root


def slots(root: Node, lines: Sequence[Line], order: Sequence[str]) -> dict[int, int]:
    """The row of each line; `order` has letters from top to bottom as they were before.

    Lines of every node are put into the order of their rows.
    """
    rank = {letter: place for place, letter in enumerate(order)}
    ranks = [rank.get(line.letter, len(rank)) for line in lines]
    found = {line: slot for slot, line in enumerate(_ordered(root, ranks))}
    for node in root.all():
        node.lines.sort(key=found.__getitem__)
    return found


def _ordered(node: Node, rank: list[int]) -> list[int]:
    """Lines from top to bottom: branches by the first of their lines, then by its number."""

    def first(branch: list[int]) -> tuple[int, int]:
        return min((rank[line], line) for line in branch)

    branches = [[line] for line in node.ends]
    branches += [_ordered(child, rank) for child in node.children.values()]
    return [line for branch in sorted(branches, key=first) for line in branch]
