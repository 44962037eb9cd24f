"""What else to ask for where no way was found: each offer is tried, with bounded work."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from facelift.errors import InvalidInput
from facelift.graph.routes import forward
from facelift.multiverse.certificate import Offer, Tried
from facelift.multiverse.goal import Goal, Range
from facelift.multiverse.multiverse import Multiverse
from facelift.multiverse.whynot import MORE_STEPS
from facelift.steps import PATIENCE, insisting, patience_of
from facelift.steps.actions import Actions, longer_search, most_steps
from facelift.steps.base import Case, Local, Request, Steps, without_edges
from facelift.steps.certificates import BlockedRows, RowMoves, rules_of
from facelift.steps.lattice import Lattice
from facelift.steps.proof import single_moves
from facelift.steps.rows import Rows, neighbourhood_of
from facelift.terrain.feature import changed

WORK = PATIENCE["normal"].work
"""Units of work that one offer is tried with."""

MOST_CONNECTED = 3_000
"""Ways through records are tried where so few of them can be come by within the rules."""

MOST_LEARNT = 20_000
"""What is plausible is learnt anew, to try an offer, of so few records."""


def with_offers(
    found: Multiverse, settings: Any, steps: Steps, case: Case, wanted: Request
) -> Multiverse:
    """The same multiverse; where it has no way, it can be asked what would help."""
    why_not, goal = found.why_not, found.goal
    if why_not is None or why_not.certify is None or goal is None:
        return found

    def offers() -> tuple[Offer, ...]:
        match steps:
            case Actions():
                return tuple(_beside_actions(settings, steps, case, goal, wanted, found))
            case Rows() if wanted.among is None and _fits(Actions, settings):
                return (_instead_of_rows(settings, steps, case, goal, wanted),)
        return ()

    return replace(found, why_not=replace(why_not, offer=offers))


def _beside_actions(
    settings: Any,
    steps: Actions,
    case: Case,
    goal: Goal | Range,
    wanted: Request,
    found: Multiverse,
) -> Iterator[Offer]:
    """Search longer, leave out columns, go through records, accept rarer states, or more steps."""
    if found.unfinished:
        parameters = longer_search(wanted)
        tried = _by_actions(steps, case, goal, replace(wanted, **parameters))
        yield Offer("longer", parameters, tried)
        columns = _idle_columns(steps, case, goal, wanted)
        if columns:
            other = changed(steps, terrain=steps.terrain.freeze(*columns))
            tried = _by_actions(other, case, goal, wanted)
            yield Offer("leave out", {"freeze": columns}, tried)
    if steps.oracle.records_reaching(goal).any() and _fits(Rows, settings):
        yield Offer("rows", {"steps": "rows"}, _by_rows(settings, steps, case, goal, wanted))
    if steps.quantile < 1:
        yield Offer("rarer", {"plausibility": 1}, _by_rarer(settings, steps, case, goal, wanted))
    if Lattice.of(steps.terrain, case.point).longest > most_steps(wanted):
        more = most_steps(wanted) + MORE_STEPS
        tried = _by_actions(steps, case, goal, replace(wanted, max_steps=more))
        yield Offer("more steps", {"max_steps": more}, tried)


def _instead_of_rows(
    settings: Any, steps: Rows, case: Case, goal: Goal | Range, wanted: Request
) -> Offer:
    """Change one thing at a time instead of going from record to record."""
    tried = Tried()
    if len(steps.oracle.points) <= MOST_LEARNT:
        actions = Actions.fitted(settings, steps.terrain, steps.oracle)
        tried = _by_actions(actions, case, goal, wanted)
    return Offer("actions", {"steps": "actions"}, tried)


def _fits(kind: type[Steps], settings: Any) -> bool:
    """Whether parameters that were given can be right for another kind of step."""
    try:
        kind.check(settings)
    except InvalidInput:
        return False
    return True


def _by_actions(steps: Actions, case: Case, goal: Goal | Range, wanted: Request) -> Tried:
    """The beginning of a search: what it comes by, the whole search comes by as well."""
    patience = patience_of(wanted.patience)
    register, work = steps.register(case, goal, wanted), min(WORK, patience.work)
    growth = steps.grown_around(register, goal, wanted, work=work)
    if len(growth.ends):
        costs = growth.register.lattice.costs(growth.states[growth.ends])
        return Tried(True, float(costs.min()))
    none = growth.bound is not None and growth.bound.least == np.inf
    whole = patience.work <= WORK and insisting(wanted.patience) is None
    return Tried(none or growth.stopped == "exhausted" or whole)


def _idle_columns(
    steps: Actions, case: Case, goal: Goal | Range, wanted: Request
) -> tuple[Any, ...]:
    """The half of the columns that bring least by themselves."""
    register = steps.register(case, goal, wanted)
    lattice = register.lattice
    states = single_moves(lattice)
    places = register.ask(states)  # which replaces the merits
    merits = register.merits[places]
    gains = np.array([merits[states[:, i] > 0].max() for i in range(len(lattice.ladders))])
    least = np.sort(np.argsort(gains, kind="stable")[: len(gains) // 2])
    return tuple(name for i in least for name in lattice.ladders[i].names)


def _by_rarer(
    settings: Any, steps: Actions, case: Case, goal: Goal | Range, wanted: Request
) -> Tried:
    if len(steps.oracle.points) > MOST_LEARNT:
        return Tried()
    rarer = type(settings)(**{**settings.get_params(deep=False), "plausibility": 1})
    return _by_actions(steps.under(rarer, steps.terrain, steps.oracle), case, goal, wanted)


def _by_rows(settings: Any, steps: Steps, case: Case, goal: Goal | Range, wanted: Request) -> Tried:
    """A search among the records that can be come by at all: no other matters."""
    points, terrain = steps.oracle.points, steps.terrain
    local = Local(case, goal, wanted, without_edges(points), 0, steps.oracle.known.__getitem__)
    having, enterable = steps.oracle.records_reaching(goal), terrain.admissible(points)
    neighbourhood = neighbourhood_of(settings, terrain, points)
    asked = BlockedRows(local, terrain, neighbourhood, having, enterable, alone=True)
    moves = RowMoves(asked, rules_of(terrain, wanted.max_steps))
    members = np.flatnonzero(moves.unavoidable == 0)
    if not having[members].any():
        return Tried(True)
    if len(members) > MOST_CONNECTED or settings.neighbors != "exact":
        return Tried()
    search = forward(*moves.graph(0, members))
    good = having[members] & np.isfinite(search.costs[: len(members)])
    if wanted.max_steps is not None:
        good &= search.n_steps[: len(members)] <= wanted.max_steps
    least = search.costs[: len(members)][good].min(initial=np.inf)
    return Tried(True, float(least) if np.isfinite(least) else None)
