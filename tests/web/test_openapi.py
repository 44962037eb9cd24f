"""The OpenAPI description; the harness holds the server against it."""

from __future__ import annotations

import json
import urllib.request

from facelift.web.openapi import description


def test_the_description_is_served_behind_the_token(page):
    with urllib.request.urlopen(f"{page.url}api/openapi.json") as answer:  # noqa: S310
        assert json.load(answer) == description()
