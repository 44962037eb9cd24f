"""What holds for every test and example, in the package, the documents and the tests."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

import pytest

collect_ignore = [
    "docs/conf.py",  # Sphinx reads it; the tests do without Sphinx
    "docs/recipes",  # tests/harness/test_recipes.py runs them
    "src/facelift/graph/kernels",  # importing compiles it, and it has no examples to run
]


if "PYTEST_XDIST_WORKER" in os.environ:  # one process per core: threads of each would only wait
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # read by BLAS and PyTorch when they are imported


@pytest.hookimpl(tryfirst=True, optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """As many processes as cores; only this one where files are named, since it starts faster."""
    everything = config.args_source is pytest.Config.ArgsSource.TESTPATHS
    return (os.cpu_count() or 1) if everything else 0


@pytest.fixture(autouse=True)
def figures() -> Iterator[None]:
    """Figures drawn by a test or an example are closed at its end."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
