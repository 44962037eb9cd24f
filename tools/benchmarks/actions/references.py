"""The cheapest way that any method knows: a prover, a greedy search, long runs, records.

Every reference is a state of the person's own levels (of records: the record) that the outside
judge calls a success, with an order of changes that leads there. So a ratio of 1 means that nobody
knows better.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import numpy as np

from facelift.models.proving import Levels, Problem
from facelift.models.proving.search import Search
from facelift.steps import patience_of
from tools.benchmarks.actions.judging import Person

LONGER = 10
"""How many times the usual budget a long run has."""

PORTION = 50_000
"""Units of a prover's work between two looks at the clock."""


def problem_of(person: Person, reading: Any, threshold: float) -> Problem:
    """What is to be proven of a person: all levels of all ladders, as the model sees them.

    As if nobody aged on the way there: the problem knows no time.
    """
    lattice = replace(person.lattice, terrain=None)
    states = [lattice.start]
    for i, ladder in enumerate(lattice.ladders):
        moved = np.repeat(lattice.start, len(ladder), axis=0)
        moved[:, i] = np.arange(len(ladder))
        states.append(moved)
    inputs = reading.inputs(person.terrain.decode(lattice.points(np.concatenate(states))))
    parts = np.split(inputs, np.cumsum([len(each) for each in states])[:-1])[1:]
    levels = [
        Levels(part, ladder.costs) for part, ladder in zip(parts, lattice.ladders, strict=True)
    ]
    return Problem.of(reading.towards([1], threshold), inputs[0], levels)


def prover(world: Any, person: Person, limit: float, seconds: float) -> dict[str, Any]:
    """The cheapest success below a limit to which a way leads, by branch and bound.

    No success at all costs less than `bound`; `end` is the cheapest one seen to which no way leads.
    Nothing is proven where something ages on the way: the problem knows no time.
    """
    start, ends = time.process_time(), [np.inf]
    problem = problem_of(person, world.reading, person.judge.threshold)

    def accept(states: Any) -> Any:
        good = person.succeeds(person.lattice.points(states))
        ends.extend(problem.cost(states[good]))
        good[good] = [person.has_way(state) for state in states[good]]
        return good

    search = Search(problem, limit=limit, accept=accept)
    proof = search.run(PORTION)
    while not proof.proven and time.process_time() - start < seconds:
        proof = search.run(PORTION)
    found = {"prover": proof.cost, "bound": proof.bound, "end": min(ends)}
    return {name: _known(cost) for name, cost in found.items()} | {
        "proven": proof.proven and person.lattice.terrain is None
    }


def greedy(person: Person, n_rounds: int = 12) -> float | None:
    """The cost of what a plain search finds: again and again the single change that gains most."""
    lattice, state = person.lattice, person.lattice.start
    chance = float(person.judge.chances(lattice.points(state))[0])
    for _ in range(n_rounds):
        states = single_changes(lattice, state)
        points = lattice.points(states)
        fine = np.asarray(person.terrain.admissible(points))
        states, points = states[fine], points[fine]
        chances = person.judge.chances(points)
        extra = lattice.costs(states) - lattice.costs(state)[0]
        gains = np.minimum(chances, person.judge.threshold) - chance
        rates = np.where(gains > 0, gains / np.maximum(extra, 1e-9), -np.inf)
        order = np.argsort(-rates, kind="stable")[:64]
        order = order[(rates[order] > -np.inf) & person.plausible(points[order])]
        if not len(order):
            return None
        state, chance = states[order[:1]], float(chances[order[0]])
        if chance >= person.judge.threshold:
            return float(lattice.costs(state)[0]) if person.has_way(state[0]) else None
    return None


def single_changes(lattice: Any, state: Any) -> Any:
    """States in which one ladder is anywhere else."""
    found = [state[:0]]
    for i, ladder in enumerate(lattice.ladders):
        moved = np.repeat(state, len(ladder), axis=0)
        moved[:, i] = np.arange(len(ladder))
        found.append(moved[moved[:, i] != state[0, i]])
    return np.concatenate(found)


def long_run(explainer: Any, row: Any) -> float | None:
    """The cost of the first way of a search that may take much longer."""
    work = LONGER * patience_of(explainer.patience).work
    longer = explainer.under(explainer.terrain_, n_counterfactuals=1, patience=work)
    found = longer.explain(row, 1)
    return found[0].cost if len(found) else None


def record(world: Any, person: Person) -> float | None:
    """The effort of the cheapest accepted record that the rules allow, single changes added up.

    No order of changes is asked for: it only says that a success exists.
    """
    points = world.explainer.graph_.points
    efforts = person.efforts(points)
    order = np.argsort(efforts, kind="stable")
    order = order[np.isfinite(efforts[order])][:2000]
    wins = order[person.succeeds(points[order])] if len(order) else order
    return float(efforts[wins[0]]) if len(wins) else None


def _known(cost: float) -> float | None:
    return float(cost) if np.isfinite(cost) else None
