"""Many people walking at once: no error, the answers of the core, and no memory that grows.

    python -m tools.benchmarks.server_load [--browsers 50] [--minutes 5] [--pause 2 10]
    python -m tools.benchmarks.server_load --requests 20000 --browsers 4 --pause 0 0

Starts `facelift explore` as its users do and walks on it over HTTP: each browser opens the page,
takes steps, rules some out, changes limits, looks for more ways, exports and starts again, with a
pause for thought in between, for some minutes or for so many requests. Some answers are compared,
byte by byte, with what the core gives for the same walk in this process. Prints requests, errors,
answers compared and different, seconds per answer, the server's memory at every tenth of it all,
and its growth in the second half.
"""

from __future__ import annotations

import argparse
import http.client
import json
import random
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np

from facelift.cli import demos
from facelift.views import page as views
from facelift.walking.guide import Guide
from facelift.web import messages

APPLICANT = 4
PAUSE = (2.0, 10.0)
"""Seconds between two requests of one browser: people read."""

COMPARED = 0.1
"""Share of answers that are compared with the core's."""


@dataclass
class Tally:
    """What happened, counted by all browsers together."""

    seconds: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    compared: int = 0
    different: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Hours:
    """When browsers close, and the seconds that users think between two requests.

    They close after so many seconds from the start, or, if that is given, so many requests of all.
    """

    start: float
    seconds: float
    pause: tuple[float, float]
    requests: int | None = None

    def share(self, tally: Tally) -> float:
        """How much of it is over; 1 and more for all."""
        if self.requests is not None:
            return len(tally.seconds) / self.requests
        return (time.monotonic() - self.start) / self.seconds

    def think(self, rng: random.Random) -> None:
        """Wait as long as a user does, but not after the end."""
        left = self.start + self.seconds - time.monotonic() if self.requests is None else np.inf
        time.sleep(min(rng.uniform(*self.pause), max(left, 0.0)))


@dataclass(frozen=True)
class Core:
    """The guide in this process, asked by one browser at a time."""

    guide: Guide
    lock: Any = field(default_factory=threading.Lock)

    def compare(self, body: bytes, answer: bytes, tally: Tally) -> None:
        """Count whether the core gives the same bytes, unless it is busy."""
        if not self.lock.acquire(blocking=False):
            return
        try:
            asked = messages.read(messages.Step, body)
            expected = views.to_json(views.document(self.guide, asked.walk, asked.move))
        finally:
            self.lock.release()
        tally.compared += 1
        if expected != answer:
            tally.different.append(body.decode())


class Browser(threading.Thread):
    """Somebody walking until the time is over."""

    def __init__(self, url: str, seed: int, hours: Hours, core: Core, tally: Tally) -> None:
        super().__init__(daemon=True)
        self.parts, self.core, self.tally = urlsplit(url), core, tally
        self.hours = hours
        self.rng = random.Random(seed)  # noqa: S311  (no secret)
        self.connection = http.client.HTTPConnection(self.parts.netloc, timeout=120)

    def run(self) -> None:
        while self.hours.share(self.tally) < 1:
            try:
                self.walk()
            except Over:
                break
            except (OSError, http.client.HTTPException, ValueError) as fault:
                self.tally.errors.append(repr(fault))
                self.connection.close()
        self.connection.close()

    def walk(self) -> None:
        """One visit of the page."""
        start = shown = self.ask("walk")
        for _ in range(3):
            if shown["cards"]["cards"]:
                card = self.rng.choice(shown["cards"]["cards"])
                shown = self.move(shown, kind="take", vertex=card["vertex"])
        if shown["cards"]["cards"]:
            card = self.rng.choice(shown["cards"]["cards"])
            shown = self.move(shown, kind="rule out", vertex=card["vertex"])
        names = [setting["name"] for setting in start["settings"]["settings"]]
        for name in self.rng.sample(names, 2):
            limits = shown["walk"]["limits"]
            ease = {**limits["ease"], name: self.rng.choice(["easy", "hard", "never"])}
            shown = self.move(shown, kind="limits", limits={**limits, "ease": ease})
        self.ask("export", walk=shown["walk"], format=self.rng.choice(["svg", "json", "html"]))
        self.move(start, kind="again", n_ways=self.rng.choice([10, 20]))

    def move(self, shown: Any, **move: Any) -> Any:
        return self.ask("walk", walk=shown["walk"], move=move)

    def ask(self, path: str, **asked: Any) -> Any:
        self.hours.think(self.rng)
        if self.hours.share(self.tally) >= 1:
            raise Over
        body, address = json.dumps(asked).encode(), f"{self.parts.path}api/{path}"
        start = time.monotonic()
        self.connection.request("POST", address, body, {"Content-Type": "application/json"})
        response = self.connection.getresponse()
        answer = response.read()
        self.tally.seconds.append(time.monotonic() - start)
        if response.status != 200:
            raise ValueError(f"{response.status} {answer.decode()}")
        if path == "export":
            return None
        if self.rng.random() < COMPARED:
            self.core.compare(body, answer, self.tally)
        return json.loads(answer)


class Over(Exception):
    """It is time to close."""


def run(
    n_browsers: int,
    seconds: float,
    pause: tuple[float, float] = PAUSE,
    requests: int | None = None,
) -> dict[str, Any]:
    """Walk for some seconds, or so many requests, and tell what happened."""
    command = [sys.executable, "-m", "facelift.cli", "explore", "--no-browser"]
    core, tally = Core(demos.german_credit(APPLICANT)), Tally()
    with subprocess.Popen([*command, "--row", str(APPLICANT)], stdout=subprocess.PIPE) as server:
        url = server.stdout.readline().decode().strip() if server.stdout else ""
        hours = Hours(time.monotonic(), seconds, pause, requests)
        browsers = [Browser(url, i, hours, core, tally) for i in range(n_browsers)]
        for browser in browsers:
            browser.start()
        memory = []
        for tenth in range(1, 11):
            while hours.share(tally) < tenth / 10 and any(each.is_alive() for each in browsers):
                time.sleep(0.1)
            memory.append(megabytes(server.pid))
        for browser in browsers:
            browser.join(180)
        died = server.poll() is not None
        server.kill()
    hung = sum(browser.is_alive() for browser in browsers)
    return {
        "requests": len(tally.seconds),
        "errors": len(tally.errors) + died + hung,
        "first_error": next(iter(tally.errors), None),
        "compared": tally.compared,
        "different": len(tally.different),
        "median_seconds": float(np.median(tally.seconds)),
        "slowest_seconds": float(np.max(tally.seconds)),
        "megabytes": [round(each) for each in memory],
        "growth": memory[-1] / memory[4] - 1,
    }


def megabytes(process: int) -> float:
    """Memory that a process holds (Linux)."""
    pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    return pages * 4096 / 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--browsers", type=int, default=50)
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--pause", type=float, nargs=2, default=PAUSE, metavar="SECONDS")
    parser.add_argument("--requests", type=int, help="instead of minutes: so many in all")
    asked = parser.parse_args()
    found = run(asked.browsers, 60 * asked.minutes, tuple(asked.pause), asked.requests)
    for name, value in found.items():
        print(f"{name:16} {value:.3f}" if isinstance(value, float) else f"{name:16} {value}")


if __name__ == "__main__":
    main()
