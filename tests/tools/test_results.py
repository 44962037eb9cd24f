"""Results that are kept line by line."""

import json

from tools.benchmarks.results import Results


def test_a_run_that_was_cut_off_goes_on(tmp_path):
    path = tmp_path / "results.jsonl"
    line = {"part": "ways", "table": "a", "model": "b", "seed": 0, "person": 3}
    Results(path).add(line)
    path.write_text(path.read_text() + '{"part": "ways", "tab')
    results = Results(path)
    assert list(results.lines.values()) == [line]
    assert results.has(line)
    assert not results.has(line | {"person": 4})
    results.add(line | {"person": 4})
    assert [json.loads(text)["person"] for text in path.read_text().splitlines()] == [3, 4]
