"""What is measured of one person: ways, the best known way, proofs, growth and rivals.

Each function returns plain values, which are kept as one line of the results.
"""

from __future__ import annotations

import time
from functools import cache
from typing import Any

import numpy as np

import facelift as fl
from facelift.models.proving.search import Search
from tools.benchmarks.actions import outside, references, rivals
from tools.benchmarks.actions.worlds import World, grown

SIZES = (3_000, 300_000)


def explained(explainer: Any, row: Any) -> tuple[Any, float]:
    """A multiverse and the CPU seconds it took, its proof included."""
    start = time.process_time()
    found = explainer.explain(row, 1)
    getattr(found, "proof", None)
    return found, time.process_time() - start


def ways(world: World, row: int) -> dict[str, Any]:
    """The first way of one person, whether it keeps what it promises, and what it took."""
    person = world.judge.of(world.person(row))
    found, seconds = explained(world.explainer, world.person(row))
    line: dict[str, Any] = {"seconds": seconds, "rarity": person.rarest, "n_ways": len(found)}
    line |= proof_of(found)
    survey = getattr(found, "survey", None)
    line["stopped"] = getattr(survey, "stopped", None)
    if not len(found):
        return line | {"why": found.why_not.message}
    first = found[0]
    columns = person.columns_changed(np.array([journey.counterfactual for journey in found]))
    faults = sorted({fault for journey in found for fault in person.faults(journey)})
    return line | {
        "cost": first.cost,
        "columns": int(columns[0]),
        "fewest": int(columns.min()),
        "steps": first.n_steps,
        "faults": faults,
    }


def proof_of(found: Any) -> dict[str, Any]:
    """What a multiverse says of its proof, where it says something."""
    proof = getattr(found, "proof", None)
    said = {"proof": getattr(proof, "kind", None), "gap": getattr(proof, "gap", None)}
    return {name: None if value == np.inf else value for name, value in said.items()}


def proofs(world: World, row: int) -> dict[str, Any]:
    """Whether the first way of one person is proven the cheapest, and in which time."""
    found, seconds = explained(world.explainer, world.person(row))
    cost = found[0].cost if len(found) else None
    return {"seconds": seconds, "n_ways": len(found), "cost": cost, **proof_of(found)}


def best(world: World, row: int, line: dict[str, Any], seconds: float) -> dict[str, Any]:
    """What other methods know: all of them where no way was found, or nothing is proven."""
    person, asked = world.judge.of(world.person(row)), world.person(row)
    start = time.process_time()
    limit = line["cost"] if line["n_ways"] else np.inf
    found = references.prover(world, person, limit, seconds)
    if line["n_ways"] == 0 or not found["proven"]:
        found["greedy"] = references.greedy(person)
        found["long run"] = references.long_run(world.explainer, asked)
    if line["n_ways"] == 0:
        found["record"] = references.record(world, person)
    return found | {"seconds": time.process_time() - start}


def treecf(world: World, row: int, seconds: float) -> dict[str, Any]:
    """The cheapest end that treecf finds on our levels, and the one our prover finds.

    Neither asks for plausible ends here. `way` is the cost of treecf's where that is one of ours.
    """
    person = world.judge.of(world.person(row))
    problem = references.problem_of(person, world.reading, person.judge.threshold)
    start = time.process_time()
    ours = Search(problem).run()
    between = time.process_time()
    found = outside.treecf_state(problem, person.lattice.ladders, seconds)
    taken = {"seconds": time.process_time() - between, "seconds_ours": between - start}
    line = {"ours": ours.cost if ours.state is not None else None, "proven_ours": ours.proven}
    if found is None:
        return line | taken | {"theirs": None, "proven": None, "way": None}
    states = found[0][np.newaxis, :]
    good = person.succeeds(person.lattice.points(states))[0] and person.has_way(found[0])
    cost = float(problem.cost(states)[0])
    return line | taken | {"theirs": cost, "proven": found[1], "way": cost if good else None}


def growth(world: World, row: int, size: int) -> dict[str, Any]:
    """CPU seconds of one person among so many records."""
    found, seconds = explained(grown_explainer(world, size), world.person(row))
    return {"seconds": seconds, "n_ways": len(found)}


@cache
def grown_explainer(world: World, size: int) -> Any:
    """An explainer of the same model and rules, with another number of records."""
    explainer = fl.FACElift(world.model, world.table.terrain, steps="actions", margin=0.0)
    explainer.fit(grown(world.table.data, size))
    explainer.explain(world.person(int(world.declined[0])), 1)
    return explainer


def rival(world: World, row: int, name: str, seconds: float) -> dict[str, Any]:
    """What one rival finds for one person; asked for as many ends as we look for."""
    person = world.judge.of(world.person(row))
    n = world.explainer.n_counterfactuals
    return rivals.asked(made_rival(world, name, seconds), person, row, n)


made_rival = cache(rivals.made)
