"""A table that is dropped on the page: its rules drafted, edited, kept, and used."""

from __future__ import annotations

import json
import tomllib

import pytest
from tests.crowd import applicants
from tests.web.test_tables import ask, client_of, everybody

from facelift.cli.explore import Bench
from facelift.cli.inputs import Inputs
from facelift.web.messages import MOST_TABLE_BYTES
from facelift.web.tables import MOST_BROUGHT, Tables


@pytest.fixture(scope="module")
def text() -> str:
    table = applicants(90)
    table.insert(0, "customer_id", range(90))
    table["age"] = 20 + (7 * table["income"]) % 40
    return str(table.to_csv(index=False))


@pytest.fixture
def client():
    return client_of(Tables({}, None, Bench(3, "actions")))


def brought(client, text):
    return ask(client, "draft", {"name": "C:\\mine\\loans.csv", "text": text}).json()


def columns(rules):
    return {column["name"]: column for column in rules["columns"]}


def test_rules_are_drafted_with_what_to_check(client, text):
    rules = brought(client, text)
    assert rules["title"] == "loans.csv"
    assert rules["target_column"] == "risk"
    assert (rules["answers"], rules["target"]) == (["bad", "good"], "good")
    found = columns(rules)
    assert found["customer_id"]["kind"] == "left out"
    assert found["customer_id"]["checks"] == ["differs in every row"]
    assert (found["age"]["change"], found["age"]["unit"]) == ("never", "years")
    assert found["sex"]["change"] == "never"
    assert found["income"]["checks"] == ["nobody is advised to have less"]
    assert max(found["income"]["bars"]) == 1
    assert rules["n_checks"] == sum(bool(each["checks"]) for each in rules["columns"])


def test_few_numbers_and_numbers_with_outliers_are_drawn_as_they_are(client):
    table = applicants(90)
    table["house"] = [0, 0, 1] * 30
    table.loc[0, "income"] = 1_000_000
    rules = brought(client, table.to_csv(index=False))
    found = columns(rules)
    assert (found["house"]["kind"], found["house"]["bars"]) == ("yes or no", [1, 0.5])
    assert sum(bar > 0.1 for bar in found["income"]["bars"]) > 6
    assert found["income"]["values"].endswith("from 10 to 1,000,000, outliers in the outermost bar")
    said = {
        "table": rules["table"],
        "target_column": "risk",
        "edits": {"house": {"kind": "number"}},
    }
    edited = ask(client, "rules", said).json()
    assert columns(edited)["house"]["kind"] == "number"
    assert "values" not in tomllib.loads(edited["text"])["house"]


def test_what_somebody_says_is_in_the_file_and_in_the_ways(client, text):
    rules = brought(client, text)
    edits = {
        "debts": {"change": "decrease", "price": "hard", "unit": "loans", "label": "Open debts"},
        "sex": {"kind": "left out"},
        "banned": {"change": "never"},
    }
    said = {"table": rules["table"], "target_column": "risk", "target": "good", "edits": edits}
    told = ask(client, "rules", said).json()
    written = tomllib.loads(told["text"])
    assert written["debts"]["change"] == "decrease"
    assert (written["debts"]["price"], written["debts"]["unit"]) == (2.0, "loans")
    assert written["sex"] == {"leave_out": True}
    assert columns(told)["sex"]["kind"] == "left out"
    key = ask(client, "bring", said).json()["table"]
    people = everybody(client, table=key)
    assert people["title"] == "loans.csv"
    assert "sex" not in [choice["name"] for choice in people["columns"]]
    walk = ask(client, f"walk?table={key}&person=0").json()
    assert walk["header"]["title"] == "Row 0"


def test_the_model_is_that_of_the_commands(text, tmp_path):
    path, rules = tmp_path / "loans.csv", tmp_path / "rules.toml"
    path.write_text(text)
    rules.write_text("customer_id.leave_out = true\n")
    people = Bench(3, "actions").open("loans.csv", text, "risk", "good", rules.read_text())
    given = Inputs("risk", "good", None, False, rules, data=path, row=0).prepared()
    own, theirs = people.explainer.model, given.model
    assert (own.predict_proba(given.table) == theirs.predict_proba(given.table)).all()


BAD = {
    "no CSV": ("draft", {"name": "x.csv", "text": ""}, "Cannot read x.csv as a CSV table"),
    "one column": ("draft", {"name": "x.csv", "text": "a\n1\n2\n"}, "at least two rows"),
    "two columns alike": (
        "draft",
        {"name": "x.csv", "text": "a,a\n1,2\n"},
        "x.csv has two columns",
    ),
    "no table": ("rules", {"table": "brought-9", "target_column": "y"}, "no longer here"),
    "no text": ("draft", {"name": "x.csv"}, "not understood"),
}


@pytest.mark.parametrize("name", BAD)
def test_what_is_wrong_with_a_table_is_one_clear_line(client, name):
    path, body, words = BAD[name]
    answer = ask(client, path, body)
    assert answer.status_code == 422
    assert words in answer.json()["error"]
    assert "table.csv" not in answer.json()["error"]  # the name of the file that is read


def test_edits_of_what_is_not_there_are_refused(client, text):
    rules = brought(client, text)
    said = {"table": rules["table"], "target_column": "risk"}
    unknown = ask(client, "rules", {**said, "edits": {"wings": {"change": "never"}}})
    assert "no column 'wings'" in unknown.json()["error"]
    odd = ask(client, "rules", {**said, "edits": {"debts": {"change": "sideways"}}})
    assert odd.status_code == 422
    other = ask(client, "rules", {**said, "target_column": "wings"})
    assert "has no column 'wings'" in other.json()["error"]


def test_a_table_that_is_too_large_is_refused(client):
    headers = {"Content-Type": "application/json"}
    large = json.dumps({"name": "x.csv", "text": "x" * MOST_TABLE_BYTES})
    assert client.post("api/draft", content=large, headers=headers).status_code == 413
    assert client.post("api/rules", content=large[:2_000_000], headers=headers).status_code == 413


def test_few_tables_are_kept(client, text):
    keys = [brought(client, text)["table"] for _ in range(MOST_BROUGHT + 1)]
    first, last = ({"table": key, "target_column": "risk"} for key in (keys[0], keys[-1]))
    assert ask(client, "rules", first).status_code == 422
    assert ask(client, "rules", last).status_code == 200


def test_where_nobody_can_bring_a_table_nothing_is_asked():
    client = client_of(Tables({}))
    assert client.post("api/draft", content="{}").status_code == 405


def test_what_a_column_holds_can_be_told_apart(client):
    levels = ["male, single", "female, divorced, separated or married", "banned from all accounts"]
    text = "kind,risk\n" + "".join(f'"{level}",{each}\n' for level in levels for each in "yn" * 9)
    column = columns(brought(client, text))["kind"]
    assert column["values"] == "3 different: male, single · female, divorced, sepa … · " + levels[2]


def test_what_is_worse_is_named(client):
    text = "account,risk\n" + "".join(f"{a},{r}\n" for a in ("critical", "fine") for r in "yn" * 9)
    told = columns(brought(client, text))["account"]["checks"]
    assert told == ["nobody is advised to get to “critical”"]
    german = ask(client, "draft", {"name": "a.csv", "text": text, "spoken": "de"}).json()
    assert columns(german)["account"]["checks"] == ["empfohlen wird niemandem: „critical“"]


def test_in_which_direction_it_is_worse_is_named(client):
    text = "income,risk\n" + "".join(f"{10 * i},{r}\n" for i in range(9) for r in "yn" * 3)
    told = columns(brought(client, text))["income"]["checks"]
    assert told == ["nobody is advised to have less"]


def test_text_that_says_what_it_counts_is_taken_at_its_word(client):
    """Such columns were called categories that change either way, with a unit to be filled in."""
    rows = [
        f"2015-{1 + i % 12:02}-{1 + i % 28:02},{300 + 9 * i} €,{i % 90}%,"
        f"{'Yes' if i % 3 else 'No'},{'yn'[i % 2]}\n"
        for i in range(60)
    ]
    text = "client since,rent,commute,smoker,risk\n" + "".join(rows)
    rules = brought(client, text)
    found = columns(rules)
    since, smoker = found["client since"], found["smoker"]
    assert (since["kind"], since["change"], since["has_order"]) == ("date", "increase", True)
    assert since["kinds"] == ["date", "left out"]
    assert [found[each]["kind"] for each in ("rent", "commute")] == ["money", "percent"]
    assert not any(found[each]["has_unit"] for each in ("rent", "commute"))
    assert smoker["kind"] == "yes or no"
    assert smoker["checks"] == ["nobody is advised to get to “Yes”"]
    asked = {"table": rules["table"], "target_column": "risk", "target": "y"}
    edits = {"smoker": {"change": "decrease"}, "client since": {"change": "never"}}
    assert ask(client, "bring", asked | {"edits": edits}).status_code == 200


def test_values_unlike_the_rest_are_named(client):
    rows = "".join(f"€{900 + 7 * i},{'yn'[i % 2]}\n" for i in range(60)) + "on request,y\n"
    told = columns(brought(client, "income,risk\n" + rows))["income"]["checks"]
    assert told[0] == "not like the rest, may mean missing: “on request”"


def test_a_table_of_denials_asks_for_none_and_says_of_what(client):
    rows = [f"{i / 10 + 0.000000001},{'yes' if i > 20 else 'no'},{i}\n" for i in range(1, 41)]
    rules = brought(client, "lvr,deny,months\n" + "".join(rows))
    assert (rules["target_column"], rules["target"]) == ("deny", "no")
    assert columns(rules)["lvr"]["values"] == "40 different: 0.1 · 0.2 · 0.3 · …"
    asked = {"table": rules["table"], "target_column": "deny", "target": "no", "edits": {}}
    table = ask(client, "bring", asked).json()["table"]
    assert "Deny: yes" in everybody(client, table=table)["facts"]
