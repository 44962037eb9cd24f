"""The server does what its OpenAPI description says, whatever it is sent."""

from __future__ import annotations

import json
import urllib.request

import pytest
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    negative_data_rejection,
    response_schema_conformance,
)

from facelift.web.openapi import description

from .asking import CHOSEN, PATHS, answered, small_page

STATUSES = {GenerationMode.POSITIVE: {200, 422}, GenerationMode.NEGATIVE: {415, 422}}


@pytest.fixture(scope="module")
def page():
    served = small_page()
    yield served
    served.stop()


@pytest.mark.parametrize("mode", list(GenerationMode), ids=lambda mode: mode.name)
@pytest.mark.parametrize("path", PATHS)
def test_every_request_is_answered_as_described(page, path, mode):
    seen = answered(page, path, mode, 40)
    assert sum(seen.values()) >= 35
    assert set(seen) <= STATUSES[mode]
    assert (seen[200] > 0) == (mode is GenerationMode.POSITIVE)


def test_the_checks_that_matter_are_made():
    needed = {not_a_server_error, response_schema_conformance, negative_data_rejection}
    assert needed < set(CHOSEN)


def test_the_description_is_served_behind_the_token(page):
    with urllib.request.urlopen(f"{page.url}api/openapi.json") as answer:  # noqa: S310
        assert json.load(answer) == description()
