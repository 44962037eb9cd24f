"""What was asked for: an outcome and how sure the model must be of it, or a range of numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

import numpy as np

from facelift._arrays import Bools, Floats
from facelift.errors import InvalidInput, nearest_name
from facelift.geometry import TOLERANCE
from facelift.language import Sentence, fixed, label, number, percent, say

SURE = 0.99
"""A chance that ways end at whatever the margin, if the threshold is no higher."""

MOST_DECIMALS = 6
"""Decimals of a chance in percent that a person reads, at most."""


@dataclass(frozen=True)
class Goal:
    """The classes wanted (any of them will do), the chance that decides, and all classes there are.

    Ways end at the threshold plus a `margin`, so that nobody is sent to where a hair decides.

    >>> goal = Goal(("good",), 0.5, ("bad", "good"), margin=0.02)
    >>> str(goal), goal.needed, goal.terms
    ('good', 0.52, '50% decides; ways end at 52% or more')
    """

    target: tuple[str, ...]
    threshold: float
    classes: tuple[str, ...]
    margin: float = 0.0

    def __str__(self) -> str:
        first, *others = [label(each) for each in self.target] or [""]
        for other in others:
            first = say("{first} or {second}", first=first, second=other)
        return first

    @property
    def anything_else(self) -> bool:
        """Whether any of several classes but one will do."""
        return 1 < len(self.target) == len(self.classes) - 1

    def chances(self, probabilities: Floats) -> Floats:
        """Probability of the target, from one per class along the last axis.

        >>> import numpy as np
        >>> Goal(("b", "c"), 0.5, ("a", "b", "c")).chances(np.array([[0.2, 0.5, 0.3]]))
        array([0.8])
        """
        columns = [self.classes.index(label) for label in self.target]
        return np.asarray(probabilities[..., columns].sum(axis=-1))

    def reached(self, probabilities: Floats) -> Bools:
        """Whether the chance is what a way must end at, up to the noise of adding up classes."""
        return self.chances(probabilities) >= self.needed * (1 - TOLERANCE)

    @property
    def needed(self) -> float:
        """The chance that a way must end at: threshold and margin; see `aim`."""
        return aim(self.threshold, self.margin)

    def threshold_for(self, chance: float) -> float:
        """The highest threshold of which a way may end at this chance, with this margin.

        >>> round(Goal(("good",), 0.9, ("bad", "good"), margin=0.02).threshold_for(0.6), 6)
        0.58
        """
        sure = 1 - 10 * (1 - chance) if chance >= SURE else 0.0
        return max(chance - self.margin, sure)

    @property
    def outcome(self) -> Goal:
        """The same without a margin: what somebody has who has the outcome."""
        return replace(self, margin=0.0) if self.margin else self

    @property
    def n_answers(self) -> int:
        """How many numbers the model gives per row: one per class."""
        return len(self.classes)

    @property
    def measure(self) -> str:
        """What is told of a waypoint."""
        return "chance"

    @property
    def needs(self) -> str:
        """What must be reached, in short."""
        return Sentence("percent", (f"{100 * self.needed:.6g}",), {})

    @property
    def decides(self) -> str:
        """The chance that decides, in short."""
        return Sentence("percent", (f"{100 * self.threshold:.6g}",), {})

    @property
    def terms(self) -> str:
        """What decides, and where ways end."""
        if not self.margin:
            return say("needed {needed}", needed=self.needs)
        return say(
            "{decides} decides; ways end at {needed} or more",
            decides=self.decides,
            needed=self.needs,
        )

    @property
    def demand(self) -> str:
        """What must be reached, in words."""
        return say("a chance of {chance} for {outcome}", chance=self.needs, outcome=str(self))

    def merit(self, answers: Floats) -> Floats:
        """How near answers come to the goal; the higher the better."""
        return self.chances(answers)

    def missing(self, answers: Floats) -> Floats:
        """How much of the chance needed is missing; 0 where it is reached."""
        return np.maximum(self.needed - self.chances(answers), 0.0)

    def figures(self, answers: Floats) -> Floats:
        """What is told of each answer: its chance."""
        return self.chances(answers)

    def best(self, answers: Floats) -> float:
        """The best chance among answers; 0 where there are none."""
        return float(self.chances(answers).max(initial=0.0))

    def words(self, figure: float) -> str:
        """A chance as one would say it, on the right side of what decides and what is needed."""
        return chance_words(figure, self.threshold, self.needed, decimals=1)

    def short_words(self, figure: float) -> str:
        """A chance in as few digits as tell whether it decides, and whether it is enough."""
        return chance_words(figure, self.threshold, self.needed)


@dataclass(frozen=True)
class Range:
    """A range that the model's number must fall into, ends included; None leaves an end open.

    >>> wanted = Range(120.0, None)
    >>> str(wanted), wanted.reached(np.array([[119.0], [120.0]])).tolist()
    ('120 or more', [False, True])
    """

    low: float | None
    high: float | None

    def __str__(self) -> str:
        if self.high is None:
            return say("{low} or more", low=number_words(self.low or 0.0))
        if self.low is None:
            return say("{high} or less", high=number_words(self.high))
        low, high = number_words(self.low), number_words(self.high)
        return say("{low} to {high}", low=low, high=high)

    def reached(self, answers: Floats) -> Bools:
        """Whether the predicted number lies in the range."""
        return self.merit(answers) >= 0

    @property
    def n_answers(self) -> int:
        """How many numbers the model gives per row."""
        return 1

    @property
    def measure(self) -> str:
        """What is told of a waypoint."""
        return "predicted"

    @property
    def needs(self) -> str:
        """What must be reached, in short."""
        return str(self)

    @property
    def outcome(self) -> Range:
        """Itself: a range has no margin."""
        return self

    @property
    def terms(self) -> str:
        """What must be reached."""
        return say("needed {needed}", needed=str(self))

    @property
    def demand(self) -> str:
        """What must be reached, in words."""
        return say("a predicted {range}", range=str(self))

    def merit(self, answers: Floats) -> Floats:
        """Minus the distance of the predicted number to the range; 0 within."""
        values = self.figures(answers)
        below = 0.0 if self.low is None else np.minimum(values - self.low, 0.0)
        above = 0.0 if self.high is None else np.minimum(self.high - values, 0.0)
        return np.asarray(below + above)

    def missing(self, answers: Floats) -> Floats:
        """How far the predicted number is from the range; 0 within."""
        return -self.merit(answers)

    def figures(self, answers: Floats) -> Floats:
        """What is told of each answer: the predicted number."""
        return np.asarray(answers[..., 0])

    def best(self, answers: Floats) -> float:
        """The predicted number nearest to the range; NaN where there are no answers."""
        return (
            float(self.figures(answers)[np.argmax(self.merit(answers))]) if len(answers) else np.nan
        )

    def words(self, figure: float) -> str:
        """A predicted number as one would say it."""
        return number_words(figure)

    def short_words(self, figure: float) -> str:
        """A predicted number as one would say it."""
        return number_words(figure)


def number_words(value: float) -> str:
    """A predicted number as one would say it: four digits, and all of those before the point.

    >>> number_words(181250.4), number_words(0.123456), number_words(120.0)
    ('181,250', '0.1235', '120')
    """
    return fixed(value, 0) if abs(value) >= 1000 else number(value)


def chance_words(chance: float, *marks: float, decimals: int = 0) -> str:
    """A chance in percent, with as many decimals as it takes to see which marks it reaches.

    >>> [chance_words(chance, 0.5) for chance in (0.4993, 0.5, 0.07)]
    ['49.9%', '50%', '7%']
    >>> chance_words(0.5196, 0.5, 0.52)
    '51.96%'
    """
    least = np.array(marks) * (1 - TOLERANCE)
    reached = chance >= least
    for more in range(decimals, MOST_DECIMALS):
        wrong = (float(f"{100 * chance:.{more}f}") >= 100 * least) != reached
        if not wrong.any():
            return percent(chance, more)
    mark = int(wrong.argmax())
    near = percent(marks[mark], decimals)
    if reached[mark]:
        return say("just above {chance}", chance=near)
    return say("just below {chance}", chance=near)


def aim(threshold: float, margin: float) -> float:
    """The threshold plus the margin, but short of certainty: few models are ever certain.

    At most 99%, or nine tenths of the way from the threshold to certainty where that is more.

    >>> round(aim(0.5, 0.02), 6), round(aim(0.99, 0.02), 6), aim(1.0, 0.02)
    (0.52, 0.999, 1.0)
    """
    return min(threshold + margin, max(SURE, 1 - (1 - threshold) / 10))


def goal_of(
    target: Any, classes: Sequence[Any], current: Floats, threshold: float, margin: float = 0.0
) -> Goal:
    """What a target asks for: a class label or several; None for the other of two.

    `current` are the probabilities of the factual, one per class.

    >>> goal_of(None, ["bad", "good"], np.array([0.8, 0.2]), 0.5).target
    ('good',)
    """
    names = tuple(map(str, classes))
    columns = _columns(target, list(classes), current)
    return Goal(tuple(names[i] for i in columns), threshold, names, margin)


def kept_classes(keep_open: Any, goal: Goal | Range) -> tuple[str, ...]:
    """The classes to keep open on the way to a goal, one label or several.

    >>> kept_classes(["b"], Goal(("a",), 0.5, ("a", "b", "c")))
    ('b',)
    """
    if keep_open is None:
        return ()
    if not isinstance(goal, Goal):
        raise InvalidInput("keep_open names classes; this model predicts a number.")
    several = isinstance(keep_open, Iterable) and not isinstance(keep_open, str | bytes)
    labels = list(keep_open) if several else [keep_open]
    kept = dict.fromkeys(goal.classes[_column(each, list(goal.classes))] for each in labels)
    if both := [each for each in kept if each in goal.target]:
        raise InvalidInput(f"{both[0]!r} is wanted already; keep_open names other classes.")
    return tuple(kept)


def range_of(target: Any) -> Range:
    """The range that a target asks for: a lowest and a highest number, of which one may be open.

    >>> range_of((None, 80))
    Range(low=None, high=80.0)
    """
    if target is None or isinstance(target, str | bytes) or not isinstance(target, Iterable):
        raise InvalidInput(
            "The model answers with one number per row; give the range wanted as "
            f"target=(low, high), either of which may be None, got {target!r}. (A classifier must "
            "answer with one probability column per class; for one probability p of class 1 return "
            "np.column_stack([1 - p, p]).)"
        )
    ends = tuple(target)
    if len(ends) != 2 or not all(_is_end(end) for end in ends):
        raise InvalidInput(f"A range is two numbers, either may be None; got {ends}.")
    low, high = (None if end is None or math.isinf(end) else float(end) for end in ends)
    if low is None and high is None:
        raise InvalidInput("A range needs at least one end; any number is reached already.")
    upside_down = ends[0] == math.inf or ends[1] == -math.inf
    if upside_down or (low is not None and high is not None and low > high):
        raise InvalidInput(f"The range is upside down: {ends}; give the lower end first.")
    return Range(low, high)


def _is_end(end: Any) -> bool:
    return end is None or (
        isinstance(end, Real) and not isinstance(end, bool) and not math.isnan(end)
    )


def _columns(target: Any, known: list[Any], current: Floats) -> list[int]:
    """Places of the classes asked for."""
    if target is None:
        if len(known) > 2:
            raise InvalidInput(
                f"The model knows {len(known)} classes, {known}; name the target, one or several."
            )
        return [1 - int(current.argmax())]
    several = isinstance(target, Iterable) and not isinstance(target, str | bytes)
    labels = list(target) if several else [target]
    columns = {_column(label, known) for label in labels}
    if not 0 < len(columns) < len(known):
        raise InvalidInput(
            f"The target must be some but not all of the classes {known}, got {labels}."
        )
    return sorted(columns)


def _column(label: Any, known: list[Any]) -> int:
    """The place of a class; '1' is the class 1 where no other reads like it, and the reverse."""
    if label in known:
        return known.index(label)
    alike = [i for i, each in enumerate(known) if str(each) == str(label)]
    if len(alike) == 1:
        return alike[0]
    raise InvalidInput(f"There is no class {label!r}; {nearest_name(label, known)}")
