"""The server does what its OpenAPI description says, whatever it is sent."""

from __future__ import annotations

import pytest
from schemathesis import GenerationMode
from tests.harness.web.requests import PATHS, small_page, statuses

STATUSES = {GenerationMode.POSITIVE: {200, 422}, GenerationMode.NEGATIVE: {415, 422}}


@pytest.fixture(scope="module")
def page():
    served = small_page()
    yield served
    served.stop()


@pytest.mark.parametrize("mode", list(GenerationMode), ids=lambda mode: mode.name)
@pytest.mark.parametrize("path", PATHS)
def test_every_request_is_answered_as_described(page, path, mode):
    assert statuses(page, path, mode, 40) <= STATUSES[mode]
