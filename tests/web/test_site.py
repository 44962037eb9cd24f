"""The site without a server, as far as it can be run here.

Wheels of NumPy, SciPy, pandas and scikit-learn for Pyodide are on its own address only, neither on
npm nor (all of them) on PyPI. So three tests meet in the middle: the package runs without threads,
sockets, numba and a server; the site's pages and worker run in Chromium, with CPython behind a
stand-in for Pyodide; and the real core of Pyodide (npm) loads the wheel as far as NumPy.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import MappingProxyType
from urllib.parse import quote

import pytest

from facelift.cli.explore import answer
from facelift.web.publishing import CORE, LOCK, publish

BLOCKED = Path(__file__).with_name("blocked.py")

STAND_IN = """
// Answers as Pyodide would, by a CPython that is asked synchronously.
export async function loadPyodide({ indexURL }) {
  const loaded = { packages: [], bytes: 0 };
  return {
    loadedPackages: {},
    async loadPackage(names) {
      loaded.packages = names;
      for (const name of names) this.loadedPackages[name] = "here";
    },
    unpackArchive: (wheel) => { loaded.bytes = wheel.byteLength; },
    runPython: (code) => {
      const answer = (message) => {
        const request = new XMLHttpRequest();
        request.open("POST", indexURL + "answer", false);
        request.responseType = "arraybuffer";
        request.setRequestHeader("X-Loaded", JSON.stringify({ ...loaded, code }));
        request.send(message);
        const head = decodeURIComponent(request.getResponseHeader("X-Head"));
        return { toJs: () => [head, new Uint8Array(request.response)], destroy() {} };
      };
      return answer;
    },
  };
}
"""


class Handler(SimpleHTTPRequestHandler):
    """A plain web server; what is posted goes to Python in place of the browser's own."""

    loaded = MappingProxyType({})

    def do_POST(self):
        Handler.loaded = json.loads(self.headers["X-Loaded"])
        message = self.rfile.read(int(self.headers["Content-Length"])).decode()
        head, content = answer(message)
        self.send_response(200)
        self.send_header("X-Head", quote(head))
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass


def serving(folder):
    class Here(Handler):
        def __init__(self, *args, **options):
            super().__init__(*args, directory=str(folder), **options)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Here)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The address of a site whose Pyodide is the stand-in."""
    folder = tmp_path_factory.mktemp("site")
    publish(folder)
    settings = json.loads((folder / "site.json").read_text()) | {"pyodide": "pyodide/"}
    (folder / "site.json").write_text(json.dumps(settings))
    (folder / "pyodide").mkdir()
    (folder / "pyodide" / "pyodide.mjs").write_text(STAND_IN)
    server = serving(folder)
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


@pytest.fixture
def tab(chromium):
    context = chromium.new_context(viewport={"width": 1280, "height": 900}, locale="en-US")
    page = context.new_page()
    page.faults = []
    page.on("console", lambda said: said.type == "error" and page.faults.append(said.text))
    page.on("pageerror", lambda fault: page.faults.append(str(fault)))
    yield page
    context.close()


def test_three_steps_are_walked_with_python_in_a_worker(site, tab):
    tab.goto(f"{site}walk.html?table=german&person=496")
    tab.wait_for_selector(".header .brand", timeout=60_000)
    assert Handler.loaded["packages"][:2] == ["numpy", "scipy"]
    assert Handler.loaded["bytes"] > 500_000
    assert "facelift.cli.explore" in Handler.loaded["code"]
    assert tab.locator(".banner.loading").is_hidden()
    assert "Applicant 496" in tab.locator(".header").inner_text()
    walked = 0
    while walked < 3 and tab.get_by_role("button", name="Take this step").count():
        drawn = tab.locator(".navigator").get_attribute("data-drawn")
        tab.get_by_role("button", name="Take this step").first.click()
        tab.wait_for_selector(f".navigator:not([data-drawn='{drawn}'])")
        walked += 1
    assert walked >= 2
    assert tab.locator(".history").count()
    assert tab.faults == []


def test_a_reload_goes_on_where_the_walk_was(site, tab):
    tab.goto(f"{site}walk.html?table=german&person=496")
    tab.get_by_role("button", name="Take this step").first.click(timeout=60_000)
    tab.wait_for_selector(".history")
    tab.wait_for_url("**/*#walk=*")
    tab.reload()
    tab.wait_for_selector(".history", timeout=60_000)
    assert tab.faults == []


def test_everybody_is_shown_and_leads_to_one_person(site, tab):
    tab.goto(site)
    tab.wait_for_selector("#people .plot svg", timeout=60_000)
    tab.locator("a[href^='walk.html']").first.click(timeout=60_000)
    tab.wait_for_selector(".header .brand", timeout=60_000)
    assert "person=" in tab.url
    tab.locator(".everybody-link").click()
    tab.wait_for_selector("#people .plot", timeout=60_000)
    assert tab.faults == []


def test_an_error_of_python_is_told_in_one_line(site, tab):
    tab.goto(f"{site}walk.html?table=german&person=99999999")
    tab.get_by_text("facelift:").wait_for(timeout=60_000)
    assert "99999999" in tab.locator("#navigator").inner_text()


@pytest.mark.harness
def test_the_package_runs_as_a_browser_has_it(tmp_path):
    publish(tmp_path)
    (wheel,) = tmp_path.glob("*.whl")
    command = [sys.executable, "-P", str(BLOCKED), str(wheel)]
    ours = ("PYTHONPATH", "FACELIFT_DATA")
    clean = {name: value for name, value in os.environ.items() if name not in ours}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=clean)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["walked"] >= 2
    assert told["columns"] == 2
    assert told["letter"] > 1000


@pytest.fixture(scope="module")
def pyodide(node_modules):
    """The core of Pyodide, as npm has it."""
    folder = node_modules / "pyodide"
    if not folder.is_dir():
        pytest.skip("Pyodide is not beside axe-core: npm install pyodide")
    return folder


AS_FAR_AS_NUMPY = """
import { readFileSync } from "node:fs";
const [core, wheel] = process.argv.slice(2);
const { loadPyodide } = await import(core + "/pyodide.mjs");
const python = await loadPyodide({ indexURL: core + "/" });
python.unpackArchive(readFileSync(wheel).buffer, "wheel");
console.log(python.runPython(`
import compileall, json, sys
from pathlib import Path
place = next(Path(each) / "facelift" for each in sys.path if (Path(each) / "facelift").is_dir())
compiled = compileall.compile_dir(place, quiet=1)
import facelift
try:
    facelift.FACElift
    missing = None
except ModuleNotFoundError as fault:
    missing = fault.name
from facelift._progress import announced, tracked
from facelift._files import written_whole
with announced("no thread can be started here"), written_whole("/tmp/note.txt") as note:
    note.write_text("whole")
json.dumps({"compiled": bool(compiled), "missing": missing,
            "note": Path("/tmp/note.txt").read_text(), "items": list(tracked("ab", 2, "x"))})
`));
"""


def test_pyodides_core_loads_the_wheel_as_far_as_numpy(pyodide, tmp_path):
    node = shutil.which("node") or pytest.skip("node is not on the path")
    publish(tmp_path)
    (wheel,) = tmp_path.glob("*.whl")
    (tmp_path / "run.mjs").write_text(AS_FAR_AS_NUMPY)
    command = [node, str(tmp_path / "run.mjs"), str(pyodide), str(wheel)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]
    told = json.loads(done.stdout.splitlines()[-1])
    assert told["compiled"]
    assert told["missing"] == "numpy"
    assert told["note"] == "whole"
    assert told["items"] == ["a", "b"]


def test_the_worker_loads_pyodides_core_and_says_what_is_missing(pyodide, tab, tmp_path):
    publish(tmp_path)
    settings = json.loads((tmp_path / "site.json").read_text()) | {"pyodide": "pyodide/"}
    (tmp_path / "site.json").write_text(json.dumps(settings))
    (tmp_path / "pyodide").mkdir()
    for name in (*CORE, LOCK):
        shutil.copy(pyodide / name, tmp_path / "pyodide" / name)
    server = serving(tmp_path)
    tab.goto(f"http://127.0.0.1:{server.server_port}/walk.html?table=german&person=496")
    tab.get_by_text("facelift:").wait_for(timeout=120_000)
    assert "Python in this page failed" in tab.locator("#navigator").inner_text()
    assert "numpy" in tab.locator("#navigator").inner_text()
    server.shutdown()
    server.server_close()
