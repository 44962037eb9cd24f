import copy
import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.laws import examples
from tests.multiverse.slow_multiverse import general_graph

import facelift as fl
from facelift.errors import InvalidInput
from facelift.multiverse.journey import Journey
from facelift.multiverse.whynot import Survey, no_route
from facelift.toys import loan

seeds = st.integers(0, 2**32 - 1)
ARRAYS = ["vertices", "waypoints", "step_costs", "remaining"]
MAYBE_ARRAYS = ["probabilities", "chances", "rarity", "times"]


def table():
    """Three rows of every type of column that facelift knows."""
    return pd.DataFrame(
        {
            "age": [20, 30, 40],
            "rate": [0.1, 1 / 3, 1e-300],
            "small": np.array([1.5, 2.5, 0.1], dtype=np.float32),
            "byte": np.array([1, 2, 3], dtype=np.uint8),
            "free": [True, False, True],
            "text": ["Zürich", 'quo"te', "<b>&"],
            "housing": pd.Categorical(["rent", "own", "rent"], categories=["own", "rent", "free"]),
            "savings": pd.Categorical(
                ["low", "high", "mid"], categories=["low", "mid", "high"], ordered=True
            ),
            "rooms": pd.Categorical([3, 1, 2], categories=[1, 2, 3], ordered=True),
            "nullable": pd.array([1, 2, 3], dtype="Int64"),
            7: [1.0, 2.0, 3.0],
        }
    )


def told_multiverse():
    """Two journeys with everything a journey can carry."""
    goal = fl.Goal(("good", "fair"), 0.5, ("bad", "fair", "good"))
    remaining = np.array([[2.0, 3.0], [1.0, np.inf], [0.0, np.inf]])
    journeys = tuple(
        Journey(
            np.array([0, 4, 5 + own]),
            np.array([[0.0, 0.1], [0.5, 1 / 3], [1.0, 2.0]]),
            np.array([1.0 + own, 0.1]),
            remaining[:, [own, 1 - own]],
            own,
            probabilities=np.array([[0.9, 0.1, 0.0], [0.6, 0.3, 0.1], [1 / 3, 0.0, 2 / 3]]),
            goal=goal,
            rarity=np.array([np.nan, 0.5, 0.9]),
            times=np.array([0.0, 1.5, 3.0]),
            period="months",
            decode=lambda _: table(),
        )
        for own in (0, 1)
    )
    survey = Survey(120, 3, "budget")
    return fl.Multiverse(journeys, (np.array([5]), np.array([6, 8])), goal=goal, survey=survey)


def empty_multiverse():
    goal = fl.Goal(("good",), 0.7, ("bad", "good"))
    return fl.Multiverse((), (), why_not=no_route(3, 2, 0.8), goal=goal)


def assert_same(one, other):
    assert len(one) == len(other)
    assert (one.goal, one.why_not, one.survey) == (other.goal, other.why_not, other.survey)
    for a, b in zip(one.destinations, other.destinations, strict=True):
        assert a.tolist() == b.tolist()
    for a, b in zip(one, other, strict=True):
        for name in ARRAYS + MAYBE_ARRAYS:
            np.testing.assert_array_equal(getattr(a, name), getattr(b, name))
        assert (a.own, a.period) == (b.own, b.period)
        if a.rows is None:
            assert b.rows is None
        else:
            pd.testing.assert_frame_equal(a.rows, b.rows, check_exact=True)


@pytest.mark.parametrize(
    "multiverse", [loan().multiverse(), told_multiverse(), empty_multiverse()], ids=len
)
def test_a_document_read_back_is_the_same_multiverse(multiverse):
    text = multiverse.to_json()
    read = fl.Multiverse.from_json(text)
    assert_same(multiverse, read)
    np.testing.assert_array_equal(read.opportunity, multiverse.opportunity)
    np.testing.assert_array_equal(read.scores, multiverse.scores)
    pd.testing.assert_frame_equal(read.to_frame(), multiverse.to_frame())
    assert repr(read) == repr(multiverse)
    assert read.to_json() == text


@given(seed=seeds, n=st.integers(2, 12))
def test_any_explored_multiverse_is_read_back_to_the_last_bit(seed, n):
    multiverse = fl.explore(general_graph(np.random.default_rng(seed), n), 0, range(1, n))
    read = fl.Multiverse.from_json(multiverse.to_json())
    assert_same(multiverse, read)
    assert read.costs.tolist() == multiverse.costs.tolist()


def test_equal_multiverses_give_equal_bytes():
    assert loan().multiverse().to_json() == loan().multiverse().to_json()
    assert told_multiverse().to_json() == told_multiverse().to_json()
    assert loan().multiverse().to_json() != told_multiverse().to_json()


def test_the_document_is_strict_json_in_which_out_of_reach_is_null():
    text = told_multiverse().to_json()

    def refuse(constant):
        raise AssertionError(constant)

    content = json.loads(text, parse_constant=refuse)
    assert list(content) == sorted(content)
    assert content["schema"] == "facelift/multiverse/1"
    assert content["journeys"][0]["remaining"] == [[2.0, 3.0], [1.0, None], [0.0, None]]
    assert content["journeys"][0]["rarity"] == [None, 0.5, 0.9]
    assert content["opportunity"] == told_multiverse().opportunity.tolist()
    assert "Zürich" in text


def test_a_single_journey_has_an_undefined_score():
    content = json.loads(fl.explore(loan().graph, 0, [2]).to_json())
    assert content["scores"] == [None]


def test_a_multiverse_read_back_cannot_be_walked():
    read = fl.Multiverse.from_json(loan().multiverse().to_json())
    assert read.graph is None
    with pytest.raises(InvalidInput, match="read from JSON"):
        read.walkable_graph()


def test_arrays_read_back_cannot_be_written():
    journey = fl.Multiverse.from_json(loan().multiverse().to_json())[0]
    for name in ARRAYS:
        with pytest.raises(ValueError, match="read-only"):
            getattr(journey, name)[0] = 0


# Damaged documents


def use(multiverse):
    """Everything that reads a multiverse."""
    for journey in multiverse:
        assert journey.remaining.shape == (journey.n_steps + 1, len(multiverse))
        _ = journey.open_share, journey.reachable_share, journey.counterfactual
    _ = multiverse.scores, multiverse.costs, multiverse.branching(), multiverse.families(1.0)
    _ = multiverse.to_frame(), multiverse.to_json(), repr(multiverse)
    _ = f"{multiverse.goal} {multiverse.why_not}"
    if len(multiverse):
        fl.best(multiverse)
        fl.front(multiverse, [fl.sparsity, fl.confidence])


def read_or_refuse(text):
    """A damaged document is refused, or harmless."""
    try:
        multiverse = fl.Multiverse.from_json(text)
    except InvalidInput:
        return False
    use(multiverse)
    return True


def places(content, so_far=()):
    """The way to every value of a document."""
    yield so_far
    pairs = content.items() if isinstance(content, dict) else enumerate(content)
    for key, value in pairs:
        if isinstance(value, dict | list):
            yield from places(value, (*so_far, key))
        else:
            yield (*so_far, key)


def holder(content, place):
    for key in place[:-1]:
        content = content[key]
    return content


DOCUMENTS = [json.loads(m().to_json()) for m in (told_multiverse, empty_multiverse)]
PLACES = [(i, place) for i, each in enumerate(DOCUMENTS) for place in places(each) if place]
KINDS = {  # one place of each kind: which row of an array is wrong does not matter
    (i, *(0 if isinstance(key, int) and place[0] == "journeys" else key for key in place)): (
        i,
        place,
    )
    for i, place in PLACES
}
PLACES_OF_EACH_KIND = list(KINDS.values())
# written for other programs, not read
DERIVED = {"opportunity", "scores", "cost", "chances", "predictions", "dips", "reaches"}
WRONG = [None, True, -1, 3, 10**30, 0.5, 1e30, float("nan"), "", "x", "NaN", [], [[]]]
WRONG += [[None], [1, 2, 3], ["a"], {}, {"a": 1}, [{}], [[[1.0]]], "int64", "datetime64[ns]"]


@pytest.mark.parametrize("number", range(len(DOCUMENTS)))
def test_a_document_cut_short_is_refused(number):
    text = json.dumps(DOCUMENTS[number])
    for end in range(0, len(text), 7):
        assert not read_or_refuse(text[:end])


def test_a_document_that_lacks_any_key_is_refused():
    dropped = 0
    for number, place in PLACES:
        content = copy.deepcopy(DOCUMENTS[number])
        inside = holder(content, place)
        if isinstance(inside, dict) and place[-1] not in DERIVED:
            del inside[place[-1]]
            dropped += 1
            later = [("proof",), ("offers",), ("goal", "margin"), ("survey", "radius")]
            added_later = place in later or (place[0] == "journeys" and place[-1] == "agreement")
            optional = added_later or (
                place[0] == "why_not"
                and place[-1]
                in {
                    "best_chance",
                    "best_predicted",
                    "n_candidates",
                    "n_in_reach",
                }
            )
            assert read_or_refuse(json.dumps(content)) == optional, place
    assert dropped > 50


@given(place=st.sampled_from(PLACES_OF_EACH_KIND), wrong=st.sampled_from(WRONG))
@settings(max_examples=examples(300))
def test_a_wrong_value_anywhere_is_refused_or_harmless(place, wrong):
    number, place = place
    content = copy.deepcopy(DOCUMENTS[number])
    holder(content, place)[place[-1]] = wrong
    read_or_refuse(json.dumps(content))


@given(place=st.sampled_from(PLACES_OF_EACH_KIND), data=st.data())
@settings(max_examples=examples(150))
def test_a_list_that_is_longer_or_shorter_is_refused_or_harmless(place, data):
    number, place = place
    content = copy.deepcopy(DOCUMENTS[number])
    values = holder(content, place)
    if not isinstance(values, list):
        values = list(values.values())
    lists = [values, *(each for each in values if isinstance(each, list))]
    chosen = data.draw(st.sampled_from(lists))
    if chosen and data.draw(st.booleans()):
        chosen.pop()
    else:
        chosen.append(copy.deepcopy(chosen[0]) if chosen else 0)
    read_or_refuse(json.dumps(content))


@pytest.mark.parametrize(
    ("place", "wrong"),
    [
        (("journeys", 0, "vertices"), [0, 4]),
        (("journeys", 0, "vertices"), [0, 4.5, 5]),
        (("journeys", 0, "vertices"), [[0, 4, 5]]),
        (("journeys", 0, "vertices"), [0, 4, 10**30]),
        (("journeys", 0, "waypoints"), [[0.0], [1.0]]),
        (("journeys", 0, "waypoints"), [0.0, 1.0, 2.0]),
        (("journeys", 0, "waypoints"), [[0.0], [1.0], [10**400]]),
        (("journeys", 0, "waypoints"), [[0.0], [None], [1.0]]),
        (("journeys", 0, "step_costs"), [1.0]),
        (("journeys", 0, "step_costs"), [1.0, -1.0]),
        (("journeys", 0, "step_costs"), [1.0, None]),
        (("journeys", 0, "remaining"), [[1.0], [1.0], [0.0]]),
        (("journeys", 0, "remaining"), [[1.0, -1.0]] * 3),
        (("journeys", 0, "own"), 2),
        (("journeys", 0, "own"), -1),
        (("journeys", 0, "own"), "0"),
        (("journeys", 0, "period"), 3),
        (("journeys", 0, "probabilities"), [[0.1, 0.9]] * 3),
        (("journeys", 0, "probabilities"), [0.1, 0.2, 0.3]),
        (("journeys", 0, "rarity"), [0.1]),
        (("journeys", 0, "times"), [[0.1], [0.2], [0.3]]),
        (("journeys", 0, "rows"), [[1]]),
        (("journeys", 0, "rows"), None),
        (("journeys",), {"a": 1}),
        (("journeys",), []),
        (("destinations",), [[5]]),
        (("destinations", 0), []),
        (("destinations", 0), 5),
        (("destinations", 0), ["a"]),
        (("columns",), None),
        (("columns", 0, "dtype"), "int99"),
        (("columns", 0, "name"), "rate"),
        (("columns", 0, "name"), ["age"]),
        (("columns", 6, "levels"), ["own", "own"]),
        (("columns", 6, "levels"), ["own"]),
        (("goal", "target"), "good"),
        (("goal", "target"), [1]),
        (("goal", "classes"), None),
        (("goal", "threshold"), "0.5"),
        (("goal", "threshold"), "NaN"),
        (("goal",), 3),
        (("why_not",), {"reason": "no route"}),
        (("why_not",), "none"),
        (("survey", "stopped"), "later"),
        (("survey", "n_states"), "many"),
        (("survey",), {"n_states": 3}),
        (("schema",), "facelift/multiverse/2"),
        (("schema",), None),
    ],
    ids=str,
)
def test_a_document_that_contradicts_itself_is_refused(place, wrong):
    content = copy.deepcopy(DOCUMENTS[0])
    holder(content, place)[place[-1]] = wrong
    with pytest.raises(InvalidInput, match=r"damaged|schema"):
        fl.Multiverse.from_json(json.dumps(content))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "null",
        "[]",
        "3",
        '"x"',
        "{}",
        "[" * 100_000,
        '{"schema": []}',
        b"\xff",
        "NaN",
        None,
    ],
)
def test_what_is_no_document_is_refused(text):
    with pytest.raises(InvalidInput, match="Not a"):
        fl.Multiverse.from_json(text)
