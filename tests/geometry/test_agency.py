"""What stays open along a journey."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from facelift.errors import InvalidInput
from facelift.geometry import (
    TOLERANCE,
    branching_delay,
    branching_factor,
    choice_complexity,
    closes,
    effects,
    keeps_open,
    loss_of_opportunity,
    open_area,
    open_share,
    opportunity_potential,
    reachable_share,
    vertex_branching,
)
from facelift.geometry.agency import all_keep_open

costs = st.one_of(st.just(0.0), st.floats(1e-3, 1e3), st.integers(1, 9).map(float))
remainders = st.one_of(
    st.just(0.0), st.just(math.inf), st.floats(1e-3, 1e3), st.integers(1, 9).map(float)
)


@st.composite
def walks(draw):
    """Step costs and remaining costs of any journey, from a graph or not."""
    n_steps, c = draw(st.integers(0, 6)), draw(st.integers(1, 4))
    step_costs = draw(arrays(np.float64, n_steps, elements=costs))
    return step_costs, draw(arrays(np.float64, (n_steps + 1, c), elements=remainders))


def all_pairs(edges: np.ndarray) -> np.ndarray:
    """Least costs between all vertices (Floyd and Warshall)."""
    least = np.where(np.eye(len(edges), dtype=bool), 0.0, edges)
    for via in range(len(edges)):
        least = np.minimum(least, least[:, via, np.newaxis] + least[np.newaxis, via, :])
    return least


def cheapest_route(edges: np.ndarray, least: np.ndarray, end: int) -> list[int]:
    """Vertices of a cheapest route from vertex 0, for positive edge costs."""
    route = [0]
    while route[-1] != end:
        here = route[-1]
        through = edges[here] + least[:, end]
        through[here] = math.inf
        route.append(int(np.argmin(through)))
    return route


@st.composite
def graph_journeys(draw):
    """Step costs of a cheapest journey through a random digraph, and all remaining costs.

    The first column belongs to the journey's own destination.
    """
    n = draw(st.integers(2, 7))
    positive = st.one_of(st.integers(1, 9).map(float), st.floats(1e-3, 1e3))
    edges = draw(arrays(np.float64, (n, n), elements=st.one_of(st.just(math.inf), positive)))
    least = all_pairs(edges)
    in_reach = np.flatnonzero(np.isfinite(least[0, 1:])) + 1
    assume(len(in_reach))
    end = int(draw(st.sampled_from(in_reach.tolist())))
    route = cheapest_route(edges, least, end)
    alternatives = [v for v in range(1, n) if v != end]
    return edges[route[:-1], route[1:]], least[np.ix_(route, [end, *alternatives])]


def test_shares_by_hand():
    remaining = [[4, 4], [3, 5], [2, math.inf]]
    assert keeps_open(remaining).tolist() == [[True, True], [True, False], [True, False]]
    assert open_share(remaining).tolist() == [1, 0.5, 0.5]
    assert reachable_share(remaining).tolist() == [1, 1, 0.5]
    assert loss_of_opportunity(open_share(remaining)).tolist() == [0.5, 0]
    assert loss_of_opportunity(reachable_share(remaining)).tolist() == [0, 0.5]


def test_effects_of_steps_by_hand():
    remaining = [[4, 4, 4, math.inf], [3, 4, math.inf, 2], [3, 5, math.inf, 1]]
    assert effects(remaining, [1, 0]).tolist() == [
        ["nearer", "open", "closed", "nearer"],
        ["nearer", "open", "closed", "nearer"],
    ]


def effect(before: float, after: float, cost: float) -> str:
    """What a step does to one destination, in words of its docstring."""
    if math.isinf(after):
        return "closed"
    falls, stays = after < before * (1 - TOLERANCE), after <= before * (1 + TOLERANCE)
    return "nearer" if falls or (cost == 0 and stays) else "open"


@given(walks())
def test_every_step_is_nearer_open_or_closed_by_what_is_left(walk):
    step_costs, remaining = walk
    expected = [
        [effect(*left, cost) for left in zip(before, after, strict=True)]
        for before, after, cost in zip(remaining, remaining[1:], step_costs, strict=False)
    ]
    assert effects(remaining, step_costs).tolist() == expected


@given(graph_journeys())
def test_what_closes_is_the_drop_of_the_reachable_share(journey):
    _, remaining = journey
    alternatives = remaining[:, 1:]
    assume(alternatives.shape[1])
    lost = loss_of_opportunity(reachable_share(alternatives))
    assert closes(alternatives).mean(axis=1) == pytest.approx(lost)


def test_what_is_out_of_reach_is_not_closed_again():
    remaining = [[math.inf, 1, 1], [math.inf, math.inf, 2], [math.inf, math.inf, 1]]
    assert closes(remaining).tolist() == [[False, True, False], [False, False, False]]


def test_an_alternative_once_closed_is_not_opened_again():
    assert open_share([[4], [5], [1], [0]]).tolist() == [1, 0, 0, 0]


def test_an_alternative_out_of_reach_at_the_start_is_never_open():
    assert open_share([[math.inf, 2], [3, 1]]).tolist() == [0.5, 0.5]


def test_only_with_step_costs_is_a_step_known_to_be_free():
    assert open_share([[4], [4], [3]]).tolist() == [1, 0, 0]
    assert open_share([[4], [4], [3]], [0, 1]).tolist() == [1, 1, 1]


def test_without_alternatives_nothing_is_open_and_there_is_no_area():
    nothing = np.empty((3, 0))
    assert open_share(nothing).tolist() == [0, 0, 0]
    assert reachable_share(nothing).tolist() == [0, 0, 0]
    assert math.isnan(open_area([1, 1], nothing))
    assert math.isnan(choice_complexity([1, 1], nothing))


def test_area_complexity_and_delay_by_hand():
    # The first alternative closes after a quarter of the cost, the second never.
    remaining = [[9, 9], [8, 8], [8, 6]]
    assert open_area([1, 3], remaining) == 0.25 + 0.75 / 2
    assert choice_complexity([1, 3], remaining) == 0.75 / 2
    assert branching_delay([1, 3], remaining) == 0.25


def test_a_delay_counts_no_alternative_that_was_never_in_reach():
    assert branching_delay([1, 1], [[math.inf, 3], [math.inf, 2], [math.inf, 1]]) == 1
    assert branching_delay([1, 1], [[math.inf], [math.inf], [math.inf]]) == 1
    assert branching_delay([1, 1], np.empty((3, 0))) == 1


@given(walks())
def test_the_area_under_the_open_share_is_the_mean_potential(walk):
    assert open_area(*walk) == pytest.approx(opportunity_potential(*walk).mean(), abs=1e-12)


@given(walks())
def test_choice_complexity_is_what_the_area_lacks(walk):
    assert choice_complexity(*walk) == 1 - open_area(*walk)
    assert 0 <= choice_complexity(*walk) <= 1


@given(st.lists(st.floats(0.01, 1), min_size=1, max_size=40))
def test_rounding_never_makes_choice_complexity_negative(step_costs):
    remaining = [[float(left)] for left in range(len(step_costs), -1, -1)]
    assert choice_complexity(step_costs, remaining) >= 0


@given(walks())
def test_choice_complexity_accumulates_each_loss_over_the_way_that_follows(walk):
    step_costs, remaining = walk
    assume(step_costs.sum() > 0)
    shares = open_share(remaining, step_costs)
    ahead = np.cumsum(step_costs[::-1])[::-1] / step_costs.sum()
    lost = (1 - shares[0]) + (loss_of_opportunity(shares) * ahead).sum()
    assert choice_complexity(step_costs, remaining) == pytest.approx(lost, abs=1e-12)


@given(walks())
def test_branching_delay_is_the_way_before_the_first_loss(walk):
    step_costs, remaining = walk
    in_reach = remaining[:, np.isfinite(remaining[0])]
    assume(step_costs.sum() > 0)
    assume(in_reach.shape[1])
    losses = loss_of_opportunity(open_share(in_reach, step_costs))
    first = int(np.argmax(losses > 0)) if (losses > 0).any() else len(losses)
    delay = branching_delay(step_costs, remaining)
    assert delay == pytest.approx(step_costs[:first].sum() / step_costs.sum(), abs=1e-12)
    assert delay == opportunity_potential(step_costs, in_reach).min()
    assert 0 <= delay <= 1


@given(walks(), st.floats(1e-6, 1e6))
def test_scaling_costs_changes_no_share(walk, scale):
    step_costs, remaining = walk
    dear = (step_costs * scale, remaining * scale)
    assert np.array_equal(open_share(dear[1], dear[0]), open_share(remaining, step_costs))
    assert np.array_equal(reachable_share(dear[1]), reachable_share(remaining))
    assert open_area(*dear) == pytest.approx(open_area(*walk))
    assert branching_delay(*dear) == pytest.approx(branching_delay(*walk))


@given(graph_journeys())
def test_shares_never_rise_on_a_real_graph(journey):
    step_costs, remaining = journey
    for shares in (
        open_share(remaining[:, 1:]),
        open_share(remaining[:, 1:], step_costs),
        reachable_share(remaining[:, 1:]),
    ):
        assert (loss_of_opportunity(shares) >= 0).all()
        assert shares.shape == (len(step_costs) + 1,)
        assert (shares >= 0).all()
        assert (shares <= 1).all()


@given(graph_journeys())
def test_what_is_open_is_in_reach_on_a_real_graph(journey):
    step_costs, remaining = journey
    assert not (keeps_open(remaining, step_costs) & ~np.isfinite(remaining)).any()
    assert (open_share(remaining, step_costs) <= reachable_share(remaining)).all()


@given(graph_journeys(), st.data())
def test_of_several_journeys_at_once_each_keeps_open_what_it_does_alone(journey, data):
    step_costs, remaining = journey
    first = data.draw(st.integers(0, len(step_costs)))
    whole, rest = all_keep_open([remaining, remaining[first:]], [step_costs, step_costs[first:]])
    assert (whole == keeps_open(remaining, step_costs)).all()
    alone = keeps_open(remaining[first:], step_costs[first:])
    assert (rest[: len(alone)] == alone).all()


@given(graph_journeys())
def test_a_journey_through_a_graph_keeps_its_own_destination_open(journey):
    step_costs, remaining = journey
    potentials = opportunity_potential(step_costs, remaining)
    assert potentials[0] == 1
    assert ((potentials >= 0) & (potentials <= 1)).all()
    assert keeps_open(remaining, step_costs)[:, 0].all()


@given(graph_journeys())
def test_the_area_law_holds_on_a_real_graph(journey):
    step_costs, remaining = journey
    alternatives = remaining[:, 1:]
    assume(alternatives.shape[1])
    mean = opportunity_potential(step_costs, alternatives).mean()
    assert open_area(step_costs, alternatives) == pytest.approx(mean, abs=1e-12)


def test_branching_of_waypoints_by_hand():
    remaining = [[2, 2], [1, math.inf], [4, 0], [math.inf, math.inf]]
    expected = [-math.log(2), 0, -math.log(2), -math.inf]
    np.testing.assert_allclose(vertex_branching(remaining), expected)
    np.testing.assert_allclose(vertex_branching(remaining, scale=2)[:3], [0, math.log(2), 0])


def test_a_waypoint_at_the_only_alternative_branches_without_limit():
    assert vertex_branching([[0.0]]).tolist() == [math.inf]


def test_the_branching_factor_is_the_discounted_mean_between_the_ends():
    remaining = [[4, 4], [2, 2], [1, 3], [8, 8], [100, 100]]
    r = [math.log(4 / 2), math.log(4 / 2), math.log(4 / 8)]
    assert branching_factor(remaining) == pytest.approx(sum(r) / 3)
    for discount in (0.5, 0.9, 1.5):
        expected = (discount * r[0] + discount**2 * r[1] + discount**3 * r[2]) / 3
        assert branching_factor(remaining, discount) == pytest.approx(expected)


def test_scale_one_is_the_formula_of_the_paper():
    remaining = [[4, 4], [2, 2], [1, 3], [8, 8], [100, 100]]
    expected = (-0.9 * math.log(2) - 0.81 * math.log(2) - 0.729 * math.log(8)) / 3
    assert branching_factor(remaining, discount=0.9, scale=1) == pytest.approx(expected)


def test_a_small_discount_weighs_early_waypoints_more():
    early = [[4], [1], [4], [0.5]]
    late = [[4], [4], [1], [0.5]]
    assert branching_factor(early, discount=0.5) > branching_factor(late, discount=0.5)
    assert branching_factor(early, discount=2) < branching_factor(late, discount=2)


@pytest.mark.parametrize("remaining", [[[3, 4], [2, 1]], [[3, 4]]])
def test_a_direct_journey_has_no_branching_factor(remaining):
    assert math.isnan(branching_factor(remaining))
    assert math.isnan(branching_factor(remaining, scale=1))


def test_no_alternative_in_reach_is_the_least_branching_there_is():
    assert branching_factor([[math.inf], [math.inf], [math.inf]]) == -math.inf
    assert branching_factor([[math.inf], [math.inf], [math.inf]], scale=1) == -math.inf
    assert branching_factor([[3], [math.inf], [math.inf]]) == -math.inf
    assert branching_factor(np.empty((3, 0))) == -math.inf


def test_passing_the_only_alternative_for_good_is_no_branching_at_all():
    # The waypoint before is at the alternative, the one after can never return to it.
    assert branching_factor([[1], [0], [math.inf], [math.inf]]) == -math.inf


def test_alternatives_that_cost_nothing_from_the_start_are_as_easy_everywhere():
    assert branching_factor([[0], [0], [0]]) == 0
    assert branching_factor([[0], [1], [0]]) == -math.inf


finite_walks = st.tuples(st.integers(3, 6), st.integers(1, 4)).flatmap(
    lambda shape: arrays(np.float64, shape, elements=st.floats(1e-3, 1e3))
)


@given(finite_walks, st.floats(1e-6, 1e6), st.floats(0.1, 2))
def test_scaling_costs_changes_no_branching_factor(remaining, scale, discount):
    found = branching_factor(remaining * scale, discount)
    assert found == pytest.approx(branching_factor(remaining, discount), abs=1e-9)


@given(finite_walks, st.floats(0.1, 2))
def test_the_default_scale_is_the_mean_at_the_factual(remaining, discount):
    by_hand = branching_factor(remaining, discount, scale=float(remaining[0].mean()))
    assert branching_factor(remaining, discount) == pytest.approx(by_hand, abs=1e-12)


@given(finite_walks)
def test_branching_is_nothing_where_nothing_changed(remaining):
    standing = np.repeat(remaining[:1], 4, axis=0)
    assert branching_factor(standing) == pytest.approx(0, abs=1e-12)


FOLDS = [
    keeps_open,
    open_share,
    reachable_share,
    vertex_branching,
    branching_factor,
    lambda remaining: open_area([1, 1], remaining),
    lambda remaining: choice_complexity([1, 1], remaining),
    lambda remaining: branching_delay([1, 1], remaining),
]


@pytest.mark.parametrize("fold", FOLDS)
@pytest.mark.parametrize(
    ("remaining", "message"),
    [
        ([[1], [-1], [1]], "remaining costs must be zero or more"),
        ([[1], [math.nan], [1]], "remaining costs must be zero or more"),
        ([3, 2, 1], "remaining must have 2 axes"),
        (np.empty((0, 1)), "at least one waypoint"),
        ([["a"], ["b"], ["c"]], "remaining must be numbers"),
    ],
)
def test_remaining_costs_that_cannot_be_are_an_error(fold, remaining, message):
    with pytest.raises(InvalidInput, match=message):
        fold(remaining)


@pytest.mark.parametrize(
    "fold",
    [
        open_area,
        choice_complexity,
        branching_delay,
        lambda costs, remaining: open_share(remaining, costs),
        lambda costs, remaining: keeps_open(remaining, costs),
    ],
)
@pytest.mark.parametrize("step_costs", [[1], [1, 1, 1], [1, -1], [1, math.nan], [1, math.inf]])
def test_step_costs_that_do_not_fit_are_an_error(fold, step_costs):
    with pytest.raises(InvalidInput, match="step_costs must be 2 finite costs of zero or more"):
        fold(step_costs, [[3], [2], [1]])


@pytest.mark.parametrize("shares", [[[1, 0]], [1, math.nan], ["a"]])
def test_shares_that_are_no_shares_are_an_error(shares):
    with pytest.raises(InvalidInput, match="shares must"):
        loss_of_opportunity(shares)


@pytest.mark.parametrize("discount", [0, -1, math.nan, math.inf, "much"])
def test_a_discount_that_is_no_weight_is_an_error(discount):
    with pytest.raises(InvalidInput, match=f"discount must be a positive number, got {discount}"):
        branching_factor([[3], [2], [1]], discount)


@pytest.mark.parametrize("scale", [-1, math.nan, math.inf, "big"])
def test_a_scale_that_is_no_cost_is_an_error(scale):
    with pytest.raises(InvalidInput, match=f"scale must be a finite cost, got {scale}"):
        branching_factor([[3], [2], [1]], scale=scale)
    with pytest.raises(InvalidInput, match=f"scale must be a finite cost, got {scale}"):
        vertex_branching([[3], [2], [1]], scale=scale)
