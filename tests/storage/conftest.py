"""Saved explainers that tests share."""

from __future__ import annotations

import pytest
from tests.storage.worlds import (
    array_table,
    rising,
)

from facelift import FACElift


@pytest.fixture
def saved(tmp_path):
    """A folder with a saved explainer, and that explainer."""
    explainer = FACElift(rising, n_neighbors=4).fit(array_table())
    explainer.save(tmp_path / "saved")
    return tmp_path / "saved", explainer
