"""The figures: what they show is what the paper says, and they are written as they should."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree as ET

import numpy as np
import pandas as pd
import pytest
from scipy.sparse.csgraph import dijkstra

from facelift import datasets, geometry
from facelift.errors import InvalidData, InvalidInput
from facelift.paper import figures
from facelift.paper.figures import charts, examples, plane
from facelift.paper.studies import Extent
from facelift.terrain import Terrain

PICTURES = Path(__file__).parents[2] / "docs" / "pictures"
SVG = "{http://www.w3.org/2000/svg}"
SMALL = tuple(name for name in figures.CAPTIONS if name not in ("digits", "ablation-curves"))


@pytest.fixture(scope="module")
def traits():
    return plane.traits(plane.plane())


@pytest.fixture(scope="module")
def found():
    """Strips of small digits, of a model that knows them all."""
    images, labels = datasets.load_digits(return_X_y=True)
    images, labels = np.asarray(images), np.asarray(labels)
    known = {image.tobytes(): label for image, label in zip(images, labels, strict=True)}

    class Certain:
        classes_ = np.arange(10)

        def predict_proba(self, rows):
            return np.eye(10)[[known[row.tobytes()] for row in np.asarray(rows)]]

    terrain = datasets.pixel_rules(Terrain.infer(images))
    explainer = examples.digit_explainer(images, terrain, Certain()).set_params(min_separation=1.0)
    factual = next(image for image, label in zip(images, labels, strict=True) if label == 1)
    return explainer, examples.strips(explainer, factual, 1, 9)


class TestTheFirstFigure:
    """The paper's words about journeys A to H, each as a measurement."""

    def test_a_is_short_and_sure_but_has_no_data_on_its_way(self, traits):
        assert (traits.loc[["C", "D", "F", "G", "H"], "length"] > traits.loc["A", "length"]).all()
        assert traits.loc["A", "chance"] > 0.95
        followed = traits.loc[["C", "D", "F", "G", "H"], "emptiest"]
        assert traits.loc["A", "emptiest"] > 5 * followed.max()

    def test_b_is_the_shortest_and_ends_beside_the_border(self, traits):
        assert traits["length"].idxmin() == "B"
        assert traits["chance"].idxmin() == "B"
        assert 0.5 < traits.loc["B", "chance"] < 0.7

    def test_c_lands_where_the_model_is_unstable(self, traits):
        assert traits.loc["C", "chance"] > 0.9
        assert traits.loc["C", "unstable"] > 0.1
        assert (traits.loc[["D", "F", "G", "H"], "unstable"] == 0).all()

    def test_g_and_h_end_where_it_is_often_wrong(self, traits):
        assert (traits.loc[["G", "H"], "errors"] >= 0.5).all()
        assert (traits.loc[["A", "B", "C", "D", "F"], "errors"] == 0).all()

    def test_d_and_f_are_the_most_distant_and_have_no_other_fault(self, traits):
        assert set(traits["length"].nlargest(2).index) == {"D", "F"}
        faultless = traits.loc[["D", "F"]]
        assert (faultless["chance"] > 0.95).all()
        assert (faultless[["unstable", "errors"]] == 0).all(axis=None)

    def test_d_f_and_g_share_a_beginning_that_ends_short_of_the_border(self):
        plane_ = plane.plane()
        first, second = (plane_.trunk(letters) for letters in plane.SHARED.values())
        assert 10 < len(first) < len(second)
        assert plane.chance(first[-1]) < 0.5
        assert geometry.length(first) > geometry.length(plane_.journeys["B"])

    def test_journeys_that_follow_records_start_at_the_factual_and_pass_records_only(self):
        plane_ = plane.plane()
        known = {tuple(point) for point in plane_.points}
        for letter in plane.THROUGH_RECORDS:
            assert all(tuple(place) in known for place in plane_.journeys[letter])
        for waypoints in plane_.journeys.values():
            np.testing.assert_array_equal(waypoints[0], plane_.factual)


def test_more_sections_stray_less_and_keep_more_of_the_length():
    facts = plane.normalisation(plane.plane())
    for _, journey in facts.groupby("journey"):
        assert journey["o"].tolist() == [5, 10, 25]
        assert journey["strays"].is_monotonic_decreasing
        assert journey["kept"].is_monotonic_increasing
        assert (journey["kept"] <= 1).all()


def test_a_larger_threshold_parts_later_or_never():
    parts = plane.divergences(plane.plane())
    assert list(parts) == [0.1, 0.25, 0.5]
    assert parts[0.1] < parts[0.25]
    assert parts[0.5] is None


def test_the_vectors_table_is_the_papers_to_the_nearest_twentieth():
    worked = examples.vectors()
    np.testing.assert_allclose(worked.potentials, worked.paper, atol=0.025)
    np.testing.assert_allclose(worked.means, [0.75, 0.92, 0.62], atol=0.0151)
    assert worked.means.argmax() == 1


def test_the_loan_table_is_the_papers():
    worked = examples.loan()
    np.testing.assert_allclose(worked.potentials, worked.paper, atol=1e-12)
    np.testing.assert_allclose(worked.means, [0.33, 0.52, 0.63], atol=0.0051)


def test_strips_show_journeys_from_the_factual_to_nines(found):
    explainer, strips = found
    assert len(strips) == examples.N_STRIPS
    assert [strip.cost for strip in strips] == sorted(strip.cost for strip in strips)
    for strip in strips:
        np.testing.assert_array_equal(strip.images[0], strips[0].images[0])
        ends = explainer.model.predict_proba(strip.images[-1].reshape(1, -1))
        assert ends.argmax() == 9


def test_a_strips_branching_is_that_of_its_waypoints(found):
    for strip in found[1]:
        assert strip.branching[0] == 0
        assert len(strip.images) == len(strip.branching) == len(strip.turns)
        np.testing.assert_allclose(strip.branching[1:-1].mean(), strip.branching_factor)
        assert not set(strip.turn_digits) & {1, 9, -1}


def test_the_turn_shown_is_the_nearest_image_of_another_digit(found):
    explainer, strips = found
    said = explainer.probabilities_.argmax(axis=1)
    start = int(explainer.vertices_[np.flatnonzero(said == 1)[0]])
    costs = dijkstra(explainer.graph_.costs, indices=start)
    nearest = np.argmin(np.where(np.isin(said, (1, 9)), np.inf, costs))
    np.testing.assert_array_equal(strips[0].turns[0].ravel(), explainer.graph_.points[nearest])


def test_an_image_is_worth_showing_if_its_best_journey_is_not_the_nearest():
    def strip(branching):
        empty = np.empty((0, 0))
        return examples.Strip(empty, empty, empty, empty, 1.0, branching, 0.5)

    assert examples.worth_showing([strip(each) for each in (0.1, 0.2, 0.0, 0.1)])
    assert not examples.worth_showing([strip(each) for each in (0.3, 0.2, 0.0, 0.1)])
    assert not examples.worth_showing([strip(each) for each in (0.1, 0.2, np.nan, 0.1)])
    assert not examples.worth_showing([strip(each) for each in (0.1, 0.2)])


def ablation_results():
    """Results in the form of `facelift reproduce ablation`."""
    lines = [
        {
            "column": name,
            "c": c,
            "told": told,
            "factuals": 20,
            "success": 0.8,
            "compared": 4,
            "opportunity": c / 100 + told / 10,
            "opportunity_sd": 0.2,
            "distance": 1.0 + c,
            "distance_sd": 2.0,
        }
        for name in ("german_credit", "adult")
        for c in (1, 5, 10)
        for told in (False, True)
    ]
    return pd.DataFrame(lines)


def test_curves_have_the_margins_of_their_means():
    found = charts.curves(ablation_results()).loc["adult", True]
    np.testing.assert_allclose(found["opportunity"], [0.11, 0.15, 0.2])
    np.testing.assert_allclose(found["opportunity_margin"], 1.96 * 0.2 / 2)
    np.testing.assert_allclose(found["distance"], [2, 6, 11])
    np.testing.assert_allclose(found["distance_margin"], 1.96 * 2 / 4)


def test_the_ablation_is_drawn_from_results_that_are_there(tmp_path):
    without = figures.draw_all("figures", tmp_path, only=["ablation-curves"])
    assert without.files == ()
    assert "not drawn" in without.text
    ablation_results().to_csv(tmp_path / charts.RESULTS, index=False)
    (path,) = figures.draw_all("figures", tmp_path, only=["ablation-curves"]).files
    assert {"German Credit", "Adult Income", "opportunity", "distance"} <= set(words(path))


def test_results_of_something_else_are_refused(tmp_path):
    ablation_results().drop(columns="c").to_csv(tmp_path / charts.RESULTS, index=False)
    with pytest.raises(InvalidInput, match="no column c"):
        figures.draw_all("figures", tmp_path, only=["ablation-curves"])


def test_figures_are_valid_svg_with_words_and_the_same_each_time(tmp_path, found):
    first = figures.draw_all("figures", tmp_path / "first", only=SMALL).files
    again = figures.draw_all("figures", tmp_path / "again", only=SMALL).files
    drawn = [charts.write_svg(examples.draw_strips(found[1]), tmp_path / f"{n}.svg") for n in "ab"]
    for one, other in [*zip(first, again, strict=True), drawn]:
        content = one.read_bytes()
        assert content == other.read_bytes()
        assert len(content) < 300_000
        assert ET.fromstring(content).tag == SVG + "svg"  # noqa: S314  (our own file)
        assert any(words(one))


@pytest.mark.parametrize("name", SMALL)
def test_the_pictures_in_the_docs_say_what_the_figures_say(name, tmp_path):
    (drawn,) = figures.draw_all("figures", tmp_path, only=[name]).files
    shown = PICTURES / drawn.name
    assert words(shown) == words(drawn), "facelift reproduce figures --out docs/pictures"


def words(path):
    root = ET.fromstring(path.read_bytes())  # noqa: S314  (our own file)
    return [element.text for element in root.iter(SVG + "text")]


def test_what_is_drawn_is_told(tmp_path):
    finding = figures.draw_all("figures", tmp_path, only=["opportunity-graph"])
    assert finding.document == {
        "figures": {"opportunity-graph": str(tmp_path / "opportunity-graph.svg")}
    }
    assert "loan" in finding.text


def test_an_unknown_figure_is_refused(tmp_path):
    with pytest.raises(InvalidInput, match="multiverse"):
        figures.draw_all("figures", tmp_path, only=["multivers"])


def test_without_matplotlib_the_extra_is_named():
    code = "import sys; sys.modules['matplotlib'] = None; import facelift.paper.figures"
    failed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert failed.returncode == 1
    assert 'A figure needs matplotlib; pip install "facelift-multiverse[plot]"' in failed.stderr


def test_the_strips_of_the_paper_are_found_and_drawn(found, tmp_path, monkeypatch):
    """On small digits instead of MNIST, whose network and graph take half a minute."""
    explainer, _ = found
    images, labels = datasets.load_digits(return_X_y=True)
    asked = {}

    def small(name, **options):
        asked.update(options, name=name)
        terrain = datasets.pixel_rules(Terrain.infer(np.asarray(images)))
        return SimpleNamespace(
            rows=np.asarray(images),
            labels=np.asarray(labels),
            terrain=terrain,
            model=explainer.model,
        )

    monkeypatch.setattr(examples, "study", small)
    monkeypatch.setattr(examples, "APART", 1.0)
    (path,) = figures.draw_all(
        "figures", tmp_path, Extent(seed=2, data_home=tmp_path), only=["digits"]
    ).files
    assert asked == {"name": "mnist", "seed": 2, "data_home": tmp_path}
    assert "Way 4" in words(path)
    monkeypatch.setattr(examples, "worth_showing", lambda _: False)
    monkeypatch.setattr(examples, "N_LOOKED_AT", 2)
    with pytest.raises(InvalidData, match="None of 2 ones"):
        figures.draw_all("figures", tmp_path, only=["digits"])
