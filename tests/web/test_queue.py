"""So many requests are answered at once, some wait, the rest is sent away."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor

from tests.web.calling import asked

from facelift.walking import Guide
from facelift.web import queue


class Gate:
    """Holds every answer up until it is opened, and counts who is inside."""

    def __init__(self, monkeypatch) -> None:
        self.opened, self.inside, self.most, self.lock = threading.Event(), 0, 0, threading.Lock()
        real = Guide.plan

        def plan(guide, walk):
            with self.lock:
                self.inside += 1
                self.most = max(self.most, self.inside)
            self.opened.wait(30)
            with self.lock:
                self.inside -= 1
            return real(guide, walk)

        monkeypatch.setattr(Guide, "plan", plan)

    def full(self, n: int) -> None:
        until = time.monotonic() + 20
        while self.inside < n and time.monotonic() < until:
            time.sleep(0.01)
        assert self.inside == n


def test_only_some_answers_are_worked_out_at_once_and_the_rest_waits(page, monkeypatch):
    gate = Gate(monkeypatch)
    with ThreadPoolExecutor(10) as pool:
        answers = [pool.submit(asked, page) for _ in range(10)]
        gate.full(queue.MOST_AT_ONCE)
        time.sleep(0.2)
        gate.opened.set()
        assert [each.result()[0] for each in answers] == [200] * 10
    assert gate.most == queue.MOST_AT_ONCE


def test_when_too_many_wait_the_next_is_sent_away(page, monkeypatch):
    monkeypatch.setattr(queue, "MOST_WAITING", 0)
    gate = Gate(monkeypatch)
    with ThreadPoolExecutor(queue.MOST_AT_ONCE) as pool:
        answers = [pool.submit(asked, page) for _ in range(queue.MOST_AT_ONCE)]
        gate.full(queue.MOST_AT_ONCE)
        status, told = asked(page)
        gate.opened.set()
        assert (status, "at once" in told["error"]) == (503, True)
        assert [each.result()[0] for each in answers] == [200] * queue.MOST_AT_ONCE
    assert asked(page)[0] == 200


def test_an_answer_that_takes_too_long_is_given_up_but_keeps_its_place(page, monkeypatch):
    monkeypatch.setattr(queue, "MOST_SECONDS", 0.3)
    monkeypatch.setattr(queue, "MOST_WAITING", 0)
    gate = Gate(monkeypatch)
    with ThreadPoolExecutor(queue.MOST_AT_ONCE) as pool:
        answers = [pool.submit(asked, page) for _ in range(queue.MOST_AT_ONCE)]
        told = [each.result() for each in answers]
    assert {status for status, _ in told} == {503}
    assert "No answer within 0.3 seconds" in told[0][1]["error"]
    assert "at once" in asked(page)[1]["error"]  # all places are still taken
    gate.opened.set()
    until = time.monotonic() + 20
    while gate.inside and time.monotonic() < until:
        time.sleep(0.01)
    time.sleep(0.1)
    monkeypatch.setattr(queue, "MOST_SECONDS", 60.0)
    assert asked(page)[0] == 200
