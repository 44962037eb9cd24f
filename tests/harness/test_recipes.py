"""Every recipe of docs/recipes runs; one whose packages are not here says which."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

RECIPES = Path(__file__).parents[2] / "docs" / "recipes"
SCRIPTS = {
    "boosters.py": (["xgboost", "lightgbm", "catboost"], "CatBoost: 3 ways"),
    "pytorch.py": (["torch"], "the network sees 1"),
    "mlflow_model.py": (["mlflow"], "first step: "),
    "model_card.py": (["skops"], "Who has a way out"),
    "static_report.py": (["nbconvert", "ipykernel"], "a map of the ways: True"),
    "panel_app.py": (["panel", "ipywidgets_bokeh"], ""),
}


def ran(*command: str, folder: Path) -> str:
    environment = {**os.environ, "PYTHONWARNINGS": "ignore", "MLFLOW_DISABLE_TELEMETRY": "true"}
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("name", SCRIPTS)
def test_the_recipe_does_what_it_says(name, tmp_path):
    packages, said = SCRIPTS[name]
    for package in packages:
        pytest.importorskip(package)
    assert said in ran(sys.executable, str(RECIPES / name), folder=tmp_path)


def test_the_streamlit_page_shows_ways_and_why_there_are_none():
    testing = pytest.importorskip("streamlit.testing.v1")
    page = testing.AppTest.from_file(str(RECIPES / "streamlit_app.py"), default_timeout=120).run()
    assert not page.exception
    assert "ways to" in page.markdown[0].value
    page.number_input[0].set_value(0).run()  # whoever is approved needs no way
    assert not page.exception
    assert "Nothing needs to change" in page.markdown[0].value


def test_r_gets_a_way_through_reticulate(tmp_path, monkeypatch):
    if shutil.which("Rscript") is None:
        pytest.skip("R is not installed")
    found = subprocess.run(["Rscript", "-e", "library(reticulate)"], capture_output=True)
    if found.returncode:
        pytest.skip("R has no reticulate")
    monkeypatch.setenv("RETICULATE_PYTHON", sys.executable)
    assert "Income: 30 →" in ran("Rscript", str(RECIPES / "from_r.R"), folder=tmp_path)


def test_no_recipe_is_without_a_test():
    scripts = {path.name for path in RECIPES.iterdir() if path.suffix in (".py", ".R")}
    assert scripts == {*SCRIPTS, "streamlit_app.py", "from_r.R"}
