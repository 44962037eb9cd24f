"""The list of sabotages is up to date with the code, and what it calls caught was caught."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from benchmarks.sabotage import SABOTAGES, copied_tree, fail_anyway, first_failure, outcomes

ROOT = Path(__file__).parents[1]
PAGE = next(each for each in SABOTAGES if each.file.endswith("index.html"))


def test_many_promises_are_broken_each_in_another_way():
    assert len({(each.file, each.new) for each in SABOTAGES}) == len(SABOTAGES) >= 10
    assert len({each.promise for each in SABOTAGES}) >= 10


def test_every_promise_of_the_document_is_broken_at_least_once():
    text = (ROOT / "docs" / "promises.md").read_text(encoding="utf-8")
    *promises, last = re.findall(r"^## (.+)$", text, re.MULTILINE)
    assert last == "Try to break them"
    assert {promise.lower() for promise in promises} <= {each.promise for each in SABOTAGES}


@pytest.mark.parametrize("sabotage", SABOTAGES, ids=lambda each: each.what)
def test_what_a_sabotage_changes_is_there_exactly_once(sabotage):
    assert (ROOT / sabotage.file).read_text(encoding="utf-8").count(sabotage.old) == 1
    assert sabotage.old != sabotage.new
    assert (ROOT / sabotage.tests.split()[0].partition("::")[0]).is_file()


def test_a_sabotage_of_code_that_moved_says_so(tmp_path):
    (tmp_path / "moved.py").write_text("nothing of it\n")
    with pytest.raises(SystemExit, match=r"moved\.py holds 0 times"):
        replace(PAGE, file="moved.py").done_in(tmp_path)


def test_a_sabotage_is_caught_by_name_and_a_harmless_change_is_not():
    harmless = replace(PAGE, new=f"{PAGE.old} ")
    noticed = "tests/web/test_script.py::test_nothing_is_fetched_from_elsewhere"
    assert [each.caught_by for each in outcomes([PAGE, harmless])] == [noticed, None]
    assert fail_anyway([noticed]) is None
    assert PAGE.old in (ROOT / PAGE.file).read_text(encoding="utf-8")


def test_tests_that_cannot_be_run_are_an_error():
    with pytest.raises(SystemExit, match="could not be run"):
        list(outcomes([replace(PAGE, tests="tests/web/test_nowhere.py")]))


def test_tests_that_take_too_long_are_an_error_in_one_line(monkeypatch, tmp_path):
    monkeypatch.setattr("benchmarks.sabotage.MOST_SECONDS", 0.01)
    with pytest.raises(SystemExit, match=r"tests/slow\.py took more than 0\.01 seconds"):
        first_failure(tmp_path, ["tests/slow.py"])


def test_a_copy_holds_nothing_that_was_compiled():
    with copied_tree() as tree:
        assert (tree / PAGE.file).is_file()
        assert not list(tree.rglob("*.pyc"))
        assert not list(tree.rglob("*.nb?"))
