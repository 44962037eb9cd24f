"""Try the widget for real: open it in JupyterLab and in marimo, walk with it, take pictures.

    pip install -e ".[notebook]" playwright jupyterlab marimo
    python tools/try_notebooks.py FOLDER [--only jupyterlab|marimo] [--python PYTHON]

Needs Chromium on the path. In each notebook a step is taken, undone and ruled out; anything that
goes wrong ends the script with an error and a picture of what was seen. `--python` names the
interpreter that has JupyterLab and marimo, if it is not this one.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from playwright.sync_api import sync_playwright

CELLS = [
    "import facelift as fl\nfrom facelift.cli import demos",
    "multiverse = demos.german_credit(4).multiverse",
    "fl.views.widget(\n"
    '    multiverse,\n    title="Applicant 4",\n    facts=("credit_amount", "duration", "age"),\n'
    '    words={"bad": "declined", "good": "approved"},\n)',
]
STATIC = "multiverse"
PATIENCE = 60_000
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]


def main() -> None:
    """Try what was asked for, one after the other."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", choices=sorted(HOSTS))
    parser.add_argument("--python", default=sys.executable)
    asked = parser.parse_args()
    asked.folder.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        for name in [asked.only] if asked.only else sorted(HOSTS):
            with TemporaryDirectory() as place:
                HOSTS[name](browser, Path(place), asked.folder, asked.python)
        browser.close()


def jupyterlab(browser: Any, place: Path, pictures: Path, python: str) -> None:
    """The widget and the static map in JupyterLab."""
    cells = [_cell(source) for source in [*CELLS, STATIC]]
    about = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}
    notebook = {"cells": cells, "metadata": about, "nbformat": 4, "nbformat_minor": 5}
    (place / "ways.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    port = _free_port()
    command = [python, "-m", "jupyterlab", "--no-browser", "--allow-root", f"--port={port}"]
    address = f"http://127.0.0.1:{port}"
    with (
        _Running([*command, "--IdentityProvider.token=try"], place, f"{address}/api?token=try"),
        _Tab(browser, f"{address}/lab/tree/ways.ipynb?token=try", pictures) as tab,
    ):
        tab.page.wait_for_selector(".jp-Notebook-cell", timeout=PATIENCE)
        tab.page.wait_for_selector("text=| Idle", timeout=PATIENCE)  # the kernel is there
        _say_no(tab.page)
        tab.page.click(".lm-MenuBar-item:has-text('Run')")
        tab.page.click(".lm-Menu-item:has-text('Run All Cells')")
        tab.page.wait_for_selector(".navigator .card", timeout=PATIENCE)
        tab.page.wait_for_selector(".facelift-card svg", timeout=PATIENCE)
        n_cells = tab.page.locator(".jp-Notebook-cell").count()
        _walk(tab, pictures / "notebook-jupyterlab.png")
        same = tab.page.locator(".jp-Notebook-cell").count() == n_cells
        _expect(same, "A key pressed in the widget changed the notebook.")
        tab.page.locator(".facelift-card").last.scroll_into_view_if_needed()
        tab.page.screenshot(path=pictures / "notebook-static.png")
    print("JupyterLab: step, undo, rule out, keys; static map.")


def marimo(browser: Any, place: Path, pictures: Path, python: str) -> None:
    """The widget in marimo."""
    (place / "ways.py").write_text(_marimo_notebook(), encoding="utf-8")
    port = _free_port()
    command = [python, "-m", "marimo", "edit", "ways.py", "--headless", "--no-token"]
    address = f"http://127.0.0.1:{port}/"
    with (
        _Running([*command, f"--port={port}", "--skip-update-check"], place, address),
        _Tab(browser, address, pictures) as tab,
    ):
        tab.page.locator(".cm-content").first.click(timeout=PATIENCE)
        tab.page.keyboard.press("Control+Enter")
        tab.page.wait_for_selector(".navigator .card", timeout=PATIENCE)
        _walk(tab, pictures / "notebook-marimo.png")
    print("marimo: step, undo, rule out, keys.")


HOSTS: dict[str, Callable[[Any, Path, Path, str], None]] = {
    "jupyterlab": jupyterlab,
    "marimo": marimo,
}


def _walk(tab: _Tab, picture: Path) -> None:
    """Take a step, undo it, rule one out; first by mouse, then by keys."""
    page = tab.page
    before = _ends(page)
    tab.settle(lambda: page.locator("[data-key=take-0]").click())
    _expect("Step taken" in page.locator(".banner p").first.inner_text(), "No step was taken.")
    page.locator(".navigator").scroll_into_view_if_needed()
    page.locator(".navigator .header").scroll_into_view_if_needed()
    page.screenshot(path=picture)
    tab.settle(lambda: page.locator("[data-key=undo]").click())
    _expect(_ends(page) == before, "Undo did not bring the same map back.")
    tab.settle(lambda: page.locator("[data-key=cannot-0]").click())
    _expect(page.locator(".ruled-out li").count() == 1, "No step was ruled out.")
    _expect(_ends(page) != before, "Ruling a step out changed nothing.")
    page.locator("[data-key=take-0]").focus()
    tab.settle(lambda: page.keyboard.press("u"))
    _expect(_ends(page) == before, "The key u did not undo.")
    page.locator("[data-key=take-0]").focus()
    tab.settle(lambda: page.keyboard.press("b"))
    _expect(page.locator(".ruled-out li").count() == 1, "The key b ruled nothing out.")


def _ends(page: Any) -> list[str]:
    return page.locator(".map .end").evaluate_all("ends => ends.map((end) => end.dataset.key)")


def _expect(true: bool, otherwise: str) -> None:
    if not true:
        raise SystemExit(otherwise)


def _say_no(page: Any) -> None:
    """To the news that JupyterLab offers to newcomers."""
    news = page.locator(".Toastify button:has-text('No')")
    news.first.wait_for(timeout=10_000)
    news.last.click()


class _Tab:
    """A tab that notes errors and requests to elsewhere, and shows what it saw when one is left."""

    def __init__(self, browser: Any, url: str, pictures: Path) -> None:
        self.page = browser.new_page(viewport={"width": 1440, "height": 1000})
        self.pictures = pictures
        self.faults: list[str] = []
        self.elsewhere: set[str] = set()
        self.page.on("pageerror", lambda fault: self.faults.append(str(fault)))
        self.page.on("request", self._asked)
        self.page.goto(url)

    def __enter__(self) -> _Tab:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is not None:
            self.page.screenshot(path=self.pictures / "failed.png")
        self.page.close()
        for url in sorted(self.elsewhere):
            print(f"The notebook asked elsewhere: {url}")
        _expect(not self.faults, f"The page had errors: {self.faults}")

    def _asked(self, request: Any) -> None:
        local = ("http://127.0.0.1", "http://localhost", "ws://", "data:", "blob:")
        if not request.url.startswith(local):
            self.elsewhere.add(request.url)

    def settle(self, act: Callable[[], None]) -> None:
        """Do something, and wait until the widget has drawn the answer."""
        drawn = self.page.locator(".navigator").get_attribute("data-drawn")
        act()
        self.page.wait_for_selector(f'.navigator:not([data-drawn="{drawn}"])', timeout=PATIENCE)


class _Running:
    """A server that runs until it is no longer needed."""

    def __init__(self, command: list[str], place: Path, address: str) -> None:
        self.command, self.place, self.address = command, place, address

    def __enter__(self) -> None:
        self.own = TemporaryDirectory()  # what the server writes for itself, beside the notebook
        own = Path(self.own.name)
        self.log = (own / "log").open("w")
        settings = {"JUPYTER_CONFIG_DIR": str(own), "IPYTHONDIR": str(own), "HOME": str(own)}
        self.process = subprocess.Popen(
            self.command,
            cwd=self.place,
            stdout=self.log,
            stderr=self.log,
            env={**os.environ, **settings},
        )
        for _ in range(600):
            if self.process.poll() is not None or _answers(self.address):
                break
            time.sleep(0.2)
        if not _answers(self.address):
            said = (own / "log").read_text()[-3000:]
            raise SystemExit(f"{' '.join(self.command)} did not start:\n{said}")

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        self.process.wait(30)
        self.log.close()
        self.own.cleanup()


def _answers(address: str) -> bool:
    try:
        with urllib.request.urlopen(address, timeout=2) as answer:  # noqa: S310  (loopback)
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def _cell(source: str) -> dict[str, Any]:
    empty = {"execution_count": None, "metadata": {}, "outputs": []}
    return {"cell_type": "code", "id": f"c{abs(hash(source)) % 10**8}", "source": source, **empty}


def _marimo_notebook() -> str:
    body = "\n".join(f"    {line}" for cell in CELLS for line in cell.splitlines())
    return (
        "import marimo\n\napp = marimo.App(width='full')\n\n\n@app.cell\ndef _():\n"
        f"{body}\n    return\n\n\nif __name__ == '__main__':\n    app.run()\n"
    )


if __name__ == "__main__":
    main()
