"""One column of a table: its kind, its scale, and what moving along it costs this person."""

from __future__ import annotations

import math
import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from numbers import Real
from typing import Any, Literal

import numpy as np
import pandas as pd

from facelift._arrays import Bools, Floats
from facelift.errors import InvalidData, InvalidInput, nearest_name
from facelift.terrain.kinds import kind_of
from facelift.terrain.kinds.numeric import MAX_DECIMALS
from facelift.terrain.prices import FARTHEST, Prices

Level = str | bool | int | float
Transition = tuple[Level, Level, float]
Change = Literal["any", "never", "increase", "decrease"]

MANY_SEEN = 10_000
"""So many numbers no longer lie near each other in memory, whoever looks them up."""

MOST_SINGLE = 1_000_000
"""Changes between two levels that are ever listed one by one."""


@dataclass(frozen=True)
class Feature:
    """A column and its prices.

    Its `kind` ("numeric", "ordinal", "categorical" or another of `facelift.terrain.kinds`) says how
    values become coordinates: numbers from `low`, a `span` each (the range `low`-`high`, unless
    `spanned` says otherwise), others by their `levels`.
    `increase` and `decrease` are prices (SPEC 1), infinite when never allowed; `transitions`
    reprice single changes of level. `lower` and `upper` bound the raw values a person may pass
    through. `stops` are the raw numbers a numeric column can be changed to, one action after the
    other, or the places of the levels that a categorical one can be changed to, if not all; `rate`
    how much of it (or how many levels) one period (`per`) can bring,
    if it takes time; `ages` by how much it moves by itself in one, whatever somebody chooses.
    `decimals` and `seen` make decoding exact (see `raw`), and so does `own`, the number of the
    person that is looked at (see `keeping`); `written` says how values are written, where a kind
    needs to know that.

    A column with `missing` values has one more coordinate, 1 where the value is missing: for
    categories one more of their own, for numbers and ranks beside theirs, which then says nothing.
    `found` is the price of a value in the place of a missing one, whatever the value, `lost` that
    of the opposite, where nothing forbids it (see `losing`); `blank` says how a missing value is
    written in a column of objects.

    A `personal` column says who somebody is: nobody is ever advised to do without the rules on how
    it changes. `worse` says which changes make somebody worse off: one direction, or to a level
    farther on in a list of them (levels that are not listed are better); see `harmless`. `label` is
    what people call the column, `unit` what its numbers count, `about` a sentence on what it means;
    `named` has levels, or numbers to stop at, with what people call them. `read` and `coded` say
    how `facelift.prepare` made the column of a raw table ready: text read as money, percent or
    date, and the values that meant missing. Where the kind is "coded", `coded` are its codes, which
    stay in the table.

    Examples
    --------
    >>> age = Feature("age", "numeric", low=20.0, high=40.0).priced(decrease=math.inf)
    >>> age.scaled(np.array([20.0, 25.0, 40.0])).tolist()
    [0.0, 0.25, 1.0]
    >>> age.increase, age.decrease, age.frozen
    (1.0, inf, False)
    """

    name: Hashable
    kind: str
    levels: tuple[Level, ...] = ()
    low: float = 0.0
    high: float = 1.0
    increase: float = 1.0
    decrease: float = 1.0
    lower: float = -math.inf
    upper: float = math.inf
    transitions: tuple[Transition, ...] = ()
    stops: tuple[float, ...] = ()
    rate: float | None = None
    per: str = ""
    ages: float | None = None
    decimals: int | None = None
    seen: Floats | None = field(default=None, repr=False, compare=False)
    missing: bool = False
    found: float = 1.0
    lost: float = math.inf
    blank: Literal["nan", "none"] = "nan"
    written: str = ""
    personal: bool = False
    worse: str | tuple[Level, ...] = ""
    label: str = ""
    unit: str = ""
    about: str = ""
    named: tuple[tuple[Level, str], ...] = ()
    read: str = ""
    coded: tuple[Level, ...] = ()
    spanned: float | None = None
    own: float | None = field(default=None, repr=False, compare=False)

    @cached_property
    def width(self) -> int:
        """Number of coordinates."""
        return kind_of(self).width(self) + self.missing

    @property
    def has_order(self) -> bool:
        """Whether values rise and fall, so that each direction has a price of its own."""
        return kind_of(self).has_order

    @property
    def has_levels(self) -> bool:
        """Whether values are `levels`; else they are numbers, with a range, bounds and stops."""
        return kind_of(self).has_levels

    def rank(self, value: object) -> float | None:
        """Where a value stands in the order of the column; None where there is none.

        >>> Feature("town", "categorical", ("here", "there")).rank("there")
        >>> Feature("savings", "ordinal", ("none", "some")).rank("some")
        1.0
        """
        return kind_of(self).rank(self, value)

    @property
    def has_flag(self) -> bool:
        """Whether the last coordinate says that the value beside it is missing."""
        return self.missing and kind_of(self).flags_missing

    def words(self, value: Any) -> str | None:
        """A value as one would say it, where levels, their names or the kind have words for it."""
        named = dict(self.named)
        if value in named or self.has_levels:
            return named.get(value, str(value))
        return kind_of(self).words(value)

    def following(
        self, here: Floats, leader: Feature, own: Floats, moved: Floats, n: int
    ) -> Floats:
        """Where it goes when the feature it is linked to moves by its n-th action.

        By the same amount, in raw units, at its own pace; among levels, n of them up or down.
        """
        if not self.has_levels and not leader.has_levels:
            raw = leader.raw(moved) - leader.raw(own)
            return np.asarray(here + raw * self.pace / leader.pace / self.span)
        up, down = kind_of(self).arms(self, here)
        beyond = up if moved[0] > own[0] else down
        return beyond[:n][-1] if beyond else here

    @property
    def is_continuous(self) -> bool:
        """Whether its value can move along a line: a number, never missing."""
        return not self.has_levels and not self.missing

    @property
    def read_codes(self) -> tuple[Level, ...]:
        """The values of a raw table that meant missing; codes that stay in the table are none."""
        return () if self.kind == "coded" else self.coded

    def is_missing(self, coordinates: Floats) -> Bools:
        """Whether the value is missing, from all coordinates of the column; leading axes."""
        if not self.missing:
            return np.zeros(coordinates.shape[:-1], dtype=bool)
        return kind_of(self).is_missing(coordinates)

    @property
    def span(self) -> float:
        """The raw change that counts as 1: the range, or what was said; 1 for a constant column."""
        if self.spanned is not None:
            return self.spanned
        return self.high - self.low if self.high > self.low else 1.0

    def scaled(self, values: Floats) -> Floats:
        """Coordinates of raw numbers: 0 at the lowest seen, 1 a span above it."""
        with np.errstate(over="ignore"):  # infinite where a number is too far to be compared
            return np.asarray((values - self.low) / self.span)

    def placed(self, values: Floats) -> Floats:
        """The same of numbers that must be compared: an error if one is too far from all others."""
        places = self.scaled(values)
        if len(far := np.flatnonzero(np.abs(places) > FARTHEST)):
            raise InvalidData(
                f"{values[far[0]]:g} is too far from what column {self.name!r} holds, "
                f"{self.low:g} to {self.high:g}, to be compared with it; is it in the same unit?"
            )
        return places

    @cached_property
    def scaled_seen(self) -> Floats:
        """Coordinates of all numbers seen; empty where they need not be known."""
        return np.empty(0) if self.seen is None else self.scaled(self.seen)

    def raw(self, coordinates: Floats) -> Floats:
        """Raw numbers at coordinates, snapped to those a person would say; shape (n,).

        Decoding is exact: a number is snapped to the decimals of its column, or to the value seen
        that encodes to its coordinate; and somebody's `own` number stays as it is.

        >>> Feature("age", "numeric", low=20.0, high=40.0).raw(np.array([0.0, 0.25]))
        array([20., 25.])
        """
        values = self._as_said(coordinates)
        if self.own is None:
            return values
        return np.where(self.is_own(coordinates), self.own, values)

    def keeping(self, number: float) -> Feature:
        """The feature that gives this number of one person back as it is, to the last digit.

        >>> age = Feature("age", "numeric", low=20.0, high=40.0, decimals=0)
        >>> age.keeping(25.0) is age
        True
        >>> old = age.keeping(25.000000000000004)
        >>> old.raw(old.scaled(np.array([25.000000000000004, 26.0]))).tolist()
        [25.000000000000004, 26.0]
        """
        place = (number - self.low) / self.span
        kept = number == self.own if self.is_own(place) else self._decodes(number, place)
        return self if kept else changed(self, own=number)

    def is_own(self, coordinates: Floats | float) -> Any:
        """Whether coordinates are those of the number that is kept for one person."""
        return self.own is not None and coordinates == (self.own - self.low) / self.span

    def seeing(self, numbers: Floats) -> Feature:
        """The feature that gives these numbers of a table back as they are.

        >>> age = Feature("age", "numeric", low=20.0, high=40.0, decimals=0)
        >>> age.seeing(np.array([21.0, 40.0])) is age
        True
        >>> age.seeing(np.array([21.0, 25.000000000000004])).seen.tolist()
        [25.000000000000004]
        """
        odd = numbers[self.raw(self.scaled(numbers)) != numbers]
        if not len(odd):
            return self
        return replace(self, seen=np.union1d(odd, [] if self.seen is None else self.seen))

    def _decodes(self, number: float, place: float) -> bool:
        """Whether a number comes back from its coordinate; sure of it if true.

        Made for one number: asking `raw` takes thirty times as long.
        """
        if self.seen is not None:
            i = int(self.scaled_seen.searchsorted(place))
            if i < len(self.seen) and self.scaled_seen[i] == place:
                return bool(self.seen[i] == number)
            if self.decimals is None:  # it may come back all the same, but then needs a closer look
                return False
        if self.decimals is not None and round(number, self.decimals) == number:
            noise = 1e-15 * (abs(self.low) + abs(number) + self.span)  # more than scaling makes
            if noise < min(1e-10 * self.span, 10.0**-self.decimals / 8):
                return True  # it is snapped away
        return bool(self.raw(np.array([place]))[0] == number)

    def _as_said(self, coordinates: Floats) -> Floats:
        """Raw numbers at coordinates, by decimals and what was seen."""
        values = self.low + coordinates * self.span
        # Rounding to twelve digits of the span takes the noise of the scaling off typed-in numbers.
        digits = MAX_DECIMALS - math.ceil(math.log10(self.span))
        with np.errstate(over="ignore", invalid="ignore"):  # too far from 1 to be rounded
            values = _snapped(values, max(digits, self.decimals or 0), 1e-13 * self.span)
            if self.decimals is not None:
                unit = 10.0**-self.decimals
                values = _snapped(values, self.decimals, min(1e-9 * self.span, unit / 4))
        if self.seen is None:
            return values
        encoded = self.scaled_seen
        if len(encoded) < MANY_SEEN:
            place = encoded.searchsorted(coordinates)
        else:
            order = np.argsort(coordinates)  # neighbours there are looked up one after the other
            place = np.empty(len(order), dtype=np.int64)
            place[order] = encoded.searchsorted(coordinates[order])
        place = np.minimum(place, len(encoded) - 1)
        return np.where(encoded[place] == coordinates, self.seen[place], values)

    @property
    def summary(self) -> tuple[str, ...]:
        """Name, kind, prices of rise and fall, and values, as a printed terrain shows them."""
        rise, fall = (
            "never" if math.isinf(price) else f"at {price:g}"
            for price in (self.harmless.increase, self.harmless.decrease)
        )
        more = ("; personal" if self.personal else "") + self._worse_text()
        more += "" if self.ages is None else f"; ages by {self.ages:.3g} a {self.per}"
        if self.label not in ("", plain_name(str(self.name))):
            more += f'; "{self.label}"'
        values = kind_of(self).values_text(self) + self._gaps_text() + more
        return str(self.name), self.kind, rise, fall, values

    def _worse_text(self) -> str:
        """Which changes make somebody worse off."""
        if isinstance(self.worse, str):
            return {"": "", "increase": "; more is worse", "decrease": "; less is worse"}[
                self.worse
            ]
        return f"; ever worse: {', '.join(map(str, self.worse))}"

    def _gaps_text(self) -> str:
        """What may become of missing values, where there are any."""
        if not self.missing:
            return ""
        found = "never found" if math.isinf(self.found) else f"found at {self.found:g}"
        lost = "" if math.isinf(self.lost) else f", lost at {self.lost:g}"
        if lost and math.isinf(self.harmless.losing):
            lost = ", never lost (it could be found at any value)"
        return f"; or missing, {found}{lost}"

    @cached_property
    def codes(self) -> dict[object, int]:
        """The place of each level in their list."""
        return {level: code for code, level in enumerate(self.levels)}

    @cached_property
    def cells(self) -> pd.Index[Any]:
        """The levels as cells of a table, and last what a missing one is; no array, it guesses."""
        cells = np.empty(len(self.levels) + 1, dtype=object)
        cells[:-1], cells[-1] = self.levels, None if self.blank == "none" else np.nan
        return pd.Index(cells, dtype=object)

    def cells_of(self, dtype: Any) -> Any:
        """The levels as cells of a pandas type; made once, for types are slow to compare."""
        known, cells = self._cells_of.get(id(dtype), (None, None))
        if known is not dtype:
            typed = self.cells[:-1].astype(dtype)
            cells = typed if typed.dtype == object else typed.array
            self._cells_of[id(dtype)] = dtype, cells
        return cells

    @cached_property
    def _cells_of(self) -> dict[int, tuple[Any, Any]]:
        return {}

    @cached_property
    def places(self) -> Floats:
        """Coordinates that a value can be changed to: stops, or each level; (places, width)."""
        return kind_of(self).stops(self)

    @property
    def pace(self) -> float:
        """How much of it comes with one of whatever it is linked to: its rate, or 1."""
        return 1.0 if self.rate is None else self.rate

    @property
    def frozen(self) -> bool:
        """Whether it can never change."""
        own = self.harmless
        prices = [own.increase, own.decrease, *(price for *_, price in own.transitions)]
        prices += [own.found, own.losing] if self.missing else []
        return all(math.isinf(price) for price in prices)

    @property
    def harmless(self) -> Feature:
        """The same feature where changes that make somebody worse off are forbidden, by price.

        What is worse by rank stays so through any chain of levels, and no value goes missing.

        >>> job = Feature("job", "categorical", ("clerk", "cook", "none")).worsened(("none",))
        >>> job.harmless.transitions
        (('clerk', 'none', inf), ('cook', 'none', inf))
        """
        return self._harmless if self.worse else self

    @cached_property
    def _harmless(self) -> Feature:
        if isinstance(self.worse, str):
            return replace(self.priced(**{self.worse: math.inf}), worse="", lost=math.inf)
        rank = {level: i for i, level in enumerate(self.worse, start=1)}
        harmed, feature = [], replace(self, worse="", lost=math.inf)
        for start in self.levels:
            harmed += [(start, end) for end in rank if rank[end] > rank.get(start, 0)]
        return feature._forbidding(harmed)

    def worsened(self, worse: str | Sequence[Level]) -> Feature:
        """The same feature with other changes that make somebody worse off; "" for none."""
        if isinstance(worse, str):
            if worse not in ("", "increase", "decrease"):
                raise InvalidInput(
                    f"worse of {self.name!r} is 'increase', 'decrease' or a list of levels, got "
                    f"{worse!r}."
                )
            if worse:
                self.check_order("; give its levels from best to worst.")
            return replace(self, worse=worse)
        if not self.has_levels:
            raise InvalidInput(
                f"Column {self.name!r} is {self.kind}: say whether 'increase' or 'decrease' is "
                "worse."
            )
        levels = tuple(self.level(level) for level in worse)
        if not levels or len(set(levels)) < len(levels):
            raise InvalidInput(f"worse of {self.name!r} names no level, or one twice: {levels}.")
        return replace(self, worse=levels)

    @property
    def change(self) -> Change:
        """In which direction it may change; levels may have single changes beside."""
        up, down = math.isfinite(self.increase), math.isfinite(self.decrease)
        return "any" if up and down else "increase" if up else "decrease" if down else "never"

    @property
    def losing(self) -> float:
        """Price at which a value can go missing: never where it may not rise, or not fall.

        What is lost can be found again at any value, so losing it would be a way round.

        >>> debts = Feature("debts", "numeric", missing=True, lost=2.0)
        >>> debts.losing, debts.priced(decrease=math.inf).losing
        (2.0, inf)
        """
        return self.lost if self.change == "any" else math.inf

    def priced(self, *, increase: float | None = None, decrease: float | None = None) -> Feature:
        """The same feature at other prices, in one or both directions.

        The last word counts: single changes that a direction now forbids lose their own price;
        those that were forbidden stay so.
        """
        up = self.increase if increase is None else _price(self.name, increase)
        down = self.decrease if decrease is None else _price(self.name, decrease)
        if up != down:
            self.check_order(
                f", so it cannot have a price per direction; call order({self.name!r}, [...]) "
                "first, or give one price for any change."
            )
        forbids = {True: increase == math.inf, False: decrease == math.inf}
        kept = tuple(
            (start, end, price)
            for start, end, price in self.transitions
            if math.isinf(price) or not forbids[self.codes[end] > self.codes[start]]
        )
        never = self.missing and increase == decrease == math.inf
        found, lost = (math.inf, math.inf) if never else (self.found, self.lost)
        moved = replace(self, increase=up, decrease=down, transitions=kept)
        return replace(moved, found=found, lost=lost)

    def priced_missing(self, *, found: float | None = None, lost: float | None = None) -> Feature:
        """The same feature at other prices of finding a value, and of losing it."""
        if not self.missing:
            raise InvalidInput(
                f"Column {self.name!r} has no missing values: it cannot be priced to have some."
            )
        return replace(
            self,
            found=self.found if found is None else _price(self.name, found),
            lost=self.lost if lost is None else _price(self.name, lost),
        )

    def bounded(self, lower: float, upper: float) -> Feature:
        """The same feature limited to raw values between `lower` and `upper`."""
        self._check_numbers(
            "bounds are for numeric columns. Use forbid() to rule out single changes."
        )
        low, high = self._amount(lower), self._amount(upper)
        if not low <= high:  # also catches NaN
            raise InvalidInput(
                f"Bounds of {self.name!r} are upside down or not numbers: "
                f"{lower} to {upper}; give the lower one first."
            )
        return replace(self, lower=low, upper=high)

    def spanning(self, change: float | None) -> Feature:
        """The same feature with its own change that counts as 1; None takes the range seen."""
        self._check_numbers("a span is for numbers; its levels are evenly spaced.")
        if change is None:
            return replace(self, spanned=None)
        if not (isinstance(change, Real) and 0 < change < math.inf):
            raise InvalidInput(f"The span of {self.name!r} must be positive, got {change}.")
        whole = self.high - self.low
        return replace(self, spanned=None if change == whole else float(change))

    @property
    def stop_values(self) -> list[Level]:
        """Its stops, as `stopping_at` takes them."""
        return [self.levels[int(stop)] if self.has_levels else stop for stop in self.stops]

    def stopping_at(self, stops: Sequence[float]) -> Feature:
        """The same feature with its own numbers to stop at."""
        if self.has_levels and not self.has_order:
            codes = {float(self.codes[self.level(stop)]) for stop in stops}
            return replace(self, stops=tuple(sorted(codes)))
        self._check_numbers("its levels are where it stops.")
        numbers = {self._amount(stop) for stop in stops}
        if not numbers or not all(map(math.isfinite, numbers)):
            raise InvalidInput(f"Stops of {self.name!r} must be finite numbers, got {stops}.")
        return replace(self, stops=tuple(sorted(numbers)))

    def timed(self, rate: float, per: str) -> Feature:
        """The same feature changing by at most `rate` raw units, or levels, per period."""
        self.check_order(", so it cannot have a rate.")
        if not 0 < rate < math.inf:
            raise InvalidInput(f"The rate of {self.name!r} must be positive, got {rate}.")
        return replace(self, rate=float(rate), per=per)

    def ageing(self, amount: float, per: str) -> Feature:
        """The same feature moving by itself, by `amount` raw units per period."""
        self._check_numbers("only numbers move by themselves.")
        if not (isinstance(amount, Real) and math.isfinite(amount) and amount != 0):
            raise InvalidInput(f"{self.name!r} must age by a number other than 0, got {amount}.")
        return replace(self, ages=float(amount), per=per)

    def untimed(self, what: Literal["rate", "ages"]) -> Feature:
        """The same feature without a rate, or not moving by itself."""
        rate, ages = (None, self.ages) if what == "rate" else (self.rate, None)
        return replace(
            self, rate=rate, ages=ages, per=self.per if (rate, ages) != (None, None) else ""
        )

    def in_period(self, per: str, share: float) -> Feature:
        """The same times, told in a period that is this share of the one they were told in."""
        rate, ages = (None if each is None else each * share for each in (self.rate, self.ages))
        return replace(self, rate=rate, ages=ages, per=per)

    def aged(self, own: float, times: Floats) -> Floats:
        """Coordinates after some periods of waiting; what counts in whole units does so when full.

        >>> age = Feature("age", "numeric", high=100.0, decimals=0).ageing(1, "year")
        >>> age.aged(0.3, np.array([0.0, 1.5, 2.0])).tolist()
        [0.3, 0.31, 0.32]
        """
        moved = (self.ages or 0.0) * times
        if self.decimals is not None:
            unit = 10.0**-self.decimals
            moved = np.trunc(moved / unit * (1 + 1e-12)) * unit
        return np.where(moved == 0, own, self.scaled(self.raw(np.array([own])) + moved))

    def periods(self, values: Floats) -> Floats:
        """How long it takes to come to coordinates from those in the first row; (n,)."""
        gone, first = self.is_missing(values), values[:, 0]
        places = first * (len(self.levels) - 1) if self.has_levels else self.raw(first)
        taken = np.abs(places - places[0]) / (self.rate or math.inf)
        return np.where(gone | gone[0], 0.0, taken)

    def ordered(self, levels: Sequence[Level]) -> Feature:
        """The same feature as an ordinal one, from the lowest level to the highest."""
        if not self.has_levels:
            raise InvalidInput(f"Column {self.name!r} is {self.kind} and has an order already.")
        missing = [level for level in self.levels if level not in levels]
        if missing:
            raise InvalidInput(
                f"The order of {self.name!r} misses {', '.join(map(repr, missing))}; "
                "name every level once, lowest first."
            )
        if len(set(levels)) != len(levels):
            raise InvalidInput(f"The order of {self.name!r} names a level twice: {list(levels)}.")
        known = {level: level for level in self.levels}  # 1 stays 1, whatever NumPy calls it
        ordered = tuple(known.get(level, level) for level in levels)
        kept = _sorted(self.transitions, ordered)
        kind = self.kind if self.has_order else "ordinal"
        return replace(self, kind=kind, levels=ordered, transitions=kept, stops=())

    def transition(self, start: Level, end: Level, price: float) -> Feature:
        """The same feature with its own price for the change from `start` to `end`."""
        if not self.has_levels:
            raise InvalidInput(
                f"Column {self.name!r} is {self.kind}: single changes of level cannot be priced. "
                "Use price(), increase_only(), decrease_only() or between()."
            )
        start, end = self.level(start), self.level(end)
        if start == end:
            raise InvalidInput(f"{self.name!r} stays at {start!r}: staying is always free.")
        kept = [each for each in self.transitions if each[:2] != (start, end)]
        changes = [*kept, (start, end, _price(self.name, price))]
        return replace(self, transitions=_sorted(changes, self.levels))

    def _forbidding(self, changes: Iterable[tuple[Level, Level]]) -> Feature:
        """The same feature without some changes from one level to another."""
        kept = {each[:2]: each for each in self.transitions}
        kept |= {(start, end): (start, end, math.inf) for start, end in changes}
        return replace(self, transitions=_sorted(kept.values(), self.levels))

    def labelled(
        self,
        label: str | None = None,
        unit: str | None = None,
        about: str | None = None,
        values: Mapping[Level, str] | None = None,
    ) -> Feature:
        """The same feature with other words for it and its levels; None leaves them as they are."""
        if unit:
            self._check_numbers("a unit is for numbers; give its levels words with values=.")
        given = {self.level(level): str(words) for level, words in (values or {}).items()}
        named = dict(self.named) | given
        known = self.nameable
        return replace(
            self,
            label=self.label if label is None else label,
            unit=self.unit if unit is None else unit,
            about=self.about if about is None else about,
            named=tuple((level, named[level]) for level in known if level in named),
        )

    def level(self, value: Level) -> Level:
        """`value` if it is one of the levels, else an error with the nearest one."""
        levels = self.nameable
        if value not in levels:
            raise InvalidInput(
                f"{value!r} is not a level of {self.name!r}; {nearest_name(value, levels)}"
            )
        return levels[levels.index(value)]

    @property
    def nameable(self) -> tuple[Level, ...]:
        """What words can be given to: levels, codes, or else the numbers to stop at."""
        return self.coded if self.kind == "coded" else self.levels or self.stops

    @property
    def named_stops(self) -> tuple[Level, ...]:
        """The numbers to stop at where each has a name, such as 0 for no and 1 for yes.

        >>> Feature("own_house", "numeric", stops=(0.0, 1.0)).labelled(
        ...     values={0: "no", 1: "yes"}
        ... ).named_stops
        (0.0, 1.0)
        """
        return () if self.has_levels or set(self.stops) - {*dict(self.named)} else self.stops

    def permitted(self, values: Sequence[Any]) -> Feature:
        """The same feature between two numbers, or changing to no levels but these."""
        if not self.has_levels:
            if len(values) != 2:
                raise InvalidInput(
                    f"permitted_range of {self.name!r} takes [low, high], got {values}."
                )
            return self.bounded(*values)
        allowed = {self.level(each) for each in values}
        if len(self.levels) * (len(self.levels) - len(allowed)) > MOST_SINGLE:
            raise InvalidInput(
                f"Column {self.name!r} has {len(self.levels):,} levels, too many to permit some of "
                f"them one by one; say which to choose among: levels({self.name!r}, [...])."
            )
        return self._forbidding(
            (start, end)
            for end in self.levels
            for start in self.levels
            if end not in allowed and start != end
        )

    @property
    def never(self) -> tuple[Literal["change", "rise", "fall"], ...]:
        """What it never does, in the words of rules."""
        if not self.has_order:
            return ("change",) if math.isinf(self.increase) else ()
        rise: tuple[Literal["rise"], ...] = ("rise",) if math.isinf(self.increase) else ()
        return (*rise, "fall") if math.isinf(self.decrease) else rise

    def leading_past(self, start: Level, end: Level) -> list[tuple[Level, Level]]:
        """The changes that lead to `end` or, in an order, past it from the side of `start`."""
        if not self.has_order:
            return [(level, end) for level in self.levels if level != end]
        sign = 1 if self.codes[end] > self.codes[start] else -1
        far = sign * self.codes[end]
        before = [level for level in self.levels if sign * self.codes[level] < far]
        beyond = [level for level in self.levels if sign * self.codes[level] >= far]
        return [(first, second) for first in before for second in beyond]

    def check_order(self, otherwise: str) -> None:
        """An error if values have no order, which says what follows from that."""
        if not self.has_order:
            raise InvalidInput(f"Column {self.name!r} has no order{otherwise}")

    def _amount(self, value: object) -> float:
        """A value of the column as a number; NaN if it is none."""
        if isinstance(value, Real):
            return float(value)
        try:
            return kind_of(self).amount(self, value)
        except (InvalidData, TypeError):
            return math.nan

    def _check_numbers(self, instead: str) -> None:
        if self.has_levels:
            raise InvalidInput(f"Column {self.name!r} is {self.kind}: {instead}")

    def transition_prices(self) -> Floats:
        """Price of every change of level, rows from, columns to; shape (levels, levels).

        Where categories may be missing, that is the last row and column.
        """
        ranks = np.arange(len(self.levels))
        prices = np.where(ranks[np.newaxis, :] > ranks[:, np.newaxis], self.increase, self.decrease)
        for start, end, price in self.transitions:
            prices[self.codes[start], self.codes[end]] = price
        if not self.missing or self.has_flag:
            return prices
        n = len(self.levels)
        whole = np.zeros((n + 1, n + 1))
        whole[:n, :n], whole[:n, n], whole[n, :n] = prices, self.losing, self.found
        return whole


def feature_prices(parts: Iterable[tuple[Feature, slice]], width: int) -> Prices:
    """The prices of all coordinates, from features and the coordinates of each."""
    increase, decrease = np.zeros(width), np.zeros(width)
    blocks, gaps = [], []
    for feature, coordinates in ((each.harmless, place) for each, place in parts):
        if feature.has_flag:
            flag = coordinates.stop - 1
            increase[flag], decrease[flag] = feature.losing, feature.found
            gaps += [(value, flag) for value in range(coordinates.start, flag)]
            coordinates = slice(coordinates.start, flag)
        block = kind_of(feature).block(feature, coordinates)
        if block is not None:
            blocks.append(block)
        else:
            increase[coordinates], decrease[coordinates] = feature.increase, feature.decrease
        reasons = slice(coordinates.stop - kind_of(feature).n_reasons(feature), coordinates.stop)
        increase[reasons] = decrease[reasons] = math.inf
    return Prices(increase, decrease, tuple(blocks), tuple(gaps))


def plain_name(name: str) -> str:
    """A column's name in words: parts joined by underscores, dots or capitals are parted.

    >>> plain_name("credit_amount"), plain_name("creditAmount"), plain_name("LIMIT_BAL")
    ('Credit amount', 'Credit amount', 'Limit bal')
    >>> plain_name("MSinceOldestTradeOpen"), plain_name("x0"), plain_name("BMI")
    ('M since oldest trade open', 'X0', 'BMI')
    >>> plain_name("yrs.since.phd"), plain_name("v1.2")
    ('Yrs since phd', 'V1.2')
    """
    loud = name.isupper() and (len(name) > 3 or "_" in name)
    words = (name.lower() if loud else name).replace("_", " ")
    words = words if " " in name.strip() else _DOTS.sub(" ", words)
    first, *parts = _CAPITALS.split(words) if " " not in words.strip() else [words]
    if any(len(part) > 1 for part in parts):
        words = " ".join([first, *(_small(part) for part in parts)])
    return words[:1].upper() + words[1:]


def _small(word: str) -> str:
    return word if word.isupper() and len(word) > 1 else word[:1].lower() + word[1:]


_DOTS = re.compile(r"(?<=[^\W\d])\.(?=[^\W\d])")
"""Dots between words of a name, as in tables of R: "yrs.employed"."""

_CAPITALS = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z0-9])(?=[A-Z][a-z])")


def changed(value: Any, **fields: Any) -> Any:
    """A copy with other fields that keeps what was worked out; no `replace`, which forgets it.

    Only for fields that nothing worked out depends on, or that are given anew.
    """
    other = object.__new__(type(value))
    vars(other).update(vars(value), **fields)
    return other


def _snapped(values: Floats, decimals: int, within: float) -> Floats:
    grid = values.round(decimals)
    return np.where(np.abs(grid - values) <= within, grid, values)


def _sorted(transitions: Iterable[Transition], levels: Sequence[Level]) -> tuple[Transition, ...]:
    """Single changes in the order of the levels, so that equal rules make equal features."""
    place = {level: i for i, level in enumerate(levels)}
    return tuple(sorted(transitions, key=lambda each: [place[level] for level in each[:2]]))


def _price(name: Hashable, price: float) -> float:
    if not (isinstance(price, Real) and price >= 0):  # also catches NaN
        raise InvalidInput(
            f"Price of {name!r} must be zero or more (infinite forbids the change), got {price!r}."
        )
    if FARTHEST < price < math.inf or 0 < price < 1 / FARTHEST:
        raise InvalidInput(
            f"Price of {name!r} must lie between {1 / FARTHEST:g} and {FARTHEST:g} unless it is "
            f"zero or infinite, got {price:g}; 1 is the ordinary price."
        )
    return float(price)
