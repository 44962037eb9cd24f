"""Work side by side: streamed in order, kept when interrupted, announced when it takes long."""

import threading
import time

import numpy as np
import pytest

import facelift as fl
from facelift._progress import BLOCK, announced, streamed, tracked, transferred
from facelift.errors import Interrupted
from facelift.graph import search
from facelift.steps.base import Request


def model(points):
    good = (points[:, 0] + points[:, 1] > 1.2).astype(float)
    return np.column_stack([1 - good, good])


@pytest.fixture(scope="module")
def world():
    return np.random.default_rng(0).random((500, 2))


@pytest.fixture(scope="module")
def explainer(world):
    return fl.FACElift(model, n_neighbors=6, n_counterfactuals=4).fit(world)


def declined(world, n):
    return world[model(world)[:, 1] < 0.5][:n]


def documents(found):
    return [multiverse.to_json() for multiverse in found]


@pytest.mark.parametrize("n_jobs", [None, 1, 2, -1])
def test_results_come_in_order_whoever_makes_them(n_jobs):
    items = list(range(5 * BLOCK + 3))
    assert list(streamed(lambda i: i * i, items, n_jobs)) == [i * i for i in items]


def test_two_jobs_work_side_by_side():
    barrier = threading.Barrier(2, timeout=20)  # breaks unless two threads wait at the same time
    firsts = {0, BLOCK}
    waited = streamed(lambda i: i in firsts and barrier.wait() >= 0, range(2 * BLOCK), 2)
    assert sum(waited) == 2


def test_results_are_streamed(world, monkeypatch):
    asked, answered = [], []

    def counting(points):
        asked.append(len(points))
        return model(points)

    own = fl.FACElift(counting, n_neighbors=6, verify=False).fit(world)
    asked.clear()
    answer = own._answer
    monkeypatch.setattr(own, "_answer", lambda *a, **k: (answered.append(1), answer(*a, **k))[1])
    stream = own._explain_each(declined(world, 8) + 0.001, 1, Request.of(own), None)
    for n_told in (1, 2):
        next(stream)
        assert len(answered) == n_told
    assert asked == [8]  # who is new is asked about at once


def test_what_is_verified_together_comes_as_soon_as_it_is(explainer, world, monkeypatch):
    monkeypatch.setattr("facelift.explainer.GATHERED_FOR", 0.0)
    calls, explain = [], explainer._answer

    def counted(person, **options):
        calls.append(person)
        return explain(person, **options)

    monkeypatch.setattr(explainer, "_answer", counted)
    stream = explainer._explain_each(declined(world, 8), 1, Request.of(explainer), None)
    for n in (1, 2):
        next(stream)
        assert len(calls) == n


def test_compiled_searches_in_threads_do_not_disturb_each_other(world, monkeypatch):
    monkeypatch.setattr(search, "COMPILED_FROM", 0)
    people = np.vstack([declined(world, 90), declined(world, 20) + 0.001])
    own = fl.FACElift(model, n_neighbors=6, n_counterfactuals=4).fit(world)
    expected = documents(own.explain_many(people, 1))
    for _ in range(3):
        assert documents(own.set_params(n_jobs=4).explain_many(people, 1)) == expected


def test_ctrl_c_keeps_what_is_done(explainer, world, monkeypatch):
    people = declined(world, 9)
    expected = documents(explainer.explain_many(people, 1))
    explain, calls = explainer._answer, iter(range(99))

    def interrupted_at_the_sixth(point, **options):
        if next(calls) == 5:
            raise KeyboardInterrupt
        return explain(point, **options)

    monkeypatch.setattr(explainer, "_answer", interrupted_at_the_sixth)
    with pytest.raises(KeyboardInterrupt, match="Stopped after 5 of 9") as caught:
        explainer.explain_many(people, 1)
    assert isinstance(caught.value, Interrupted)
    assert documents(caught.value.done) == expected[:5]


def test_a_bar_shows_how_far_it_is(explainer, world, capsys, monkeypatch):
    monkeypatch.setattr("facelift._progress.PATIENCE", 0.0)
    explainer.explain_many(declined(world, 5), 1, progress=True)
    assert "5/5" in capsys.readouterr().err


def test_what_takes_long_is_announced(caplog):
    with announced("Compiling", after=0.01):
        time.sleep(0.3)
    assert caplog.messages == ["Compiling"]


def test_what_is_quick_is_not_announced(caplog):
    with announced("Compiling", after=60):
        pass
    assert caplog.messages == []


def test_a_bar_appears_only_when_work_takes_long(capsys, monkeypatch):
    list(tracked(range(3), 3, "people", show=True))
    assert "people" not in capsys.readouterr().err
    monkeypatch.setattr("facelift._progress.PATIENCE", 0.0)
    assert list(tracked(range(3), 3, "people", show=True)) == [0, 1, 2]
    assert "people" in capsys.readouterr().err


def test_no_bar_is_drawn_where_nobody_looks(capsys, monkeypatch):
    monkeypatch.setattr("facelift._progress.PATIENCE", 0.0)
    list(tracked(range(3), 3, "people"))
    assert capsys.readouterr().err == ""


def test_the_bar_of_a_transfer_counts_bytes_and_what_came_before(capsys, monkeypatch):
    monkeypatch.setattr("facelift._progress.PATIENCE", 0.0)
    pieces = [b"x" * 1000, b"y" * 2000]
    assert list(transferred(pieces, "digits.gz", 7000, 10_000, show=True)) == pieces
    drawn = capsys.readouterr().err
    assert "digits.gz" in drawn
    assert "10.0/10.0 kB" in drawn
