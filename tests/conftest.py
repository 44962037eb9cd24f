"""Settings and worlds shared by all tests."""

from __future__ import annotations

import os
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import is_hypothesis_test, settings
from tests.laws import register_profiles

register_profiles()

HARNESS = Path(__file__).parent / "harness"
OUTSIDE = {"chromium", "data_home", "node_modules", "torch"}
"""Fixtures that need more than the extra `test`: a browser, the publishers' files, npm, PyTorch."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--renew-golden", action="store_true", help="Write golden files instead of comparing them."
    )


@pytest.hookimpl(tryfirst=True)  # before hypothesis takes its profile and its seed
def pytest_configure(config: pytest.Config) -> None:
    settings.load_profile("short" if _plain(config) else "ci")
    if config.option.hypothesis_seed is None and config.option.hypothesis_profile == "deep":
        config.option.hypothesis_seed = str(secrets.randbits(32))


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """The folder of the harness is not even imported where none of it runs."""
    return True if collection_path == HARNESS and _plain(config) else None


@pytest.hookimpl(tryfirst=True)  # before markers are looked at
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what needs more than the extra `test` as harness, other tests of hypothesis as laws."""
    for item in items:
        if HARNESS in item.path.parents or OUTSIDE & set(getattr(item, "fixturenames", ())):
            item.add_marker("harness")
        elif is_hypothesis_test(getattr(item, "obj", None)) and not item.get_closest_marker(
            "harness"
        ):
            item.add_marker("laws")


def pytest_report_header(config: pytest.Config) -> str | None:
    seed = config.option.hypothesis_seed
    return None if seed is None else f"laws: repeat with --hypothesis-seed={seed}"


def _plain(config: pytest.Config) -> bool:
    """Whether this is plain `pytest`: nobody chose other tests than pyproject.toml does."""
    return bool(config.option.markexpr == "not harness")


@pytest.fixture(scope="session")
def data_home() -> Path:
    """Folder with the six data sets as their publishers distribute them."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    home = Path(os.environ.get("FACELIFT_DATA") or beside)
    if not home.is_dir():
        pytest.skip("the publishers' files are not at hand; name their folder by FACELIFT_DATA")
    return home


@pytest.fixture(scope="session")
def torch() -> Any:
    """PyTorch, imported where it is first needed; its threads would wait for each other."""
    module = pytest.importorskip("torch", reason="it needs the extra torch")
    module.set_num_threads(1)
    return module


class Lender:
    """A model of the people below: 'granted' needs income, savings and work; debts hurt."""

    classes_ = np.array(["declined", "granted"])

    def predict_proba(self, frame: pd.DataFrame) -> np.ndarray:
        score = (
            (frame["income"].to_numpy(dtype=np.float64) - 40) / 10
            + frame["savings"].cat.codes.to_numpy(dtype=np.float64)
            - 0.8 * frame["debts"].to_numpy(dtype=np.float64)
            + 0.7 * frame["employed"].to_numpy(dtype=np.float64)
            - 0.5
        )
        granted = 1 / (1 + np.exp(-score))
        return np.column_stack([1 - granted, granted])


@dataclass(frozen=True, eq=False)
class World:
    """A table, a model of it, and an explainer fitted with both."""

    X: pd.DataFrame
    model: Any
    explainer: Any

    def chances(self) -> np.ndarray:
        """What the model gives each row for its second class."""
        return self.model.predict_proba(self.X)[:, 1]


@pytest.fixture(scope="session")
def people() -> pd.DataFrame:
    """Made-up people with every kind of column: float, int, ordered, unordered, text, bool."""
    rng = np.random.default_rng(7)
    n = 160
    levels = pd.CategoricalDtype(["none", "low", "high"], ordered=True)
    housing = pd.CategoricalDtype(["rent", "own", "free"])
    return pd.DataFrame(
        {
            "income": rng.normal(40, 12, n).round(2),
            "debts": rng.integers(0, 4, n),
            "savings": pd.Series(rng.choice(["none", "low", "high"], n)).astype(levels),
            "housing": pd.Series(rng.choice(["rent", "own", "free"], n)).astype(housing),
            "town": rng.choice(["Aarau", "Bern"], n),
            "employed": rng.random(n) < 0.6,
        }
    )


@pytest.fixture(scope="session")
def lending(people: pd.DataFrame) -> World:
    """An explainer of the lender's decisions, with nothing forbidden."""
    from facelift import FACElift

    model = Lender()
    return World(people, model, FACElift(model, n_neighbors=16, n_counterfactuals=5).fit(people))


@pytest.fixture(scope="session")
def credit() -> World:
    """German Credit with its rules, the small network and a fitted explainer."""
    from facelift import FACElift, Terrain, datasets
    from facelift.models import small_classifier

    table = datasets.load_german_credit()
    model = small_classifier(table.data, table.target)
    terrain = datasets.german_credit_rules(Terrain.infer(table.data))
    explainer = FACElift(model, terrain, n_counterfactuals=6, edge_cost="power", min_separation=0.5)
    return World(table.data, model, explainer.fit(table.data))
