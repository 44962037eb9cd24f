"""The first page's server: tables opened, people found, compared and walked with; faults told."""

from __future__ import annotations

import json
import time

import pytest
from starlette.testclient import TestClient
from tests.crowd import door, population

from facelift.errors import InvalidInput
from facelift.web import tables
from facelift.web.server import application
from facelift.web.tables import Example, Tables

HOST = "127.0.0.1:8765"
TOKEN = "the-token"  # noqa: S105  (a made-up one)


def client_of(site) -> TestClient:
    return TestClient(
        application(site, TOKEN, frozenset({HOST})), base_url=f"http://{HOST}/{TOKEN}/"
    )


def ask(client, path, body=None, **headers):
    headers = {"Content-Type": "application/json", **headers}
    return client.post(f"api/{path}", content=json.dumps(body or {}), headers=headers)


def everybody(client, **asked):
    """What is told of everybody when all are counted."""
    until = time.monotonic() + 120
    while time.monotonic() < until:
        told = ask(client, "everybody", {"table": "loans", **asked}).json()
        if told["state"] == "failed":
            return told
        if told["everybody"] and told["everybody"]["done"] == told["everybody"]["of"]:
            return told["everybody"]
        time.sleep(0.1)
    raise TimeoutError


@pytest.fixture(scope="module")
def client():
    client = client_of(door(90))
    everybody(client)
    return client


def test_the_first_page_and_its_parts_are_served(client):
    for name in ("", "walk?table=loans&person=1", "people.css", "people/people.js"):
        assert client.get(name).status_code == 200
    assert "people.js" in client.get("").text
    assert ask(client, "door").json()["examples"][0]["title"] == "Loans"


def test_everybody_is_drawn_counted_and_grouped(client):
    told = everybody(client)
    assert sum(band["n"] for band in told["bands"]) == 90
    assert {band["band"]: band["n"] for band in told["bands"]}["none"] == 15
    assert len(told["scatter"]["dots"]) == 90
    assert all(0 <= dot["x"] <= 1 and 0 <= dot["y"] <= 1 for dot in told["scatter"]["dots"])
    assert told["groups"]["by"] == "sex"
    assert [row["name"] for row in told["groups"]["rows"]] == ["everybody", "female", "male"]
    row = told["groups"]["rows"][0]
    assert row["low"] <= row["at"] <= row["high"]
    other = everybody(client, across="debts", up="sex", by="income", measure="cost")
    assert other["scatter"]["across"]["name"] == "debts"
    assert [tick["label"] for tick in other["scatter"]["up"]["ticks"]] == ["female", "male"]
    assert other["groups"]["measure"] == "cost"


def test_people_are_found_by_what_is_said_of_them(client):
    found = ask(client, "people", {"table": "loans", "said": "income over 50", "only": "none"})
    people = found.json()["people"]
    assert people
    assert all(person["band"] == "none" for person in people)
    assert found.json()["counts"]["none"] == found.json()["n_found"] == len(people)
    ordered = ask(client, "people", {"table": "loans", "only": "rejected"}).json()["people"]
    assert ordered[0]["ways"] == "none"


def test_two_people_are_compared(client):
    sides = ask(client, "compare", {"table": "loans", "people": [0, 3]}).json()
    assert [person["title"] for person in sides["people"]] == ["Applicant 0", "Applicant 3"]
    assert sides["outlook"][1]["values"][1] == "none"
    income = next(row for row in sides["columns"] if row["label"] == "Income")
    assert income["differ"] == (income["values"][0] != income["values"][1])


def test_a_walk_is_that_of_the_person_whom_the_address_names(client):
    for person in (0, 5):
        first = ask(client, f"walk?table=loans&person={person}").json()
        assert first["header"]["title"] == f"Applicant {person}"
        assert ask(client, f"walk?person={person}").json()["header"] == first["header"]


def test_past_and_lasting_are_told_when_asked_for(client):
    people = ask(client, "people", {"table": "loans", "only": "rejected"}).json()["people"]
    somebody = next(each["person"] for each in people if each["band"] != "none")
    asked = {"table": "loans", "people": [somebody]}
    assert ask(client, "past", asked).json()["ways"][0]["steps"]
    lasting = ask(client, "lasts", asked).json()["ways"]
    assert lasting[0]["lasts"].endswith("of 5 other models agree")


def test_the_audit_is_a_page_to_keep(client):
    answer = ask(client, "audit", {"table": "loans", "by": "sex"})
    assert answer.headers["content-type"].startswith("text/html")
    assert "Audit of Loans" in answer.text


BAD = {
    "no such table": ("everybody", {"table": "none"}, "There is no such table"),
    "nobody": ("walk", {}, "The address names nobody"),
    "no such person": ("compare", {"table": "loans", "people": [900]}, "There is no applicant 900"),
    "a negative one": ("compare", {"table": "loans", "people": [-1]}, "There is no applicant -1"),
    "three": ("compare", {"table": "loans", "people": [1, 2, 3]}, "One or 2 people"),
    "an unknown sort": ("people", {"table": "loans", "sort": "luck"}, "not understood"),
    "too many": ("people", {"table": "loans", "n": 10**6}, "At most 200"),
    "too long a search": ("people", {"table": "loans", "said": "x" * 1000}, "at most 200 letters"),
    "an unknown group": ("audit", {"table": "loans", "by": "wings"}, "by which column"),
    "a walk of nobody": ("walk?table=loans&person=x", {}, "names nobody"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_question_is_one_clear_line(client, name):
    path, body, words = BAD[name]
    answer = ask(client, path, body)
    assert answer.status_code == 422
    assert words in answer.json()["error"]
    assert "\n" not in answer.json()["error"]


def test_only_the_page_itself_may_ask(client):
    assert ask(client, "door", Origin="http://evil.example").status_code == 403
    assert ask(client, "door", Host="evil.example").status_code == 400
    assert client.get("api/people").status_code == 405


def test_a_table_that_cannot_be_opened_says_why():
    def fail():
        raise InvalidInput("This table\nhas no rows.")

    client = client_of(Tables({"loans": Example("loans", "Loans", "", fail)}))
    assert everybody(client)["error"] == "This table has no rows."
    assert ask(client, "people", {"table": "loans"}).json()["error"] == "This table has no rows."


def test_few_tables_and_guides_are_kept():
    people = population(40)
    site = Tables({key: Example(key, key, "", lambda: people) for key in "abcdef"})
    client = client_of(site)
    for key in "abcdef":
        while ask(client, "everybody", {"table": key}).json()["state"] == "opening":
            time.sleep(0.05)
        for person in range(4):
            ask(client, f"walk?table={key}&person={person}")
    assert len(site._open) == tables.MOST_TABLES
    assert len(site._guides) <= tables.MOST_GUIDES


def test_the_types_of_the_script_are_those_of_the_documents():
    import sys
    from pathlib import Path

    import facelift.web

    root = Path(__file__).parents[2]
    sys.path.insert(0, str(root / "tools"))
    try:
        from make_document_types import people
    finally:
        sys.path.pop(0)
    types = Path(facelift.web.__file__).parent / "static" / "people.d.ts"
    assert types.read_text(encoding="utf-8") == people()
