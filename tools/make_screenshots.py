"""Make the pictures of the navigator's states for the documents.

Usage: python tools/make_screenshots.py docs/pictures [STATE ...]

To look at all of them as a designer would, at other widths, in the dark, in forced colours and in
other languages:

    python tools/make_screenshots.py FOLDER --widths 1440 768 390 --modes dark forced --languages de

Needs Chromium on the path and Playwright (the `test` extra); smaller with Pillow.
"""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from facelift.cli import demos
from facelift.cli.explore import Bench
from facelift.datasets import load_german_credit
from facelift.web.server import Served, serve
from facelift.web.tables import Tables

FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]


def main() -> None:
    """Serve the demos, bring each page into its state, and take its picture."""
    from playwright.sync_api import sync_playwright

    given = _given()
    given.folder.mkdir(parents=True, exist_ok=True)
    applicant = serve(demos.german_credit(), browser=False)
    pictures = serve(demos.digits(), browser=False)
    tables = Tables(demos.examples(7, "actions"), "german", Bench(7, "actions"))
    everybody = serve(tables, browser=False)
    with sync_playwright() as playwright:
        found = shutil.which("chromium")
        browser = playwright.chromium.launch(executable_path=found, args=FLAGS)
        states = _states(applicant, pictures, everybody)
        for name in given.states or states:
            page, size, act = states[name]
            for look in _looks(given, size[0], "dark" if name == "dark" else "light"):
                tab = _tab(browser, page.url, (look.width, size[1]), look)
                act(tab)
                tab.evaluate("document.activeElement?.blur(); scrollTo(0, 0)")
                target = given.folder / f"navigator-{name}{look.suffix}.png"
                whole = name == "images" or bool(look.suffix)
                tab.screenshot(path=target, full_page=whole, scale="css")
                _shrink(target)
                print(f"{target}: {target.stat().st_size // 1024} kB", flush=True)
                tab.context.close()
        browser.close()
    applicant.stop()
    pictures.stop()
    everybody.stop()


@dataclass(frozen=True)
class Look:
    """How a page is looked at."""

    width: int
    mode: str = "light"
    language: str = "en"
    suffix: str = ""


def _given() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("states", nargs="*")
    parser.add_argument("--widths", type=int, nargs="*", default=[])
    parser.add_argument("--modes", nargs="*", default=[], choices=["light", "dark", "forced"])
    parser.add_argument("--languages", nargs="*", default=[])
    return parser.parse_args()


def _looks(given: argparse.Namespace, width: int, mode: str) -> list[Look]:
    """The picture of the documents; or all that was asked for, each with its name."""
    if not (given.widths or given.modes or given.languages):
        return [Look(width, mode)]
    asked = product(given.widths or [width], given.modes or [mode], given.languages or ["en"])
    return [Look(*each, suffix="".join(f"-{part}" for part in each)) for each in asked]


Act = Callable[[Any], None]
Size = tuple[int, int]


def _states(
    applicant: Served, digits: Served, everybody: Served
) -> dict[str, tuple[Served, Size, Act]]:
    wide, narrow = (1280, 1010), (390, 1480)
    return {
        "start": (applicant, wide, _nothing),
        "step": (applicant, wide, lambda tab: _settle(tab, lambda: tab.keyboard.press("2"))),
        "blocked": (applicant, wide, _block),
        "limits": (applicant, wide, _limit),
        "time": (applicant, wide, _hurry),
        "empty": (applicant, wide, _lock),
        "look": (applicant, (1280, 1240), lambda tab: tab.locator(".card .closes").first.hover()),
        "try": (applicant, (1280, 1240), _try),
        "plan": (applicant, wide, _plan),
        "arrived": (applicant, (1280, 760), _arrive),
        "share": (applicant, wide, lambda tab: tab.locator("[data-key=export]").click()),
        "ways": (applicant, wide, lambda tab: tab.keyboard.press("c")),
        "help": (applicant, wide, lambda tab: tab.keyboard.press("?")),
        "everybody": (everybody, wide, _count),
        "two": (everybody, wide, _compare),
        "past": (everybody, wide, _ask),
        "rules": (everybody, wide, _bring),
        "images": (digits, wide, lambda tab: tab.locator(".way-list summary").nth(2).click()),
        "narrow": (applicant, narrow, _nothing),
        "dark": (applicant, wide, _nothing),
    }


def _shrink(picture: Path) -> None:
    """Keep 256 colours, which is plenty for a page; only where Pillow is installed."""
    try:
        from PIL import Image
    except ImportError:
        return
    with Image.open(picture) as full:
        small = full.convert("RGB").quantize(256, dither=Image.Dither.NONE)
    small.save(picture, optimize=True)


def _tab(browser: Any, url: str, size: Size, look: Look) -> Any:
    context = browser.new_context(
        viewport={"width": size[0], "height": size[1]},
        color_scheme="dark" if look.mode == "dark" else "light",
        forced_colors="active" if look.mode == "forced" else "none",
        locale=look.language,
        bypass_csp=True,
    )
    tab = context.new_page()
    tab.goto(url)
    tab.wait_for_selector(".card, .person")
    return tab


def _settle(tab: Any, act: Callable[[], None]) -> None:
    """Do something, and wait until the page has drawn the answer."""
    drawn = tab.locator(".navigator").get_attribute("data-drawn")
    act()
    tab.wait_for_selector(f'.navigator:not([data-drawn="{drawn}"])')


def _nothing(_tab: Any) -> None:
    pass


def _block(tab: Any) -> None:
    _settle(tab, lambda: tab.keyboard.press("1"))
    _settle(tab, lambda: tab.locator("[data-key=cannot-1]").click())


def _ease(tab: Any, name: str, ease: str) -> None:
    """Say how hard it is to change something."""
    _open(tab, name)
    _settle(tab, lambda: tab.locator(f"#ease-{name}-{ease}").dispatch_event("click"))


def _open(tab: Any, name: str) -> None:
    row = tab.locator(f"[data-key=setting-{name}]")
    if row.get_attribute("aria-expanded") == "false":
        row.dispatch_event("click")


def _limit(tab: Any) -> None:
    _ease(tab, "employment", "never")
    _ease(tab, "savings", "easy")


def _hurry(tab: Any) -> None:
    """Five years, along time."""
    tab.locator("[data-key=deadline]").fill("60")
    _settle(tab, lambda: tab.locator("[data-key=deadline]").press("Enter"))
    scale = tab.locator("[data-key=scale-time]")
    if scale.is_visible():
        scale.click()


def _lock(tab: Any) -> None:
    """Set one thing after the other to never, until nothing leads there."""
    rows = tab.locator("[data-key^=setting-]")
    for name in rows.evaluate_all("rows => rows.map(row => row.dataset.key.slice(8))"):
        if not tab.locator(".nothing").count():
            _ease(tab, name, "never")
    tab.wait_for_selector(".loosen tbody[data-done]", timeout=60_000)


def _arrive(tab: Any) -> None:
    while tab.locator("[data-key=take-0]").count():
        _settle(tab, lambda: tab.keyboard.press("1"))
    tab.wait_for_timeout(4000)  # the way is drawn once more


def _try(tab: Any) -> None:
    _open(tab, "duration")
    slider = tab.locator("[data-key=try-duration]")
    move = "slider => { slider.value = 24; slider.dispatchEvent(new Event('input')); }"
    slider.evaluate(move)
    tab.wait_for_selector(".map.only-tried")


def _count(tab: Any) -> None:
    """Wait until the ways of everybody are counted."""
    tab.wait_for_selector(".people[data-done=true] .groups", timeout=240_000)


def _compare(tab: Any) -> None:
    """Choose two people of the list."""
    _count(tab)
    for place in (0, 3):
        tab.locator(".person").nth(place).click()
        tab.wait_for_selector(f".person[aria-pressed=true] >> nth={place // 3}")
    tab.wait_for_selector(".side[data-people*=' ']")


def _ask(tab: Any) -> None:
    """How somebody came here, and whether their ways will last."""
    _count(tab)
    tab.wait_for_selector(".side summary")
    tab.locator(".side summary").evaluate_all("rows => rows.forEach(row => row.click())")
    tab.wait_for_selector(".lasting li", timeout=120_000)


def _bring(tab: Any) -> None:
    """Drop a table on the page: German Credit as a file."""
    table = load_german_credit()
    content = table.data.assign(risk=table.target).to_csv(index=False).encode()
    file = {"name": "loans.csv", "mimeType": "text/csv", "buffer": content}
    tab.set_input_files("#file", file)
    tab.wait_for_selector(".rules .columns")


def _plan(tab: Any) -> None:
    for letter in "AC":
        tab.locator(f"[data-key=star-{letter}]").click()
    tab.locator("[data-key=plans]").click()
    tab.wait_for_selector(".timeline")


if __name__ == "__main__":
    main()
