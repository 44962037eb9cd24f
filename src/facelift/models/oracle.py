"""The oracle: what a fitted model and its committee say of points; nobody else asks them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

import numpy as np

from facelift._arrays import Bools, Floats, Ints
from facelift.errors import InvalidModel
from facelift.geometry import TOLERANCE
from facelift.graph.points import Lookup
from facelift.models.asking import answers, check_no_labels, check_same, class_labels
from facelift.models.proving.reading import Reading, read
from facelift.models.shortcut import Shortcut
from facelift.multiverse.goal import Goal, Range, goal_of, range_of
from facelift.terrain.feature import changed
from facelift.terrain.kinds import kind_of
from facelift.terrain.terrain import Terrain

STEP = 1e-3
"""By how much numbers are moved to ask about a difference, at least, as a share of their span."""

N_KINDS = 8
"""So many kinds of findings are remembered: what is plausible depends on how rare somebody is."""

N_CHECKED = 2_000
"""Records that a model is asked about again to see whether it is still the same."""


@dataclass(frozen=True, eq=False)
class Committee:
    """Other models that are asked, too, and the share of them that must agree on a destination.

    >>> from facelift import FACElift
    >>> line = np.arange(11.0)[:, np.newaxis]
    >>> model = lambda x: np.hstack([10 - x, x]) / 10
    >>> strict = lambda x: np.hstack([13 - x, x - 3]).clip(0, 10) / 10
    >>> committee = Committee([model, strict], min_agreement=1.0)
    >>> explainer = FACElift(model, n_neighbors=2, committee=committee).fit(line)
    >>> explainer.explain([2.0])[0].agreement.tolist()
    [0.0, 0.0, 0.0, 0.5, 0.5, 0.5, 1.0]
    """

    models: Sequence[Any]
    min_agreement: float = 0.0

    def __len__(self) -> int:
        return len(self.models)

    def needing(self, min_agreement: float) -> Committee:
        """The same models, of which another share must agree; nobody is asked again.

        >>> Committee([min, max], min_agreement=1.0).needing(0.5).min_agreement
        0.5
        """
        return replace(self, min_agreement=min_agreement)


class Memory:
    """What was found out about points, for people who change their mind: most come up again.

    Holds up to `most` points of each kind of finding, then forgets them, and the latest `N_KINDS`
    kinds; may be used from several threads. For one model and one table only.

    >>> memory = Memory()
    >>> memory.recall(np.array([[1.0], [2.0]]), lambda points: 10 * points)
    array([[10.],
           [20.]])
    >>> memory.recall(np.array([[2.0], [3.0]]), lambda points: 0 * points)
    array([[20.],
           [ 0.]])
    """

    def __init__(self, most: int = 100_000) -> None:
        self.most = most
        self._known: dict[Hashable, dict[bytes, Any]] = {}

    def recall(
        self, points: Floats, find: Callable[[Floats], Any], about: Hashable = "answers"
    ) -> Any:
        """What is known of points, one row each; only the others are found out, in one batch."""
        known = self._known.pop(about, None) or {}
        self._known[about] = known  # the latest; another thread may put a new one in its place
        for oldest in list(self._known)[:-N_KINDS]:
            self._known.pop(oldest, None)
        keys = _keys(points)
        rows = list(map(known.get, keys))
        new = [i for i, row in enumerate(rows) if row is None]
        if new:
            found = np.asarray(find(points[new])).tolist()  # many small arrays take longer to join
            for i, row in zip(new, found, strict=True):
                rows[i] = row
            if len(known) + len(new) > self.most:
                known = self._known[about] = {}
            known.update((keys[i], rows[i]) for i in new)
        return np.array(rows)


class Structure:
    """What was read of a model, so that it is read once."""

    def __init__(self) -> None:
        self._read: tuple[Any, Reading | None] | None = None

    def of(self, model: Any, sample: Callable[[], tuple[Any, Floats]]) -> Reading | None:
        """The structure of a model; None if it cannot be read.

        `sample` gives rows, and what the model says of them.
        """
        read_before = self._read
        if read_before is None or read_before[0] is not model:
            table, known = sample()
            try:
                found = read(model, table, ask=lambda _: known)
            except Exception:  # other libraries keep their trees as they like; then nothing is read
                found = None
            read_before = self._read = model, found
        return read_before[1]


@dataclass(frozen=True, eq=False)
class Oracle:
    """What a model, and its committee, say of points of a terrain.

    `points` are those of the records and `known` (n, answers) what the model said of them when it
    was fitted; `classes` are those it tells apart, none where it predicts a number. `committee`
    are other models, `committee_known` (members, n, answers) what they say of the records. With a
    `memory` the model is asked about no point twice.

    Examples
    --------
    >>> from facelift import FACElift
    >>> line = np.arange(11.0)[:, np.newaxis]
    >>> explainer = FACElift(lambda x: np.hstack([10 - x, x]) / 10).fit(line)
    >>> oracle = explainer.oracle_
    >>> oracle.answers(np.array([[0.25], [0.75]]))
    array([[0.75, 0.25],
           [0.25, 0.75]])
    >>> goal = oracle.goal(1, oracle.known[0], threshold=0.5)
    >>> oracle.reaches(np.array([[0.25], [0.75]]), goal).tolist()
    [False, True]
    """

    model: Any
    terrain: Terrain
    points: Floats
    known: Floats
    classes: tuple[Any, ...]
    committee: Committee | None = None
    committee_known: Floats | None = None
    memory: Memory | None = None
    structure: Structure = field(default_factory=Structure)
    shortcut: Shortcut | None = None

    def __post_init__(self) -> None:
        if self.shortcut is None or self.shortcut.model is not self.model:
            shortcut = Shortcut(self.model, self.terrain, self.points)
        else:
            shortcut = self.shortcut.under(self.terrain)
        object.__setattr__(self, "shortcut", shortcut)

    @classmethod
    def asked(
        cls,
        model: Any,
        terrain: Terrain,
        points: Floats,
        committee: Committee | None = None,
        known: Floats | None = None,
    ) -> Self:
        """The oracle of a model that is asked about all records, unless its answers are known."""
        if known is None:
            known = answers(model, terrain.decode(points), len(points))
        check_no_labels(model, known)
        classes = class_labels(model, known.shape[1])
        return cls(model, terrain, points, known, classes).with_committee(committee)

    def with_committee(self, committee: Committee | None) -> Self:
        """The same oracle with a committee, which is asked about all records unless it has been."""
        if committee is None:
            return replace(self, committee=None, committee_known=None)
        if self.committee is not None and self.committee.models is committee.models:
            return replace(self, committee=committee)
        known = self._committee_answers(committee, self.points)
        for i, member in enumerate(committee.models):
            if class_labels(member, known.shape[2]) != self.classes:
                raise InvalidModel(
                    f"Member {i} of the committee knows other classes than the model, "
                    f"{list(self.classes)}; all must answer with the same columns."
                )
        return replace(self, committee=committee, committee_known=known)

    def grown(self, points: Floats) -> Self:
        """The oracle of more records, of which the first are its own; asks about the others."""
        new = points[len(self.points) :]
        if not len(new):
            return self
        known, members = np.vstack([self.known, self.ask(new)]), self.committee_known
        if self.committee is not None and members is not None:
            more = self._committee_answers(self.committee, new)
            members = np.concatenate([members, more], axis=1)
        grown = replace(self, points=points, known=known, committee_known=members)
        found: Self = changed(grown, lookup=Lookup(points, self.lookup))
        return found

    def remembering(self, memory: Memory | None = None) -> Self:
        """The same oracle with a memory, a new one if None.

        >>> from facelift import FACElift
        >>> line = np.arange(11.0)[:, np.newaxis]
        >>> asked = []
        >>> def model(x):
        ...     asked.append(len(x))
        ...     return np.hstack([10 - x, x]) / 10
        >>> oracle = FACElift(model).fit(line).oracle_.remembering()
        >>> twice = [oracle.answers(np.array([[0.25]])) for _ in range(2)]
        >>> asked
        [11, 1]
        """
        return replace(self, memory=Memory() if memory is None else memory)

    def keeping(self, terrain: Terrain) -> Self:
        """The same oracle for a case whose numbers a terrain keeps (`Terrain.case`)."""
        if terrain is self.terrain:
            return self
        shortcut = None if self.shortcut is None else self.shortcut.under(terrain)
        kept: Self = changed(self, terrain=terrain, lookup=self.lookup, shortcut=shortcut)
        return kept

    def answers_of(self, points: Floats, terrains: Sequence[Terrain]) -> Floats:
        """What the model says of points, each with a terrain that keeps its numbers."""
        if all(terrain is self.terrain for terrain in terrains):
            return self.answers(points)
        table = self.terrain.keeping_all(terrains).decode(points)
        return answers(self.model, table, len(points))

    def ask(self, points: Floats) -> Floats:
        """What the model says of points now, whatever it said before; (n, answers)."""
        return answers(self.model, self.terrain.decode(points), len(points))

    def answers(self, points: Floats, numbers: Sequence[float] | None = None) -> Floats:
        """What the model says of points: what is remembered, and of the others what it says now.

        `numbers` are those of a single point as they were given (`Terrain.read`).
        """
        if self.memory is None:
            return self._ask_quickly(points, numbers)
        return np.asarray(self.memory.recall(points, self._ask_quickly))

    def _ask_quickly(self, points: Floats, numbers: Sequence[float] | None = None) -> Floats:
        found = None if self.shortcut is None else self.shortcut.answers(points)
        if found is not None or numbers is None:
            return self.ask(points) if found is None else found
        return answers(self.model, self.terrain.decode_one(points[0], numbers), 1)

    def recorded(self, points: Floats) -> Floats:
        """What the model says of points; of records, what it said when it was fitted."""
        vertices = self.lookup.vertices(points)
        found = self.known[vertices]
        if (new := vertices < 0).any():
            found[new] = self.answers(points[new])
        return np.asarray(found)

    def chance_gradient(self, goal: Goal, points: Floats) -> Floats:
        """How the chance of a goal changes with every coordinate of points of numbers; (n, m).

        A model with a method `gradient` (rows to (n, classes, columns), in the columns' own units)
        is asked for it. Of others differences are taken, by moving one number at a time.

        >>> from facelift import FACElift
        >>> plane = np.array([[0.0, 0.0], [2.0, 4.0]])
        >>> model = lambda rows: np.column_stack([4 - rows[:, 1], rows[:, 1]]) / 4
        >>> oracle = FACElift(model, n_neighbors=1).fit(plane).oracle_
        >>> goal = oracle.goal(1, oracle.known[0], threshold=0.5)
        >>> oracle.chance_gradient(goal, np.array([[0.5, 0.5]])).round(6)
        array([[0., 1.]])
        """
        if hasattr(self.model, "gradient"):
            return self._given_gradient(goal, points)
        steps = self._least_moves()
        moved = points[:, np.newaxis] + np.concatenate([np.diag(steps), -np.diag(steps)])
        answered = self.answers(moved.reshape(-1, points.shape[1]))
        chances = goal.chances(answered).reshape(len(points), 2, -1)
        return np.asarray((chances[:, 0] - chances[:, 1]) / (2 * steps))

    def _given_gradient(self, goal: Goal, points: Floats) -> Floats:
        found = np.asarray(self.model.gradient(self.terrain.decode(points)), dtype=np.float64)
        expected = (len(points), len(self.classes), points.shape[1])
        if found.shape != expected:
            raise InvalidModel(
                f"model.gradient must give an array of shape (rows, classes, columns), {expected}, "
                f"got {found.shape}."
            )
        columns = [self.classes.index(label) for label in goal.target]
        spans = np.array([feature.span for feature in self.terrain.features], dtype=np.float64)
        return np.asarray(found[:, columns].sum(axis=1) * spans)

    def _least_moves(self) -> Floats:
        """How far to move each coordinate: whole numbers by one at least; shape (m,)."""
        held = zip(self.terrain.features, self.terrain.schema.held, strict=True)
        grains = [kind_of(each).grain(each, whole=by.whole) or 0.0 for each, by in held]
        return np.asarray(np.maximum(np.array(grains), STEP))

    def goal(
        self, target: Any, current: Floats, threshold: float, margin: float = 0.0
    ) -> Goal | Range:
        """What a target asks for, in the model's classes or as a range of its numbers.

        `current` is what the model says of the case.
        """
        if not self.classes:
            return range_of(target)
        return goal_of(target, list(self.classes), current, threshold, margin)

    def reaches(self, points: Floats, goal: Goal | Range, known: Floats | None = None) -> Bools:
        """Whether points have an outcome by the model, and by enough of the committee; (n,).

        `known` is what the model says of them, where that is known already.
        """
        reached = np.asarray(goal.reached(self.answers(points) if known is None else known))
        if self.min_agreement and reached.any():
            shares = self.agreement(points[reached], goal)
            reached[reached] = shares is None or self._enough(shares)
        return reached

    def records_reaching(self, goal: Goal | Range) -> Bools:
        """Which records have an outcome by the model, and by enough of the committee."""
        reached = goal.reached(self.known)
        if self.committee_known is None:
            return reached
        return reached & self._enough(_agreement(self.committee_known, goal))

    def agreement(self, points: Floats, goal: Goal | Range) -> Floats | None:
        """Share of the committee by which points have the outcome; None without one; (n,)."""
        if self.committee is None:
            return None
        return _agreement(self._committee_answers(self.committee, points), goal)

    def record_agreement(self, vertices: Ints, point: Floats, goal: Goal | Range) -> Floats | None:
        """The same for records; a vertex beyond them stands for the case at `point`."""
        if self.committee is None or self.committee_known is None:
            return None
        n = len(self.points)
        shares = _agreement(self.committee_known[:, np.minimum(vertices, n - 1)], goal)
        if (vertices >= n).any():
            case = self._committee_answers(self.committee, point[np.newaxis, :])
            shares[vertices >= n] = _agreement(case, goal)
        return shares

    def check_unchanged(self, points: Floats, before: Floats) -> None:
        """An error if the model no longer says of points what it said before."""
        distinct, first = np.unique(points, axis=0, return_index=True)
        check_same(self.ask(distinct), before[first], self._largest)

    def check_records(self) -> None:
        """An error if the model no longer says of records all over the table what it did."""
        table, known = self._sample()
        check_same(answers(self.model, table, len(known)), known, self._largest)

    def _sample(self) -> tuple[Any, Floats]:
        """Records all over the table, and what the model said of them."""
        some = np.unique(np.linspace(0, len(self.points) - 1, N_CHECKED).astype(np.int64))
        return self.terrain.decode(self.points[some]), self.known[some]

    @property
    def reading(self) -> Reading | None:
        """The structure of the model, read when first asked for; None if it cannot be read."""
        return self.structure.of(self.model, self._sample)

    @cached_property
    def lookup(self) -> Lookup:
        """Records by their point."""
        return Lookup(self.points)

    @cached_property
    def _largest(self) -> Floats:
        """The largest answers there are, by column."""
        return np.asarray(np.abs(self.known).max(axis=0, initial=0.0))

    @property
    def min_agreement(self) -> float:
        """Share of the committee that must agree on a destination."""
        return 0.0 if self.committee is None else self.committee.min_agreement

    def _enough(self, shares: Floats) -> Bools:
        """Whether shares of agreement are what a destination needs."""
        return shares >= self.min_agreement * (1 - TOLERANCE)

    def _committee_answers(self, committee: Committee, points: Floats) -> Floats:
        """What every member of a committee says of points; (members, n, answers)."""
        table = self.terrain.decode(points)
        all_answers = [answers(member, table, len(points)) for member in committee.models]
        if len({each.shape for each in all_answers}) > 1:
            raise InvalidModel("The members of the committee answer with different columns.")
        return np.stack(all_answers)


def _agreement(all_answers: Floats, goal: Goal | Range) -> Floats:
    """Share of models that give the outcome, by any margin; from (models, n, answers); (n,)."""
    return np.asarray(goal.outcome.reached(all_answers).mean(axis=0))


def _keys(points: Floats) -> list[bytes]:
    """Points as bytes, one each."""
    rows = np.ascontiguousarray(points + 0.0)  # no -0.0
    size, whole = rows.shape[1] * rows.itemsize, rows.tobytes()
    return [whole[start : start + size] for start in range(0, len(whole), size)]
