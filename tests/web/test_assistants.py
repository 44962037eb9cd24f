"""Assistants ask a saved explainer by the Model Context Protocol, through its SDK's own client."""

from __future__ import annotations

import os
import sys
from concurrent.futures import ThreadPoolExecutor

import anyio
import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

import facelift as fl
from facelift.web.assistants import server

mcp = pytest.importorskip("mcp", reason="the extra mcp is not installed")


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    ranges = {"income": (10, 60), "debt": (0, 20), "age": (20, 60)}
    return pd.DataFrame({name: rng.integers(*ends, 200) for name, ends in ranges.items()})


@pytest.fixture(scope="module")
def explainer(table):
    outcome = np.where(table["income"] - table["debt"] > 25, "yes", "no")
    model = LogisticRegression(max_iter=1000).fit(table, outcome)
    terrain = fl.Terrain.infer(table).freeze("age")
    return fl.FACElift(model, terrain, steps="actions", n_counterfactuals=4).fit(table)


@pytest.fixture(scope="module")
def case(table, explainer):
    declined = table[explainer.model.predict(table) == "no"]
    return {name: int(value) for name, value in declined.iloc[0].items()}


def asked(target, tool, arguments):
    """What a tool answers, and whether it is an error."""

    async def ask():
        async with mcp.Client(target) as client:
            return await client.call_tool(tool, arguments)

    with ThreadPoolExecutor(1) as other:  # a browser of this process may have a loop of its own
        return other.submit(anyio.run, ask).result()


def answered(target, tool, **arguments):
    found = asked(target, tool, arguments)
    assert not found.is_error, found
    return found.structured_content


def test_ways_are_those_of_the_library(explainer, case):
    found = explainer.explain(case)
    told = answered(server(explainer), "explain", case=case)
    assert told["wanted"] == "yes"
    assert told["proof"] == str(found.proof)
    assert [way["effort"] for way in told["ways"]] == found.costs.tolist()
    assert [way["recommended"] for way in told["ways"]].count(True) == 1
    assert told["why_not"] is None


def test_a_walk_is_told_by_the_options_taken(explainer, case):
    target = server(explainer)
    position = fl.Position.start(explainer.explain(case))
    taken = []
    while not position.arrived:
        here = answered(target, "options", case=case, taken=taken)
        assert [each["effort"] for each in here["choices"]] == [
            option.cost for option in position.options()
        ]
        position = position.step(position.options()[0])
        taken.append(0)
    here = answered(target, "options", case=case, taken=taken)
    assert here["arrived"]
    assert here["row"]["age"] == case["age"]
    assert explainer.model.predict(pd.DataFrame([here["row"]]))[0] == "yes"


def test_a_way_that_is_not_there_is_told_with_its_reason(explainer, case):
    frozen = explainer.under(explainer.terrain_.freeze("income", "debt"))
    told = answered(server(frozen), "explain", case=case)
    assert told["ways"] == []
    assert told["why_not"]
    refusal = answered(server(frozen), "why_not", case=case)
    assert "message" in str(refusal)
    assert asked(server(frozen), "options", {"case": case}).is_error


def test_columns_and_letter_are_told(explainer, case):
    columns = answered(server(explainer), "columns")
    assert "age" in str(columns)
    letter = answered(server(explainer), "letter", case=case, language="de")
    assert len(letter["text"]) > 200


@pytest.mark.parametrize(
    ("tool", "more", "words"),
    [
        ("explain", {"target": "maybe"}, "no outcome"),
        ("options", {"taken": [99]}, "no option 99"),
        ("explain", {"case": {"income": 1}}, "debt"),
    ],
)
def test_what_cannot_be_answered_is_one_clear_line(explainer, case, tool, more, words):
    found = asked(server(explainer), tool, {"case": case} | more)
    assert found.is_error
    assert words in found.content[0].text


def test_every_tool_says_that_it_only_reads(explainer):
    async def tools():
        async with mcp.Client(server(explainer)) as client:
            return (await client.list_tools()).tools

    listed = anyio.run(tools)
    assert {tool.name for tool in listed} == {"columns", "explain", "options", "why_not", "letter"}
    assert all(tool.annotations.read_only_hint for tool in listed)


@pytest.mark.harness
def test_the_command_serves_a_saved_folder(tmp_path, explainer, case):
    explainer.save(tmp_path / "saved")
    joblib.dump(explainer.model, tmp_path / "model.joblib")
    model = str(tmp_path / "model.joblib")
    words = ["mcp", str(tmp_path / "saved"), "--model", model, "--trust-pickle"]
    code = "from facelift.cli import main; main()"
    start = mcp.StdioServerParameters(
        command=sys.executable, args=["-c", code, *words], env=dict(os.environ)
    )
    told = answered(start, "explain", case=case)
    assert told["ways"][0]["effort"] == explainer.explain(case)[0].cost
