"""The command that counts: what it prints, and that it ends badly when a promise was broken."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from subprocess import CompletedProcess

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture
def trust(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT))
    from benchmarks import trust

    kept = [trust.Count("bad inputs", 1200, 0)]
    broken = [trust.Count("faults injected", 7, 2)]
    monkeypatch.setattr(trust, "PARTS", {"kept": lambda _: kept, "broken": lambda _: broken})
    return trust


def run(trust, monkeypatch, capsys, *arguments: str) -> tuple[int, str]:
    monkeypatch.setattr(sys, "argv", ["trust", *arguments])
    with pytest.raises(SystemExit) as ended:
        trust.main()
    return int(ended.value.code), capsys.readouterr().out


def test_counts_are_printed_with_what_they_come_to(trust, monkeypatch, capsys):
    code, printed = run(trust, monkeypatch, capsys)
    assert code == 1
    assert [line.split() for line in printed.splitlines()] == [
        ["tried", "violations"],
        ["bad", "inputs", "1,200", "0"],
        ["faults", "injected", "7", "2"],
        ["all", "1,207", "2"],
    ]


def test_no_violation_is_a_good_end(trust, monkeypatch, capsys):
    code, printed = run(trust, monkeypatch, capsys, "--json", "kept")
    assert code == 0
    assert json.loads(printed) == [{"what": "bad inputs", "tried": 1200, "violations": 0}]


def test_a_part_that_is_not_there_is_a_usage_error(trust, monkeypatch, capsys):
    code, _ = run(trust, monkeypatch, capsys, "nothing")
    assert code == 2


def test_the_parts_that_break_nothing_find_nothing(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT))
    from benchmarks import trust

    for count in trust.damage(trust.QUICK):
        assert count.tried > 100
        assert count.violations == 0


def test_in_depth_every_file_of_laws_is_run_with_one_seed_and_all_are_counted(monkeypatch, capsys):
    monkeypatch.syspath_prepend(str(ROOT))
    from benchmarks import trust

    asked = []

    def ran(*arguments: str, **_: object) -> CompletedProcess[str]:
        asked.append(arguments)
        broken = arguments[-1] == "tests/test_laws.py"
        told = "5 examples passed\n" + "3 failed" * broken
        return CompletedProcess(arguments, int(broken), told, "")

    monkeypatch.setattr(trust, "_module", ran)
    (count,) = trust.laws(trust.DEEP)
    assert (count.tried, count.violations) == (5 * len(asked), 3)
    assert len(asked) > 50
    (seed,) = {part for each in asked for part in each if part.startswith("--hypothesis-seed=")}
    assert seed in capsys.readouterr().err
    assert all("--hypothesis-profile=deep" in each for each in asked)


def test_a_sample_is_from_all_over_and_the_same_each_time(trust):
    numbers = range(20)
    some = trust.drawn(numbers, 5)
    assert some == trust.drawn(numbers, 5) == sorted(set(some))
    assert len(some) == 5
    assert max(some) >= 10
    assert trust.drawn(numbers, 1000) == list(numbers)
