"""A journey: waypoints from the factual to a counterfactual, and what it keeps open on the way."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from facelift import geometry
from facelift._arrays import Bools, Floats, Ints, frozen
from facelift.multiverse.frames import journey_table
from facelift.multiverse.goal import Goal, Range
from facelift.multiverse.html import journey_html
from facelift.terrain.feature import Feature

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class Journey:
    """One way from the factual to a destination.

    `vertices` (k,) and `waypoints` (k, m) run from factual to counterfactual; `step_costs` (k - 1,)
    is what it costs from each to the next. A step that changes one thing by several levels passes
    those between; then `stops` (`n_steps` + 1,) are the waypoints where steps begin and end, and
    `in_steps` leaves the others out. `remaining` (k, c) is the least cost from each waypoint to
    each destination of the multiverse, `own` the column that is its own. Where there is a model,
    `probabilities` (k, classes) holds what it says at every waypoint and `goal` what was asked for.
    Where there is a table, `decode` turns waypoints into its rows, and `features` say what its
    columns are called.
    Where states were made up, `rarity` (k,) says
    how far each is from real records (up to 1 is plausible); where changes take time, `times` (k,)
    is the earliest each waypoint can be reached, in units of `period`. Where there is a committee,
    `agreement` (k,) is the share of its models that say the goal is reached there. Where classes
    are to be kept open, `towards` (k, q) is the least cost from each waypoint to each of them.

    Examples
    --------
    >>> from facelift.toys import loan
    >>> journey = loan().multiverse()[2]
    >>> journey
    Journey(4 steps, cost 16)
    >>> journey.vertices.tolist(), journey.step_costs.tolist()
    ([0, 4, 5, 6, 3], [8.0, 6.0, 1.0, 1.0])
    >>> journey.open_share.tolist()
    [1.0, 0.5, 0.5, 0.0, 0.0]
    """

    vertices: Ints
    waypoints: Floats
    step_costs: Floats
    remaining: Floats
    own: int
    probabilities: Floats | None = None
    goal: Goal | Range | None = None
    rarity: Floats | None = None
    times: Floats | None = None
    period: str = ""
    decode: Callable[[Floats], pd.DataFrame] | None = None
    features: Mapping[str, Feature] = field(default_factory=dict)
    agreement: Floats | None = None
    towards: Floats | None = None
    stops: Ints | None = None

    def __post_init__(self) -> None:
        arrays = (self.vertices, self.waypoints, self.step_costs, self.remaining, self.stops)
        told = (self.probabilities, self.agreement, self.rarity, self.times, self.towards)
        for array in (*arrays, *told):
            if array is not None:
                frozen(array)

    @cached_property
    def in_steps(self) -> Journey:
        """The same journey with one waypoint for each step, as people count them.

        For whoever tells the steps. What it keeps open is judged at every waypoint: ask the whole.

        >>> from facelift.toys import loan
        >>> journey = loan().multiverse()[0]
        >>> journey.in_steps is journey
        True
        """
        if self.stops is None:
            return self
        names = (*_PER_WAYPOINT, "vertices", "waypoints", "remaining")
        kept = {name: _at(getattr(self, name), self.stops) for name in names}
        costs = np.add.reduceat(self.step_costs, self.stops[:-1])
        frozen(costs)
        return with_answers(self, **kept, step_costs=costs, stops=None)

    @property
    def rows(self) -> pd.DataFrame | None:
        """The waypoints in the table's own units, where there is a table; a copy each time."""
        return None if self._rows is None else self._rows.copy()

    @cached_property
    def _rows(self) -> pd.DataFrame | None:
        return None if self.decode is None else self.decode(self.waypoints)

    @cached_property
    def figures(self) -> Floats | None:
        """What is told of each waypoint: its chance, or the number predicted; (k,)."""
        if self.goal is None or self.probabilities is None:
            return None
        figures = self.goal.figures(self.probabilities)
        frozen(figures)
        return figures

    @property
    def chances(self) -> Floats | None:
        """Probability of the target at each waypoint; None where there is none; (k,)."""
        return None if isinstance(self.goal, Range) else self.figures

    @property
    def predictions(self) -> Floats | None:
        """The number predicted at each waypoint; None where the model gives chances; (k,)."""
        return self.figures if isinstance(self.goal, Range) else None

    @property
    def reaches(self) -> str | None:
        """The class it leads to: of several that were wanted, the likeliest; None without a class.

        >>> from facelift.toys import loan
        >>> loan().multiverse()[0].reaches is None  # a graph knows no classes
        True
        """
        goal, answers = self.goal, self.probabilities
        if answers is None or not isinstance(goal, Goal):
            return None
        return max(goal.target, key=lambda each: float(answers[-1, goal.classes.index(each)]))

    @property
    def shifts(self) -> Floats | None:
        """By how much each step changes the probability of every class; (n_steps, classes).

        >>> from facelift import FACElift
        >>> line = np.arange(11.0)[:, np.newaxis]
        >>> model = lambda x: np.hstack([10 - x, x]) / 10
        >>> FACElift(model, n_neighbors=2).fit(line).explain([4.0])[0].shifts.round(2).tolist()
        [[-0.1, 0.1], [-0.1, 0.1]]
        """
        if self.probabilities is None or not isinstance(self.goal, Goal):
            return None
        return np.diff(np.asarray(self.in_steps.probabilities), axis=0)

    @property
    def threshold(self) -> float:
        """The chance that counts as reaching the goal; 0 where none was asked for."""
        return self.goal.threshold if isinstance(self.goal, Goal) else 0.0

    @property
    def below(self) -> Bools:
        """Whether each waypoint is farther from the goal than the factual; (k,).

        >>> from facelift.toys import loan
        >>> loan().multiverse()[0].below.tolist()
        [False, False]
        """
        if self.goal is None or self.probabilities is None:
            return np.zeros(len(self.vertices), dtype=bool)
        missing = self.goal.missing(self.probabilities)
        return np.asarray(missing > missing[0] + geometry.TOLERANCE)

    @property
    def dips(self) -> bool:
        """Whether a step ends at a lower chance than the factual's, or a number farther off.

        Levels that a step passes do not count: nobody stops there.
        """
        return bool(self.in_steps.below.any())

    @property
    def cost(self) -> float:
        """Cost of the whole journey."""
        return float(self.step_costs.sum())

    @property
    def n_steps(self) -> int:
        """Number of steps, as people count them: what changes one thing is one step."""
        return len(self.step_costs) if self.stops is None else len(self.stops) - 1

    @property
    def step_of(self) -> Ints:
        """The step that leads to each waypoint, or past it; 0 at the start; (k,).

        >>> from facelift.toys import loan
        >>> loan().multiverse()[1].step_of.tolist()
        [0, 1, 2]
        """
        places = np.arange(len(self.vertices))
        return places if self.stops is None else np.searchsorted(self.stops, places)

    @property
    def counterfactual(self) -> Floats:
        """The point where it ends."""
        return np.asarray(self.waypoints[-1])

    @property
    def opportunity(self) -> Floats:
        """Share of the journey that also approaches each destination, own included; (c,)."""
        return geometry.opportunity_potential(self.step_costs, self.remaining)

    @property
    def alternatives(self) -> Floats:
        """Remaining costs to the other destinations; shape (k, c - 1)."""
        return np.delete(self.remaining, self.own, axis=1)

    @property
    def kept_open(self) -> Bools:
        """Whether each destination was kept open by every step so far; shape (k, c)."""
        return geometry.keeps_open(self.remaining, self.step_costs)

    @property
    def open_share(self) -> Floats:
        """Share of alternatives kept open so far, at each waypoint; shape (k,)."""
        return geometry.open_share(self.alternatives, self.step_costs)

    @property
    def reachable_share(self) -> Floats:
        """Share of alternatives still in reach, at each waypoint; shape (k,)."""
        return geometry.reachable_share(self.alternatives)

    @property
    def closes(self) -> tuple[tuple[int, ...], ...]:
        """Destinations that each step puts out of reach for good, by number: no way back to them.

        >>> from facelift.toys import loan
        >>> loan().multiverse()[2].closes
        ((0,), (), (1,), ())
        """
        lost = geometry.closes(self.in_steps.remaining)
        return tuple(tuple(np.flatnonzero(step).tolist()) for step in lost)

    @property
    def measure(self) -> str:
        """What the model's word on a waypoint is: chance, predicted, or nothing without a model."""
        return "" if self.goal is None or self.probabilities is None else self.goal.measure

    def outlook(self, waypoint: int) -> str:
        """What the model says at a waypoint, in short: the chance, or the number it predicts.

        >>> from facelift import FACElift
        >>> line = np.arange(11.0)[:, np.newaxis]
        >>> explainer = FACElift(lambda x: np.hstack([10 - x, x]) / 10, n_neighbors=2).fit(line)
        >>> journey = explainer.explain([2.0])[0]
        >>> [journey.outlook(waypoint) for waypoint in range(journey.n_steps + 1)]
        ['20%', '30%', '40%', '50%', '60%']
        """
        if self.goal is None or self.figures is None:
            return ""
        return self.goal.short_words(float(self.figures[waypoint]))

    def to_frame(self) -> pd.DataFrame:
        """The journey as a tidy table: one row per step and feature that changes.

        >>> from facelift.toys import loan
        >>> loan().multiverse()[0].to_frame()
           step feature  from   to  probability  cost  open  closes   dips
        0     1      x1   0.0  3.0          NaN   3.0     0  (1, 2)  False
        """
        return journey_table(self)

    def __repr__(self) -> str:
        steps = f"{self.n_steps} step{'' if self.n_steps == 1 else 's'}"
        return f"Journey({steps}, cost {self.cost:.4g})"

    def _repr_html_(self) -> str:
        return journey_html(self)


_PER_WAYPOINT = ("probabilities", "rarity", "times", "agreement", "towards")
"""What is told of each waypoint, where it is known."""


def _at(values: Any, places: Ints) -> Any:
    """Some rows of what is known of waypoints, if anything is, read-only."""
    if values is None:
        return None
    chosen = values[places]
    frozen(chosen)
    return chosen


def with_answers(journey: Journey, **answers: Any) -> Journey:
    """The same journey with what there is to say of its waypoints, as read-only arrays.

    As `dataclasses.replace`, but many times as fast: every explanation does it to all journeys.
    """
    other = object.__new__(type(journey))
    other.__dict__.update(journey.__dict__)
    for name in ("_rows", "figures", "in_steps"):
        other.__dict__.pop(name, None)
    other.__dict__.update(answers)
    return other
