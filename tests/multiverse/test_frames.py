import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import facelift as fl
from facelift.multiverse.frames import changes
from facelift.multiverse.goal import Goal
from facelift.multiverse.journey import Journey
from facelift.toys import fork, loan

COLUMNS = ["journey", "step", "feature", "from", "to", "probability", "cost", "open"]
COLUMNS += ["closes", "dips"]


def journey_through(rows, chances=None):
    """A journey through the rows of a table, to the first of two destinations."""
    k = len(rows)
    remaining = np.column_stack([np.arange(k)[::-1], np.full(k, np.inf)]).astype(float)
    return Journey(
        np.arange(k),
        np.zeros((k, 1)),
        np.ones(k - 1),
        remaining,
        0,
        probabilities=None if chances is None else np.column_stack([1 - chances, chances]),
        goal=Goal(("yes",), 0.5, ("no", "yes")),
        decode=lambda _: rows,
    )


def test_there_is_a_row_per_step_and_coordinate_that_changes():
    frame = loan().multiverse().to_frame()
    assert frame.columns.tolist() == COLUMNS
    expected = [
        (0, 1, "x1", 0, 3, 3, 0, (1, 2)),
        (1, 1, "x0", 0, 4, 8, 1, (0,)),
        (1, 2, "x0", 4, 7, 6, 0, (2,)),
        (1, 2, "x1", 0, 3, 6, 0, (2,)),
        (2, 1, "x0", 0, 4, 8, 1, (0,)),
        (2, 2, "x0", 4, 6, 6, 1, ()),
        (2, 3, "x0", 6, 8, 1, 0, (1,)),
        (2, 4, "x0", 8, 9, 1, 0, ()),
    ]
    without_chance = frame.drop(columns=["probability", "dips"])
    assert list(without_chance.itertuples(index=False, name=None)) == expected
    assert frame["probability"].isna().all()


def test_the_number_open_is_that_of_the_alternatives_kept_open_so_far():
    multiverse = fork().multiverse()
    frame = multiverse.to_frame()
    for number, journey in enumerate(multiverse):
        own = frame[frame["journey"] == number].groupby("step")["open"].first()
        n_alternatives = len(multiverse) - 1
        assert own.to_numpy() / n_alternatives == pytest.approx(journey.open_share[1:])


def test_rows_of_the_table_are_compared_column_by_column():
    rows = pd.DataFrame(
        {
            "age": [20, 21, 21],
            "housing": pd.Categorical(["rent", "rent", "own"], categories=["own", "rent"]),
            "open to all": [True, False, True],
        }
    )
    frame = journey_through(rows, chances=np.array([0.2, 0.4, 0.9])).to_frame()
    assert frame.columns.tolist() == COLUMNS[1:]
    assert list(frame.itertuples(index=False, name=None)) == [
        (1, "age", 20, 21, 0.4, 1.0, 0, (), False),
        (1, "open to all", True, False, 0.4, 1.0, 0, (), False),
        (2, "housing", "rent", "own", 0.9, 1.0, 0, (), False),
        (2, "open to all", False, True, 0.9, 1.0, 0, (), False),
    ]


def test_steps_to_a_lower_chance_than_now_are_marked():
    rows = pd.DataFrame({"a": [0, 1, 2, 3]})
    journey = journey_through(rows, chances=np.array([0.3, 0.2, 0.3, 0.9]))
    assert journey.to_frame()["dips"].tolist() == [True, False, False]
    assert journey.dips


def test_whole_numbers_stay_whole_beside_fractions():
    rows = pd.DataFrame({"amount": [1234567, 1234568], "rate": [0.5, 0.25]})
    ((amount, rate),) = changes(journey_through(rows))
    assert amount == ("amount", 1234567, 1234568)
    assert all(isinstance(value, int) for value in amount[1:])
    assert rate == ("rate", 0.5, 0.25)


def test_columns_may_have_numbers_for_names():
    rows = pd.DataFrame([[1.0, 2.0], [1.0, 3.0]])
    assert changes(journey_through(rows)) == [[("1", 2.0, 3.0)]]


def test_an_empty_multiverse_gives_an_empty_frame_with_the_same_columns():
    frame = fl.explore(loan().graph, 5, [0]).to_frame()
    assert frame.columns.tolist() == COLUMNS
    assert len(frame) == 0


def test_a_step_that_changes_nothing_has_no_row():
    points = np.array([[0.0], [0.0], [1.0]])
    costs = sparse.csr_array(([1.0, 1.0], ([0, 1], [1, 2])), shape=(3, 3))
    frame = fl.explore(fl.Graph(points, costs), 0, [1, 2]).to_frame()
    assert frame[["journey", "step", "feature"]].to_numpy().tolist() == [[1, 2, "x0"]]


def test_a_journey_in_a_notebook_shows_its_changes():
    html = loan().multiverse()[1]._repr_html_()
    assert "X0: 4 → 7, X1: 0 → 3" in html
    assert "2 steps, cost 14" in html


def test_all_journeys_are_decoded_at_once_and_as_each_alone():
    calls = []

    def decode(points):
        calls.append(len(points))
        return pd.DataFrame(
            {"age": points[:, 0], "home": np.where(points[:, 1] > 1, "own", "rent")}
        )

    multiverse = loan().multiverse().in_rows(decode, {})
    together = multiverse.to_frame()
    assert len(calls) == 1
    for number, journey in enumerate(multiverse):
        own = together[together["journey"] == number].drop(columns="journey")
        alone = journey.to_frame()
        pd.testing.assert_frame_equal(own.reset_index(drop=True), alone, check_dtype=False)


def test_a_table_made_of_cells_is_the_one_made_of_frames():
    X = pd.DataFrame(
        {
            "age": np.arange(12) % 5 + 20,
            "savings": [1.5, np.nan, *np.arange(10) / 4],
            "housing": ["own", "rent", "free"] * 4,
            "since": pd.to_datetime(["2020-01-01", "2021-06-01"]).repeat(6),
        }
    )

    def model(rows):
        chance = (rows["age"].to_numpy() - 20) / 4
        return np.column_stack([1 - chance, chance])

    explainer = fl.FACElift(model, n_neighbors=3).fit(X)
    multiverse = explainer.explain(X.iloc[1])
    terrain = explainer.terrain_
    slowly = multiverse.in_rows(terrain.to_pandas, terrain.by_name)
    assert len(multiverse) > 1
    pd.testing.assert_frame_equal(multiverse.to_frame(), slowly.to_frame())
    assert [[type(v) for v in row] for row in multiverse.to_frame().to_numpy()] == [
        [type(v) for v in row] for row in slowly.to_frame().to_numpy()
    ]
