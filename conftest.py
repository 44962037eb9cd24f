"""What holds for every test and example, in the package, the documents and the tests."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

collect_ignore = ["docs/conf.py"]  # Sphinx reads it; the tests do without Sphinx


@pytest.fixture(autouse=True)
def figures() -> Iterator[None]:
    """Figures drawn by a test or an example are closed at its end."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
