"""What may be asked: what only Python walks with is no part of requests or documents."""

from __future__ import annotations

import json
import urllib.request

from facelift import toys
from facelift.walking.guide import Guide
from facelift.walking.limits import Limits
from facelift.web.messages import ANSWERS, Step, description, read


def test_what_only_python_can_rule_out_is_not_taken_from_requests():
    limits = {"edges": [[0, 4]], "states": [4], "prices": [["x0", 2.0, 2.0]], "far_states": [[1.0]]}
    assert read(Step, json.dumps({"walk": {"limits": limits}}).encode()).walk.limits == Limits(
        edges=((0, 4),)
    )


def test_documents_carry_no_more_limits_than_requests_can_set():
    content, _ = ANSWERS["walk"](Guide(toys.loan().multiverse()), b"{}")
    assert set(json.loads(content)["walk"]["limits"]) == {
        *("ease", "bounds", "ruled_out", "edges"),
        *("chance", "deadline", "max_steps", "rare", "patience", "lifted", "undo"),
    }


def test_the_description_is_served_behind_the_token(page):
    with urllib.request.urlopen(f"{page.url}api/openapi.json") as answer:  # noqa: S310
        assert json.load(answer) == description()
