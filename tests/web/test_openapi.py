"""The OpenAPI description; the harness holds the server against it."""

from __future__ import annotations

import json
import urllib.request

import facelift as fl
from facelift.walking import Guide
from facelift.web.openapi import description
from facelift.web.server import serve


def test_the_description_is_served_behind_the_token():
    page = serve(Guide(fl.toys.loan().multiverse()), browser=False)
    with urllib.request.urlopen(f"{page.url}api/openapi.json") as answer:  # noqa: S310
        assert json.load(answer) == description()
    page.stop()
