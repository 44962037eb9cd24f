"""Plots: whatever they are given, they draw it on the axes they are given, and nothing else."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from io import BytesIO

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt

from facelift import FACElift, Multiverse, Terrain, audit, toys
from facelift.drawing.parts import COLOURS, QUIET
from facelift.errors import InvalidInput, MissingExtra
from facelift.multiverse.words import PIPS, steps_in_words
from facelift.views import plot, table

LOAN = toys.loan()
AUDIT = pd.DataFrame(
    {
        "group": ["women", "men", "abroad"],
        "n": [109, 148, 11],
        "coverage": [0.97, 0.9, 0.8],
        "coverage_low": [0.93, 0.85, 0.5],
        "coverage_high": [0.99, 0.95, 0.95],
        "cost": [2.0, 3.0, 4.0],
        "cost_low": [1.5, 2.9, 3.0],
        "cost_high": [2.5, 3.1, 5.0],
    }
)


def of_multiverse(name):
    return lambda multiverse, ax=None: getattr(plot, name)(multiverse, ax=ax)


def of_journey(name, *more):
    return lambda multiverse, ax=None: getattr(plot, name)(multiverse[0], *more, ax=ax)


WHOLE = {name: of_multiverse(name) for name in ("journeys", "opportunity", "stays_open")}
WHOLE |= {name: of_multiverse(name) for name in ("trade_off", "world")}
ALL = WHOLE | {"steps": of_journey("steps"), "pictures": of_journey("pictures", (1, 2))}
ALL |= {"fairness": lambda _, ax=None: plot.fairness(AUDIT, ax=ax)}


def multiverse_of(n_ways: int) -> Multiverse:
    return toys.GraphWorld(LOAN.graph, 0, LOAN.destinations[:n_ways]).multiverse()


EMPTY = toys.GraphWorld(LOAN.graph, 1, (2,)).multiverse()


@pytest.fixture(scope="module")
def plane():
    """A world of two numbers, a model, and journeys through its records."""
    points = toys.figure_world(200).points

    def model(rows):
        chance = 1 / (1 + np.exp(-18 * (rows.sum(axis=1) - 1.25)))
        return np.column_stack([1 - chance, chance])

    explainer = FACElift(model, n_neighbors=8, n_counterfactuals=3, min_separation=0.1).fit(points)
    return explainer.explain(np.array([0.2, 0.25]), target=1)


@pytest.fixture(scope="module")
def granted(lending, people):
    terrain = Terrain.infer(people).freeze("town").increase_only("savings")
    explainer = FACElift(lending.model, terrain, steps="actions", n_counterfactuals=4).fit(people)
    return explainer.explain(people.iloc[[int(np.argsort(lending.chances())[20])]], "granted")


def words(ax) -> list[str]:
    return [text.get_text() for text in ax.texts]


def svg(ax) -> bytes:
    with mpl.rc_context({"svg.hashsalt": "facelift"}):
        stream = BytesIO()
        ax.get_figure().savefig(stream, format="svg", metadata={"Date": None})
    return stream.getvalue()


def test_all_plots_are_tried_here():
    assert set(ALL) == set(plot.__all__)


@pytest.mark.parametrize("name", ALL)
def test_it_draws_on_the_axes_it_is_given_and_on_no_other(name):
    figure, (mine, other) = plt.subplots(1, 2)
    assert ALL[name](multiverse_of(3), ax=mine) is mine
    assert mine.get_children() != other.get_children()
    assert not other.has_data()
    assert plt.get_fignums() == [figure.number]


@pytest.mark.parametrize("name", ALL)
def test_without_axes_it_makes_its_own(name):
    assert plt.get_fignums() == []
    assert ALL[name](multiverse_of(3)).get_figure().number in plt.get_fignums()


@pytest.mark.parametrize("name", ALL)
def test_it_neither_shows_nor_saves(name, monkeypatch):
    def fail(*_, **__):
        raise AssertionError("a plot was shown or saved")

    for place, what in ((plt, "show"), (plt, "savefig"), (mpl.figure.Figure, "savefig")):
        monkeypatch.setattr(place, what, fail)
    monkeypatch.setattr(mpl.figure.Figure, "show", fail)
    ALL[name](multiverse_of(3))


@pytest.mark.parametrize("name", ALL)
def test_equal_values_give_equal_drawings(name):
    first = svg(ALL[name](multiverse_of(3)))
    assert first == svg(ALL[name](multiverse_of(3)))
    assert len(first) > 2000


@pytest.mark.parametrize("name", WHOLE)
def test_where_there_is_no_way_it_says_why(name):
    ax = WHOLE[name](EMPTY)
    told = " ".join(words(ax)).replace("\n", " ")
    assert str(EMPTY.why_not) in told
    assert svg(ax)


@pytest.mark.parametrize("name", ALL)
def test_one_journey_is_enough(name):
    assert svg(ALL[name](multiverse_of(1)))


@pytest.mark.parametrize("name", ["opportunity", "stays_open", "trade_off"])
def test_one_way_alone_is_not_compared_with_anything(name):
    ax = WHOLE[name](multiverse_of(1))
    assert "Only one way" in words(ax)[0]
    assert not ax.has_data()


@pytest.mark.parametrize("name", ["journeys", "opportunity", "stays_open", "trade_off", "steps"])
def test_a_multiverse_read_from_json_is_drawn_alike(name, granted):
    again = Multiverse.from_json(granted.to_json())
    assert svg(ALL[name](again)) == svg(ALL[name](granted))


def test_the_map_has_a_line_for_every_way_in_its_colour(granted):
    ax = plot.journeys(granted)
    colours = {mpl.colors.to_hex(patch.get_edgecolor()) for patch in ax.patches}
    assert set(COLOURS[: len(granted)]) <= colours
    assert {"A", "B", "C", "D", "you"} <= set(words(ax))
    notes = [text for text in words(ax) if text.startswith("effort ")]
    costs = sorted(float(note.split()[1]) for note in notes if note[7].isdigit())
    assert costs == sorted(granted.costs.round(2))


def test_the_map_ends_where_effort_says():
    ax = plot.journeys(multiverse_of(3))
    ends = {
        text.get_text(): text.get_position()[0] for text in ax.texts if len(text.get_text()) == 1
    }
    start = 30.0
    share = (ends["A"] - start) / (ends["C"] - start)
    assert share == pytest.approx(3 / 16, abs=0.001)


def test_the_heat_map_shows_the_matrix_without_its_diagonal(granted):
    drawn = plot.opportunity(granted).images[0].get_array().filled(np.nan)
    off = ~np.eye(len(granted), dtype=bool)
    np.testing.assert_array_equal(drawn[off], granted.opportunity[off])
    assert np.isnan(np.diag(drawn)).all()


def test_the_curves_are_those_of_agency(granted):
    lines = {line.get_label(): line for line in plot.stays_open(granted).lines}
    for name, journey in zip("ABCD", granted, strict=True):
        x, y = lines[name].get_data()
        np.testing.assert_allclose(x[1:], np.cumsum(journey.step_costs) / journey.cost)
        np.testing.assert_array_equal(y, journey.open_share)
        assert lines[name].get_drawstyle() == "steps-pre"


def test_points_of_no_return_are_crossed():
    lines = plot.stays_open(multiverse_of(3)).lines
    crosses = [x for line in lines if line.get_marker() == "x" for x in line.get_xdata().tolist()]
    found = table.stays_open(multiverse_of(3))
    lost = found[found.groupby("way")["in_reach"].diff() < 0]
    assert crosses == lost["travelled"].tolist()
    assert len(lost) == 5


def test_the_trade_off_is_drawn_where_it_is(granted):
    ax = plot.trade_off(granted)
    places = [tuple(dots.get_offsets()[0]) for dots in ax.collections]
    assert places == list(zip(granted.costs, granted.scores, strict=True))
    assert [line.get_label() for line in ax.lines] == ["front"]
    told = table.trade_off(granted)
    assert len(ax.lines[0].get_xdata()) == told["front"].sum()


def test_steps_show_every_change_once(granted):
    journey = granted[0]
    changed = journey.to_frame()
    shown = words(plot.steps(journey))
    bold = [t.get_text() for t in plot.steps(journey).texts if t.get_fontweight() == "bold"]
    values = [each for each in bold if each not in PIPS.values() and len(each) > 1]
    assert len(values) + sum(len(each) == 1 and each.isdigit() for each in bold) == len(changed)
    pips = "".join(step.pips for step in steps_in_words(journey))
    assert shown.count(PIPS["nearer"]) == pips.count(PIPS["nearer"])


def test_many_changes_are_counted():
    points = np.vstack([np.zeros(30), np.ones(30)])
    model = lambda rows: np.column_stack([1 - rows[:, 0], rows[:, 0]])  # noqa: E731
    multiverse = FACElift(model, n_neighbors=1, n_counterfactuals=1).fit(points).explain(points[0])
    assert "… and 10 more" in words(plot.steps(multiverse[0]))


def test_a_world_has_the_journeys_the_records_and_the_line_that_decides(plane):
    ax = plot.world(plane, n_points=20)
    found = table.world(plane)
    assert len(table.surface(plane, 20)) == 400
    for name in "ABC":
        way = found[found["way"] == name][["x0", "x1"]].to_numpy()
        assert any(np.array_equal(np.array(line.get_data()).T, way) for line in ax.lines)
    records = plane.question.explainer.graph_.points
    assert any(len(dots.get_offsets()) == len(records) for dots in ax.collections)
    assert {"A", "B", "C", "you"} <= set(words(ax))


def test_the_surface_is_what_the_model_says(plane):
    ground = table.surface(plane, 12)
    said = plane.question.explainer.model(ground.iloc[:, :2].to_numpy())[:, 1]
    np.testing.assert_allclose(ground["chance"], said, atol=1e-9)


def test_a_range_of_numbers_is_drawn_with_its_ends(plane):
    points = plane.question.explainer.graph_.points
    explainer = FACElift(lambda rows: 100 * rows.sum(axis=1), n_neighbors=8, n_counterfactuals=2)
    found = explainer.fit(points).explain(np.array([0.2, 0.25]), target=(130, 160))
    assert list(table.surface(found, 9).columns) == ["x0", "x1", "predicted"]
    for name in ("journeys", "world", "stays_open", "trade_off", "opportunity"):
        assert svg(getattr(plot, name)(found))
    lines = [each for each in plot.world(found).collections if hasattr(each, "levels")]
    assert [130, 160] in [list(each.levels) for each in lines]
    assert "predicted" in words(plot.steps(found[0]))
    assert found[0].outlook(-1) in words(plot.steps(found[0]))


def test_a_world_needs_two_numbers(granted):
    with pytest.raises(InvalidInput, match=r"two numeric columns, this table has 6"):
        plot.world(granted)


def test_a_world_without_a_way_still_shows_its_ground(plane):
    explainer = plane.question.explainer
    names = [feature.name for feature in explainer.terrain_.features]
    nowhere = explainer.under(explainer.terrain_.freeze(*names))
    empty = nowhere.explain(np.array([0.2, 0.25]), target=1)
    assert len(empty) == 0
    ax = plot.world(empty, n_points=10)
    assert str(empty.why_not) in ax.get_title(loc="left")
    assert ax.collections


def test_pictures_show_waypoints_and_what_changed():
    journey = multiverse_of(3)[2]
    images = plot.pictures(journey, (1, 2)).images
    inks = table.pictures(journey, (1, 2))
    shown = [image.get_array() for image in images if image.get_array().ndim == 2]
    np.testing.assert_array_equal(np.array(shown), inks)
    changes = [image.get_array() for image in images if image.get_array().ndim == 3]
    assert len(changes) == journey.n_steps


def test_pictures_of_another_shape_are_an_error():
    with pytest.raises(InvalidInput, match="9 pixels, the table has 2 columns"):
        plot.pictures(multiverse_of(3)[0], (3, 3))


def test_stations_of_a_picture_map_are_pictures():
    multiverse = multiverse_of(3)
    ax = plot.journeys(multiverse, picture=(1, 2))
    routes = [journey.vertices.tolist() for journey in multiverse]
    places = {tuple(route[: i + 1]) for route in routes for i in range(len(route))}
    assert len(ax.images) == len(places)


def test_groups_are_drawn_with_their_intervals():
    ax = plot.fairness(AUDIT, "coverage")
    bars = [line.get_xdata().tolist() for line in ax.lines if len(line.get_xdata()) == 2]
    assert bars == AUDIT[["coverage_low", "coverage_high"]].to_numpy().tolist()
    dots = [line for line in ax.lines if len(line.get_xdata()) == 1]
    assert [dot.get_xdata()[0] for dot in dots] == AUDIT["coverage"].tolist()
    assert [dot.get_color() for dot in dots] == [COLOURS[0], COLOURS[0], QUIET]
    assert ax.get_yticklabels()[0].get_text() == "women\nn = 109"


@pytest.mark.parametrize(
    ("measure", "rows", "verdict"),
    [
        ("coverage", [0, 1], "intervals overlap, not conclusive"),
        ("cost", [0, 1], "some intervals do not overlap"),
        ("cost", [0, 2], "too few people to compare"),
    ],
)
def test_groups_say_what_can_be_concluded(measure, rows, verdict):
    ax = plot.fairness(AUDIT.iloc[rows], measure)
    assert ax.get_title(loc="left").endswith(verdict)


def test_an_audit_can_be_given_as_it_comes(lending, people):
    found = audit(lending.explainer, people, by=["housing", "town"], target="granted")
    ax = plot.fairness(found, "coverage")
    bars = [line.get_xdata().tolist() for line in ax.lines if len(line.get_xdata()) == 2]
    assert bars == found[["coverage_low", "coverage_high"]].to_numpy(dtype=float).tolist()
    names = [label.get_text() for label in ax.get_yticklabels()]
    assert names[0] == f"{', '.join(found.index[0])}\nn = {found['rejected'].iloc[0]}"
    assert svg(plot.fairness(found, "coverage_matched"))


def test_groups_can_be_the_index_and_undefined():
    audit = AUDIT.set_index("group").assign(cost=np.nan, cost_low=np.nan, cost_high=np.nan)
    ax = plot.fairness(audit, "cost")
    assert ax.get_title(loc="left").endswith("too few people to compare")
    assert svg(ax)


def test_a_measure_that_is_not_there_is_one_clear_line():
    with pytest.raises(InvalidInput, match=r"no column 'luck'; .* \['coverage', 'cost'\]"):
        plot.fairness(AUDIT, "luck")


def test_an_empty_audit_says_so():
    assert "empty" in words(plot.fairness(AUDIT.iloc[:0]))[0]


def test_ways_past_the_seventh_are_quiet(lending, people):
    explainer = FACElift(lending.model, n_neighbors=16, n_counterfactuals=12).fit(people)
    many = explainer.explain(people.iloc[[int(np.argsort(lending.chances())[5])]], "granted")
    lines = {line.get_label(): line.get_color() for line in plot.stays_open(many).lines}
    assert len(lines) == 12
    assert 1 < len(set(lines.values()) - {QUIET}) <= 7
    assert svg(plot.journeys(many))


@pytest.mark.parametrize("name", ["opportunity", "stays_open", "trade_off", "world", "surface"])
def test_tables_of_nothing_are_empty_frames(name):
    assert getattr(table, name)(EMPTY).empty


def test_a_free_journey_goes_by_its_steps():
    whole = multiverse_of(3)
    free = replace(whole[2], step_costs=np.zeros(4))
    told = table.stays_open(replace(whole, journeys=(*whole[:2], free)))
    assert told["travelled"].tolist()[-5:] == [0, 0.25, 0.5, 0.75, 1]


def test_without_matplotlib_one_line_says_how_to_get_it():
    code = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "import facelift as fl\n"
        "try:\n    fl.views.plot\nexcept fl.errors.MissingExtra as fault:\n    print(fault)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == 'Plotting needs matplotlib; pip install "facelift-multiverse[plot]".\n'
    assert issubclass(MissingExtra, ImportError)


def test_views_do_not_load_matplotlib_before_it_is_asked_for():
    code = (
        "import sys, facelift as fl; fl.views.text; fl.views.table; "
        "print('matplotlib' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
