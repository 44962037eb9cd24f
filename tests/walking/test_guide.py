"""Planning walks: letters that stay, steps and undo, and families."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from facelift import FACElift, Terrain, datasets, toys
from facelift.errors import InvalidInput
from facelift.views.page import document
from facelift.walking.guide import Guide
from facelift.walking.limits import Limits
from facelift.walking.walk import (
    N_COLOURS,
    Again,
    Other,
    RuleOut,
    SetLimits,
    Take,
    Unfold,
    Walk,
)


@pytest.fixture(scope="module")
def guide(lending, people):
    explainer = FACElift(lending.model, steps="actions", n_counterfactuals=5).fit(people)
    row = int(np.argsort(lending.chances())[20])
    return Guide(explainer.explain(people.iloc[[row]], "granted"), title="Ada")


@pytest.fixture(scope="module")
def crowded(lending, people):
    """Somebody with many ways, through records."""
    explainer = FACElift(lending.model, n_neighbors=30, n_counterfactuals=16).fit(people)
    row = int(np.argsort(lending.chances())[20])
    return Guide(explainer.explain(people.iloc[[row]], "granted"))


def ends(plan):
    """The row where each way ends, by letter."""
    pairs = zip(plan.lines, plan.ways, strict=True)
    return {name.letter: plan.values[int(way.vertices[-1])] for name, way in pairs}


def letters(plan):
    return sorted(name.letter for name in plan.lines)


def test_the_cheapest_way_is_a(guide):
    plan = guide.plan(Walk())
    assert letters(plan) == list("ABCDE")
    assert plan.lines[0].letter == "A"
    assert plan.ways.costs.tolist() == guide.multiverse.costs.tolist()


def test_ways_from_the_start_are_the_journeys_of_the_multiverse(guide):
    plan = guide.plan(Walk())
    for way, journey in zip(plan.ways, guide.multiverse, strict=True):
        assert way.vertices.tolist() == journey.vertices.tolist()
        chances = [plan.chances[vertex] for vertex in way.in_steps.vertices.tolist()]
        assert chances == pytest.approx(journey.in_steps.chances.tolist())


def test_a_step_leads_on_along_the_same_ways(guide):
    before = guide.plan(Walk())
    ends = {int(journey.vertices[-1]) for journey in guide.multiverse}
    option = next(each for each in before.options if each.end not in ends)
    walk = guide.moved(before.walk, Take(option.end))
    after = guide.plan(walk)
    assert after.position.vertex == option.end
    assert walk.effort == pytest.approx(option.cost)
    assert after.chance == pytest.approx(before.chances[option.end])
    left = {name.letter: cost for name, cost in zip(after.lines, after.ways.costs, strict=True)}
    for b, effect in enumerate(option.effects):
        letter = before.names[b].letter
        if effect == "closed":
            assert letter not in left
        else:
            assert left[letter] == pytest.approx(option.remaining[b])


def test_walking_a_way_to_its_end_arrives(guide):
    walk = Walk()
    for vertex in guide.multiverse[2].vertices[1:].tolist():
        walk = guide.moved(walk, Take(vertex))
    plan = guide.plan(walk)
    assert plan.arrived
    assert not plan.options
    assert plan.chance >= 0.5
    assert walk.effort == pytest.approx(guide.multiverse[2].cost)


def test_a_step_that_is_not_offered_is_refused(guide):
    for move in (Take(0), RuleOut(0), Take(10**6)):
        with pytest.raises(InvalidInput, match="none of those offered"):
            guide.moved(Walk(), move)


def test_moves_leave_the_walk_they_start_from_as_it_was(guide):
    walk = guide.plan(Walk()).walk
    kept = repr(walk)
    guide.moved(walk, Take(guide.plan(walk).options[0].end))
    guide.moved(walk, RuleOut(guide.plan(walk).options[0].end))
    assert repr(walk) == kept


def test_a_new_plan_after_a_step_starts_where_one_stands(guide):
    option = guide.plan(Walk()).options[0]
    walk = guide.moved(guide.moved(Walk(), Take(option.end)), SetLimits(Limits({"town": "never"})))
    assert walk.walked == ()
    plan = guide.plan(walk)
    assert plan.row == guide.plan(Walk()).values[option.end]
    assert len(walk.past) == 1


def test_letters_are_never_given_twice(guide):
    walk = Walk()
    seen: dict[str, str] = {}
    for name in ("income", "debts", "savings"):
        walk = guide.plan(guide.moved(walk, SetLimits(Limits({name: "never"})))).walk
        for each in walk.names:
            assert seen.setdefault(each.letter, each.key) == each.key


def test_many_ways_become_at_most_seven_families(crowded):
    walk = Walk()
    plan = crowded.plan(walk)
    assert len(plan.ways) <= N_COLOURS
    assert sum(plan.similar) == len(crowded.searched(walk))
    many = next(b for b, size in enumerate(plan.similar) if size > 1)
    inside = crowded.plan(crowded.moved(plan.walk, Unfold(plan.names[many].letter)))
    assert sum(inside.similar) == plan.similar[many]
    assert plan.names[many].letter in letters(inside)
    out = crowded.plan(crowded.moved(inside.walk, Unfold(None)))
    assert letters(out) == letters(plan)


def test_a_family_is_as_near_as_its_nearest_member(crowded):
    walk = crowded.moved(Walk(), Again(12))
    found, plan = crowded.searched(walk), crowded.plan(walk)
    assert plan.ways.costs.min() == pytest.approx(found.costs.min())
    assert set(np.round(plan.ways.costs, 9)) <= set(np.round(found.costs, 9))


def test_something_else_happened_keeps_both_in_the_history(guide):
    walk = guide.moved(Walk(), Other({"debts": 0, "savings": "high"}))
    plan = guide.plan(walk)
    assert plan.row["debts"] == 0
    assert plan.row["savings"] == "high"
    assert [event.kind for event in walk.past] == ["other"]
    assert walk.past[0].before == pytest.approx(guide.plan(Walk()).chance)
    assert walk.past[0].after == pytest.approx(plan.chance)


def test_a_multiverse_without_an_explainer_can_be_walked(guide):
    loan = Guide(toys.loan().multiverse())
    walk = loan.moved(Walk(), Take(4))
    assert letters(loan.plan(walk)) == ["B", "C"]
    blocked = loan.moved(walk, RuleOut(2))
    assert loan.plan(blocked).position.route(1).tolist() == [4, 5, 2]
    for move in (SetLimits(Limits()), Again(3), Other({})):
        with pytest.raises(InvalidInput, match="nobody to ask"):
            loan.moved(Walk(), move)
    assert loan.plan(Walk()).nearby is None
    assert guide.plan(Walk()).nearby.n_records == 10


def test_steps_between_records_are_ruled_out_one_by_one(lending, people):
    row = int(np.argsort(lending.chances())[20])
    guide = Guide(lending.explainer.explain(people.iloc[[row]], "granted"))
    option = guide.plan(Walk()).options[0]
    walk = guide.moved(Walk(), RuleOut(option.end))
    assert walk.limits.edges == ((option.start, option.end),)
    assert option.end not in [each.end for each in guide.plan(walk).options]
    for way in guide.plan(walk).ways:
        assert (option.start, option.end) not in zip(way.vertices, way.vertices[1:], strict=False)


def test_before_saying_nothing_other_records_are_looked_for(lending, people):
    poor = people.iloc[[int(np.argsort(lending.chances())[40])]]
    explainer = lending.explainer.under(lending.explainer.terrain_, n_counterfactuals=2)
    guide = Guide(explainer.explain(poor, "granted"))
    plan = guide.plan(Walk())
    first = {name.key for name in plan.names}
    graph, vertex = plan.position.graph, plan.position.vertex
    ends = np.concatenate(plan.multiverse.destinations)
    edges = tuple(
        (int(u), int(v))
        for v in ends
        for u in range(len(graph))
        if np.isfinite(graph.edge_cost(u, int(v)))
    )
    stuck = guide.plan(Walk(limits=Limits(edges=edges)))
    assert stuck.open
    assert not {stuck.names[b].key for b in stuck.open} & first
    assert vertex == stuck.position.vertex


def test_a_value_that_cannot_be_is_refused(credit):
    terrain = datasets.german_credit_rules(Terrain.infer(credit.X))
    explainer = FACElift(credit.model, terrain, steps="actions", max_states=200).fit(credit.X)
    person = credit.X.iloc[[4]]
    guide = Guide(explainer.explain(person, "good"))
    for values, words in (
        ({"duration": -3}, "cannot be negative"),
        ({"duration": 7.5}, "is a whole number"),
        ({"age": 17}, "never falls"),
        ({"sex": "male" if person["sex"].item() != "male" else "female"}, "does not change"),
    ):
        with pytest.raises(InvalidInput, match=words):
            guide.moved(Walk(), Other(values))
    corrected = guide.moved(Walk(), Other({"age": 17}, correction=True))
    assert corrected.past[0].kind == "correction"


def test_whoever_has_the_outcome_with_its_margin_has_arrived(guide):
    """Also where it is no destination: a step beside the ways, or something that happened."""
    walk = Walk()
    for _ in range(6):
        plan = guide.plan(walk)
        goal = guide.multiverse.goal
        assert plan.arrived == bool(goal.reached(plan.answer))
        assert bool(plan.options) != plan.arrived
        if plan.arrived:
            return
        walk = guide.moved(plan.walk, Take(plan.options[-1].end))
    raise AssertionError("never arrived")


def test_no_step_offered_takes_back_what_a_step_has_done(guide):
    for first in guide.plan(Walk()).options:
        walk = guide.moved(Walk(), Take(first.end))
        done = {name: (before, after) for name, before, after in walk.past[0].changes}
        for limits in (None, Limits({"town": "easy"})):
            moved = walk if limits is None else guide.moved(walk, SetLimits(limits))
            plan = guide.plan(moved)
            steps = [step for way in plan.ways for step in plan.steps(way)]
            steps += [plan.changes(option.start, option.end) for option in plan.options]
            for name, before, after in (change for step in steps for change in step):
                if name in done and isinstance(before, int | float):
                    rose = done[name][1] > done[name][0]
                    assert (after > before) == rose
                elif name in done:
                    assert after != done[name][0]


def test_letters_hold_when_prices_change(guide):
    start = guide.plan(Walk())
    option = next(
        each
        for each in start.options
        if not guide.plan(guide.moved(Walk(), Take(each.end))).arrived
    )
    taken = guide.plan(guide.moved(start.walk, Take(option.end)))
    eased = guide.plan(guide.moved(taken.walk, SetLimits(Limits({"income": "easy"}))))
    before, after = ends(taken), ends(eased)
    same = [letter for letter, row in after.items() if row in before.values()]
    assert same
    for letter in same:
        assert before[letter] == after[letter]


@pytest.fixture(scope="module")
def slow(lending, people):
    """Somebody who saves and earns more little by little."""
    terrain = Terrain.infer(people).rate("savings", 1, per="month").rate("income", 1, per="month")
    explainer = FACElift(lending.model, terrain, steps="actions", n_counterfactuals=5).fit(people)
    row = int(np.argsort(lending.chances())[20])
    return Guide(explainer.explain(people.iloc[[row]], "granted"))


def months(plan):
    """How long each way takes, from where one stands."""
    terrain = plan.guide.explainer.terrain_
    return [float(terrain.earliest(way.waypoints).max()) for way in plan.ways]


def test_with_a_deadline_every_way_is_done_in_time(slow):
    first = slow.plan(Walk())
    deadline = round(min(months(first)) + 1, 1)
    assert max(months(first)) > deadline
    plan = slow.plan(slow.moved(Walk(), SetLimits(Limits(deadline=deadline))))
    assert plan.ways
    assert max(months(plan)) <= deadline
    assert plan.time_left == deadline


def test_steps_taken_use_up_the_time_that_one_has(slow):
    walk = slow.moved(Walk(), SetLimits(Limits(deadline=12.0)))
    plan = slow.plan(walk)
    terrain, points = slow.explainer.terrain_, plan.position.graph.points
    takes = {o.end: terrain.earliest(points[[o.start, o.end]]).max() for o in plan.options}
    ends = {int(way.vertices[-1]) for way in plan.ways}
    step = next(end for end, time in takes.items() if time > 0 and end not in ends)
    walk = slow.moved(walk, Take(step))
    after = slow.plan(walk)
    assert walk.time == pytest.approx(takes[step])
    assert after.time_left == pytest.approx(12 - takes[step])
    again = slow.plan(slow.moved(walk, Again(6)))
    assert again.walk.origin is not None
    assert again.time_left == pytest.approx(12 - takes[step])
    assert max(months(again)) <= again.time_left + 1e-9


def test_what_one_waits_for_side_by_side_is_counted_once(slow):
    """Whatever was taken first, time passed and time to come are what the way takes in all."""
    start = slow.plan(Walk())
    mixed = [way for way in start.ways if len(way.vertices) > 2]
    assert mixed
    for way in mixed:
        in_all = slow.explainer.terrain_.earliest(way.waypoints).max()
        walk = slow.moved(Walk(), Take(int(way.in_steps.vertices[1])))
        after = slow.plan(walk)
        end = after.position.graph.points[[int(way.vertices[-1])]]
        assert walk.time + after.waits(end)[-1] == pytest.approx(in_all)
    assert any(  # a wait that began with another is over with it
        slow.plan(slow.moved(Walk(), Take(int(way.in_steps.vertices[1])))).waits(
            way.waypoints[-1:]
        )[-1]
        < slow.explainer.terrain_.earliest(way.waypoints[1:]).max() - 0.5
        for way in mixed
    )


def test_a_deadline_needs_rates(guide):
    with pytest.raises(InvalidInput, match="rates"):
        guide.plan(guide.moved(Walk(), SetLimits(Limits(deadline=12.0))))


def test_who_aims_higher_walks_on_and_what_decides_stays(guide):
    plan = guide.plan(guide.moved(Walk(), SetLimits(Limits(chance=0.7))))
    goal = plan.multiverse.goal
    assert (goal.threshold, goal.needed) == (0.5, pytest.approx(0.7))
    for way in plan.ways:
        assert plan.chances[int(way.vertices[-1])] >= 0.7 - 1e-9
    walk = plan.walk
    for vertex in plan.ways[0].vertices[1:].tolist():
        assert not guide.plan(walk).arrived
        walk = guide.moved(walk, Take(vertex))
    assert guide.plan(walk).arrived


@pytest.mark.parametrize(("chance", "said"), [(0.97, "97%"), (1.0, "99%")])
def test_one_aims_at_what_is_said(guide, chance, said):
    shown = document(guide, Walk(), SetLimits(Limits(chance=chance)))
    assert shown.banner.startswith(f"You aim at {said} now.")
    assert str(guide.plan(shown.walk).multiverse.goal.needs) == said


def test_who_is_approved_can_aim_higher(lending, people):
    chances = lending.chances()
    row = int(np.flatnonzero((chances > 0.5) & (chances < 0.6))[0])
    explainer = FACElift(lending.model, steps="actions", n_counterfactuals=3).fit(people)
    approved = Guide(explainer.explain(people.iloc[[row]], "granted"))
    assert approved.plan(Walk()).arrived
    plan = approved.plan(approved.moved(Walk(), SetLimits(Limits(chance=0.8))))
    assert not plan.arrived
    assert plan.ways


def test_of_many_ways_known_before_the_last_ones_shown_are_looked_for_again(guide, monkeypatch):
    monkeypatch.setattr("facelift.walking.guide.N_KEPT", N_COLOURS + 1)
    named = guide.plan(Walk()).walk
    old = [replace(named.names[0], letter=f"Z{i}", key=f'{{"income": {i}}}') for i in range(4)]
    old = [replace(name, colour=None) for name in old]
    walk = guide.moved(replace(named, names=(*named.names, *old)), SetLimits(Limits(chance=0.6)))
    assert walk.kept[-3:] == tuple(name.key for name in old[-3:])
    assert old[0].key not in walk.kept


def test_a_way_that_stands_for_itself_has_nothing_to_unfold(guide):
    plan = guide.plan(Walk())
    assert set(plan.similar) == {1}
    for letter in ("B", "Z"):
        walk = guide.moved(plan.walk, Unfold(letter))
        assert walk.unfolded is None
        assert letters(guide.plan(walk)) == letters(plan)
