"""A page to walk on, and a browser to walk with."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from facelift import FACElift, Terrain, datasets, toys
from facelift.walking.guide import Guide
from facelift.web.server import Served, serve

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="session")
def applicant(credit: Any) -> Guide:
    """Applicant 4 of German Credit, one change at a time."""
    terrain = datasets.german_credit_rules(Terrain.infer(credit.X))
    explainer = FACElift(credit.model, terrain, steps="actions", n_counterfactuals=7).fit(credit.X)
    return Guide(
        explainer.explain(credit.X.iloc[[4]], "good"),
        title="Applicant 4",
        facts=("credit_amount", "duration", "age"),
        words={"bad": "declined", "good": "approved"},
    )


@pytest.fixture(scope="session")
def served(applicant: Guide) -> Iterator[Served]:
    page = serve(applicant, browser=False)
    yield page
    page.stop()


@pytest.fixture
def page() -> Iterator[Served]:
    """The page of somebody who wants a loan, in the smallest of worlds."""
    served = serve(Guide(toys.loan().multiverse()), browser=False)
    yield served
    served.stop()


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """Debian's Chromium, driven by Playwright; it must be there if FACELIFT_BROWSER is set."""
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    if found is None:
        if os.environ.get("FACELIFT_BROWSER"):
            pytest.fail("FACELIFT_BROWSER is set, but there is no chromium on the path.")
        pytest.skip("No chromium on the path; apt-get install chromium to run browser tests.")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=FLAGS)
        yield browser
        browser.close()


class Visit:
    """A tab that notes what should not happen: console errors and requests to elsewhere."""

    def __init__(self, browser: Any, url: str, **context: Any) -> None:
        self.context = browser.new_context(
            viewport={"width": 1280, "height": 900}, accept_downloads=True, **context
        )
        self.page = self.context.new_page()
        self.faults: list[str] = []
        self.requests: list[str] = []
        self.page.on("console", self._heard)
        self.page.on("pageerror", lambda fault: self.faults.append(str(fault)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(url)
        self.page.wait_for_selector(".header .brand")

    def _heard(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.faults.append(message.text)

    @property
    def elsewhere(self) -> list[str]:
        """Requests that left this machine."""
        local = ("http://127.0.0.1:", "data:", "blob:", "file:")
        return [url for url in self.requests if not url.startswith(local)]

    def settle(self, action: Any) -> None:
        """Do something that asks the server, and wait until the page shows the answer."""
        drawn = self.page.locator(".navigator").get_attribute("data-drawn")
        action()
        self.page.wait_for_selector(f'.navigator:not([data-drawn="{drawn}"])')

    def open(self, name: str) -> None:
        """Open the panel of a column, where values are tried and limits set."""
        row = self.page.locator(f"[data-key=setting-{name}]")
        if row.get_attribute("aria-expanded") == "false":
            row.dispatch_event("click")

    def never(self, name: str) -> None:
        """Say that a column cannot change."""
        self.open(name)
        self.settle(lambda: self.page.locator(f"label[for=ease-{name}-never]").click())

    def letters(self) -> list[str]:
        """Letters of the destinations on the map, from top to bottom."""
        return self.page.locator(".map .end").evaluate_all(
            "ends => ends.map(end => end.dataset.key.slice(4))"
        )

    def banner(self) -> str:
        return str(self.page.locator(".banner p").first.inner_text())


@pytest.fixture
def visit(chromium: Any, served: Served) -> Iterator[Visit]:
    """A tab on the applicant's page; at its end nothing bad must have happened."""
    tab = Visit(chromium, served.url)
    tab.page.wait_for_selector(".card")
    yield tab
    tab.context.close()
    assert tab.faults == []
    assert tab.elsewhere == []


@pytest.fixture(scope="session")
def node_modules() -> Path:
    """Where npm put axe-core and typescript; CI installs both."""
    folder = os.environ.get("FACELIFT_NODE_MODULES")
    if folder is None:
        pytest.skip("FACELIFT_NODE_MODULES does not say where axe-core and typescript are.")
    return Path(folder)


@pytest.fixture(scope="session")
def axe(node_modules: Path) -> Callable[[Any], list[Any]]:
    """What axe-core finds wrong on a page."""
    script = (node_modules / "axe-core" / "axe.min.js").read_text(encoding="utf-8")

    def found(page: Any) -> list[Any]:
        page.evaluate(script)
        violations = page.evaluate("axe.run()")["violations"]
        return [
            (rule["id"], rule["impact"], [node["html"][:160] for node in rule["nodes"][:3]])
            for rule in violations
        ]

    return found
