"""Terrain: what each column is, how it may change, and what a move costs."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
import numpy.typing as npt

from facelift._arrays import Bools, Floats
from facelift.drawing.markup import html_table, text_table
from facelift.errors import InvalidInput, UnknownColumn, nearest_name
from facelift.terrain import encoding, tables
from facelift.terrain.encoding import Points
from facelift.terrain.feature import Feature, Level, changed, feature_prices
from facelift.terrain.kinds.numeric import multiples
from facelift.terrain.prices import Prices
from facelift.terrain.requirements import (
    Requirement,
    check_requirement,
    requirement,
    satisfied,
)
from facelift.terrain.tables import Schema

if TYPE_CHECKING:
    import pandas as pd

HEADER = ("column", "kind", "may rise", "may fall", "values")
"""What a printed terrain says of each column."""

WHOLE = 1e-6
"""How far a level of a column of whole numbers may be from one: levels are often worked out."""


MONTHS = {"day": 12 / 365.25, "week": 84 / 365.25, "month": 1.0, "year": 12.0}
"""Periods that can be told in one another, in months."""


FREE: dict[str, Any] = {"transitions": (), "worse": "", "found": 1.0, "lost": 1.0}
"""A feature without rules on its levels and missing values."""


@dataclass(frozen=True)
class Terrain:
    """What can change, in which direction, at what price, between which bounds.

    Constraints are prices: infinite means never. Every refining method returns a new terrain;
    where two of them speak of the same thing, the last one counts.

    Examples
    --------
    >>> import pandas as pd
    >>> X = pd.DataFrame({"age": [20, 40], "housing": ["rent", "own"]})
    >>> Terrain.infer(X).increase_only("age").forbid("housing", "own", "rent")
    column   kind         may rise  may fall  values
    age      numeric      at 1      never     20 to 40
    housing  categorical  at 1      at 1      own, rent; never own → rent
    """

    features: tuple[Feature, ...]
    schema: Schema
    links: tuple[tuple[Hashable, ...], ...] = ()
    requirements: tuple[str | Requirement, ...] = ()

    @classmethod
    def infer(
        cls,
        X: Any,
        *,
        features_to_vary: str | Iterable[Hashable] | None = None,
        permitted_range: Mapping[Hashable, Sequence[Any]] | None = None,
        immutable_features: Iterable[Hashable] | None = None,
        missing: Mapping[Hashable, Sequence[float]] | None = None,
    ) -> Self:
        """Terrain of a table: kinds from types, all prices 1, nothing forbidden.

        Numbers are numeric; booleans and ordered categories ordinal; other categories and text
        categorical. Accepts pandas and polars frames and 2-D arrays.

        Parameters
        ----------
        X
            The table.
        features_to_vary, permitted_range
            As DiCE calls them: the columns that may change ("all" or a list; all others are
            frozen), and per column a range of numbers or a list of levels it may change to.
        immutable_features
            As alibi calls them: columns that never change.
        missing
            Per column, numbers that are codes, such as -9 for "not asked". Each is a state of its
            own, stays in the table as it is, and a journey may lead from it to a number.

        Examples
        --------
        >>> import pandas as pd
        >>> X = pd.DataFrame({"age": [20, 40], "member": [True, False], "job": ["cook", "judge"]})
        >>> Terrain.infer(X, immutable_features=["job"])
        column  kind         may rise  may fall  values
        age     numeric      at 1      at 1      20 to 40
        member  ordinal      at 1      at 1      False < True
        job     categorical  never     never     cook, judge
        """
        frame, schema = tables.describe(X)
        tables.check_exact(frame, schema)
        codes = dict(missing or {})
        if unknown := [name for name in codes if name not in frame]:
            raise UnknownColumn(
                f"There is no column {unknown[0]!r} with codes; "
                f"{nearest_name(unknown[0], frame.columns)}"
            )
        terrain = cls(encoding.infer_features(frame, codes), schema)
        if features_to_vary is not None and features_to_vary != "all":
            wanted = terrain._names("features_to_vary", features_to_vary)
            terrain = terrain.freeze(*(f.name for f in terrain.features if f.name not in wanted))
        for name, values in (permitted_range or {}).items():
            if isinstance(values, str) or not len(values):
                raise InvalidInput(
                    f"permitted_range of {name!r} takes [low, high] or a list of levels, "
                    f"got {values!r}."
                )
            terrain = terrain._refine([name], operator.methodcaller("permitted", values))
        if immutable_features is not None:
            terrain = terrain.freeze(*terrain._names("immutable_features", immutable_features))
        return terrain

    def given_as(self, X: Any) -> Self:
        """The same terrain for tables of the kind of `X`: arrays decode to arrays, and so on.

        >>> import pandas as pd
        >>> terrain = Terrain.infer(pd.DataFrame({"age": [20.0, 40.0]}))
        >>> terrain.given_as(np.array([[30.0]])).decode([[0.5]])
        array([[30.]])
        """
        _, schema = tables.describe(X)
        if schema.container == self.schema.container:
            return self
        tables.conform(X, self.schema)
        by_name = {column.name: column for column in schema.columns}
        names = self.schema.names
        if schema.container == "array":
            by_name = dict(zip(names, schema.columns, strict=True))
        columns = tuple(replace(by_name[name], name=name) for name in names)
        return replace(self, schema=Schema(schema.container, columns))

    def freeze(self, *names: Hashable) -> Self:
        """These columns never change.

        >>> import pandas as pd
        >>> Terrain.infer(pd.DataFrame({"age": [20, 40]})).freeze("age")
        column  kind     may rise  may fall  values
        age     numeric  never     never     20 to 40
        """
        return self._refine(names, lambda f: f.priced(increase=math.inf, decrease=math.inf))

    def personal(self, *names: Hashable) -> Self:
        """These columns say who somebody is: nobody is asked to do without the rules on them.

        What keeps them from changing stays a matter of `freeze` and the like.

        >>> import pandas as pd
        >>> Terrain.infer(pd.DataFrame({"sex": ["f", "m"]})).freeze("sex").personal("sex")
        column  kind         may rise  may fall  values
        sex     categorical  never     never     f, m; personal
        """
        return self._refine(names, lambda feature: replace(feature, personal=True))

    def worse(
        self,
        name: Hashable,
        direction: Literal["increase", "decrease"] | None = None,
        *,
        order: Sequence[Level] | None = None,
    ) -> Self:
        """Changes of a column that make somebody worse off: no journey contains them.

        One direction, or levels from the best to the worst, each of which is worse than those
        before it and than all that are not named. Neither takes it back; `allow_harm` does so for
        all columns.

        >>> import pandas as pd
        >>> X = pd.DataFrame({"savings": [0, 900], "job": ["cook", "none"]})
        >>> terrain = Terrain.infer(X).worse("savings", "decrease").worse("job", order=["none"])
        >>> terrain
        column   kind         may rise  may fall  values
        savings  numeric      at 1      never     0 to 900; less is worse
        job      categorical  at 1      at 1      cook, none; ever worse: none
        >>> terrain.cost(terrain.encode(X[:1]), terrain.encode(X[1:])).tolist()
        [inf]
        """
        if direction is not None and order is not None:
            raise InvalidInput(f"Give either a direction or an order for {name!r}, not both.")
        return self._refine([name], lambda f: f.worsened(order or direction or ""))

    def allow_harm(self) -> Self:
        """Changes that make somebody worse off are allowed: to study a model, not to advise.

        >>> import pandas as pd
        >>> terrain = Terrain.infer(pd.DataFrame({"savings": [0, 900]}))
        >>> terrain.worse("savings", "decrease").allow_harm()
        column   kind     may rise  may fall  values
        savings  numeric  at 1      at 1      0 to 900
        """
        names = [feature.name for feature in self.features]
        return self._refine(names, lambda feature: feature.worsened(""))

    def label(
        self,
        name: Hashable,
        text: str | None = None,
        *,
        unit: str | None = None,
        about: str | None = None,
        values: Mapping[Level, str] | None = None,
    ) -> Self:
        """What people call a column, its unit, what it means, and words for its levels.

        Every text and page says these; tables such as `to_frame` keep the names of columns. Without
        a label, `credit_amount` and `creditAmount` read "Credit amount".

        >>> import pandas as pd
        >>> terrain = Terrain.infer(pd.DataFrame({"duration": [6, 48]}))
        >>> terrain.label("duration", "Duration of the loan", unit="months")
        column    kind     may rise  may fall  values
        duration  numeric  at 1      at 1      6 to 48 months; "Duration of the loan"
        """
        return self._refine([name], lambda f: f.labelled(text, unit, about, values))

    def increase_only(self, *names: Hashable) -> Self:
        """These columns never fall.

        >>> import pandas as pd
        >>> Terrain.infer(pd.DataFrame({"age": [20, 40]})).increase_only("age")
        column  kind     may rise  may fall  values
        age     numeric  at 1      never     20 to 40
        """
        return self._refine(names, lambda f: f.priced(decrease=math.inf))

    def decrease_only(self, *names: Hashable) -> Self:
        """These columns never rise.

        >>> import pandas as pd
        >>> Terrain.infer(pd.DataFrame({"debt": [0, 900]})).decrease_only("debt")
        column  kind     may rise  may fall  values
        debt    numeric  never     at 1      0 to 900
        """
        return self._refine(names, lambda f: f.priced(increase=math.inf))

    def price(
        self,
        name: Hashable,
        change: float | None = None,
        *,
        increase: float | None = None,
        decrease: float | None = None,
    ) -> Self:
        """Price of changing a column, per direction, or `change` for both.

        The ratio of the two is the paper's λ. 1 is the ordinary price, 0 is free, `inf` is never.

        >>> import pandas as pd
        >>> Terrain.infer(pd.DataFrame({"savings": [0, 900]})).price("savings", increase=3.0)
        column   kind     may rise  may fall  values
        savings  numeric  at 3      at 1      0 to 900
        """
        up = change if increase is None else increase
        down = change if decrease is None else decrease
        return self._refine([name], lambda f: f.priced(increase=up, decrease=down))

    def between(self, name: Hashable, low: float, high: float) -> Self:
        """No waypoint has this column outside `low` to `high`, in raw units.

        >>> import pandas as pd
        >>> terrain = Terrain.infer(pd.DataFrame({"amount": [0, 100]})).between("amount", 20, 80)
        >>> terrain.admissible([[0.0], [0.5], [1.0]]).tolist()
        [False, True, False]
        """
        return self._refine([name], lambda f: f.bounded(low, high))

    def span(self, name: Hashable, change: float | None = None) -> Self:
        """Let a change so large count as 1, in raw units; without one, the range that was seen.

        That is what `infer` takes, too, unless outliers stretch the range more than threefold: then
        it is the range from the first to the last hundredth of the values.

        >>> import pandas as pd
        >>> X = pd.DataFrame({"employees": [1, 3, 5, 20, 2202]})
        >>> Terrain.infer(X).span("employees", 40)
        column     kind     may rise  may fall  values
        employees  numeric  at 1      at 1      1 to 2202, a change of 40 counts as 1
        """
        return self._refine([name], lambda f: f.spanning(change))

    def order(self, name: Hashable, levels: Sequence[Level]) -> Self:
        """The levels of a column have an order, lowest first.

        >>> import pandas as pd
        >>> X = pd.DataFrame({"savings": ["low", "none", "high"]})
        >>> Terrain.infer(X).order("savings", ["none", "low", "high"]).increase_only("savings")
        column   kind     may rise  may fall  values
        savings  ordinal  at 1      never     none < low < high
        """
        return self._refine([name], lambda f: f.ordered(levels))

    def transition(self, name: Hashable, start: Level, end: Level, *, price: float) -> Self:
        """The change of a column from one level to another has a price of its own.

        >>> import pandas as pd
        >>> X = pd.DataFrame({"housing": ["rent", "own"]})
        >>> Terrain.infer(X).transition("housing", "rent", "own", price=5.0)
        column   kind         may rise  may fall  values
        housing  categorical  at 1      at 1      own, rent; rent → own at 5
        """
        return self._refine([name], lambda f: f.transition(start, end, price))

    def forbid(self, name: Hashable, start: Level, end: Level) -> Self:
        """A column never changes from `start` to `end`.

        >>> import pandas as pd
        >>> X = pd.DataFrame({"housing": ["rent", "own"]})
        >>> Terrain.infer(X).forbid("housing", "own", "rent")
        column   kind         may rise  may fall  values
        housing  categorical  at 1      at 1      own, rent; never own → rent
        """
        return self.transition(name, start, end, price=math.inf)

    def levels(
        self, name: Hashable, values: Sequence[Any] | None = None, *, step: float | None = None
    ) -> Self:
        """The numbers a column can be changed to, one action after the other; or its levels.

        Give them, or a step: its multiples within the range seen. By default round quantiles, and
        of many levels the most common.

        >>> import pandas as pd
        >>> terrain = Terrain.infer(pd.DataFrame({"duration": [5, 40]}))
        >>> terrain.levels("duration", step=12).feature("duration").stops
        (12.0, 24.0, 36.0)
        """
        if values is None and step is not None:
            values = multiples(self.feature(name), step)
        elif values is None or step is not None:
            raise InvalidInput(f"Give either values or a step for the levels of {name!r}.")
        refined = self._refine([name], lambda f: f.stopping_at(values))
        if not refined.feature(name).has_levels:
            refined._check_stops(name)
        return refined

    def missing(
        self, name: Hashable, *, found: float | None = None, lost: float | None = None
    ) -> Self:
        """What it costs to find a value that is missing, and to lose one that is there.

        Found at 1 and never lost unless told otherwise; a column that is frozen stays missing.
        Where a column may not rise, or not fall, a value is never lost, whatever the price: it
        could be found again at any value, which is a way round.

        >>> import pandas as pd
        >>> X = pd.DataFrame({"income": [1000.0, None, 3000.0]})
        >>> terrain = Terrain.infer(X).missing("income", found=0.5)
        >>> unknown, known = np.asarray(terrain.encode(X))[[1, 2]]
        >>> float(terrain.cost(unknown, known)), float(terrain.cost(known, unknown))
        (0.5, inf)
        """
        return self._refine([name], lambda f: f.priced_missing(found=found, lost=lost))

    def read_as(
        self, name: Hashable, read: str | None = None, *, codes: Sequence[Level] = ()
    ) -> Self:
        """How `facelift.prepare` read this column of a raw table, for tables to come.

        >>> import pandas as pd
        >>> terrain = Terrain.infer(pd.DataFrame({"price": [60000.0, 900.0]}))
        >>> terrain.read_as("price", "money", codes=["n/a"]).feature("price").coded
        ('n/a',)
        """
        return self._refine([name], lambda f: replace(f, read=read or "", coded=tuple(codes)))

    def rate(self, name: Hashable, amount: float = 1.0, *, per: str) -> Self:
        """A column that changes with time: by at most `amount` raw units, or levels, per period.

        Journeys then say how long each step takes at least: `rate("age", per="year")`.

        >>> import pandas as pd
        >>> X = pd.DataFrame({"age": [20, 23]})
        >>> terrain = Terrain.infer(X).rate("age", per="year")
        >>> terrain.earliest(terrain.encode(X)).tolist()
        [0.0, 3.0]
        """
        return self._timed(name, "rate", amount, per)

    def ages(self, name: Hashable, amount: float = 1.0, *, per: str) -> Self:
        """A column that moves by itself while one waits, by `amount` raw units per period.

        Nobody chooses it. Where actions take time (`rate`), their states have it moved on as far,
        at no cost, and the model sees that.

        >>> import pandas as pd
        >>> Terrain.infer(pd.DataFrame({"age": [20, 40]})).ages("age", per="year")
        column  kind     may rise  may fall  values
        age     numeric  at 1      at 1      20 to 40; ages by 1 a year
        """
        return self._timed(name, "ages", amount, per)

    def _timed(
        self, name: Hashable, what: Literal["rate", "ages"], amount: float, per: str
    ) -> Self:
        """The terrain with one time more; all are told in the shortest period of any."""
        refine: Callable[[Feature, float, str], Feature] = (
            Feature.timed if what == "rate" else Feature.ageing
        )
        checked = refine(self.feature(name), amount, per)
        others = self._refine([name], lambda f: f.untimed(what))
        periods = {f.per for f in others.features if f.per} | {checked.per}
        if len(periods) > 1 and not periods <= set(MONTHS):
            raise InvalidInput(
                f"Rates must share one period; {name!r} is per {per!r}, others per "
                f"{', '.join(sorted(periods - {per}))}, and neither says how long the other is."
            )
        shared = min(periods, key=lambda each: MONTHS.get(each, 1.0))
        named = [f.name for f in others.features if f.per not in ("", shared)]
        told = others._refine(named, lambda f: f.in_period(shared, MONTHS[shared] / MONTHS[f.per]))
        share = 1.0 if per == shared else MONTHS[shared] / MONTHS[per]
        return told._refine([name], lambda f: refine(f, amount * share, shared))

    def link(self, *names: Hashable) -> Self:
        """These columns only move together, in one action; the first leads.

        Numbers follow by the same raw amount (in proportion to their rates), ordered levels one
        by one. A column can be in one link only.

        >>> import pandas as pd
        >>> X = pd.DataFrame({"age": [20, 40], "years_in_job": [0, 20]})
        >>> Terrain.infer(X).link("age", "years_in_job")
        column        kind     may rise  may fall  values
        age           numeric  at 1      at 1      20 to 40
        years_in_job  numeric  at 1      at 1      0 to 20
        together: age, years_in_job
        """
        if len(names) < 2:
            raise InvalidInput(f"A link needs two or more columns, got {list(names)}.")
        taken = [name for link in self.links for name in link]
        for name in names:
            self.feature(name).check_order(", so it cannot follow a link.")
            if self.feature(name).missing:
                raise InvalidInput(f"Column {name!r} has missing values: they follow no link.")
            if name in taken or names.count(name) > 1:
                raise InvalidInput(f"Column {name!r} is in a link already.")
        return replace(self, links=(*self.links, names))

    def require(self, rule: str | Requirement) -> Self:
        """Every state must satisfy a rule between columns, such as "installments <= duration".

        An expression, or a function from a pandas frame to one boolean per row.

        >>> import pandas as pd
        >>> X = pd.DataFrame({"paid": [3, 9], "due": [6, 6]})
        >>> terrain = Terrain.infer(X).require("paid <= due")
        >>> terrain.admissible(terrain.encode(X)).tolist()
        [True, False]
        """
        check_requirement(rule, self.features)
        return replace(self, requirements=(*self.requirements, rule))

    def feature(self, name: Hashable) -> Feature:
        """The feature of that name, else an error with the nearest one.

        >>> import pandas as pd
        >>> terrain = Terrain.infer(pd.DataFrame({"age": [20, 40]})).increase_only("age")
        >>> terrain.feature("age").decrease
        inf
        """
        for feature in self.features:
            if feature.name == name:
                return feature
        known = [feature.name for feature in self.features]
        raise UnknownColumn(f"There is no column {name!r}; {nearest_name(name, known)}")

    def encodes_like(self, other: Terrain) -> bool:
        """Whether both give every table the same points, whatever their prices.

        >>> import pandas as pd
        >>> terrain = Terrain.infer(pd.DataFrame({"age": [20, 40]}))
        >>> terrain.encodes_like(terrain.freeze("age"))
        True
        >>> terrain.encodes_like(Terrain.infer(pd.DataFrame({"age": [20, 60]})))
        False
        """

        def scales(terrain: Terrain) -> list[tuple[object, ...]]:
            return [
                (f.name, f.kind, f.levels, f.low, f.span, f.missing, f.coded)
                for f in terrain.features
            ]

        return scales(self) == scales(other)

    def encode(self, X: Any) -> Points:
        """Points of a table's rows; shape (n, m).

        >>> import pandas as pd
        >>> X = pd.DataFrame({"age": [20, 30, 40], "housing": ["rent", "own", "rent"]})
        >>> np.asarray(Terrain.infer(X).encode(X))
        array([[0. , 0. , 1. ],
               [0.5, 1. , 0. ],
               [1. , 0. , 1. ]])
        """
        return self.from_pandas(tables.conform(X, self.schema))

    def point(self, x: Any) -> Floats:
        """Point of one case (row of a frame, Series, mapping or 1-D array); shape (m,).

        >>> import pandas as pd
        >>> X = pd.DataFrame({"age": [20, 40], "housing": ["rent", "own"]})
        >>> Terrain.infer(X).point({"age": 35, "housing": "rent"})
        array([0.75, 0.  , 1.  ])
        """
        return self.read(x)[0]

    def case(self, x: Any) -> tuple[Floats, Self]:
        """The point of one case, and the terrain that gives its numbers back as they are.

        A number that no row of the table has would else be rounded, to twelve digits of its span.
        Bounds and requirements are judged by what is given back.

        >>> terrain = Terrain.infer(np.array([[0.0], [30.0], [2000.0]]))
        >>> point, own = terrain.case([1664.6475731499827])
        >>> terrain.decode([point]).tolist(), own.decode([point]).tolist()
        ([[1664.64757315]], [[1664.6475731499827]])
        """
        point, numbers = self.read(x)
        return point, self.keeping(numbers)

    def keeping(self, numbers: Iterable[float]) -> Self:
        """The terrain that gives one case's numbers back as they are: one each, NaN for levels.

        >>> terrain = Terrain.infer(np.array([[0.0], [30.0], [2000.0]]))
        >>> [terrain.keeping([each]) is terrain for each in (20.0, 1664.6475731499827)]
        [True, False]
        """
        features = tuple(
            feature if number != number else feature.keeping(number)
            for feature, number in zip(self.features, numbers, strict=True)
        )
        if all(map(operator.is_, features, self.features)):
            return self
        parts = tuple(zip(features, self.slices, strict=True))
        kept: Self = changed(self, features=features, parts=parts)
        return kept

    def keeping_each(self, frame: pd.DataFrame) -> list[Self]:
        """The same for every row of a frame whose rows can all be encoded.

        >>> import pandas as pd
        >>> X = pd.DataFrame({"age": [20, 40]})
        >>> terrain = Terrain.infer(X)
        >>> [each is terrain for each in terrain.keeping_each(X)]
        [True, True]
        """
        return [self.keeping(row) for row in encoding.frame_numbers(frame, self.features).tolist()]

    def keeping_all(self, terrains: Sequence[Terrain]) -> Self:
        """The terrain that decodes as many points as there are terrains, each by its own.

        >>> terrain = Terrain.infer(np.array([[0.0], [30.0], [2000.0]]))
        >>> cases = [terrain.case([number]) for number in (1664.6475731499827, 0.1234567890123456)]
        >>> points, terrains = zip(*cases, strict=True)
        >>> terrain.keeping_all(terrains).decode(points).ravel().tolist()
        [1664.6475731499827, 0.1234567890123456]
        """
        features = tuple(
            changed(feature, own=np.array([np.nan if own is None else own for own in owns]))
            for feature, owns in zip(
                self.features,
                zip(
                    *([each.own for each in terrain.features] for terrain in terrains), strict=True
                ),
                strict=True,
            )
        )
        parts = tuple(zip(features, self.slices, strict=True))
        kept: Self = changed(self, features=features, parts=parts)
        return kept

    def keeps(self, point: Floats) -> bool:
        """Whether a number at a point is kept for one case, so that no record has it.

        >>> terrain = Terrain.infer(np.array([[0.0], [30.0], [2000.0]]))
        >>> point, own = terrain.case([1664.6475731499827])
        >>> terrain.keeps(point), own.keeps(point)
        (False, True)
        """
        return any(
            each.own is not None and each.is_own(point[part.start]) for each, part in self.parts
        )

    def seeing(self, X: Any) -> Self:
        """The terrain that gives all numbers of another table back as they are.

        >>> terrain = Terrain.infer(np.array([[0.0], [30.0], [2000.0]]))
        >>> more = np.array([[1664.6475731499827], [31.0]])
        >>> np.array_equal(terrain.seeing(more).decode(terrain.encode(more)), more)
        True
        """
        frame = tables.conform(X, self.schema)
        numbers = encoding.frame_numbers(frame, self.features)
        features = tuple(
            feature.seeing(column[~np.isnan(column)])
            for feature, column in zip(self.features, numbers.T, strict=True)
        )
        same = all(map(operator.is_, features, self.features))
        return self if same else replace(self, features=features)

    def read(self, x: Any) -> tuple[Floats, Sequence[float]]:
        """The point of one case, and its numbers: one per feature, NaN for levels.

        >>> Terrain.infer(np.array([[20.0], [40.0]])).read([30.0])
        (array([0.5]), [30.0])
        """
        cells = tables.plain_cells(x, self.schema)
        point = None if cells is None else encoding.encode_plain(cells, self.features, self.schema)
        if cells is not None and point is not None:
            return point, encoding.plain_numbers(cells, self.features)
        frame = tables.one_row(x, self.schema)
        (only,) = np.asarray(self.from_pandas(frame))
        return np.asarray(only), encoding.frame_numbers(frame, self.features)[0].tolist()

    def from_pandas(self, frame: pd.DataFrame) -> Points:
        """Points of a pandas frame that has the terrain's columns in order; shape (n, m).

        >>> import pandas as pd
        >>> X = pd.DataFrame({"age": [20, 40]})
        >>> np.asarray(Terrain.infer(X).from_pandas(X))
        array([[0.],
               [1.]])
        """
        return encoding.encode_frame(frame, self.features, self.schema)

    def decode(self, points: npt.ArrayLike) -> Any:
        """The rows that encode to these points, as the kind of table the terrain was made from.

        >>> import pandas as pd
        >>> X = pd.DataFrame({"age": [20, 40], "housing": ["rent", "own"]})
        >>> terrain = Terrain.infer(X)
        >>> terrain.decode(terrain.encode(X)).equals(X)
        True
        """
        return tables.as_given(self.to_pandas(points), self.schema)

    def decode_one(self, point: Floats, numbers: Sequence[float]) -> Any:
        """The row of a case that was read (`read`), quicker; the terrain keeps its numbers.

        >>> terrain = Terrain.infer(np.array([[20.0], [40.0]]))
        >>> terrain.decode_one(*terrain.read([30.0]))
        array([[30.]])
        """
        frame = encoding.decode_one(point, numbers, self.features, self.schema)
        return tables.as_given(frame, self.schema)

    def to_pandas(self, points: npt.ArrayLike) -> pd.DataFrame:
        """The same rows as a pandas frame, whatever the terrain was made from.

        >>> Terrain.infer(np.array([[20.0], [40.0]])).to_pandas([[0.5]])
             x0
        0  30.0
        """
        return encoding.decode_frame(points, self.features, self.schema)

    def to_cells(self, points: npt.ArrayLike) -> npt.NDArray[np.object_]:
        """The cells of the same frame as objects; quicker, where nobody needs the frame.

        >>> Terrain.infer(np.array([[20.0], [40.0]])).to_cells([[0.5]])
        array([[30.0]], dtype=object)
        """
        return encoding.decode_cells(points, self.features, self.schema)

    def cost(self, start: npt.ArrayLike, end: npt.ArrayLike) -> Floats:
        """Cost of moving between points, broadcast over leading axes; infinite when forbidden.

        >>> terrain = Terrain.infer(np.array([[0.0], [10.0]])).decrease_only("x0")
        >>> terrain.cost([[0.0], [1.0]], [0.5]).tolist()
        [inf, 0.5]
        """
        for points in (start, end):
            if np.shape(points)[-1:] != (self.n_coordinates,):
                raise InvalidInput(
                    f"Points must have {self.n_coordinates} coordinates, got shape "
                    f"{np.shape(points)}; use encode() to make them."
                )
        return self.prices.cost(start, end)

    @cached_property
    def prices(self) -> Prices:
        """The prices of all coordinates, as searches need them."""
        return feature_prices(self.parts, self.n_coordinates)

    @cached_property
    def distance(self) -> Prices:
        """Prices at which a move costs as much as its ends are apart, whatever the rules.

        >>> terrain = Terrain.infer(np.array([[0.0], [10.0]])).freeze("x0").price("x0", 3.0)
        >>> terrain.distance.cost([0.0], [0.5])
        array(0.5)
        """
        every = (replace(each, increase=1.0, decrease=1.0, **FREE) for each in self.features)
        plain = feature_prices(zip(every, self.slices, strict=True), self.n_coordinates)
        apart = np.ones(self.n_coordinates)
        for block in plain.codes:
            apart[block.coordinates] = 0.0
        return Prices(apart, apart, plain.codes)

    @cached_property
    def slices(self) -> tuple[slice, ...]:
        """The coordinates of each feature."""
        ends = np.cumsum([feature.width for feature in self.features]).tolist()
        return tuple(map(slice, [0, *ends[:-1]], ends))

    @cached_property
    def parts(self) -> tuple[tuple[Feature, slice], ...]:
        """Each feature with its coordinates."""
        return tuple(zip(self.features, self.slices, strict=True))

    @property
    def numbers(self) -> list[Feature]:
        """The features whose values are numbers, however they are written."""
        return [feature for feature in self.features if not feature.has_levels]

    @cached_property
    def ordered(self) -> tuple[int, ...]:
        """The first coordinate of each feature whose values rise and fall."""
        return tuple(part.start for feature, part in self.parts if feature.has_order)

    @cached_property
    def by_name(self) -> dict[str, Feature]:
        """Each feature by its name as text."""
        return {str(feature.name): feature for feature in self.features}

    @cached_property
    def n_coordinates(self) -> int:
        """Number of coordinates of a point."""
        return sum(feature.width for feature in self.features)

    def out_of_bounds(self, points: npt.ArrayLike) -> Bools:
        """Whether each point lies outside the bounds of each feature; shape (n, features).

        >>> terrain = Terrain.infer(np.array([[0.0, 0.0], [10.0, 10.0]])).between("x1", 0, 8)
        >>> terrain.out_of_bounds([[0.9, 0.1], [0.1, 0.9]])
        array([[False, False],
               [False,  True]])
        """
        values = np.asarray(points, dtype=np.float64)
        outside = np.zeros((len(values), len(self.features)), dtype=bool)
        for i, (feature, coordinates) in enumerate(self.parts):
            if math.isfinite(feature.lower) or math.isfinite(feature.upper):
                raw = feature.raw(values[:, coordinates.start])
                outside[:, i] = (raw < feature.lower) | (raw > feature.upper)
                outside[:, i] &= ~feature.is_missing(values[:, coordinates])
        return outside

    def within_bounds(self, points: npt.ArrayLike) -> Bools:
        """Whether each point lies within the bounds of every feature; shape (n,).

        >>> terrain = Terrain.infer(np.array([[0.0], [10.0]])).between("x0", 0, 8)
        >>> terrain.within_bounds([[0.1], [0.9]])
        array([ True, False])
        """
        return np.logical_not(self.out_of_bounds(points).any(axis=1))

    def admissible(self, points: npt.ArrayLike) -> Bools:
        """Whether each point lies within all bounds and satisfies all requirements; (n,).

        >>> terrain = Terrain.infer(np.array([[0.0, 0.0], [10.0, 10.0]])).between("x0", 0, 8)
        >>> terrain.require("x0 <= x1").admissible([[0.9, 1.0], [0.5, 0.2], [0.5, 0.6]])
        array([False, False,  True])
        """
        allowed = self.within_bounds(points)
        if self.requirements and allowed.any():
            frame = self.to_pandas(np.asarray(points)[allowed])
            rules = [requirement(rule, self.features) for rule in self.requirements]
            allowed[allowed] = np.logical_and.reduce([satisfied(rule, frame) for rule in rules])
        return allowed

    def earliest(self, points: npt.ArrayLike) -> Floats | None:
        """Least time from the first point to each, by the slowest rate; None without rates; (n,).

        Changes that take time go on side by side; to find a value that is missing takes none.

        >>> terrain = Terrain.infer(np.array([[0.0], [10.0]])).rate("x0", 2.0, per="month")
        >>> terrain.earliest([[0.0], [0.4], [1.0]])
        array([0., 2., 5.])
        """
        values = np.asarray(points, dtype=np.float64)
        times = [
            feature.periods(values[:, coordinates])
            for feature, coordinates in self.parts
            if feature.rate is not None
        ]
        return np.max(times, axis=0) if times else None

    def aged(self, point: Floats, points: Floats) -> Floats:
        """Points at the time they can be reached from one: what ages by itself has moved on.

        >>> terrain = Terrain.infer(np.array([[0.0, 0.0], [10.0, 100.0]])).rate("x0", 2, per="year")
        >>> terrain = terrain.ages("x1", 1, per="year")
        >>> terrain.aged(np.array([0.0, 0.3]), np.array([[0.0, 0.3], [0.4, 0.3]])).tolist()
        [[0.0, 0.3], [0.4, 0.32]]
        """
        times = self.earliest(np.vstack([point, points]))
        ageing = [part for part in self.parts if part[0].ages is not None]
        if times is None or not ageing:
            return points
        found = points.copy()
        for feature, coordinates in ageing:
            own = point[coordinates]
            if not feature.is_missing(own):
                found[:, coordinates.start] = feature.aged(float(own[0]), times[1:])
        return found

    @cached_property
    def waiting(self) -> Terrain:
        """The terrain on which what ages by itself does so at no cost."""
        if all(feature.ages is None for feature in self.features):
            return self
        free = tuple(
            each if each.ages is None else replace(each, increase=0.0, decrease=0.0, worse="")
            for each in self.features
        )
        return replace(self, features=free)

    def n_periods(self, time: float | str) -> float:
        """A time in the period of the rates, from a number of them or text such as "12 months".

        >>> terrain = Terrain.infer(np.array([[20.0], [40.0]])).rate("x0", per="year")
        >>> terrain.n_periods("18 months"), terrain.n_periods(2)
        (1.5, 2.0)
        """
        if not self.period:
            raise InvalidInput(
                "A deadline needs rates, and no column has one: give one a `rate` in the rules, or "
                "call rate() of the terrain."
            )
        said = re.fullmatch(r"\s*([0-9.]+)\s*([a-z]*?)s?\s*", str(time))
        amount = float(said[1]) if said and said[1].count(".") <= 1 and said[1] != "." else -1.0
        unit = said[2] if said and said[2] else self.period
        known = unit == self.period or {unit, self.period} <= set(MONTHS)
        if amount < 0 or not known:
            raise InvalidInput(
                f"A time is a number of {self.period}s, or text such as '12 months', got {time!r}."
            )
        return amount if unit == self.period else amount * MONTHS[unit] / MONTHS[self.period]

    @cached_property
    def period(self) -> str:
        """The period that rates are given in, empty when there are none."""
        return next((f.per for f in self.features if f.per), "")

    def _names(self, what: str, given: str | Iterable[Hashable]) -> list[Hashable]:
        """Names of columns that somebody gave; an error if they are no list, or unknown."""
        if isinstance(given, str):
            raise InvalidInput(f"{what} takes a list of columns, got {given!r}.")
        return [self.feature(name).name for name in given]

    def _refine(self, names: Sequence[Hashable], change: Callable[[Feature], Feature]) -> Self:
        changed = {name: change(self.feature(name)) for name in names}
        return replace(self, features=tuple(changed.get(f.name, f) for f in self.features))

    def _check_stops(self, name: Hashable) -> None:
        """A column of whole numbers cannot stop at a half, nor at what its type cannot hold."""
        place = self.schema.names.index(name)
        feature, stops = self.features[place], np.array(self.features[place].stops)
        held = self.schema.held[place]
        tables.check_held(self.schema.columns[place], stops, held)
        feature.placed(stops)  # an error if one is too far from all others
        odd = stops[np.abs(stops - np.rint(stops)) > WHOLE]
        if held.whole and len(odd):
            raise InvalidInput(f"Column {name!r} holds whole numbers; {odd[0]:g} is none.")

    def _between(self) -> list[str]:
        """Rules between columns, in words."""
        links = [f"together: {', '.join(map(str, link))}" for link in self.links]
        return links + [f"required: {rule}" for rule in self.requirements]

    def __repr__(self) -> str:
        rows = (feature.summary for feature in self.features)
        return "\n".join([text_table(HEADER, rows), *self._between()])

    def _repr_html_(self) -> str:
        caption = "; ".join(["Terrain", *self._between()])
        return html_table(HEADER, (feature.summary for feature in self.features), caption=caption)
