"""What holds for every test and example, in the package, the documents and the tests."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

collect_ignore = [
    "docs/conf.py",  # Sphinx reads it; the tests do without Sphinx
    "src/facelift/graph/kernels",  # importing compiles it, and it has no examples to run
]


@pytest.hookimpl(tryfirst=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    """One process where files are named, since starting others takes longer than most of them."""
    return None if config.args_source is pytest.Config.ArgsSource.TESTPATHS else 0


@pytest.fixture(autouse=True)
def figures() -> Iterator[None]:
    """Figures drawn by a test or an example are closed at its end."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
