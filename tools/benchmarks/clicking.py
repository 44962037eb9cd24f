"""The page in Chromium, clicked on: how long every click takes until its answer is painted."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

Painted = dict[str, list[float]]
"""Seconds of every click, by kind."""

FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]

CLICK = """async (found) => {
  const page = document.querySelector(".navigator");
  const drawn = new Promise((done) =>
    new MutationObserver(done).observe(page, { attributeFilter: ["data-drawn"] }));
  const start = performance.now();
  document.querySelector(found).click();
  await drawn;
  await new Promise((painted) => requestAnimationFrame(() => setTimeout(painted)));
  return (performance.now() - start) / 1000;
}"""
"""Click, and wait until the page is drawn anew and the frame with it is painted."""


@contextmanager
def browser() -> Iterator[Any]:
    """Chromium, as the system has it."""
    from playwright.sync_api import sync_playwright

    found = shutil.which("chromium") or shutil.which("chromium-browser")
    if found is None:
        raise SystemExit("No chromium on the path: apt-get install chromium.")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=found, args=FLAGS)
        yield chromium
        chromium.close()


class Tab:
    """A tab on the page of somebody, whose clicks are timed."""

    def __init__(self, chromium: Any, url: str, painted: Painted) -> None:
        self.context = chromium.new_context(viewport={"width": 1280, "height": 900})
        self.page, self.painted, self.url = self.context.new_page(), painted, url
        self.open()

    def open(self) -> None:
        """The page as it is at first, whatever was clicked before."""
        self.page.goto("about:blank")
        self.page.goto(self.url)
        self.page.wait_for_selector(".navigator .banner p")

    def close(self) -> None:
        """Close the tab."""
        self.context.close()

    def walk(self, rng: random.Random) -> None:
        """What somebody might do on the page."""
        for _ in range(5):
            self.step("take a step", "take", rng)
        for n_steps in (0, 1):
            self.open()
            for _ in range(n_steps):
                self.step("take a step", "take", rng)
            for _ in range(3):
                self.step("rule a step out", "cannot", rng)
        self.open()
        keys = self.page.locator("[data-key^=setting-]")
        eases = keys.evaluate_all(
            "all => all.filter(each => each.querySelector('.dots')).map(each => each.dataset.key)"
        )
        for key in rng.sample(eases, min(6, len(eases))):
            self.page.evaluate("key => document.querySelector(key).click()", f'[data-key="{key}"]')
            ease = rng.choice(["easy", "hard", "never"])
            self.click("change a limit", f'[id="ease-{key.removeprefix("setting-")}-{ease}"]')

    def step(self, kind: str, verb: str, rng: random.Random) -> None:
        """Click on one of the steps offered, if there is one."""
        n_cards = self.page.locator(".card").count()
        if n_cards:
            self.click(kind, f"[data-key={verb}-{rng.randrange(n_cards)}]")

    def click(self, kind: str, selector: str) -> None:
        """Click, and note how long it took until the answer was painted."""
        self.painted.setdefault(kind, []).append(self.page.evaluate(CLICK, selector))


def report(painted: Painted, bars: Mapping[str, tuple[float, float]]) -> None:
    """Median and 95th percentile of every kind of click, and the bars."""
    print(f"{'milliseconds':22} {'number':>6} {'median':>7} {'95 %':>7}   allowed")
    for kind, seconds in painted.items():
        middle, high = (f"{1e3 * each:7.0f}" for each in np.percentile(seconds, [50, 95]))
        allowed = "/".join(f"{bar:.0f}" for bar in bars[kind])
        print(f"{kind:22} {len(seconds):6} {middle} {high}   {allowed}")
