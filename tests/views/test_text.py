"""Journeys in plain words: golden text of the paper's loan figure, and the edges of wording."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from tests.language.pseudo import english_words, pseudo
from tests.views.letters.world import explained, terrain

import facelift as fl
from facelift import Multiverse, WhyNot, toys
from facelift.language import LANGUAGES
from facelift.multiverse import whynot
from facelift.multiverse.certificate import Certificate, Offer, Tried, proof_of
from facelift.multiverse.goal import Range
from facelift.multiverse.whynot import Survey
from facelift.questions.resilience import resilience_unasked
from facelift.terrain.feature import Feature
from facelift.views import text
from facelift.views.text import NARROW, journey_sentences, multiverse_text

GOLDEN = Path(__file__).parent / "golden"


@pytest.fixture
def golden(request):
    """Compare a text with the file of that name, or write it with --renew-golden."""

    def check(name: str, text: str) -> None:
        path = GOLDEN / name
        if request.config.getoption("--renew-golden"):
            path.write_text(text, encoding="utf-8")
        assert text == path.read_text(encoding="utf-8")

    return check


def chain(n: int = 2, ways: int = 1) -> Multiverse:
    """A line of vertices, its last ones as destinations."""
    starts = np.arange(n - 1)
    costs = sparse.csr_array((np.ones(n - 1), (starts, starts + 1)), shape=(n, n))
    graph = fl.Graph(np.arange(n, dtype=float)[:, np.newaxis], costs)
    return fl.explore(graph, 0, range(n - ways, n))


def _sure(chances):
    return np.column_stack([1 - chances, chances])


def told(multiverse: Multiverse, frame: pd.DataFrame, chances=None) -> Multiverse:
    """The same journeys with rows of a table and chances."""
    journeys = tuple(
        replace(
            journey,
            decode=lambda _, v=journey.vertices: frame.iloc[v].reset_index(drop=True),
            probabilities=None if chances is None else _sure(np.asarray(chances)[journey.vertices]),
            goal=fl.Goal(("yes",), 0.0, ("no", "yes")),
        )
        for journey in multiverse
    )
    return replace(multiverse, journeys=journeys)


def full_text(multiverse, **options):
    """The text as the command prints it, with what is left if something fails."""
    return multiverse_text(multiverse, resilience=resilience_unasked(multiverse), **options)


def test_the_loan_figure_reads_as_it_did(golden):
    golden("loan.txt", full_text(toys.loan().multiverse(), title="The paper's loan"))


def test_the_loan_figure_reads_as_it_did_on_a_narrow_terminal(golden):
    text = full_text(toys.loan().multiverse(), title="The paper's loan", width=60)
    golden("loan_60.txt", text)
    assert max(map(len, text.splitlines())) <= 60


@pytest.mark.parametrize("width", [60, 75, 76, 80, 120])
def test_no_word_of_the_overview_is_cut(width):
    text = multiverse_text(toys.loan().multiverse(), width=width)
    assert ("recommended" in text) == (width >= NARROW)
    assert "recommen\n" not in text
    assert "…" not in text


def test_a_told_multiverse_reads_as_it_did(golden):
    frame = pd.DataFrame(
        {
            "credit_amount": [5951.0, 5951.0, 1250000.0, 1250000.5],
            "savings": ["none", "low", "low", "high"],
            "employed": [False, True, True, True],
        }
    )
    multiverse = told(chain(4, ways=2), frame, [0.21, 0.4, 0.55, 0.912])
    goal = fl.Goal(("good", "fair"), 0.5, ("bad", "fair", "good"))
    golden("told.txt", full_text(replace(multiverse, goal=goal), title="Applicant 3"))


def test_no_way_reads_as_it_did(golden):
    why_not = WhyNot("no route", "4 destinations have the outcome.", "Loosen a rule.")
    golden("no_way.txt", multiverse_text(Multiverse((), (), why_not=why_not), title="Row 3"))


@pytest.mark.parametrize("width", [40, 60, 80, 100, 120])
def test_no_line_is_wider_than_asked_for(lending, width):
    row = lending.X.iloc[[int(np.argmin(lending.chances()))]]
    multiverse = lending.explainer.explain(row)
    lines = multiverse_text(multiverse, title="Row 3", width=width).splitlines()
    assert max(map(len, lines)) == width


def test_no_line_ends_in_blanks_and_the_text_ends_in_one_line_break():
    text = multiverse_text(toys.loan().multiverse())
    assert all(line == line.rstrip() for line in text.splitlines())
    assert text.endswith("first does not\n")
    assert not text.endswith("\n\n")


def test_only_coloured_text_has_terminal_codes():
    multiverse = toys.loan().multiverse()
    plain, coloured = multiverse_text(multiverse), multiverse_text(multiverse, color=True)
    assert "\x1b" not in plain
    assert "\x1b[1m" in coloured
    for name, value in (("empty", Multiverse((), ())), ("one", chain())):
        assert "\x1b" not in multiverse_text(value), name


@pytest.mark.parametrize("name", ["NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "COLUMNS", "TERM"])
def test_the_environment_has_no_say(monkeypatch, name):
    monkeypatch.delenv(name, raising=False)
    before = [multiverse_text(toys.loan().multiverse(), color=color) for color in (False, True)]
    monkeypatch.setenv(name, "1")
    after = [multiverse_text(toys.loan().multiverse(), color=color) for color in (False, True)]
    assert after == before


def test_a_notebook_gets_the_text_instead_of_a_display(monkeypatch):
    expected = multiverse_text(toys.loan().multiverse())
    monkeypatch.setattr("rich.console._is_jupyter", lambda: True)
    assert multiverse_text(toys.loan().multiverse()) == expected


def test_an_empty_multiverse_says_why():
    why_not = WhyNot("no candidate", "No record is good enough.", "Lower the threshold.")
    text = multiverse_text(Multiverse((), (), why_not=why_not), title="Row 7")
    assert text == "Row 7\nNo way: No record is good enough. Lower the threshold.\n"


def test_someone_who_is_there_already_is_not_told_that_there_is_no_way():
    why_not = WhyNot("already there", "Nothing needs to change.", "")
    assert multiverse_text(Multiverse((), (), why_not=why_not)) == "Nothing needs to change.\n"


def test_a_single_way_is_recommended_as_the_only_one():
    text = multiverse_text(chain())
    assert "Way A: 1 step, a medium effort (1.00). It is the only way found." in text
    assert text.splitlines()[1].endswith("only way")
    assert "keeps most open" not in text
    assert "least effort" not in text
    assert "nan" not in text


def test_one_way_that_was_asked_for_is_not_called_the_only_one():
    line = np.arange(11.0)[:, np.newaxis]
    explainer = fl.FACElift(lambda x: np.hstack([10 - x, x]) / 10, n_neighbors=2).fit(line)
    one = full_text(explainer.set_params(n_counterfactuals=1).explain([2.0]))
    assert "One way was asked for" in one
    assert "only way" not in one
    assert "independent" not in one
    assert "One way was asked for" not in multiverse_text(
        explainer.set_params(n_counterfactuals=2).explain([2.0])
    )


@pytest.mark.parametrize(("n", "steps"), [(2, "1 step,"), (3, "2 steps,"), (5, "4 steps,")])
def test_steps_are_counted_in_the_right_number(n, steps):
    assert f"Way A: {steps}" in multiverse_text(chain(n))


def overview(frame: pd.DataFrame) -> str:
    """The row of the only way in the overview."""
    return " ".join(multiverse_text(told(chain(len(frame)), frame)).splitlines()[1].split())


def test_few_changes_are_named_and_many_counted():
    one = pd.DataFrame({"a": [1, 2], "b": ["x", "x"]})
    two = pd.DataFrame({"a": [1, 2], "b": ["x", "y"]})
    assert overview(one) == "A 1 1.00 A – only way"
    assert overview(two) == "A 1 1.00 A, B – only way"
    many = pd.DataFrame({name: [1, 2] for name in "abcde"})
    assert overview(many[["a", "b", "c", "d"]]) == "A 1 1.00 A, B, C, D – only way"
    assert overview(many) == "A 1 1.00 A, B, C and 2 more – only way"


def test_what_changes_and_changes_back_is_named_once():
    frame = pd.DataFrame({"a": [1, 2, 1], "b": [0, 0, 5]})
    assert overview(frame) == "A 2 2.00 A, B – only way"


def test_a_step_that_changes_nothing_is_still_told():
    frame = pd.DataFrame({"a": [1, 1]})
    assert overview(frame) == "A 1 1.00 – only way"


def recommendation(multiverse, **given):
    text = " ".join(multiverse_text(multiverse, width=400, **given).split())
    return text[text.index("Recommended") :]


def ways_of(*costs):
    """Direct ways of these costs through the same first step, which all of them share."""
    ends = range(2, 2 + len(costs))
    edges = {(0, 1): 1.0} | {(1, end): cost - 1 for end, cost in zip(ends, costs, strict=True)}
    starts, stops = zip(*edges, strict=True)
    n = len(costs) + 2
    matrix = sparse.csr_array((list(edges.values()), (starts, stops)), shape=(n, n))
    return fl.explore(fl.Graph(np.arange(float(n))[:, np.newaxis], matrix), 0, list(ends))


def test_a_way_far_cheaper_than_others_is_recommended_for_that():
    text = recommendation(toys.loan().multiverse())
    assert (
        "Way A: 1 step, a large effort (3.00). It takes the least effort of all ways found" in text
    )
    assert "0% of its effort also serves the other ways" in text
    assert "After it no way to B, C was found." in text


def test_of_ways_that_cost_the_same_the_most_open_is_recommended():
    text = recommendation(ways_of(4.0, 4.2, 9.0))
    assert "Of the 2 ways that take up to a tenth more effort than the least" in text
    assert "it keeps most open: 25% of its effort also serves the other ways" in text


def test_expected_effort_is_told_where_it_is_given():
    multiverse = toys.loan().multiverse()
    text = recommendation(multiverse, expected=multiverse.expected_effort())
    assert (
        "a large effort (3.00). If one step in ten falls through, expect an effort of 4.57." in text
    )
    assert "falls through" not in recommendation(multiverse)


def test_chances_are_shown_only_where_a_model_was_asked():
    frame = pd.DataFrame({"a": [1, 2]})
    goal = fl.Goal(("good",), 0.5, ("bad", "good"))
    with_model = multiverse_text(replace(told(chain(), frame, [0.2, 0.8]), goal=goal), width=200)
    assert "chance of good now 20%, needed 50%" in with_model
    assert "not a promise" in with_model
    assert "%" not in multiverse_text(chain())
    assert "promise" not in multiverse_text(chain())


@pytest.mark.parametrize("word", ["[high]", "[/red]", "[bold]x[/bold]", ":smile:", "a[0]", "<b>"])
def test_values_are_never_read_as_markup(word):
    frame = pd.DataFrame({"level": ["plain", word]})
    text = multiverse_text(told(chain(), frame), title=word)
    assert f"Level: plain → {word}" in text
    assert text.startswith(word)
    assert f"No way: {word}" in multiverse_text(
        Multiverse((), (), why_not=WhyNot("bad row", word, ""))
    )


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        (5951.0, 3190.0, "5951 → 3190"),
        (0.1 + 0.2, 0.5, "0.3 → 0.5"),
        (1250000.0, 1500000.0, "1,250,000 → 1,500,000"),
        (123456.78, 123456.79, "123,456.78 → 123,456.79"),
        (1000000.121, 1000000.122, "1000000.121 → 1000000.122"),
        (1250000.0, 1250000.5, "1,250,000 → 1,250,000.5"),
        (1e-7, 2e-7, "1e-07 → 2e-07"),
        (-2.5, 0.0, "−2.5 → 0"),
    ],
)
def test_numbers_are_short_but_told_apart(before, after, words):
    frame = pd.DataFrame({"amount": [before, after]})
    assert f"Amount: {words}" in multiverse_text(told(chain(), frame))


@pytest.mark.parametrize("rule", ["increase_only", "decrease_only"])
def test_a_column_has_one_name_throughout_the_text(rule):
    """In what changes, in what all ways need, and in the rules that would open a way."""
    table = pd.DataFrame({"credit_amount": np.arange(12)})
    model = lambda rows: np.column_stack([rows["credit_amount"] < 8, rows["credit_amount"] >= 8])  # noqa: E731
    terrain = getattr(fl.Terrain.infer(table), rule)("credit_amount")
    explainer = fl.FACElift(model, terrain, n_neighbors=2).fit(table)
    text = full_text(explainer.explain(table.iloc[[2]]), width=200)
    told = {
        "increase_only": " needs Credit amount of at least 8",
        "decrease_only": "1. let Credit amount rise",
    }
    assert told[rule] in text
    assert "credit_amount" not in text


def test_names_of_columns_are_read_as_words():
    frame = pd.DataFrame({"credit_amount": [1, 2], "x0": [1, 2]})
    text = multiverse_text(told(chain(), frame))
    assert "Credit amount: 1 → 2" in text
    assert "X0: 1 → 2" in text


def test_closed_names_what_each_step_puts_out_of_reach():
    loan = toys.loan().multiverse()
    assert [journey.closes for journey in loan] == [
        ((1, 2),),
        ((0,), (2,)),
        ((0,), (), (1,), ()),
    ]
    text = multiverse_text(loan)
    assert "●✕✕  closes B C\n" in text
    assert "✕✕●  closes B\n" in text


def test_a_step_that_takes_time_says_when_it_can_be_done():
    multiverse = chain(3)
    timed = replace(multiverse[0], times=np.array([0.0, 1.0, 2.5]), period="year")
    text = multiverse_text(replace(multiverse, journeys=(timed,)))
    assert " 1 year\n" in text
    assert " 30 months\n" in text
    assert journey_sentences(timed)[1] == "X0: 1 → 2 (after about 30 months)"


def test_sentences_tell_changes_chances_and_what_stays_open():
    frame = pd.DataFrame({"age": [20, 21, 21], "savings": ["none", "low", "high"]})
    journey = told(chain(3), frame, [0.2, 0.4, 0.8])[0]
    assert journey_sentences(journey) == [
        "Age: 20 → 21, Savings: none → low (chance 20% → 40%)",
        "Savings: low → high (chance 40% → 80%)",
    ]


def _goals() -> list[fl.Goal | Range]:
    return [fl.Goal(("yes", "so"), 0.5, ("no", "so", "yes"), 0.02), Range(1.0, 2e6)]


def _reasons() -> list[WhyNot]:
    """Every reason there is."""
    budget = Survey(2000, 3, "budget")
    told = [
        whynot.no_route(3, 4, n_neighbors=5, max_steps=3),
        WhyNot("no candidate", "", "", certify=lambda: Certificate("rules", complete=False)),
    ]
    for goal in _goals():
        told += [
            whynot.already_there(goal, 0.7),
            whynot.no_candidate(goal, 0.51),
            whynot.no_agreement(goal, 0.7, np.array([0.2, 0.4]), 0.9),
            whynot.no_state(goal, 0.4999999999, budget, 4, longer={"patience": "thorough"}),
            whynot.no_state(goal, 0.4, Survey(1, 1, "exhausted"), 4, longer={}, more_steps=False),
            whynot.not_found(goal, 0.4, 0),
            whynot.not_found(goal, 0.4, 7),
        ]
    return told


def _offers() -> tuple[Offer, ...]:
    return (
        Offer("longer", {"patience": "thorough"}, Tried(True, 0.4)),
        Offer("rows", {"steps": "rows"}, Tried(True)),
        Offer("leave out", {"freeze": ("a", "b")}),
    )


def _found() -> list[Multiverse]:
    """Ways of many kinds, with all that can be told of them."""
    line = np.arange(11.0)[:, np.newaxis]
    model = lambda x: np.hstack([10 - x, x]) / 10  # noqa: E731
    committee = fl.FACElift(model, n_neighbors=2, committee=[model]).fit(line).explain([2.0])
    frozen = fl.FACElift(model, fl.Terrain.infer(line).freeze("x0"), n_neighbors=2).fit(line)
    dipping = told(chain(4, 2), pd.DataFrame({"a": [1, 2, 3, 4]}), [0.4, 0.2, 0.6, 0.9])
    no_way = [Multiverse((), (), why_not=reason) for reason in _reasons()]
    offered = WhyNot("no candidate", "", "", offer=_offers)
    return [
        toys.loan().multiverse(),
        toys.fork().multiverse(),
        chain(),
        committee,
        fl.FACElift(model, steps="actions").fit(line).explain([2.0]),
        frozen.explain([2.0]),
        replace(dipping, goal=fl.Goal(("yes",), 0.5, ("no", "yes"))),
        *no_way,
        Multiverse((), (), why_not=offered),
        *world_ways(),
    ]


def _without_calls(hint: str) -> str:
    """A hint without what is Python: that is the same in every language."""
    return re.sub(r'explainer\.\w+\(.*?\)+|\w+=[\w."]+', "", hint)


def world_ways() -> list[Multiverse]:
    """Ways that take time, and rules that leave none."""
    return [explained(), explained(terrain().freeze("savings", "months"))]


def test_every_sentence_comes_from_the_catalogue(monkeypatch):
    monkeypatch.setattr(text, "language_of", pseudo)
    for multiverse in _found():
        expected = multiverse.expected_effort() if len(multiverse) else None
        for failure in (0.1, 0.25):
            said = full_text(
                multiverse, width=2000, hint=_without_calls, expected=expected, failure=failure
            )
            assert english_words(said) <= {"DM", "AB", "ABC", "ABCD", "ABCDE"}, said


@pytest.mark.parametrize("code", LANGUAGES)
def test_it_can_be_told_in_every_language(code):
    for multiverse in _found():
        said = full_text(multiverse, width=100, language=code)
        assert "{" not in said
        assert max(map(len, said.splitlines())) <= 100


def test_what_ages_by_itself_is_not_among_what_one_changes():
    age = Feature("age", "numeric", ages=1.0, per="year")
    frame = pd.DataFrame({"age": [20, 23], "savings": [0, 1]})
    multiverse = told(chain(), frame)
    aged = replace(multiverse, journeys=(replace(multiverse[0], features={"age": age}),))
    assert multiverse_text(aged).splitlines()[1].split()[3:4] == ["Savings"]


def test_ways_of_actions_come_with_how_sure_it_is_that_none_is_cheaper():
    survey = Survey(n_states=5000, n_calls=3, stopped="budget")
    multiverse = replace(chain(3), survey=survey)
    text = multiverse_text(multiverse)
    assert "How sure: It is not proven that no way takes less effort." in text
    proven = replace(multiverse, proof=proof_of([2.0], 2.0))
    assert "How sure: No way with less effort exists." in multiverse_text(proven)


def test_more_neighbours_are_not_hinted_at_where_they_cannot_help():
    line = np.linspace(0, 1, 11)[:, np.newaxis]
    falling = fl.Terrain.infer(line).decrease_only("x0")

    def ask(**limits):
        explainer = fl.FACElift(toys.line()[1], falling, **limits).fit(10 * line)
        return explainer.explain([2.0])

    multiverse = ask(n_neighbors=2)
    assert "connects more records" in multiverse.why_not.hint  # before anybody looked why
    assert "Every way through the records breaks a rule." in full_text(multiverse)
    assert "connects more records" not in full_text(multiverse)
    assert "connects more records" not in ask(n_neighbors=10).why_not.hint


def test_what_missing_steps_need_is_told_instead_of_a_guess():
    line = np.array([0, 1, 2, 3, 9, 10.0])[:, np.newaxis]
    explainer = fl.FACElift(toys.line()[1], edges="out", n_neighbors=1).fit(line)
    multiverse = explainer.explain([0.0])
    text = full_text(multiverse)
    assert "The cheapest missing step costs" in text
    assert "connects more records" in multiverse.why_not.hint
    assert "connects more records" not in text


def test_a_proof_is_said_to_be_of_the_numbers_that_ways_stop_at():
    line, model = toys.line()
    between = "how sure: said of the numbers that ways stop at, not of those between"
    assert between in full_text(fl.FACElift(model, steps="actions").fit(line).explain([2.0]))
    assert between not in full_text(fl.FACElift(model).fit(line).explain([2.0]))
    low = fl.Terrain.infer(line).between("x0", 0, 4)
    none = fl.FACElift(model, low, steps="actions").fit(line).explain([2.0])
    assert not len(none)
    assert full_text(none).rstrip().endswith(between)
    every = low.levels("x0", step=1)
    for ruled in (low.freeze("x0"), every):  # nothing lies between
        alone = fl.FACElift(model, ruled, steps="actions").fit(line).explain([2.0])
        assert between not in full_text(alone)


def test_effort_in_a_field_is_said_to_be_weighed():
    points = toys.moons(200).points

    def model(places):
        chance = 1 / (1 + np.exp(-12 * (places[:, 0] - 0.9)))
        return np.column_stack([1 - chance, chance])

    for steps in ("field", "rows"):
        explainer = fl.FACElift(model, steps=steps, n_counterfactuals=2)
        multiverse = explainer.fit(points).explain(points[90], target=1)
        assert ("as edges are weighed" in multiverse_text(multiverse)) == (steps == "field")
