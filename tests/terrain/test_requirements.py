"""Requirements: rules between columns, as expressions that can do no harm, or as functions."""

from __future__ import annotations

import builtins
import os

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from facelift import Terrain
from facelift.errors import InvalidInput
from facelift.terrain.requirements import MAX_DEPTH

FRAME = pd.DataFrame(
    {
        "amount": [1, 2, 3, 4],
        "limit": [2.0, 2.0, 2.5, 0.0],
        "savings": pd.Categorical(
            ["none", "low", "high", "low"], ["none", "low", "high"], ordered=True
        ),
        "goal": pd.Categorical(
            ["low", "low", "low", "none"], ["none", "low", "high"], ordered=True
        ),
        "housing": pd.Categorical(["own", "rent", "own", "rent"]),
        "town": ["Bern", "Aarau", "Bern", "Chur"],
        "size": pd.Categorical([3, 1, 2, 1]),
        "employed": [True, False, True, True],
        "insured": [False, False, True, True],
    }
)
TERRAIN = Terrain.infer(FRAME)


def rows_that_satisfy(rule: object, terrain: Terrain = TERRAIN) -> list[int]:
    return np.flatnonzero(terrain.require(rule).admissible(terrain.encode(FRAME))).tolist()


@pytest.mark.parametrize(
    ("rule", "rows"),
    [
        ("amount <= limit", [0, 1]),
        ("limit >= amount", [0, 1]),
        ("amount < 2 * limit - 1", [0, 1, 2]),
        ("amount + limit == 4", [1, 3]),
        ("-amount < -2", [2, 3]),
        ("1 < amount <= 3", [1, 2]),
        ("amount / limit > 1", [2, 3]),
        ("amount != 3", [0, 1, 3]),
        ("not amount > 2", [0, 1]),
        ("amount > 3 or limit > 2", [2, 3]),
        ("amount > 1 and not (limit > 2 or amount == 4)", [1]),
        ("amount < 99999999999999999999", [0, 1, 2, 3]),
        ("  amount <= limit ", [0, 1]),
        ("employed", [0, 2, 3]),
        ("not employed", [1]),
        ("employed and amount > 2", [2, 3]),
        ("employed == True", [0, 2, 3]),
        ("insured <= employed", [0, 1, 2, 3]),
        ("insured < employed", [0]),
        ("housing == 'own'", [0, 2]),
        ("housing != 'own' or amount > 2", [1, 2, 3]),
        ("town == 'Bern'", [0, 2]),
        ("'Bern' == town", [0, 2]),
        ("size == 1", [1, 3]),
    ],
)
def test_an_expression_reads_as_it_is_written(rule, rows):
    assert rows_that_satisfy(rule) == rows


@pytest.mark.parametrize(
    ("rule", "rows"),
    [
        ("savings >= 'low'", [1, 2, 3]),
        ("savings > 'low'", [2]),
        ("'low' < savings", [2]),
        ("savings < 'high'", [0, 1, 3]),
        ("savings >= goal", [1, 2, 3]),
        ("savings == goal", [1]),
    ],
)
def test_levels_compare_by_their_order_and_not_by_the_alphabet(rule, rows):
    assert rows_that_satisfy(rule) == rows


def test_an_order_given_to_the_terrain_counts():
    ordered = TERRAIN.order("town", ["Chur", "Bern", "Aarau"])
    assert rows_that_satisfy("town >= 'Bern'", ordered) == [0, 1, 2]


def test_a_share_of_nothing_satisfies_no_comparison():
    assert rows_that_satisfy("amount / 0 <= 5") == []
    assert rows_that_satisfy("1 / 0 < amount") == []
    assert rows_that_satisfy("0 / 0 == amount") == []


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ("amount.real <= 3", "may use columns"),
        ("amount.__class__ == 1", "may use columns"),
        ("amount[0] <= 3", "may use columns"),
        ("abs(amount) <= 3", "may use columns"),
        ("open('x') == 1", "may use columns"),
        ("__import__('os').system('true') == 0", "may use columns"),
        ("(lambda: 1)() == 1", "may use columns"),
        ("[x for x in amount] == 1", "may use columns"),
        ("(amount := 3) > 2", "may use columns"),
        ("f'{amount}' == 'x'", "may use columns"),
        ("amount ** 9 > 1", "may use columns"),
        ("amount in (1, 2)", "may use columns"),
        ("amount is limit", "may use columns"),
        ("1 < amount is limit", "may use columns"),
        ("amount <= None", "may use columns"),
        ("amount <= 1j", "may use columns"),
        ("amount if employed else limit", "may use columns"),
        ("ammount <= 3", "did you mean 'amount'"),
        ("housing == 'onw'", "did you mean 'own'"),
        ("housing < 'rent'", "no order"),
        ("town >= 'Bern'", "no order"),
        ("town == 3", "is not a level"),
        ("town == amount", "has levels"),
        ("housing == town", "different levels"),
        ("savings + 1 > 2", "no numbers"),
        ("amount == 'much'", "is text"),
        ("'x' * 1000000000 == town", "is text"),
        ("amount and limit > 1", "join comparisons"),
        ("not 3", "join comparisons"),
        ("amount", "must be a comparison"),
        ("amount + limit", "must be a comparison"),
        ("housing", "must be a comparison"),
        ("1 < 2", "must be a comparison"),
        ("True", "must be a comparison"),
        ("'x'", "must be a comparison"),
        ("", "Cannot read"),
        ("amount <=", "Cannot read"),
        ("amount = 3", "Cannot read"),
        ("amount <= limit; limit", "Cannot read"),
        ("amount <= limit\nlimit", "Cannot read"),
        ("import os", "Cannot read"),
        ("amount \x00 <= 3", "Cannot read"),
        ("9" * 5000 + " > amount", "Cannot read"),
        ("9" * 400 + " > amount", "too large"),
        (3, "expression or a function"),
        (None, "expression or a function"),
        (b"amount <= limit", "expression or a function"),
    ],
)
def test_anything_else_is_one_clear_error_when_it_is_declared(rule, message):
    with pytest.raises(InvalidInput, match=message) as fault:
        TERRAIN.require(rule)
    assert len(str(fault.value)) < 300


@pytest.mark.parametrize(
    "rule",
    [
        "not " * (MAX_DEPTH + 1) + "employed",
        "-" * 100_000 + "amount < 1",
        "(" * 100_000 + "amount < 1" + ")" * 100_000,
        "+".join(["amount"] * 100_000) + " > 1",
        "amount < 1" + " < 1" * 10 + " == (" * 150 + "amount" + ")" * 150,
    ],
    ids=["not", "minus", "parentheses", "sum", "comparison"],
)
def test_huge_nesting_is_the_same_kind_of_error(rule):
    with pytest.raises(InvalidInput, match=r"Cannot read|nested too deeply"):
        TERRAIN.require(rule)


def test_a_rule_may_be_nested_a_hundred_deep():
    deep = "not " * (MAX_DEPTH - 2) + "employed"  # a name has two layers
    assert rows_that_satisfy(deep) == [0, 2, 3]
    with pytest.raises(InvalidInput, match="nested too deeply"):
        TERRAIN.require("not " + deep)


def test_a_long_but_flat_rule_is_fine():
    assert rows_that_satisfy(" and ".join(["amount > 1"] * 2000)) == [1, 2, 3]
    assert rows_that_satisfy("not " * 60 + "employed") == [0, 2, 3]


def test_nothing_in_an_expression_is_executed(monkeypatch):
    ran = []
    for module, name in [(builtins, "open"), (builtins, "eval"), (os, "system")]:
        monkeypatch.setattr(module, name, lambda *_, name=name, **__: ran.append(name))
    monkeypatch.setattr(
        builtins, "amount", type("Trap", (), {"__le__": ran.append})(), raising=False
    )
    for rule in [
        "open('x') == 1",
        "__import__('os').system('x') == 0",
        "eval('1') == 1",
        "amount.system('x') <= 1",
    ]:
        with pytest.raises(InvalidInput):
            TERRAIN.require(rule)
    assert rows_that_satisfy("amount <= 1") == [0]
    assert ran == []


_names = st.sampled_from(["amount", "limit", "employed", "savings", "town", "who", "__name__"])
_atoms = st.one_of(_names, st.integers(-3, 3).map(str), st.sampled_from(["'low'", "'x'", "1.5"]))
_joints = st.sampled_from(["+", "-", "*", "/", "<", "<=", "==", "!=", "and", "or", "**", "in", "."])
_expressions = st.recursive(
    _atoms,
    lambda inner: st.one_of(
        st.tuples(
            inner,
            st.sampled_from(
                ["+", "-", "*", "/", "<", "<=", "==", "!=", "and", "or", "**", "in", ".", ","]
            ),
            inner,
        ).map(lambda parts: "({} {} {})".format(*parts)),
        st.tuples(st.sampled_from(["not ", "-", "~", "len"]), inner).map(
            lambda parts: "({}({}))".format(*parts)
        ),
        inner.map(lambda text: f"({text})[0]"),
    ),
    max_leaves=8,
)


@given(_expressions)
def test_whatever_is_written_is_either_answered_or_refused_when_declared(rule):
    try:
        terrain = TERRAIN.require(rule)
    except InvalidInput:
        return
    answers = terrain.admissible(TERRAIN.encode(FRAME))
    assert answers.dtype == bool
    known = {name: FRAME[name].tolist() for name in ("amount", "limit", "employed")}
    if not any(name in rule for name in ("savings", "town", "/")):
        for i, answer in enumerate(answers):
            row = {name: values[i] for name, values in known.items()}
            assert answer == eval(rule, {"__builtins__": {}}, row)  # noqa: S307  (our own text)


@pytest.mark.parametrize("container", ["pandas", "polars", "array"])
def test_a_function_gets_a_pandas_frame_of_raw_values(container):
    seen = []

    def rule(frame):
        seen.append(frame)
        return frame.iloc[:, 0] <= frame.iloc[:, 1]

    table = pd.DataFrame({"x0": [1.0, 2.0, 3.0], "x1": [2.0, 2.0, 2.0]})
    if container == "polars":
        pl = pytest.importorskip("polars")
        table = pl.DataFrame(table.to_dict("list"))
    if container == "array":
        table = table.to_numpy()
    terrain = Terrain.infer(table).require(rule)
    assert terrain.admissible(terrain.encode(table)).tolist() == [True, True, False]
    assert terrain.require("x0 < x1").admissible(terrain.encode(table)).tolist() == [
        True,
        False,
        False,
    ]
    assert isinstance(seen[0], pd.DataFrame)
    assert seen[0].iloc[:, 0].tolist() == [1.0, 2.0, 3.0]


@pytest.mark.parametrize(
    "answer",
    [lambda _: True, lambda _: [True], lambda frame: frame["amount"], lambda _: None],
    ids=["one", "too few", "numbers", "nothing"],
)
def test_a_function_must_answer_for_every_row(answer):
    with pytest.raises(InvalidInput, match="one True or False per row"):
        TERRAIN.require(answer).admissible(TERRAIN.encode(FRAME))


def test_requirements_are_only_asked_within_the_bounds():
    asked = []

    def rule(frame):
        asked.extend(frame["amount"].tolist())
        return frame["amount"] != 3

    terrain = TERRAIN.between("amount", 2, 4).require(rule).require("amount < 4")
    assert terrain.admissible(TERRAIN.encode(FRAME)).tolist() == [False, True, False, False]
    assert asked == [2, 3, 4]


@pytest.mark.parametrize("kind", [object, "boolean"])
def test_only_what_a_rule_names_can_leave_it_undecided(kind):
    frame = pd.DataFrame(
        {
            "rent": [600.0, None, 800.0, 900.0],
            "income": [500.0, 500.0, 500.0, None],
            "member": pd.Series([True, False, None, False], dtype=kind),
        }
    )
    terrain = Terrain.infer(frame)
    points = terrain.encode(frame)
    undecided = {
        "income >= rent": [False, True, False, True],
        "income >= 600": [False, False, False, True],
        "member": [True, False, True, False],
        "not member": [False, True, True, True],
        "member and rent > 700": [False, True, True, False],
    }
    for rule, expected in undecided.items():
        assert terrain.require(rule).admissible(points).tolist() == expected, rule


@pytest.mark.parametrize("kind", ["Int64", "Float64", "float32"])
def test_numbers_of_every_type_may_be_missing(kind):
    frame = pd.DataFrame({"rent": pd.Series([600, None, 800], dtype=kind), "income": [700] * 3})
    terrain = Terrain.infer(frame).require("income >= rent")
    assert terrain.admissible(terrain.encode(frame)).tolist() == [True, True, False]


def test_a_column_with_one_level_can_be_required_to_have_it():
    frame = pd.DataFrame({"town": ["Bern", "Bern"], "age": [20, 30]})
    terrain = Terrain.infer(frame).require("town == 'Bern' and age < 30")
    assert terrain.admissible(terrain.encode(frame)).tolist() == [True, False]


def test_a_long_rule_is_told_in_short():
    long = "no_such_column > " + "1 + " * 40 + "1"
    with pytest.raises(InvalidInput) as fault:
        Terrain.infer(FRAME).require(long)
    assert f"{long[:79]}…" in str(fault.value)
    short = "no_such_column > " + "1 + " * 15 + "111"
    assert len(short) == 80
    with pytest.raises(InvalidInput, match=r"1 \+ 11…'"):
        Terrain.infer(FRAME).require(f"{short}1")
    with pytest.raises(InvalidInput) as fault:
        Terrain.infer(FRAME).require(short)
    assert repr(short) in str(fault.value)
