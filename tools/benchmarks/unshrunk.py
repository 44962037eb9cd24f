"""A plugin of pytest for code that was broken on purpose: `pytest -p tools.benchmarks.unshrunk`.

That a test fails is all one wants to know then: hypothesis need not look for the least example, and
laws come after examples, which are quicker.
"""

from __future__ import annotations

import pytest
from hypothesis import Phase, settings


def pytest_collection(session: pytest.Session) -> None:  # noqa: ARG001  (pytest's name for it)
    """After the settings of all tests were chosen, before any test reads them."""
    quick = settings(settings(), phases=[Phase.explicit, Phase.generate], database=None)
    settings.register_profile("unshrunk", quick)
    settings.load_profile("unshrunk")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Laws last, each group in the order of the files."""
    items.sort(key=lambda item: hasattr(getattr(item, "obj", None), "hypothesis"))
