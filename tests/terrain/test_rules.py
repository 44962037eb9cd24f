"""Rules files: what was written is what is read, and all faults are named at once."""

from __future__ import annotations

import math
import time
from datetime import date
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.laws import examples
from tests.terrain.small_terrain import FRAME, SCORES, one_rule, prices, refined, terrains

from facelift.errors import InvalidInput, InvalidRules
from facelift.terrain import Terrain, read_rules, write_rules
from facelift.terrain.rules import rules_text

TERRAIN = Terrain.infer(FRAME)


def reads(tmp_path: Path, text: str, terrain: Terrain = TERRAIN) -> Terrain:
    """The terrain refined by a file of that text."""
    path = tmp_path / "rules.toml"
    path.write_text(text, encoding="utf-8")
    return read_rules(path, terrain)


def faults(tmp_path: Path, text: str) -> str:
    """What is said about a file that cannot be read."""
    with pytest.raises(InvalidRules) as caught:
        reads(tmp_path, text)
    return str(caught.value)


# A test that writes to one folder over and over shares nothing between its examples.
one_folder = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@given(terrain=terrains())
@settings(one_folder, max_examples=examples(150))
def test_what_was_written_is_what_is_read(tmp_path, terrain):
    write_rules(terrain, tmp_path / "rules.toml")
    assert read_rules(tmp_path / "rules.toml", TERRAIN) == terrain


GAPS = FRAME.assign(debt=[2.0, None, 7.5, 3.0], proof=["letter", None, None, "visit"])

words = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)
names = st.sampled_from(list(GAPS.columns))
numbers = st.sampled_from(["age", "income", "debt"])
everything = st.one_of(
    one_rule(),
    st.tuples(st.just("personal"), st.tuples(names), st.just({})),
    st.tuples(
        st.just("worse"),
        st.tuples(numbers, st.sampled_from(["increase", "decrease", None])),
        st.just({}),
    ),
    st.tuples(
        st.just("worse"),
        st.just(("score",)),
        st.fixed_dictionaries(
            {"order": st.lists(st.sampled_from(SCORES), min_size=1, max_size=2, unique=True)}
        ),
    ),
    st.tuples(
        st.just("label"),
        st.tuples(names, words),
        st.fixed_dictionaries({"about": words}),
    ),
    st.tuples(st.just("label"), st.tuples(numbers), st.fixed_dictionaries({"unit": words})),
    st.tuples(
        st.just("label"),
        st.just(("score",)),
        st.fixed_dictionaries({"values": st.dictionaries(st.sampled_from(SCORES), words)}),
    ),
    st.tuples(st.just("span"), st.tuples(numbers, st.floats(0.1, 90)), st.just({})),
    st.tuples(
        st.just("levels"),
        st.tuples(numbers, st.lists(st.integers(0, 60), min_size=1, max_size=4)),
        st.just({}),
    ),
    st.tuples(st.just("rate"), st.tuples(numbers, st.floats(0.1, 9)), st.just({"per": "month"})),
    st.tuples(st.just("ages"), st.tuples(numbers, st.floats(0.1, 9)), st.just({"per": "month"})),
    st.tuples(
        st.just("missing"),
        st.tuples(st.sampled_from(["debt", "proof"])),
        st.fixed_dictionaries({"found": prices, "lost": prices}),
    ),
    st.tuples(
        st.just("read_as"),
        st.tuples(numbers, st.sampled_from([None, "money", "percent", "date"])),
        st.fixed_dictionaries({"codes": st.lists(st.sampled_from([-9, -8.5, "?"]), max_size=2)}),
    ),
)
between = st.sampled_from(
    [
        [],
        [("link", ("age", "savings"), {})],
        [("require", ("debt <= age",), {}), ("require", ("savings != 'none'",), {})],
    ]
)


@given(rules=st.lists(everything, max_size=12), more=between)
@settings(one_folder, max_examples=examples(150))
def test_a_file_holds_everything_that_a_terrain_knows(tmp_path, rules, more):
    terrain = refined(Terrain.infer(GAPS), [*rules, *more])
    write_rules(terrain, tmp_path / "rules.toml")
    assert read_rules(tmp_path / "rules.toml", Terrain.infer(GAPS)) == terrain


text = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)


@given(
    names=st.lists(text, min_size=2, max_size=2, unique=True),
    levels=st.lists(text, min_size=2, max_size=4, unique=True),
)
@settings(one_folder)
def test_names_and_levels_of_any_letters_survive_a_file(tmp_path, names, levels):
    number, kind = names
    X = pd.DataFrame({number: range(len(levels)), kind: levels})
    terrain = Terrain.infer(X).decrease_only(number).order(kind, levels)
    terrain = terrain.forbid(kind, levels[0], levels[1])
    terrain = terrain.transition(kind, levels[1], levels[0], price=2)
    write_rules(terrain, tmp_path / "rules.toml")
    assert read_rules(tmp_path / "rules.toml", Terrain.infer(X)) == terrain


@pytest.mark.parametrize(
    "name", ["plain", "two words", "dotted.name", "", "#", "[x]", 'q"uote', "é", "a=b", "-", "1", 7]
)
def test_column_names_are_quoted_where_toml_needs_it(tmp_path, name):
    X = pd.DataFrame({name: [1, 2], "other": [3, 4]})
    terrain = Terrain.infer(X).increase_only(name).price(name, increase=2.5)
    write_rules(terrain, tmp_path / "rules.toml")
    assert read_rules(tmp_path / "rules.toml", Terrain.infer(X)) == terrain


def test_levels_keep_their_type_in_a_file(tmp_path):
    X = pd.DataFrame(
        {
            "text": pd.Categorical(["1", "2"], ["2", "1"], ordered=True),
            "whole": pd.Categorical([1, 2], [2, 1], ordered=True),
            "half": pd.Categorical([1.5, 2.5], [2.5, 1.5], ordered=True),
            "flag": pd.Categorical([True, False], [True, False], ordered=True),
        }
    )
    terrain = Terrain.infer(X).freeze("text").transition("text", "1", "2", price=2)
    write_rules(terrain, tmp_path / "rules.toml")
    found = read_rules(tmp_path / "rules.toml", Terrain.infer(X))
    assert found == terrain
    kinds = [type(found.feature(name).levels[0]) for name in X.columns]
    assert kinds == [str, int, float, bool]


def test_links_requirements_levels_and_rates_are_written_and_read_back(tmp_path):
    X = pd.DataFrame({"age": [20, 40], "job": [1.0, 9.0], "rate of pay": [3, 30], "debt": [2, 5]})
    refined = (
        Terrain.infer(X)
        .link("age", "job")
        .require("debt <= age")
        .levels("rate of pay", step=5)
        .rate("age", per="year")
    )
    write_rules(refined, tmp_path / "rules.toml")
    assert read_rules(tmp_path / "rules.toml", Terrain.infer(X)) == refined


def test_a_requirement_that_is_a_function_cannot_be_written(tmp_path):
    terrain = Terrain.infer(pd.DataFrame({"age": [20, 40]})).require(lambda rows: rows["age"] > 0)
    for rules in (terrain, terrain.require("age > 0")):
        with pytest.raises(InvalidInput, match="function cannot be written"):
            write_rules(rules, tmp_path / "rules.toml")
    assert not (tmp_path / "rules.toml").exists()


def test_a_level_that_toml_has_no_word_for_cannot_be_written():
    terrain = TERRAIN.order("savings", ["none", "low", "high", date(1990, 1, 1)])
    with pytest.raises(InvalidInput, match="The level 1990-01-01 cannot be written"):
        rules_text(terrain)


def test_a_file_says_no_more_than_it_must():
    text = rules_text(TERRAIN.price("housing", 3).price("savings", increase=2).freeze("income"))
    assert '[housing]\nchange = "any"\nprice = 3.0\n' in text
    assert "price = { increase = 2.0 }" in text
    assert not any(word in text for word in ("inf", "missing", "link", "require", "rate"))
    assert "\n\n\n" not in text


def test_prices_of_missing_values_are_written_and_read_back(tmp_path):
    X = pd.DataFrame({name: [1.0, 2.0, None] for name in ("age", "debt", "income", "home")})
    terrain = Terrain.infer(X)
    refined = (
        terrain.missing("debt", found=0.5)
        .missing("income", lost=3)
        .freeze("home")
        .missing("home", found=1)
    )
    assert "missing" not in rules_text(terrain)
    assert "missing" not in rules_text(terrain.freeze("home"))
    write_rules(refined, tmp_path / "rules.toml")
    assert read_rules(tmp_path / "rules.toml", terrain) == refined


def test_rules_are_read_and_written_alike_whatever_letters_a_computer_prefers(
    tmp_path, monkeypatch
):
    """As on a computer whose own encoding is not UTF-8."""
    monkeypatch.setattr("io.text_encoding", lambda encoding, *_: encoding or "cp1252")
    X = pd.DataFrame({"größe": [1, 2], "город": ["Київ", "Львів"]})
    terrain = Terrain.infer(X).freeze("größe").forbid("город", "Київ", "Львів")
    write_rules(terrain, tmp_path / "rules.toml")
    assert "Львів".encode() in (tmp_path / "rules.toml").read_bytes()
    assert read_rules(tmp_path / "rules.toml", Terrain.infer(X)) == terrain


def test_faults_between_columns_are_named_too(tmp_path):
    file = tmp_path / "rules.toml"
    file.write_text('link = [["age", "jb"]]\nrequire = ["age <= jobb"]\n', encoding="utf-8")
    terrain = Terrain.infer(pd.DataFrame({"age": [20, 40], "job": [1, 9]}))
    with pytest.raises(InvalidRules, match=r"link: .*'jb'.*'job'.*require: .*'jobb'.*'job'"):
        read_rules(file, terrain)


def test_the_file_of_the_documentation(tmp_path):
    X = pd.DataFrame(
        {
            "age": [20, 40],
            "savings": ["none", "high"],
            "credit_amount": [100.0, 9000.0],
            "housing": ["rent", "own"],
        }
    )
    rules = """
        [age]
        change = "increase"                # any, never, increase or decrease
        [savings]
        order = ["none", "low", "high"]    # lowest first
        price = { increase = 3.0 }         # or one number for both directions; 1 is ordinary
        [credit_amount]
        between = [500, 8000]
        [housing]
        forbid = [["own", "rent"]]         # never from the first to the second
        transitions = [{ from = "rent", to = "own", price = 2.0 }]
    """
    terrain = Terrain.infer(X)
    expected = (
        terrain.increase_only("age")
        .order("savings", ["none", "low", "high"])
        .price("savings", increase=3)
        .between("credit_amount", 500, 8000)
        .forbid("housing", "own", "rent")
        .transition("housing", "rent", "own", price=2)
    )
    assert reads(tmp_path, rules, terrain) == expected


def test_an_empty_file_changes_nothing(tmp_path):
    assert reads(tmp_path, "") == TERRAIN
    assert reads(tmp_path, "[age]\n[housing]\n") == TERRAIN


def test_every_word_for_change_has_its_meaning(tmp_path):
    words = '[age]\nchange = "{}"'
    assert reads(tmp_path, words.format("any")) == TERRAIN
    assert reads(tmp_path, words.format("never")) == TERRAIN.freeze("age")
    assert reads(tmp_path, words.format("increase")) == TERRAIN.increase_only("age")
    assert reads(tmp_path, words.format("decrease")) == TERRAIN.decrease_only("age")


def test_a_price_may_be_one_number_or_one_per_direction(tmp_path):
    assert reads(tmp_path, "[age]\nprice = 3") == TERRAIN.price("age", 3)
    assert reads(tmp_path, "[age]\nprice = inf") == TERRAIN.freeze("age")
    both = reads(tmp_path, "[age]\nprice = { increase = 3, decrease = inf }")
    assert both == TERRAIN.price("age", increase=3, decrease=math.inf)


def test_levels_may_be_listed_or_given_by_a_step(tmp_path):
    assert reads(tmp_path, "[age]\nlevels = [30, 50]") == TERRAIN.levels("age", [30, 50])
    assert reads(tmp_path, "[age]\nstep = 10") == TERRAIN.levels("age", step=10)


def test_bounds_may_be_open_at_one_end(tmp_path):
    assert reads(tmp_path, "[age]\nbetween = [-inf, 50]") == TERRAIN.between("age", -math.inf, 50)
    assert reads(tmp_path, "[age]\nbetween = [30, inf]") == TERRAIN.between("age", 30, math.inf)


def test_single_changes_may_be_allowed_in_a_column_that_never_changes(tmp_path):
    rules = '[housing]\nchange = "never"\ntransitions = [{ from = "rent", to = "own", price = 2 }]'
    frozen = TERRAIN.freeze("housing")
    assert reads(tmp_path, rules) == frozen.transition("housing", "rent", "own", price=2)


def test_rules_refine_what_the_terrain_already_had(tmp_path):
    found = reads(tmp_path, "[age]\nprice = 2", TERRAIN.freeze("housing"))
    assert found == TERRAIN.freeze("housing").price("age", 2)


def test_rules_find_columns_whose_names_are_numbers(tmp_path):
    terrain = Terrain.infer(pd.DataFrame({0: [1, 2], 1: [3, 4]}))
    assert reads(tmp_path, '[1]\nchange = "never"', terrain) == terrain.freeze(1)


@pytest.mark.parametrize(
    ("text", "messages"),
    [
        ("[hosing]\nprice = 2", ["[hosing] no such column; did you mean 'housing'?"]),
        ("[age]\nprize = 2", ["[age] prize", "did you mean 'price'?"]),
        ('[age]\nprice = "high"', ["[age] price", "valid number"]),
        ("[age]\nprice = { up = 2 }", ["[age] price.up", "known: increase, decrease"]),
        ("[age]\nprice = -2", ["[age] Price of 'age' must be zero or more", "got -2"]),
        ("[age]\nprice = nan", ["[age] Price of 'age' must be zero or more", "got nan"]),
        ('[age]\nchange = "up"', ["[age] change", "'any', 'never', 'increase' or 'decrease'"]),
        ("[age]\nbetween = [5]", ["[age] between"]),
        ("[age]\nbetween = [1, 2, 3]", ["[age] between"]),
        ("[age]\nbetween = [5, 1]", ["[age] Bounds of 'age' are upside down"]),
        ("[housing]\nbetween = [1, 5]", ["[housing] Column 'housing' is categorical"]),
        ('[housing]\norder = ["own", "rent"]', ["[housing] The order of 'housing' misses 'free'"]),
        ('[housing]\nforbid = ["own", "rent"]', ["[housing] forbid.0"]),
        ('[housing]\nforbid = [["own", "villa"]]', ["[housing] 'villa' is not a level"]),
        ('[housing]\nchange = "increase"', ["[housing] Column 'housing' has no order"]),
        (
            '[housing]\ntransitions = [{ from = "own", to = "rent" }]',
            ["[housing] transitions.0.price"],
        ),
        ("age = 5", ["[age] must be a table"]),
        ("[[age]]\nprice = 2", ["[age] must be a table"]),
        ("[age", ["Cannot read the rules in", "rules.toml"]),
        ("[age]\n[age]", ["Cannot read the rules in"]),
    ],
)
def test_a_faulty_file_says_what_is_wrong_where(tmp_path, text, messages):
    said = faults(tmp_path, text)
    for message in messages:
        assert message in said
    assert "rules.toml" in said
    assert "_" not in said.replace(str(tmp_path), "")  # no name of ours


def test_all_faults_of_a_file_are_named_at_once(tmp_path):
    said = faults(
        tmp_path,
        """
        [agee]
        price = 2
        [age]
        price = "high"
        prize = 3
        [income]
        price = -1
        between = [9, 1]
        [housing]
        forbid = [["own", "villa"], ["tent", "own"]]
        [savings]
        change = "sometimes"
        """,
    )
    for message in [
        "[agee] no such column; did you mean 'age'?",
        "[age] price",
        "[age] prize",
        "[income] Price of 'income'",
        "[income] Bounds of 'income'",
        "[housing] 'villa' is not a level",
        "[housing] 'tent' is not a level",
        "[savings] change",
    ]:
        assert said.count(message) == 1


def test_a_faulty_file_changes_nothing(tmp_path):
    before = Terrain.infer(FRAME)
    with pytest.raises(InvalidRules):
        reads(tmp_path, '[age]\nchange = "never"\n[income]\nprice = -1', before)
    assert before == TERRAIN


def test_a_missing_file_is_an_error_that_names_it(tmp_path):
    with pytest.raises(InvalidRules, match=r"Cannot read the rules in .*nowhere\.toml"):
        read_rules(tmp_path / "nowhere.toml", TERRAIN)


def test_a_file_that_is_no_text_is_an_error(tmp_path):
    (tmp_path / "rules.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InvalidRules, match="Cannot read the rules in"):
        read_rules(tmp_path / "rules.toml", TERRAIN)


def test_a_folder_is_no_rules_file(tmp_path):
    with pytest.raises(InvalidRules, match="Cannot read the rules in"):
        read_rules(tmp_path, TERRAIN)


def test_a_path_may_be_text(tmp_path):
    write_rules(TERRAIN.freeze("age"), str(tmp_path / "rules.toml"))
    assert read_rules(str(tmp_path / "rules.toml"), TERRAIN) == TERRAIN.freeze("age")


def test_rules_that_cannot_be_written_whole_leave_those_of_before(tmp_path, monkeypatch):
    terrain = Terrain.infer(pd.DataFrame({"age": [20, 40]}))
    write_rules(terrain.freeze("age"), tmp_path / "rules.toml")
    before = (tmp_path / "rules.toml").read_bytes()
    monkeypatch.setattr("os.replace", _full)
    monkeypatch.setattr("pathlib.Path.replace", _full)
    with pytest.raises(OSError, match="full"):
        write_rules(terrain, tmp_path / "rules.toml")
    assert (tmp_path / "rules.toml").read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == ["rules.toml"]


def _full(*_arguments):
    raise OSError("the disk is full")


HOSTILE = {
    "600 brackets deep": "a = " + "[" * 600 + "]" * 600,
    "tables deep": "a = " + "{b=" * 600 + "1" + "}" * 600,
    "a price of 5,000 digits": "[income]\nprice = 1" + "0" * 5000,
    "a price of 900,000 digits": "[income]\nprice = 1" + "0" * 900_000,
    "a text of 900 kB": f'a = "{"x" * 900_000}"',
    "a line of quotes": 'a = "' + '\\"' * 400_000,
    "a text of many lines that does not end": 'a = """' + '\\"""' * 200_000,
    "20,000 requirements": "require = [" + ", ".join(['"income > 0"'] * 20_000) + "]",
    "a dotted key of 100 kB": "a." * 50_000 + "a = 1",
    "a dotted key with spaces": "a . " * 25_000 + "a = 1",
    "50,000 unknown columns": "\n".join(f"[x{i}]" for i in range(50_000)),
    "more than can be honest": "#" * 2_000_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_is_one_short_line_at_once(tmp_path, name):
    path = tmp_path / "rules.toml"
    path.write_text(HOSTILE[name])
    start = time.process_time()
    with pytest.raises(InvalidRules) as fault:
        read_rules(path, Terrain.infer(FRAME))
    assert time.process_time() - start < 1
    assert len(str(fault.value)) < 2000
    assert len(str(fault.value).splitlines()) == 1


def test_brackets_in_text_and_comments_count_for_nothing(tmp_path):
    path = tmp_path / "rules.toml"
    path.write_text("# " + "[" * 99 + "\n[income]  # " + "{" * 99 + "\nprice = 2.0\n")
    assert read_rules(path, Terrain.infer(FRAME)).feature("income").increase == 2


def test_a_link_that_is_text_is_no_list_of_letters(tmp_path):
    path = tmp_path / "rules.toml"
    path.write_text('link = ["ab"]')
    terrain = Terrain.infer(pd.DataFrame({"a": [1.0, 2.0], "b": [3.0, 5.0]}))
    with pytest.raises(InvalidRules, match="a link is a list of columns, got 'ab'"):
        read_rules(path, terrain)


def test_personal_columns_are_marked_in_a_file_and_read_back(tmp_path):
    table = pd.DataFrame({"sex": ["f", "m"], "income": [1, 2]})
    terrain = Terrain.infer(table).freeze("sex").personal("sex")
    assert '[sex]\nchange = "never"\npersonal = true\n' in rules_text(terrain)
    assert rules_text(terrain).count("personal") == 1
    again = reads(tmp_path, rules_text(terrain), Terrain.infer(table))
    assert again == terrain
    assert again.feature("sex").personal


def test_rules_of_another_table_are_told_in_one_line(tmp_path):
    text = "".join(
        f"[{name}]\nprice = 2\n" for name in ("npreg", "glu", "bp", "skin", "bmi", "ped")
    )
    with pytest.raises(InvalidRules, match="6 of their 7 columns are not in this table") as fault:
        reads(tmp_path, text + "[age]\nprice = 2\n")
    assert str(fault.value).endswith("are they rules of another one?")
    assert str(fault.value).count("npreg") == 1
