"""Requests made up from the server's OpenAPI description, and what is wrong with the answers."""

from __future__ import annotations

import numpy as np
import pandas as pd
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis import GenerationMode
from schemathesis.checks import CHECKS, not_a_server_error
from schemathesis.specs.openapi.checks import (
    negative_data_rejection,
    response_schema_conformance,
)

from facelift import FACElift
from facelift.walking.guide import Guide
from facelift.web.messages import description
from facelift.web.server import Served, serve

LEFT_OUT = {
    "positive_data_acceptance",  # a step that is well put may not be on offer: 422
    "missing_required_header",  # there are none to leave out
    "use_after_free",  # nothing is kept, so nothing is freed
    "ensure_resource_availability",
    "ignored_auth",  # the token is part of the address, not a scheme OpenAPI knows
    "object_level_authorization",
}
NEEDED = {not_a_server_error, negative_data_rejection, response_schema_conformance}
CHOSEN = sorted(
    NEEDED | {CHECKS.get_one(name) for name in CHECKS.get_all_names() if name not in LEFT_OUT},
    key=lambda check: check.__name__,
)

SCHEMA = schemathesis.openapi.from_dict(description())
PATHS = sorted(description()["paths"])


def small_page() -> Served:
    """The page of somebody with three columns, one change at a time."""

    def model(frame: pd.DataFrame) -> np.ndarray:
        score = frame["income"] - 3 * frame["debts"] + 4 * (frame["town"] == "Bern") - 12
        chance = 1 / (1 + np.exp(-np.asarray(score, dtype=np.float64) / 4))
        return np.column_stack([1 - chance, chance])

    i = np.arange(60)
    people = pd.DataFrame(
        {"income": i % 20, "debts": i % 3, "town": np.array(["Aarau", "Bern"])[i // 7 % 2]}
    )
    explainer = FACElift(model, steps="actions", n_counterfactuals=4, max_states=300).fit(people)
    return serve(Guide(explainer.explain(people.iloc[[2]], 1)), browser=False)


def statuses(page: Served, path: str, mode: GenerationMode, n: int) -> set[int]:
    """The statuses of answers to `n` made-up requests; an answer that is not right is an error."""
    seen: set[int] = set()

    @settings(
        max_examples=n,
        suppress_health_check=list(HealthCheck),
        database=None,
        deadline=None,
        derandomize=True,
    )
    @given(SCHEMA[path]["POST"].as_strategy(generation_mode=mode))
    def check(case: schemathesis.Case) -> None:
        headers = {"Content-Type": str(case.media_type)}
        answer = case.call(base_url=page.url.rstrip("/"), headers=headers)
        seen.add(answer.status_code)
        case.validate_response(answer, checks=CHOSEN)

    check()
    return seen
