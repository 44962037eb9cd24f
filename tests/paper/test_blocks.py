from __future__ import annotations

import pytest

from facelift.paper import blocks


def test_a_block_is_worked_out_once(tmp_path):
    asked = []

    def work(number: int) -> blocks.Rows:
        asked.append(number)
        return [{"number": number, "nothing": float("nan")}]

    first = list(blocks.done(tmp_path, "study", ["a", "b"], work))
    again = list(blocks.done(tmp_path, "study", ["a", "b", "c"], work))
    assert asked == [0, 1, 2]
    assert [rows[0]["number"] for rows in first] == [0, 1]
    assert [rows[0]["number"] for rows in again] == [0, 1, 2]


def test_a_block_that_failed_leaves_nothing_and_the_ones_before_it(tmp_path):
    def work(number: int) -> blocks.Rows:
        if number == 1:
            raise KeyboardInterrupt
        return [{"number": number}]

    with pytest.raises(KeyboardInterrupt):
        list(blocks.done(tmp_path, "study", ["a", "b"], work))
    assert [path.name for path in tmp_path.iterdir()] == ["study-a.json"]


def test_a_file_that_cannot_be_read_is_made_anew(tmp_path):
    (tmp_path / "study-a.json").write_text('[{"number": 1')
    assert list(blocks.done(tmp_path, "study", ["a"], lambda _: [{"number": 2}])) == [
        [{"number": 2}]
    ]
    assert (tmp_path / "study-a.json").read_text() == '[{"number": 2}]'
