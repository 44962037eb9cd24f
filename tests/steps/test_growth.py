"""Growing a local graph: when it stops, what it finds, and what the graph holds."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.laws import examples
from tests.steps.test_register import Asked, State, cube, ladder, leads

from facelift.graph.search import cheapest_route
from facelift.steps import PATIENCE, growth
from facelift.steps.growth import Growth, grow
from facelift.steps.lattice import Ladder, Lattice
from facelift.steps.proposers import Ascent, Back, Swap, UniformCost
from facelift.terrain.prices import Block, Prices


def grown(
    ladders: list[Ladder],
    asked: Asked,
    prices: Prices | None = None,
    *,
    n_destinations: int = 3,
    max_steps: int = 7,
    max_states: int = 5000,
    work: int = PATIENCE["normal"].work,
) -> Growth:
    register = asked.register(ladders, max_steps=max_steps)
    lattice, n = register.lattice, len(ladders)
    outward = UniformCost(lattice, max_steps=max_steps, max_states=max_states)
    back = Back(lattice)
    return grow(
        register,
        prices or Prices(np.ones(n), np.ones(n)),
        outward,
        ((Ascent(lattice, width=4), back), (Swap(lattice, width=4), back)),
        n_destinations=n_destinations,
        work=work,
    )


def ends(found: Growth) -> list[State]:
    return [tuple(state) for state in found.states[found.ends].tolist()]


def test_destinations_are_the_cheapest_minimal_successes_in_order():
    asked = Asked(lambda s: s[0] + s[1] >= 2 or s[2] >= 3)
    found = grown([ladder(0, [1, 1]), ladder(1, [1]), ladder(2, [0.5] * 3)], asked)
    assert ends(found) == [(0, 0, 3), (1, 1, 0), (2, 0, 0)]
    assert found.stopped == "enough"
    assert len(asked.asked) == len(set(asked.asked)) == found.register.n_states - 1
    assert found.register.n_calls == len(asked.batches)


def test_no_destination_takes_more_than_the_largest_number_of_steps():
    asked = Asked(lambda s: s[0] == 3 or s[1] + s[2] == 2)
    ladders = [ladder(0, [1.0] * 3), *(ladder(i, [0.1]) for i in (1, 2))]
    assert ends(grown(ladders, asked, max_steps=1)) == [(3, 0, 0)]
    assert ends(grown(ladders, asked, max_steps=2)) == [(0, 1, 1), (3, 0, 0)]


def test_a_category_two_changes_away_takes_two_steps():
    chain = Ladder(
        ("x",), np.array([0]), np.arange(3.0)[:, np.newaxis], np.array([-1, 0, 1]),
        np.array([0.0, 1.0, 1.0]), unordered=True,
    )  # fmt: skip
    asked = Asked(lambda s: s[0] == 2)
    assert ends(grown([chain], asked, max_steps=1)) == []
    assert ends(grown([chain], asked, max_steps=2)) == [(2,)]


def test_the_sets_of_destinations_hold_the_successes_that_contain_them():
    found = grown([ladder(0, [1]), ladder(1, [2])], Asked(lambda s: s[0] >= 1 or s[1] >= 1))
    sets = [{tuple(found.states[i]) for i in members} for members in found.destinations]
    assert sets == [{(1, 0), (1, 1)}, {(0, 1), (1, 1)}]


def test_nothing_can_change():
    asked = Asked(lambda _: True)
    found = grown([], asked)
    assert found.stopped == "exhausted"
    assert (found.register.n_states, found.register.n_calls, len(found.ends)) == (1, 0, 0)


def test_ways_are_found_far_beyond_what_growing_outward_looks_at():
    asked = Asked(lambda s: s[3] + s[5] + s[9] >= 12)
    asked._merits = lambda answers: answers[:, 1]
    asked._answers = with_sums(asked)
    found = grown([ladder(i, [1.0] * 4) for i in range(12)], asked, max_states=500)
    assert found.stopped == "budget"
    assert ends(found) == [(0, 0, 0, 4, 0, 4, 0, 0, 0, 4, 0, 0)]
    assert found.radius < 12


def with_sums(asked: Asked) -> Any:
    """A model that says how near a state is to success."""

    def answers(points: np.ndarray) -> np.ndarray:
        asked.batches.append([tuple(map(int, point)) for point in points])
        chance = points[:, [3, 5, 9]].sum(axis=1) / 24
        return np.column_stack([1 - chance, chance])

    return answers


def test_all_that_is_cheaper_than_the_radius_was_asked_about(monkeypatch):
    monkeypatch.setattr("facelift.steps.proposers.FIRST_BATCH", 1)
    ladders = [ladder(0, [9.0]), *(ladder(i, [1.0]) for i in range(1, 5))]
    found = grown(ladders, Asked(lambda s: s[0] == 1), max_states=12)
    assert found.stopped == "budget"
    lattice = found.register.lattice
    every = lattice.box([range(len(each)) for each in lattice.ladders])
    cheaper = every[lattice.costs(every) < found.radius]
    assert not len(found.register.unknown(cheaper))


def test_large_boxes_of_two_destinations_are_left_out(monkeypatch):
    monkeypatch.setattr(growth, "ROOM", 200)
    n = 7
    asked = Asked(
        lambda s: sum(s[:n]) == n or sum(s[n:]) == n, lambda s: not (any(s[:n]) and any(s[n:]))
    )
    found = grown(cube(2 * n), asked, max_steps=n, max_states=40_000, work=10**6, n_destinations=2)
    assert len(found.ends) == 2
    assert found.stopped == "budget"  # what lies between them was not looked at
    assert len(found.states) == 2 * 2**n - 1


def test_more_states_than_63_bits_can_number():
    asked = Asked(lambda s: sum(x > 0 for x in s) >= 2)
    ladders = [ladder(i, [0.1 * (i + 1)] * 8, unordered=True) for i in range(30)]
    found = grown(ladders, asked, n_destinations=4)
    assert all(sum(x > 0 for x in state) == 2 for state in ends(found))
    assert len(found.ends) == 4
    assert found.states[0].sum() == 0
    assert found.graph.costs.nnz > 8


def test_the_graph_has_every_single_action_where_allowed():
    asked = Asked(lambda s: s[0] == 2 or s[1] == 1)
    prices = Prices(np.array([1.0, 2.0]), np.array([3.0, np.inf]))
    found = grown([ladder(0, [1, 1]), ladder(1, [2])], asked, prices)
    states = [tuple(s) for s in found.states.tolist()]
    assert states == sorted(product(range(3), range(2)))
    expected = {}
    for a, b in product(states, states):
        if sum(x != y for x, y in zip(a, b, strict=True)) == 1 and not b[1] < a[1]:
            rise = b[0] - a[0]
            expected[a, b] = 2.0 if b[1] > a[1] else rise * 1.0 if rise > 0 else rise * -3.0
    matrix = found.graph.costs.tocoo()
    edges = zip(*(each.tolist() for each in (*matrix.coords, matrix.data)), strict=True)
    assert {(states[u], states[v]): cost for u, v, cost in edges} == expected


@pytest.mark.parametrize(
    ("direct", "step"), [(10, 9), (2, 1), (1.5, 1)], ids=["dear", "as dear", "cheaper"]
)
def test_no_detour_through_another_value_undercuts_the_direct_change(direct, step):
    """Values a, b, c of one category (from a), and a yes or no that costs 1."""
    table = np.array([[0, 1.0, direct], [1.0, 0, 1.0], [1.0, 1.0, 0]])
    costs = np.array([0, 1.0, direct]) * math.sqrt(2)
    category = Ladder(("x",), np.arange(3), np.eye(3), np.array([-1, 0, 0]), costs, unordered=True)
    yes = Ladder(
        ("y",), np.array([3]), np.array([[0.0], [1.0]]), np.array([-1, 0]), np.array([0, 1.0])
    )
    zeros = np.array([0.0, 0, 0, 1])
    prices = Prices(zeros, zeros, (Block(slice(0, 3), table),))
    lattice = Lattice(np.array([1.0, 0, 0, 0]), (category, yes))
    states = lattice.box([range(3), range(2)])
    graph = growth._graph(lattice, prices, states)
    places = {tuple(state): i for i, state in enumerate(states.tolist())}
    assert graph.edge_cost(0, places[2, 0]) == pytest.approx(direct * math.sqrt(2))
    assert graph.edge_cost(places[1, 0], places[2, 0]) == pytest.approx(step * math.sqrt(2))
    assert graph.edge_cost(places[2, 0], places[1, 0]) == pytest.approx(math.sqrt(2))


@st.composite
def small_worlds(draw: st.DrawFn) -> tuple[list[Ladder], Asked, dict[str, Any]]:
    prices = st.sampled_from([0.0, 0.5, 1.0, 1.0, 0.3, 2.7])
    ladders = []
    for column in range(draw(st.integers(1, 4))):
        costs = draw(st.lists(prices, min_size=1, max_size=3))
        unordered, jumps = draw(st.booleans()), draw(st.booleans())
        ladders.append(ladder(column, costs, unordered=unordered, jumps=jumps))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    often, open_ = draw(st.sampled_from([0.05, 0.2, 0.5])), draw(st.sampled_from([0.5, 0.8, 1.0]))
    sizes = [len(each) for each in ladders]
    success, plausible = rng.random(sizes) < often, rng.random(sizes) < open_
    allowed = rng.random(sizes) < 0.9
    asked = Asked(lambda s: success[s], lambda s: plausible[s], lambda s: allowed[s])
    options = {
        "n_destinations": draw(st.integers(1, 6)),
        "max_steps": draw(st.integers(1, 7)),
        "max_states": draw(st.sampled_from([1, 2, 5, 12, 40, 5000])),
    }
    return ladders, asked, options


def slow_minimal(lattice: Lattice, asked: Asked, max_steps: int) -> list[State]:
    """Accepted successes without a part that is one, cheapest first: by looking at everything."""
    ladders = list(lattice.ladders)
    every = [tuple(state) for state in lattice.box([range(len(each)) for each in ladders]).tolist()]
    won = [
        state
        for state in every[1:]
        if asked.succeeds(state)
        and asked.admits(state)
        and leads_by_climbs(asked, ladders, state, max_steps)
    ]

    def is_part(part: State, whole: State) -> bool:
        sides = zip(ladders, part, whole, strict=True)
        return all(p in each.climb(w) for each, p, w in sides)

    kept = [s for s in won if not any(is_part(t, s) for t in won if t != s)]
    return sorted(kept, key=lambda s: (round(lattice.costs(np.array([s]))[0], 9), s))


def leads_by_climbs(asked: Asked, ladders: list[Ladder], end: State, steps: int) -> bool:
    """Whether actions lead to a state; unordered positions are one action away."""
    climbs = [each.climb(p) for each, p in zip(ladders, end, strict=True)]
    inner = Asked(
        asked.succeeds,
        lambda s: asked.admits(tuple(c[i] for c, i in zip(climbs, s, strict=True))),
    )
    return leads(inner, ladders, tuple(len(climb) - 1 for climb in climbs), steps)


@settings(max_examples=examples(400), suppress_health_check=list(HealthCheck))
@given(small_worlds(), st.sampled_from([1, 3, 256]))
def test_whatever_the_batches_and_the_budget_destinations_are_minimal(world, first_batch):
    ladders, asked, options = world
    lattice = Lattice(np.zeros(len(ladders)), tuple(ladders))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("facelift.steps.proposers.FIRST_BATCH", first_batch)
        found = grown(ladders, asked, **options)
    expected = slow_minimal(lattice, asked, options["max_steps"])
    assert len(asked.asked) == len(set(asked.asked))
    assert found.register.n_calls == len(asked.batches)
    assert set(ends(found)) <= set(expected)
    if found.stopped != "budget":
        assert ends(found) == expected[: options["n_destinations"]]
        assert (found.stopped == "enough") == (len(found.ends) == options["n_destinations"])
    certain = [s for s in expected if lattice.costs(np.array([s]))[0] < found.radius]
    certain = certain[: options["n_destinations"]]
    assert ends(found)[: len(certain)] == certain


def round_about(plausible: set[State], **options: Any) -> Growth:
    """What a way round finds: the second of two other categories, and a change besides."""
    asked = Asked(lambda s: s == (2, 1), lambda s: s in plausible)
    ladders, prices = [ladder(0, [1.0, 1.0], unordered=True), ladder(1, [1.0])], np.ones(2)
    found = grown(ladders, asked, **options)
    assert ends(found) == []
    return growth.with_way_round(found, Prices(prices, prices))


def test_a_way_round_goes_through_another_category():
    found = round_about({(1, 0), (1, 1), (2, 1)})
    assert found.states.tolist() == [[0, 0], [1, 0], [1, 1], [2, 1]]
    assert ends(found) == [(2, 1)]
    assert cheapest_route(found.graph, 0, found.ends).tolist() == [0, 1, 2, 3]


def test_a_way_round_has_no_more_steps_than_asked_for():
    assert ends(round_about({(1, 0), (1, 1), (2, 1)}, max_steps=3)) == [(2, 1)]
    assert ends(round_about({(1, 0), (1, 1), (2, 1)}, max_steps=2)) == []


def test_no_way_round_enters_what_is_not_plausible():
    assert ends(round_about({(1, 0), (2, 1)})) == []
