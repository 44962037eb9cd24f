from __future__ import annotations

import logging
import sys

import pandas as pd
import pytest

from facelift.paper import in_blocks, lines, write_chart


def test_a_block_is_worked_out_once(tmp_path):
    asked = []

    def work(number: int) -> list[dict[str, object]]:
        asked.append(number)
        return [{"number": number, "nothing": float("nan")}]

    first = list(in_blocks(tmp_path, "study", ["a", "b"], work))
    again = list(in_blocks(tmp_path, "study", ["a", "b", "c"], work))
    assert asked == [0, 1, 2]
    assert [rows[0]["number"] for rows in first] == [0, 1]
    assert [rows[0]["number"] for rows in again] == [0, 1, 2]


def test_a_block_that_failed_leaves_nothing_and_the_ones_before_it(tmp_path):
    def work(number: int) -> list[dict[str, object]]:
        if number == 1:
            raise KeyboardInterrupt
        return [{"number": number}]

    with pytest.raises(KeyboardInterrupt):
        list(in_blocks(tmp_path, "study", ["a", "b"], work))
    assert [path.name for path in tmp_path.iterdir()] == ["study-a.json"]


def test_a_file_that_cannot_be_read_is_made_anew(tmp_path):
    (tmp_path / "study-a.json").write_text('[{"number": 1')
    assert list(in_blocks(tmp_path, "study", ["a"], lambda _: [{"number": 2}])) == [[{"number": 2}]]
    assert (tmp_path / "study-a.json").read_text() == '[{"number": 2}]'


def test_without_matplotlib_one_line_says_how_to_get_figures(tmp_path, caplog, monkeypatch):
    for name in [each for each in sys.modules if each.startswith("facelift.paper.figures")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with caplog.at_level(logging.WARNING):
        assert write_chart(tmp_path / "a.svg", "draw_table", "table1", []) == []
    (line,) = caplog.messages
    assert 'pip install "facelift-multiverse[plot]"' in line
    assert not (tmp_path / "a.svg").exists()


def test_lines_have_the_digits_of_files(tmp_path):
    table = pd.DataFrame({"p": [1.23456789e-9, float("nan")], "n": [3, 4], "name": ["a", "b"]})
    table.to_csv(tmp_path / "table.csv", index=False, float_format="%.6g")
    assert lines(table) == lines(pd.read_csv(tmp_path / "table.csv"))
