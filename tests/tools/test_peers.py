"""The comparison with other packages: its processes, its judge and its page."""

import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from tools.benchmarks.actions.worlds import MODELS, Table, World
from tools.benchmarks.peers import methods, verdicts
from tools.benchmarks.peers.asking import Asked, Coding, permitted
from tools.benchmarks.peers.child import OutOfTime, at_most
from tools.benchmarks.peers.environments import Environment, Package
from tools.benchmarks.peers.names import OURS
from tools.benchmarks.peers.report import Comparison
from tools.benchmarks.peers.running import answer, same
from tools.benchmarks.peers.verdicts import Strangeness, verdict

import facelift as fl
from facelift import cli


def tree(seed):
    columns = make_column_transformer(
        (OneHotEncoder(sparse_output=False), ["home"]), remainder="passthrough"
    )
    return make_pipeline(columns, HistGradientBoostingClassifier(max_iter=20, random_state=seed))


@pytest.fixture(scope="module")
def world():
    """People who need a level of savings and, unless they own a home, some years in a job."""
    MODELS["tree"] = tree
    rng = np.random.default_rng(0)
    data = pd.DataFrame(
        {"savings": rng.integers(0, 10, 400), "years": rng.integers(0, 6, 400)}, dtype=float
    ).assign(age=rng.integers(20, 60, 400), home=pd.Categorical(rng.choice(["own", "rent"], 400)))
    steady = (data["years"] >= 3) | (data["home"] == "own")
    wanted = ((data["savings"] >= 6) & steady).to_numpy().astype(int)
    terrain = fl.Terrain.infer(data).increase_only("years").freeze("age")
    yield World(Table("People", data, wanted, terrain), "tree", 0)
    del MODELS["tree"]


def test_methods_are_told_what_may_change(world):
    here = world.person(world.people(1)[0])
    allowed = permitted(world.judge.of(here), Coding(world.table.data))
    assert set(allowed) == {"savings", "years", "home"}
    assert allowed["years"][0] == here["years"].item()
    assert allowed["savings"][0] < allowed["savings"][1]
    assert allowed["home"] == ["own", "rent"]


def test_coding_and_back_is_nothing():
    kind = pd.CategoricalDtype(["rent", "own"])
    data = pd.DataFrame(
        {"n": [1, 2], "x": [0.5, np.nan], "home": pd.Series(["own", "rent"], dtype=kind)}
    )
    coding = Coding(data)
    pd.testing.assert_frame_equal(coding.rows(coding.numbers(data)), data)


def forever():
    while True:
        pass


def test_a_method_is_stopped():
    with pytest.raises(OutOfTime), at_most(0.05):
        forever()


@pytest.mark.harness
@pytest.mark.parametrize("steps", ["actions", "rows"])
def test_our_ways_come_from_a_process_and_are_judged_step_by_step(world, steps):
    strange = Strangeness(world)
    with Asked(f"facelift {steps}", Path(sys.executable), world, 20.0) as asked:
        assert "fault" not in asked.begun
        for row in world.people(3):
            said, line = answer(asked, strange, row)
            assert line["found"]
            assert line["rules"]
            assert line["steps kept"]
            assert line["proof"] == "cheapest"
            assert same(said, answer(asked, strange, row)[0])


@pytest.mark.harness
def test_treecf_is_given_the_trees_the_rules_and_the_prices(world):
    pytest.importorskip("treecf")
    strange = Strangeness(world)
    with (
        Asked("treecf", Path(sys.executable), world, 20.0) as theirs,
        Asked(OURS, Path(sys.executable), world, 20.0) as ours,
    ):
        for row in world.people(4):
            _, line = answer(theirs, strange, row)
            assert line["rules"]
            assert line["proof"] == "optimal"
            assert line["effort"] <= answer(ours, strange, row)[1]["effort"] + 1e-9


def test_a_method_that_stumbles_says_why(world):
    with Asked("no such method", Path(sys.executable), world, 5.0) as asked:
        assert asked.begun["fault"].startswith("KeyError")
        said = asked.about(world.people(1)[0], None, 3)
    assert said["rows"] is None
    assert said["fault"].startswith("KeyError")


@pytest.mark.harness
def test_a_process_that_dies_is_an_answer_and_another_is_started(world, monkeypatch):
    row = world.people(1)[0]
    person = world.judge.of(world.person(row))
    with Asked(OURS, Path(sys.executable), world, 20.0) as asked:
        monkeypatch.setattr("tools.benchmarks.peers.asking.HANGS", 0)
        assert asked.about(row, person, 3)["fault"] == "the process ended"
        monkeypatch.undo()
        asked._process.wait()
        assert len(asked.about(row, person, 3)["rows"])


def test_an_end_is_judged_by_rules_and_by_an_order_of_its_changes(world):
    strange = Strangeness(world)
    declined = world.table.data.iloc[world.declined]
    here = declined[(declined["savings"] < 5) & (declined["home"] == "rent")].iloc[[0]]
    person = world.judge.of(here)
    kept = here.assign(savings=8.0, home=pd.Categorical(["own"], ["own", "rent"]))
    broke = kept.assign(age=here["age"] + 9)
    assert verdict(person, strange, kept, [])["rules"]
    assert verdict(person, strange, kept, [])["columns"] == 2
    assert verdict(person, strange, kept, [])["steps kept"]
    assert not verdict(person, strange, broke, [])["rules"]
    assert not verdict(person, strange, broke, [])["steps kept"]
    assert np.isfinite(verdict(person, strange, broke, [])["effort"])
    assert verdict(person, strange, pd.concat([broke, kept]), [])["rules"]
    assert not verdict(person, strange, here, [])["found"]


def test_what_is_far_from_all_records_is_not_plausible(world):
    person = world.judge.of(world.person(world.people(1)[0]))
    strange = Strangeness(world)
    records = np.asarray(world.explainer.terrain_.encode(world.table.data))
    assert strange.plausible(records, person).mean() > 0.9
    assert not strange.plausible(records[:5] + 7.0, person).all(axis=0).any()


def test_an_order_must_avoid_what_is_ruled_out(world):
    person = world.judge.of(world.person(world.people(1)[0]))
    strange = Strangeness(world)
    assert verdicts.ordered(person, strange, person.point) == (True, True)
    assert verdicts.ordered(person, strange, person.point + 9.0)[0] is False


def test_one_hot_and_back_is_nothing():
    columns = [
        methods.Column("a", None, True, 1.0, 1.0),
        methods.Column("b", ["x", "y", "z"], False, 1.0, 1.0),
    ]
    rows = np.array([[4.0, 2.0], [1.0, 0.0]])
    hot = methods.OneHot(columns)
    assert hot.of(rows).tolist() == [[4, 0, 0, 1], [1, 1, 0, 0]]
    assert hot.back(hot.of(rows)).tolist() == rows.tolist()


@pytest.mark.harness
def test_what_cannot_be_installed_leaves_a_receipt(tmp_path, monkeypatch):
    monkeypatch.setattr(fl.datasets, "cache_home", lambda: tmp_path)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    environment = Environment(Package("nonsuch", "facelift-nonsuch-package", "nonsuch"))
    receipt = environment.receipt(0.5)
    assert not receipt.usable
    assert "facelift-nonsuch-package" in receipt.fault
    monkeypatch.setattr(Environment, "_installed", lambda *_: pytest.fail("installed twice"))
    assert environment.receipt(0.5) == receipt


def some_lines():
    about = {"part": "answer", "table": "german", "found": True, "rules": True, "preparing": 2.0}
    about |= {"forest": True, "outlier": True, "steps kept": True, "steps plausible": True}
    ours = about | {"rival": OURS, "seconds": 0.1, "megabytes": 300, "proof": "cheapest"}
    theirs = about | {"rival": "NICE", "seconds": 0.05, "megabytes": 90, "proof": None}
    package = {"part": "package", "installed": True, "imported": True, "seconds": 9.0}
    package |= {"python": "3.11", "versions": {}}
    return [
        ours | {"person": 1, "effort": 1.0, "columns": 2, "same": True},
        ours | {"person": 2, "effort": 2.0, "columns": 2},
        theirs | {"person": 1, "effort": 0.5, "columns": 1, "same": False},
        theirs | {"person": 2, "effort": 9.0, "columns": 1, "rules": False},
        package | {"rival": "facelift", "wanted": ".", "megabytes": 600, "added": [], "fault": ""},
        package
        | {"rival": "NICEx", "wanted": "NICEx", "megabytes": 180, "added": ["scipy"]}
        | {"fault": "no scipy"},
    ]


def test_efforts_are_compared_on_people_whom_both_serve_within_the_rules():
    found = Comparison(some_lines(), 10, 15).frame().set_index(["method", "table"])
    row = found.loc["NICE", "German Credit"]
    assert row["answered"] == 1
    assert row["rules"] == row["way"] == 0.5
    assert row["both"] == 1
    assert row["effort"] == 0.5
    assert row["same"] == 0
    assert np.isnan(found.loc[OURS, "all"]["proven"]) == 0


def test_the_page_says_where_others_are_better(tmp_path):
    found = Comparison(some_lines(), 10, 15)
    page = found.page("2026-01-01")
    better = next(line for line in page.splitlines() if line.startswith("- **NICE**"))
    assert "asks for less effort of the 1 people whom both serve (0.50 × ours)" in better
    assert "answers in fewer ms (50, ours 100)" in better
    assert "\nNICE,German Credit,2,100%,50%," in found.details()
    assert "| NICEx | yes, with scipy added by hand | 180 |" in page
    assert "Smaller on disk than facelift (600 MB): NICEx (180 MB)." in page
    assert ":file: compared.csv" in page
    assert "{" not in page.replace("```{csv-table}", "")
    found.figure(tmp_path / "picture.svg")
    assert (tmp_path / "picture.svg").read_text().count("<use") > 10


def test_nothing_measured_is_said():
    assert Comparison([], 10, 15).text() == "Nothing was measured."


def test_peers_run_by_themselves():
    result = CliRunner().invoke(cli.commands, ["bench", "peers", "searches"])
    assert result.exit_code == cli.USAGE
    assert "peers runs by itself" in result.stderr
