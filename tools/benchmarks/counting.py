"""A plugin of pytest that counts the examples hypothesis tries."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis.internal import observability

SEEN: Counter[str] = Counter()


def noted(observed: Any) -> None:
    SEEN[getattr(observed, "status", "")] += 1


def pytest_configure(config: pytest.Config) -> None:  # noqa: ARG001  (pytest's name for it)
    observability.OBSERVABILITY_COLLECT_COVERAGE = False
    observability.add_observability_callback(noted)


def pytest_unconfigure(config: pytest.Config) -> None:  # noqa: ARG001
    observability.remove_observability_callback(noted)
    print(f"\n{SEEN['passed']} examples passed")
