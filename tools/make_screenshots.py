"""Make the pictures of the navigator's seven states for the documents.

Usage: python tools/make_screenshots.py docs/pictures

Needs Chromium on the path and Playwright (the `test` extra); smaller with Pillow.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from facelift.cli import demos
from facelift.web.server import Served, serve

FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]


def main() -> None:
    """Serve both demos, bring each page into its state, and take its picture."""
    from playwright.sync_api import sync_playwright

    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    applicant = serve(demos.german_credit(4), browser=False)
    pictures = serve(demos.digits(), browser=False)
    with sync_playwright() as playwright:
        found = shutil.which("chromium")
        browser = playwright.chromium.launch(executable_path=found, args=FLAGS)
        for name, (page, size, act) in _states(applicant, pictures).items():
            tab = _tab(browser, page.url, size, dark=name == "dark")
            act(tab)
            tab.evaluate("document.activeElement?.blur(); scrollTo(0, 0)")
            target = folder / f"navigator-{name}.png"
            tab.screenshot(path=target, full_page=name == "images", scale="css")
            _shrink(target)
            print(f"{target}: {target.stat().st_size // 1024} kB")
            tab.context.close()
        browser.close()
    applicant.stop()
    pictures.stop()


Act = Callable[[Any], None]
Size = tuple[int, int]


def _states(applicant: Served, digits: Served) -> dict[str, tuple[Served, Size, Act]]:
    wide, narrow = (1280, 1010), (390, 1480)
    return {
        "start": (applicant, wide, _nothing),
        "step": (applicant, wide, lambda tab: _settle(tab, lambda: tab.keyboard.press("2"))),
        "blocked": (applicant, wide, _block),
        "limits": (applicant, wide, _limit),
        "empty": (applicant, wide, _lock),
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


def _tab(browser: Any, url: str, size: Size, *, dark: bool) -> Any:
    scheme = "dark" if dark else "light"
    shape = {"width": size[0], "height": size[1]}
    context = browser.new_context(viewport=shape, color_scheme=scheme, bypass_csp=True)
    tab = context.new_page()
    tab.goto(url)
    tab.wait_for_selector(".card")
    return tab


def _settle(tab: Any, act: Callable[[], None]) -> None:
    """Do something, and wait until the page has drawn the answer."""
    drawn = tab.locator(".navigator").get_attribute("data-drawn")
    act()
    tab.wait_for_selector(f'.navigator:not([data-drawn="{drawn}"])')


def _nothing(tab: Any) -> None:
    tab.wait_for_selector(".card")


def _block(tab: Any) -> None:
    _settle(tab, lambda: tab.keyboard.press("1"))
    _settle(tab, lambda: tab.locator("[data-key=cannot-1]").click())


def _limit(tab: Any) -> None:
    _settle(tab, lambda: tab.locator("label[for=ease-employment-never]").click())
    _settle(tab, lambda: tab.locator("label[for=ease-savings-easy]").click())
    _settle(tab, lambda: tab.locator("label[for=ease-installment_rate-hard]").click())


def _lock(tab: Any) -> None:
    """Set what the ways need to never, one thing after the other, until nothing is left."""
    while not tab.locator(".nothing").count():
        free = tab.locator(".limits > .setting:not(.never) input[value=never]")
        _settle(tab, lambda free=free: free.first.dispatch_event("click"))
    tab.wait_for_selector(".loosen tbody[data-done]", timeout=30_000)


if __name__ == "__main__":
    main()
