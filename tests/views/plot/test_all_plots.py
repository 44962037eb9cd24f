"""Laws of every plot: it draws where it is told to, shows and saves nothing, the same each time."""

from __future__ import annotations

import subprocess
import sys

import matplotlib as mpl
import pytest
from matplotlib import pyplot as plt
from tests.views.plot.drawn import AUDIT, LOAN, multiverse_of, svg, words
from tests.views.plot.test_maps import field_of

from facelift import FACElift, Multiverse, pockets, toys
from facelift.errors import MissingExtra
from facelift.views import plot, table


def of_multiverse(name):
    return lambda multiverse, ax=None: getattr(plot, name)(multiverse, ax=ax)


def of_journey(name, *more):
    return lambda multiverse, ax=None: getattr(plot, name)(multiverse[0], *more, ax=ax)


def line_pockets():
    line, model = toys.line()
    return pockets(FACElift(model, n_neighbors=2).fit(line).explain_many(line[:3], target=1))


WHOLE = {
    name: of_multiverse(name)
    for name in ("criteria", "journeys", "opportunity", "stays_open", "trade_off", "world")
}
ALL = WHOLE | {
    "steps": of_journey("steps"),
    "pictures": of_journey("pictures", (1, 2)),
    "fairness": lambda _, ax=None: plot.fairness(AUDIT, ax=ax),
    "pockets": lambda _, ax=None: plot.pockets(line_pockets(), ax=ax),
    "flow": lambda ways, ax=None: plot.flow(*field_of(len(ways)), ax=ax),
}
EMPTY = toys.GraphWorld(LOAN.graph, 1, (2,)).multiverse()


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


@pytest.mark.parametrize("name", ["opportunity", "stays_open", "trade_off", "world", "surface"])
def test_tables_of_nothing_are_empty_frames(name):
    assert getattr(table, name)(EMPTY).empty


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
