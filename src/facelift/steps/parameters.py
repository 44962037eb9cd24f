"""The parameters of an explainer: whether each can be right, and all of them together."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np

from facelift._checks import check_number
from facelift.errors import InvalidInput


def check_parameters(explainer: Any) -> None:
    """An error if a parameter cannot be right, alone or beside the others."""
    if explainer.steps not in ("rows", "actions"):
        raise InvalidInput(f"steps must be 'rows' or 'actions', got {explainer.steps!r}.")
    if explainer.steps == "rows" and explainer.terrain is not None and explainer.terrain.links:
        raise InvalidInput("Links are for steps='actions': a step between records is free.")
    for name in ("n_counterfactuals", "max_states"):
        check_number(name, getattr(explainer, name), Integral, "1 or more", lambda v: v >= 1)
    for name in ("n_neighbors", "max_steps"):
        if getattr(explainer, name) is not None:
            check_number(name, getattr(explainer, name), Integral, "1 or more", lambda v: v >= 1)
    if explainer.neighbors not in ("exact", "approximate"):
        raise InvalidInput(
            f"neighbors must be 'exact' or 'approximate', got {explainer.neighbors!r}."
        )
    for name in ("threshold", "plausibility"):
        check_number(name, getattr(explainer, name), Real, "in (0, 1]", lambda v: 0 < v <= 1)
    check_number("min_agreement", explainer.min_agreement, Real, "in [0, 1]", lambda v: 0 <= v <= 1)
    if explainer.committee is not None and not len(explainer.committee):
        raise InvalidInput("A committee needs at least one model; leave it out for none.")
    if explainer.min_agreement and explainer.committee is None:
        raise InvalidInput(
            "min_agreement needs a committee of models; facelift.models.committee makes one."
        )
    check_number("min_separation", explainer.min_separation, Real, "0 or more", lambda v: v >= 0)
    if explainer.max_step is not None:
        check_number("max_step", explainer.max_step, Real, "above 0", lambda v: v > 0)
        if explainer.steps == "actions":
            raise InvalidInput(
                "max_step is for steps='rows'. An action goes from one level to another: give more "
                "of them with terrain.levels, or limit how many actions there are with max_steps."
            )
    for name in ("stop_at_first", "verify"):
        if not isinstance(getattr(explainer, name), bool | np.bool_):
            raise InvalidInput(f"{name} must be True or False, got {getattr(explainer, name)!r}.")
    if explainer.n_jobs is not None:
        check_number("n_jobs", explainer.n_jobs, Integral, "not 0", lambda v: v != 0)
