"""A receipt: which model, data and rules an answer rests on, and what was asked."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any

from facelift import __version__
from facelift._arrays import fingerprint
from facelift.errors import InvalidInput
from facelift.multiverse.goal import Goal
from facelift.terrain.rules import rules_text
from facelift.walking.guide import Guide
from facelift.walking.limits import Limits
from facelift.walking.walk import Walk


@dataclass(frozen=True)
class Receipt:
    """What an answer rests on; equal fingerprints mean the same data and the same answers."""

    facelift: str
    made: str
    steps: str
    goal: str
    threshold: float | None
    data: str
    model: str
    n_records: int
    rules: str
    limits: dict[str, Any]


def receipt(guide: Guide, walk: Walk) -> Receipt:
    """The receipt of a walk."""
    explainer, goal = guide.explainer, guide.multiverse.goal
    limits = {name: value for name, value in asdict(walk.limits).items() if value not in _EMPTY}
    return Receipt(
        facelift=__version__,
        made=datetime.now(UTC).isoformat(timespec="seconds"),
        steps="a graph of one's own" if explainer is None else str(explainer.steps),
        goal="" if goal is None else str(goal),
        threshold=goal.threshold if isinstance(goal, Goal) else None,
        data="" if explainer is None else fingerprint(explainer.graph_.points),
        model="" if explainer is None else _model(explainer),
        n_records=0 if explainer is None else int(explainer.multiplicity_.sum()),
        rules="" if explainer is None else _rules(explainer),
        limits=limits,
    )


_EMPTY: tuple[Any, ...] = tuple(asdict(Limits()).values())


def _model(explainer: Any) -> str:
    """The kind of model, and a fingerprint of its answers to every record."""
    return f"{type(explainer.model).__name__} {fingerprint(explainer.probabilities_)}"


def _rules(explainer: Any) -> str:
    try:
        return rules_text(explainer.terrain_)
    except InvalidInput as fault:  # a requirement that is a function has no text
        return str(fault)
