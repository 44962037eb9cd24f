"""The benchmark of actions: its judge, its references, its results and its page."""

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier
from tools.benchmarks.actions import figures, page, parts, references
from tools.benchmarks.actions.judging import joined
from tools.benchmarks.actions.rivals import best_end
from tools.benchmarks.actions.worlds import MODELS, Table, World, evenly, grown

import facelift as fl


@pytest.fixture(scope="module")
def world():
    """People who need a level of savings and, unless they own a home, some years in a job."""
    MODELS["tree"] = lambda seed: DecisionTreeClassifier(random_state=seed)
    rng = np.random.default_rng(0)
    data = pd.DataFrame(
        {"savings": rng.integers(0, 10, 400), "years": rng.integers(0, 6, 400)}, dtype=float
    ).assign(age=rng.integers(20, 60, 400))
    wanted = ((data["savings"] >= 6) & (data["years"] >= 3)).to_numpy().astype(int)
    terrain = fl.Terrain.infer(data).increase_only("years").freeze("age")
    yield World(Table("People", data, wanted, terrain), "tree", 0)
    del MODELS["tree"]


def test_people_are_at_odd_places_among_the_declined(world):
    people = world.people(20)
    places = np.searchsorted(world.declined, people)
    assert (places % 2 == 1).all()
    assert len(set(people)) == 20


def test_few_people_are_all_taken():
    assert evenly(np.arange(10), 3) == [0, 4, 9]
    assert evenly(np.arange(2), 3) == [0, 1]


def test_an_order_of_changes_leads_through_allowed_places_only():
    assert joined({(1, 0), (1, 1)}, (1, 1))
    assert not joined({(1, 1)}, (1, 1))


def test_ways_are_measured_and_no_cheaper_one_is_known(world):
    for row in world.people(5):
        line = parts.ways(world, row)
        best = parts.best(world, row, line, 1.0)
        assert line["n_ways"] > 0
        assert line["faults"] == []
        assert best["proven"]
        assert best["prover"] is None  # nothing below our first way


def test_the_prover_finds_our_first_way_by_itself(world):
    row = world.people(5)[2]
    person = world.judge.of(world.person(row))
    found = references.prover(world, person, np.inf, 1.0)
    assert found["prover"] == pytest.approx(parts.ways(world, row)["cost"])
    assert references.greedy(person) >= found["prover"] - 1e-9


def test_treecf_on_our_levels_proves_the_same_end(world):
    pytest.importorskip("treecf")
    for row in world.people(5):
        line = parts.treecf(world, row, 1.0)
        assert line["proven"]
        assert line["proven_ours"]
        assert line["theirs"] == pytest.approx(line["ours"])


def test_the_judge_notices_broken_promises(world):
    person = world.judge.of(world.person(world.people(1)[0]))
    found = world.explainer.explain(world.person(world.people(1)[0]), 1)
    journey = found[0]
    assert person.faults(journey) == []
    stranger = journey.waypoints.copy()
    stranger[1:] += 5.0
    broken = fl.Journey(
        np.arange(len(stranger)), stranger, journey.step_costs, journey.remaining, 0
    )
    assert "a step is forbidden" in person.faults(broken)
    assert "a waypoint is not plausible" in person.faults(broken)


def test_an_end_of_a_rival_is_judged_by_our_rules(world):
    row = world.people(1)[0]
    person, here = world.judge.of(world.person(row)), world.person(row)
    kept, broke = here.assign(savings=9.0, years=5.0), here.assign(savings=9.0, years=5.0, age=59)
    assert best_end(person, kept)["rules"]
    assert not best_end(person, broke)["rules"]
    assert best_end(person, pd.concat([broke, kept]))["rules"]
    assert best_end(person, here) == {"found": False}
    assert best_end(person, kept)["listed"]
    assert not best_end(person, kept.assign(savings=8.5))["listed"]
    assert np.isfinite(best_end(person, broke)["effort"])


def test_more_records_look_like_the_table():
    data = fl.datasets.load_german_credit().data
    many = grown(data, 3_000)
    assert (many.dtypes == data.dtypes).all()
    assert len(many.drop_duplicates()) > 2_900
    assert many["age"].between(data["age"].min(), data["age"].max()).all()


def some_lines():
    about = {"table": "german", "model": "histogram", "seed": 0, "even": True, "rare": False}
    ways = about | {"part": "ways", "seconds": 0.1, "proof": "cheapest"}
    first = {"person": 1, "n_ways": 2, "cost": 1.1, "columns": 2, "fewest": 1, "faults": []}
    rival = {"part": "rivals", "rival": "NICE", "person": 1, "seconds": 0.2, "found": True}
    rival |= {"rules": True, "plausible": True, "effort": 0.9, "columns": 1, "fewest": 1}
    return [
        ways | first,
        about | {"part": "best", "person": 1, "prover": 1.0, "proven": True, "seconds": 1.0},
        ways | {"person": 2, "n_ways": 0, "why": "nothing"},
        about | {"part": "best", "person": 2, "greedy": 2.0, "proven": False, "seconds": 1.0},
        about | rival,
    ]


def test_the_table_says_what_is_missed():
    found = {each.what: each for each in figures.figures(figures.Lines(some_lines()))}
    assert found["people with a way"].said.startswith("50.0% (1 of 2")
    assert found["people with a way"].met is False
    assert found["cost ÷ best known"].said.startswith("mean 1.100")
    assert found["proven cheapest within 1 s"].met is True
    assert found['falsely said "cheapest"'].said == "1"
    assert found["CPU per person"].met is True
    assert found["against NICE"].said == "worse: columns, effort"


def test_the_page_lists_exceptions_and_who_does_better():
    text = page.page(some_lines(), 30.0)
    assert "| german | 0 | 2 | missed: a way is known | greedy 2 |" in text
    assert "german 2. **This is a trial" in text
    assert "{" not in text.replace("```{csv-table}", "")
    tables = page.tables(some_lines())
    assert "NICE,german,1," in tables["actions-rivals.csv"]
    cells = ",0,2.00/**1.00**,1.00/1.00,1.10/**0.90**,100/200,**100%**,0"
    assert cells in tables["actions-rivals.csv"]
    assert '"people with a way, seed 0",≥ 98%,**50.0% (1 of 2)**' in tables["actions-measured.csv"]
    for name in tables:
        assert f":file: {name}" in text


def test_of_rivals_only_ends_that_keep_the_rules_are_compared():
    *lines, rival = some_lines()
    lines += [rival | {"person": 2}, rival | {"rules": False, "effort": 0.1}]
    found = figures.duel(figures.duels(figures.Lines(lines)))
    assert (found["kept"], found["theirs alone"], found["both"]) == (0.5, 1, 0)
    assert np.isnan(found["effort theirs"])


def test_what_was_measured_of_rivals_stays_until_they_are_asked_again():
    ours = [line for line in some_lines() if line["part"] != "rivals"]
    assert "actions-rivals.csv" not in page.tables(ours)
    assert page.page(ours, 30.0).count("of an earlier, slower engine") == 1
    assert "of an earlier" not in page.page(some_lines(), 30.0)


def test_people_for_whom_nobody_knows_a_success_are_counted():
    lines = [line for line in some_lines() if line.get("greedy") is None]
    unknown = {"part": "best", "table": "german", "seed": 0, "person": 2, "proven": True}
    text = page.page([*lines, unknown], 30.0)
    assert "- german, 1 people: proven: no plausible success on these levels." in text


def test_nothing_measured_is_said():
    assert page.summary([]) == "Nothing was measured."
