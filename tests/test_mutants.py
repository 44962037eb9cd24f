"""Mutants are small changes of functions and nothing else; the list of survivors is up to date."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from types import FunctionType

import pytest
from benchmarks.mutants import EXPLAINED, TESTS, all_mutants, explained
from benchmarks.mutation import Mutant, mutants_of

ROOT = Path(__file__).parents[1]

CODE = '''
LIMIT = 1 + 1

def f(x: int = 2 + 2) -> bool:
    """A text of 1 line."""
    if x < 3:
        raise ValueError(f"{x + 1} is " + "too little")
    x += 4
    return not min(x, 9) == 8 or x > 10

def g(x):
    match x:
        case 0 | "none":
            x += 6
        case int() if x > 7:
            return x * 2
    return x

class Value:
    @property
    def half(self) -> float:
        return sorted(self.parts, reverse=True)[0] / 2 if self.parts else 0.5
'''


@pytest.fixture(scope="module")
def mutants(tmp_path_factory) -> list[Mutant]:
    home = tmp_path_factory.mktemp("code")
    (home / "code.py").write_text(CODE)
    return list(mutants_of(home, "code.py"))


def changes(mutants: list[Mutant], old: str) -> set[str]:
    return {each.new for each in mutants if each.old == old}


def test_operators_numbers_names_and_conditions_are_changed_one_at_a_time(mutants):
    assert changes(mutants, "return not min(x, 9) == 8 or x > 10") == {
        "return min(x, 9) == 8 or x > 10",
        "return not max(x, 9) == 8 or x > 10",
        "return not min(x, 10) == 8 or x > 10",
        "return not min(x, 9) != 8 or x > 10",
        "return not min(x, 9) == 9 or x > 10",
        "return not min(x, 9) == 8 and x > 10",
        "return not min(x, 9) == 8 or x >= 10",
        "return not min(x, 9) == 8 or x < 10",
        "return not min(x, 9) == 8 or x > 11",
    }
    assert changes(mutants, "x += 4") == {"pass", "x -= 4", "x += 5"}
    tests = {"if x <= 3:", "if x > 3:", "if x < 4:", "if True:", "if False:"}
    assert changes(mutants, "if x < 3:") == tests


def test_keywords_are_left_out_and_either_side_of_a_choice_is_taken(mutants):
    whole = "return sorted(self.parts, reverse=True)[0] / 2 if self.parts else 0.5"
    assert changes(mutants, whole) >= {
        "return sorted(self.parts)[0] / 2 if self.parts else 0.5",
        "return sorted(self.parts, reverse=True)[0] / 2",
        "return 0.5",
    }


def test_each_case_is_changed_in_its_pattern_its_guard_and_what_it_does(mutants):
    guards = {"x >= 7", "x < 7", "x > 8", "True", "False"}
    assert changes(mutants, "case int() if x > 7:") == {f"case int() if {each}:" for each in guards}
    assert changes(mutants, "case 0 | 'none':") == {"case 1 | 'none':"}
    assert changes(mutants, "return x * 2") == {"return x / 2", "return x * 3"}
    assert changes(mutants, "x += 6") == {"x -= 6", "x += 7"}  # a case must do something
    assert changes(mutants, "match x:") == set()


def test_texts_errors_defaults_and_constants_of_modules_are_left_alone(mutants):
    shown = " ".join(each.old for each in mutants)
    assert not any(words in shown for words in ("LIMIT", "raise", "text", "2 + 2"))
    assert {each.function for each in mutants} == {"f", "g", "Value.half"}


def test_the_code_of_a_mutant_does_what_it_says(mutants):
    (more,) = [each for each in mutants if each.new == "x += 5"]
    (never,) = [each for each in mutants if each.new == "if False:"]
    assert FunctionType(more.code, {})(4) is True  # 4 + 5 is not 8, as 4 + 4 was
    assert FunctionType(never.code, {})(2) is True  # not refused any more
    assert len({each.code for each in mutants}) == len(mutants)


def test_every_survivor_that_is_explained_is_still_a_mutant():
    assert explained() <= {str(each) for each in all_mutants()}


def test_a_few_mutants_are_tried_and_what_survives_is_explained():
    command = [sys.executable, "-m", "benchmarks.mutants", "--sample", "4", "geometry/ties.py"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1].split()[:2] == ["all", "4"]


def test_the_table_of_counts_adds_up_and_every_survivor_is_explained():
    text = EXPLAINED.read_text(encoding="utf-8")
    row = re.compile(r"^    (\S+)\s+(\d+)\s+(\d+)\s+(\d+)$", re.MULTILINE)
    *files, (last, *total) = [(name, *map(int, counts)) for name, *counts in row.findall(text)]
    assert last == "all"
    assert total == [sum(counts) for counts in zip(*(each[1:] for each in files), strict=True)]
    assert [name for name, *_ in files] == sorted(TESTS)
    for name, mutants, killed, survived in files:
        assert mutants == killed + survived
        module = name.removesuffix(".py").replace("/", ".")
        assert sum(line.startswith(f"`{module}.") for line in explained()) == survived
