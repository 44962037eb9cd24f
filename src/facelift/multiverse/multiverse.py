"""The multiverse: all journeys of one case, and how they relate."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Real
from typing import TYPE_CHECKING, Any, overload

import numpy as np
import numpy.typing as npt

from facelift import geometry
from facelift._arrays import Floats, Ints, frozen
from facelift.drawing.markup import text_table
from facelift.errors import InvalidInput, check_number
from facelift.graph.expected_effort import Effort, Risk, expected_effort
from facelift.graph.graph import Graph
from facelift.graph.routes import Variety
from facelift.multiverse import document
from facelift.multiverse.certificate import NOTHING_PROVEN, Proof
from facelift.multiverse.families import (
    SLACK,
    Family,
    Trunk,
    direction_differences,
    find_trunk,
    journey_families,
    pair_table,
)
from facelift.multiverse.frames import multiverse_table
from facelift.multiverse.goal import Goal, Range
from facelift.multiverse.html import multiverse_html
from facelift.multiverse.journey import Journey
from facelift.multiverse.whynot import Survey, WhyNot
from facelift.terrain.feature import Feature

if TYPE_CHECKING:
    import pandas as pd


GIVING_UP = 2.0
"""What giving up costs, as a multiple of the dearest journey."""


@dataclass(frozen=True, eq=False)
class Question:
    """The explainer that was asked, and the point of the case; so that one can replan."""

    explainer: Any
    point: Floats

    def __post_init__(self) -> None:
        frozen(self.point)


@dataclass(frozen=True, eq=False)
class Multiverse(Sequence[Journey]):
    """Journeys from one factual, cheapest first; empty when there is no recourse.

    `destinations[a]` is the set of vertices that journey a may end at, and column a of every
    journey's remaining costs. `goal` is what was asked for, where a model was;
    `survey` how far the search went, where states were made up as it went. `graph` and `factual`
    are where the journeys were found, `question` the case and the explainer that was asked (None
    when read back from JSON). Where no journey was found, `closest` is the point in reach nearest
    to the goal, if there is any. `proof` says how sure it is that the first journey is the cheapest
    there can be. `variants[a]` are further routes to destination a, where several were asked for:
    they head for the same end and are no members of the sequence. `variety` is how different they
    had to be. `kept` are classes to be kept open, where some were named.

    Examples
    --------
    >>> from facelift.toys import loan
    >>> multiverse = loan().multiverse()
    >>> multiverse
    journey  steps  cost    chance  opportunity
    0        1      3.000           0.00
    1        2      14.000          0.29
    2        4      16.000          0.44
    >>> multiverse[0].counterfactual, multiverse.why_not
    (array([0., 3.]), None)
    """

    journeys: tuple[Journey, ...]
    destinations: tuple[Ints, ...]
    why_not: WhyNot | None = None
    goal: Goal | Range | None = None
    survey: Survey | None = None
    graph: Graph | None = None
    factual: int | None = None
    question: Question | None = None
    closest: Floats | None = None
    proof: Proof = NOTHING_PROVEN
    variants: tuple[tuple[Journey, ...], ...] = ()
    variety: Variety | None = None
    kept: tuple[str, ...] = ()

    @property
    def unfinished(self) -> bool:
        """Whether patience ended the search, and nobody knows that there is no way at all.

        >>> from facelift.toys import loan
        >>> loan().multiverse().unfinished
        False
        """
        spent = self.survey is not None and self.survey.stopped == "budget"
        return spent and not self.proof.is_none

    def __len__(self) -> int:
        return len(self.journeys)

    @overload
    def __getitem__(self, index: int) -> Journey: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Journey, ...]: ...
    def __getitem__(self, index: int | slice) -> Journey | tuple[Journey, ...]:
        return self.journeys[index]

    def __iter__(self) -> Iterator[Journey]:
        return iter(self.journeys)

    def __post_init__(self) -> None:
        for members in self.destinations:
            frozen(members)

    def in_rows(
        self, decode: Callable[[Floats], pd.DataFrame] | None, features: Mapping[str, Feature]
    ) -> Multiverse:
        """The same, its journeys in the rows that `decode` makes of points, and their words.

        >>> import pandas as pd
        >>> from facelift.toys import loan
        >>> found = loan().multiverse().in_rows(lambda points: pd.DataFrame(points[:, :1]), {})
        >>> found[1].to_frame()["feature"].tolist()
        ['0', '0']
        """
        return self.mapped(lambda each: replace(each, decode=decode, features=features))

    def mapped(self, work: Callable[[Journey], Journey]) -> Multiverse:
        """The same with something done to every journey, further routes included.

        >>> from facelift.toys import loan
        >>> found = loan().multiverse().mapped(lambda each: replace(each, period="month"))
        >>> found[0].period
        'month'
        """
        variants = tuple(tuple(work(each) for each in some) for some in self.variants)
        return replace(self, journeys=tuple(map(work, self)), variants=variants)

    @property
    def routes(self) -> list[tuple[int, int, Journey]]:
        """Every way in order: its destination, 0 for the cheapest or 1, 2, … for a further route.

        >>> from facelift.toys import loan
        >>> [(own, variant) for own, variant, _ in loan().multiverse().routes]
        [(0, 0), (1, 0), (2, 0)]
        """
        further = self.variants or ((),) * len(self)
        return [
            (own, variant, each)
            for own, (journey, more) in enumerate(zip(self, further, strict=True))
            for variant, each in enumerate((journey, *more))
        ]

    @cached_property
    def costs(self) -> Floats:
        """Cost of each journey; shape (c,)."""
        return np.array([journey.cost for journey in self])

    @cached_property
    def opportunity(self) -> Floats:
        """Opportunity potential, rows taken, columns compared with; shape (c, c).

        >>> from facelift.toys import loan
        >>> loan().multiverse().opportunity.round(4)
        array([[1.    , 0.    , 0.    ],
               [0.    , 1.    , 0.5714],
               [0.    , 0.875 , 1.    ]])
        """
        if not self.journeys:
            return np.empty((0, 0))
        return geometry.opportunity_matrix(
            [journey.step_costs for journey in self], [journey.remaining for journey in self]
        )

    @cached_property
    def scores(self) -> Floats:
        """Mean opportunity over the alternatives, self excluded; NaN when there are none; (c,)."""
        if len(self) < 2:
            return np.full(len(self), np.nan)
        others = ~np.eye(len(self), dtype=bool)
        return np.asarray(self.opportunity.mean(axis=1, where=others))

    @cached_property
    def class_opportunity(self) -> Floats:
        """Opportunity potential towards whole classes, those of `kept`; shape (c, q).

        A class is one destination: everything that the model gives it (the paper's section 4).

        >>> from facelift.toys import loan
        >>> loan().multiverse().class_opportunity.shape
        (3, 0)
        """
        rows = [
            geometry.opportunity_potential(journey.step_costs, journey.towards)
            for journey in self
            if journey.towards is not None
        ]
        return np.array(rows).reshape(len(self), len(self.kept))

    @property
    def mean_opportunity(self) -> Floats:
        """Mean over all destinations, self included, as the paper's figures print it; (c,)."""
        return self.opportunity.mean(axis=1) if len(self) else np.empty(0)

    def branching(
        self,
        discount: float = 1.0,
        scale: float | None = None,
        families: Sequence[Family] | None = None,
    ) -> Floats:
        """Branching factor of each journey towards its alternatives; NaN for direct ones; (c,).

        With `families` the alternatives are the representatives of the other families, so that
        many near-copies of one destination count once.

        >>> from facelift.toys import loan
        >>> loan().multiverse().branching().round(2)
        array([ nan, 0.17, -inf])
        """
        chosen = [
            journey.alternatives
            if families is None
            else journey.remaining[:, [f.representative for f in families if own not in f.members]]
            for own, journey in enumerate(self)
        ]
        factors = [geometry.branching_factor(each, discount, scale) for each in chosen]
        return np.array(factors, dtype=np.float64)

    def expected_effort(self, failure: float = 0.1) -> Floats:
        """The effort to expect of each journey if every step may fall through for good; (c,).

        A failed try costs half of its step, then the next best step is tried, towards any of the
        destinations; nothing left costs twice the dearest journey. An insurance: it pays on
        journeys of many steps, and not where costs turn out different but nothing fails.

        >>> from facelift.toys import loan
        >>> loan().multiverse().expected_effort(0.1).round(2)
        array([ 4.57, 14.58, 18.57])
        """
        if not self.journeys:
            return np.empty(0)
        found = self.effort(failure)
        every = [journey.in_steps for journey in self]
        return np.array([found.of(journey.vertices, journey.step_costs) for journey in every])

    def effort(self, failure: float = 0.1, graph: Graph | None = None) -> Effort:
        """The effort to expect from every vertex; on a `graph` of the same vertices if given.

        >>> from facelift.toys import loan
        >>> ends, efforts = loan().multiverse().effort(0.1).steps(0)
        >>> ends.tolist(), efforts.round(2).tolist()  # what each first step lets one expect
        ([1, 4], [4.57, 14.58])
        """
        known, factual = self.walkable_graph()
        risk = Risk(failure, GIVING_UP * float(self.costs.max(initial=0.0)))
        ends = np.unique(np.concatenate([np.empty(0, dtype=np.int64), *self.destinations]))
        return expected_effort(graph or known, factual, ends, risk)

    def families(
        self,
        threshold: float | None = None,
        *,
        n_families: int | None = None,
        n_sections: int = 20,
        weights: npt.ArrayLike | None = None,
    ) -> list[Family]:
        """Journeys that run alike, collapsed by direction difference.

        Give the mean difference up to which families are joined, or how many are to be left
        (fewer are where several joins are equally near). `weights` of the sections say how much
        early agreement matters (`geometry.early` makes some); they are equal by default.

        >>> from facelift.toys import fork
        >>> [family.members for family in fork().multiverse().families(n_families=2)]
        [(0, 2), (1,)]
        """
        if not self.journeys:
            return []
        return journey_families(
            self.journeys,
            threshold=threshold,
            n_families=n_families,
            n_sections=n_sections,
            weights=weights,
        )

    def overview(self, coarseness: float = 0.5, spent: float = 0.0) -> list[Family]:
        """Families for an overview first and details later: a threshold that follows the walk.

        Ways are joined up to `coarseness · D · left`, where D is the largest direction difference
        of any two of them and `left` the share of the effort that is still to come after so much
        was `spent`: 1 joins all at the start, 0 none, and whoever is nearly there sees every way.

        >>> from facelift.toys import fork
        >>> multiverse = fork().multiverse()
        >>> [len(multiverse.overview(coarse)) for coarse in (0.0, 0.5, 1.0)]
        [3, 2, 1]
        >>> len(multiverse.overview(0.5, spent=30.0))
        3
        """
        check_number("coarseness", coarseness, Real, "in [0, 1]", lambda each: 0 <= each <= 1)
        check_number("spent", spent, Real, "0 or more", lambda each: each >= 0)
        if not self.journeys:
            return []
        least = float(self.costs.min())
        left = least / (spent + least) if spent else 1.0
        widest = float(direction_differences(self.journeys).max())
        return self.families(coarseness * left * widest)

    def pairs(
        self,
        epsilon: float | None = None,
        *,
        n_sections: int = 20,
        weights: npt.ArrayLike | None = None,
    ) -> pd.DataFrame:
        """Where any two ways run together, part and meet again; one row for each pair.

        In the graph: `shared_steps` that both begin with and their `shared_cost`, and
        `meets_again`, the step of `a` that is on b's way again after they parted (NaN if none is).
        In space, by `n_sections` stations each: `shared_proportion` of `a` before it is more than
        `epsilon` away from `b` (by default a tenth of the shorter way), `converges`, the share of
        `a` after which it is that near again, `direction_difference`, and `affinity`: 1 for ways
        that run alike, 0 for opposite directions. `strays` is how far the line through the stations
        is off the ways themselves, at most: more sections bring it down.

        >>> from facelift.toys import fork
        >>> told = fork().multiverse().pairs()
        >>> told[["a", "b", "shared_steps", "meets_again", "shared_proportion"]]
           a  b  shared_steps  meets_again  shared_proportion
        0  0  1             0          NaN               0.05
        1  0  2             2          NaN               0.80
        2  1  2             0          NaN               0.05
        """
        given = None if weights is None else np.asarray(weights, dtype=np.float64)
        return pair_table(self.journeys, epsilon, n_sections, given)

    def trunk(self, slack: float = SLACK, *, on: int | None = None) -> Trunk | None:
        """The first steps that are on most ways; None where no beginning is on more than half.

        A beginning is on a way if all its steps bring it nearer, and the way then costs up to
        `1 + slack` times its cheapest. Name a way (`on`) for what that one begins with.

        >>> from facelift.toys import fork
        >>> trunk = fork().multiverse().trunk()
        >>> trunk.journey.vertices[: trunk.n_steps + 1].tolist(), trunk.ways
        ([0, 1, 2], (0, 2))
        """
        return find_trunk(self, slack, on)

    def to_frame(self) -> pd.DataFrame:
        """All journeys as a tidy table: journey, step, feature, from, to, and what it costs.

        Where there are further routes to a destination, `route` numbers them: 0 is the cheapest.

        >>> from facelift.toys import loan
        >>> loan().multiverse().to_frame().head(3)
           journey  step feature  from   to  probability  cost  open  closes   dips
        0        0     1      x1   0.0  3.0          NaN   3.0     0  (1, 2)  False
        1        1     1      x0   0.0  4.0          NaN   8.0     1    (0,)  False
        2        1     2      x0   4.0  7.0          NaN   6.0     0    (2,)  False
        """
        return multiverse_table(self.routes)

    def to_json(self) -> str:
        """The multiverse as a versioned JSON document; `Multiverse.from_json` reads it back.

        >>> from facelift.toys import loan
        >>> multiverse = loan().multiverse()
        >>> Multiverse.from_json(multiverse.to_json()).scores.tolist() == multiverse.scores.tolist()
        True
        """
        return document.to_json(self)

    @classmethod
    def from_json(cls, text: str) -> Multiverse:
        """Read a document of `to_json`; its graph is not part of it, so it cannot be walked.

        >>> from facelift.toys import loan
        >>> multiverse = Multiverse.from_json(loan().multiverse().to_json())
        >>> multiverse[0], multiverse.graph
        (Journey(1 step, cost 3), None)
        """
        return document.from_json(text, cls)

    def walkable_graph(self) -> tuple[Graph, int]:
        """The graph and the factual's vertex, or an error that says why there is none.

        >>> from facelift.toys import loan
        >>> graph, factual = loan().multiverse().walkable_graph()
        >>> len(graph), factual
        (7, 0)
        """
        if self.graph is None or self.factual is None:
            reason = self.why_not or "It was read from JSON: explain again."
            raise InvalidInput(f"This multiverse has no graph to walk on. {reason}")
        return self.graph, self.factual

    def __repr__(self) -> str:
        if not self.journeys:
            return f"Multiverse(empty: {self.why_not})"
        return text_table(_columns(self), _summary(self))

    def _repr_html_(self) -> str:
        return multiverse_html(self)


def _columns(multiverse: Multiverse) -> list[str]:
    measure = "chance" if multiverse.goal is None else multiverse.goal.measure
    return ["journey", "steps", "cost", measure, "opportunity"]


def _summary(multiverse: Multiverse) -> list[list[str]]:
    return [
        [
            str(number),
            str(journey.n_steps),
            f"{journey.cost:.3f}",
            journey.outlook(-1),
            f"{score:.2f}",
        ]
        for number, (journey, score) in enumerate(zip(multiverse, multiverse.scores, strict=True))
    ]
