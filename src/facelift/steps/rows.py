"""Journeys through real records: from a case to a multiverse."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from facelift._arrays import Floats
from facelift.graph.destinations import Wanted
from facelift.graph.graph import Graph
from facelift.graph.routes import forward
from facelift.multiverse import whynot
from facelift.multiverse.bridged import bridge_many
from facelift.multiverse.exploration import nearest_journeys
from facelift.multiverse.goal import Goal, Range
from facelift.multiverse.multiverse import Multiverse
from facelift.multiverse.telling import Telling, told
from facelift.multiverse.whynot import WhyNot
from facelift.steps.certificates import RowQuestion
from facelift.steps.records import Candidates, Case, Records


def through_rows(
    records: Records, case: Case, goal: Goal | Range, candidates: Candidates, wanted: Wanted
) -> Multiverse:
    """Journeys from one record to the next, to the nearest of the candidates."""
    graph, vertex = records.placed(case, candidates.graph)
    telling = _telling(records, case, goal)
    found = nearest_journeys(graph, vertex, candidates.mask, wanted, telling, candidates.guide)
    if found.why_not is not None:
        why_not = _no_row(records, goal, candidates, found.why_not.n_in_reach or 0)
        closest = _closest(records, graph, vertex, goal)
        asked = RowQuestion(
            records.terrain,
            records.hood,
            graph,
            vertex,
            case.point,
            case.vertex,
            candidates.would_do & records.oracle.records_reaching(goal),
            records.enterable,
            wanted.max_steps,
            goal,
            partial(records.answers, case),
            records.oracle.committee is None,
        )
        why_not = replace(why_not, certify=asked.certificate)
        return replace(found, why_not=why_not, goal=goal, closest=closest)
    return found


def through_bridges(records: Records, case: Case, goal: Goal | Range, ends: Floats) -> Multiverse:
    """Journeys through records to those of some points that have the outcome and are allowed."""
    oracle = records.oracle
    answers = oracle.answers(ends) if len(ends) else np.empty((0, goal.n_answers))
    good = oracle.reaches(ends, goal, answers)
    if not good.any():
        why_not = whynot.not_found(goal, goal.best(answers), len(ends))
        return Multiverse((), (), why_not=why_not, goal=goal)
    found = bridge_many(case.point, ends[good], records.graph.points, terrain=records.terrain)
    if not found.journeys or found.graph is None:
        return replace(found, goal=goal)
    points = found.graph.points
    shares = oracle.agreement(points, goal)
    agreement = None if shares is None else shares.__getitem__
    answers = oracle.answers(points)
    return told(found, Telling(answers.__getitem__, goal, records.terrain, agreement))


def _telling(records: Records, case: Case, goal: Goal | Range) -> Telling:
    agreement = partial(records.oracle.record_agreement, point=case.point, goal=goal)
    return Telling(partial(records.answers, case), goal, records.terrain, agreement)


def _no_row(
    records: Records, goal: Goal | Range, candidates: Candidates, n_in_reach: int
) -> WhyNot:
    oracle, n_candidates = records.oracle, int(candidates.mask.sum())
    best = goal.best(oracle.known[candidates.allowed])
    reached = np.flatnonzero(goal.reached(oracle.known) & candidates.allowed)
    if n_candidates == 0:
        shares = oracle.record_agreement(reached, np.empty(0), goal)
        if shares is None or not len(shares):
            return whynot.no_candidate(goal, best)
        return whynot.no_agreement(goal, best, shares, oracle.min_agreement)
    return whynot.no_route(n_candidates, n_in_reach, best, goal)


def _closest(records: Records, graph: Graph, vertex: int, goal: Goal | Range) -> Floats | None:
    """Of the records in reach, the one nearest to the goal; None if there is none."""
    reached = np.flatnonzero(np.isfinite(forward(graph, vertex).costs[: len(records.graph)]))
    reached = reached[reached != vertex]
    if not len(reached):
        return None
    best = reached[np.argmax(goal.merit(records.oracle.known[reached]))]
    return np.asarray(records.graph.points[best])
