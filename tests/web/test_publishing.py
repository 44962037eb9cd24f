"""The site without a server: what is written, and what is refused."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from zipfile import ZipFile

import pytest
from click.testing import CliRunner

import facelift
from facelift import cli
from facelift.errors import InvalidInput
from facelift.web.publishing import CORE, LOCK, PACKAGES, PYODIDE, publish


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    publish(folder)
    return folder


class Named(HTMLParser):
    """The files that a page names, and its metas."""

    def __init__(self, text):
        super().__init__()
        self.files, self.metas = [], {}
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        known = dict(attrs)
        named = known.get("src") or known.get("href", "")
        if named and not named.startswith("data:"):
            self.files.append(named)
        if tag == "meta":
            self.metas[known.get("name") or known.get("http-equiv")] = known.get("content")


@pytest.mark.parametrize("page", ["index.html", "walk.html"])
def test_a_page_names_files_that_are_there_and_its_worker(site, page):
    told = Named((site / page).read_text(encoding="utf-8"))
    assert len(told.files) > 1
    assert all((site / name).is_file() for name in [*told.files, told.metas["facelift-worker"]])
    policy = told.metas["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert policy.count("https://") == policy.count("https://cdn.jsdelivr.net") == 2


def test_every_module_that_a_script_imports_is_there(site):
    import re

    for script in site.rglob("*.js"):
        for named in re.findall(r'^import .* from "(\..+)";$', script.read_text(), re.MULTILINE):
            assert (script.parent / named).is_file(), (script.name, named)


def test_the_wheel_holds_the_package_with_its_data(site):
    settings = json.loads((site / "site.json").read_text())
    assert settings["pyodide"] == PYODIDE
    with ZipFile(site / settings["wheel"]) as wheel:
        names = set(wheel.namelist())
        record = wheel.read(next(name for name in names if name.endswith("RECORD"))).decode()
    assert {"facelift/__init__.py", "facelift/datasets/data/german_credit.csv"} <= names
    assert not [name for name in names if "__pycache__" in name]
    assert len(record.splitlines()) == len(names)
    assert facelift.__version__ in settings["wheel"]


def test_the_same_site_is_written_twice(site, tmp_path):
    publish(tmp_path)
    files = {path.relative_to(site) for path in site.rglob("*") if path.is_file()}
    assert files == {path.relative_to(tmp_path) for path in tmp_path.rglob("*") if path.is_file()}
    assert all((site / name).read_bytes() == (tmp_path / name).read_bytes() for name in files)
    publish(tmp_path)  # over itself


def test_a_folder_with_other_files_is_left_alone(tmp_path):
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(InvalidInput, match="holds other files"):
        publish(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]
    with pytest.raises(InvalidInput, match="is a file"):
        publish(tmp_path / "thesis.txt")


def made_up_pyodide(folder):
    """A distribution in which every package needs one more."""
    packages = {name: {"file_name": f"{name}.whl", "depends": ["six"]} for name in PACKAGES}
    packages["six"] = {"file_name": "six.whl", "depends": []}
    packages["unrelated"] = {"file_name": "unrelated.whl", "depends": []}
    (folder / LOCK).write_text(json.dumps({"packages": packages}))
    for name in [*CORE, *(each["file_name"] for each in packages.values())]:
        (folder / name).write_text(name)


def test_pyodide_is_copied_with_what_is_needed_and_no_more(tmp_path):
    source, site = tmp_path / "source", tmp_path / "site"
    source.mkdir()
    made_up_pyodide(source)
    publish(site, source)
    copied = {path.name for path in (site / "pyodide").iterdir()}
    assert copied == {*CORE, LOCK, "six.whl", *(f"{name}.whl" for name in PACKAGES)}
    assert json.loads((site / "site.json").read_text())["pyodide"] == "pyodide/"
    assert "https:" not in (site / "index.html").read_text()


def test_what_pyodide_lacks_is_named(tmp_path):
    made_up_pyodide(tmp_path)
    (tmp_path / "scipy.whl").unlink()
    with pytest.raises(InvalidInput, match=r"lacks 1 files of Pyodide, such as scipy\.whl"):
        publish(tmp_path / "site", tmp_path)
    (tmp_path / LOCK).unlink()
    with pytest.raises(InvalidInput, match="is no Pyodide"):
        publish(tmp_path / "site2", tmp_path)


def test_the_command_writes_the_site(tmp_path):
    result = CliRunner().invoke(cli.commands, ["site", str(tmp_path / "public"), "--json"])
    assert result.exit_code == 0, result.stderr
    assert "index.html" in json.loads(result.stdout)["files"]
    assert "python -m http.server" in result.stderr
