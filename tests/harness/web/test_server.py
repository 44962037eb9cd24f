"""The server under load, for long, and killed."""

from __future__ import annotations

import gc
import json
import os
import select
import signal
import subprocess
import sys
import tracemalloc
from pathlib import Path

import pytest
from tests.web.calling import asked

from facelift import FACElift
from facelift.walking.guide import Guide
from facelift.web.messages import ANSWERS

ROOT = Path(__file__).resolve().parents[3]


class Running:
    """The command as its users start it."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "facelift.cli", "explore", "--no-browser", "--row", "4"],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )
        assert select.select([self.process.stdout], [], [], 60)[0]
        self.url = self.process.stdout.readline().strip()

    def __enter__(self) -> str:
        return self.url

    def __exit__(self, *_) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.communicate()


def test_nothing_exported_is_lost_when_the_server_is_killed(tmp_path):
    """A walk is in what was exported; another server goes on from there with the same answers."""
    with Running() as url:
        _, start = asked(url)
        vertex = start["cards"]["cards"][0]["vertex"]
        _, step = asked(url, walk=start["walk"], move={"kind": "take", "vertex": vertex})
        _, shown = asked(url, walk=step["walk"])
        _, exported = asked(url, "export", walk=step["walk"], format="json")
        (tmp_path / "walk.json").write_text(json.dumps(exported))
    with pytest.raises(OSError):
        asked(url)
    kept = json.loads((tmp_path / "walk.json").read_text())["document"]["walk"]
    with Running() as url:
        assert asked(url, walk=kept) == (200, shown)
        _, again = asked(url, "export", walk=kept, format="json")
    assert again["document"] == exported["document"]
    receipts = [{**each["receipt"], "made": ""} for each in (exported, again)]
    assert receipts[0] == receipts[1]


def test_the_same_walks_again_take_no_more_memory(credit):
    explainer = FACElift(credit.model, credit.explainer.terrain_, steps="actions").fit(credit.X)
    guide = Guide(explainer.explain(credit.X.iloc[[4]], "good"))
    limits = [{"ease": {name: "hard"}} for name in ("savings", "duration")]
    moves = [None, *({"kind": "limits", "limits": each} for each in limits)]
    asked = [("walk", json.dumps({"move": move}).encode()) for move in moves]
    asked += [("export", json.dumps({"walk": {}, "format": "svg"}).encode())]

    def held(rounds: int) -> int:
        for _ in range(rounds):
            for name, body in asked:
                ANSWERS[name](guide, body)
        gc.collect()
        return tracemalloc.get_traced_memory()[0]

    held(1)
    tracemalloc.start()
    try:
        first, later = held(1), held(4)
    finally:
        tracemalloc.stop()
    assert later - first < 100_000


def test_many_people_walk_at_once_without_error(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT))
    from tools.benchmarks import server_load

    monkeypatch.setattr(server_load, "COMPARED", 0.5)
    found = server_load.run(12, 10, (0.0, 0.2))
    assert found["errors"] == 0, found["first_error"]
    assert found["different"] == 0
    assert found["requests"] > 30
    assert found["compared"] > 2
