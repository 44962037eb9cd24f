"""Routes, not verdicts: counterfactual journeys, what each keeps open and what it closes.

The flow, from a table and a model to advice:

1. `Terrain` says what each column is, what may change and at what price.
2. `FACElift(model, terrain).fit(X)` learns the graph of records that journeys run through.
3. `explainer.explain(x)` gives a `Multiverse`: journeys to several destinations, cheapest first,
   with what each keeps open (`multiverse.opportunity`).
4. `recommend` advises, `Position` walks, `geometry` measures, `views` shows.

Importing facelift is cheap: each part loads when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.2.0"

if TYPE_CHECKING:
    from facelift import baselines, datasets, errors, geometry, graph, models, toys, views
    from facelift.auditing import Audit, audit
    from facelift.auditing.pockets import pockets
    from facelift.choosing import (
        agency,
        best,
        branching,
        brevity,
        confidence,
        front,
        keeping,
        lasting,
        lateness,
        opportunity,
        proximity,
        ranking,
        recommend,
        simplicity,
        sparsity,
        steadiness,
        weighed,
    )
    from facelift.explainer import FACElift
    from facelift.graph.graph import Graph
    from facelift.graph.routes import Variety
    from facelift.interop import from_alibi, from_dice
    from facelift.models.files import load_model
    from facelift.multiverse import (
        Goal,
        Journey,
        Multiverse,
        Range,
        WhyNot,
        bridge,
        bridge_many,
        explore,
    )
    from facelift.multiverse.frames import points_of_no_return
    from facelift.questions.contingency import Contingency, contingency
    from facelift.questions.flow import flow
    from facelift.questions.ground import correctness, feasibility, ground, stability
    from facelift.questions.resilience import resilience
    from facelift.questions.retrospect import Retrospect, retrospect
    from facelift.terrain import Feature, Terrain, prepare, read_rules, write_rules
    from facelift.walking import Option, Position

_HOMES = {
    "Audit": "auditing",
    "Contingency": "questions.contingency",
    "FACElift": "explainer",
    "Feature": "terrain",
    "Goal": "multiverse",
    "Graph": "graph",
    "Journey": "multiverse",
    "Multiverse": "multiverse",
    "Option": "walking",
    "Position": "walking",
    "Range": "multiverse",
    "Retrospect": "questions.retrospect",
    "Terrain": "terrain",
    "Variety": "graph.routes",
    "WhyNot": "multiverse",
    "agency": "choosing",
    "audit": "auditing",
    "best": "choosing",
    "branching": "choosing",
    "brevity": "choosing",
    "bridge": "multiverse",
    "bridge_many": "multiverse",
    "confidence": "choosing",
    "contingency": "questions.contingency",
    "correctness": "questions.ground",
    "explore": "multiverse",
    "feasibility": "questions.ground",
    "flow": "questions.flow",
    "from_alibi": "interop",
    "from_dice": "interop",
    "front": "choosing",
    "ground": "questions.ground",
    "keeping": "choosing",
    "lasting": "choosing",
    "lateness": "choosing",
    "load_model": "models.files",
    "opportunity": "choosing",
    "pockets": "auditing.pockets",
    "points_of_no_return": "multiverse.frames",
    "prepare": "terrain",
    "proximity": "choosing",
    "ranking": "choosing",
    "read_rules": "terrain",
    "recommend": "choosing",
    "resilience": "questions.resilience",
    "retrospect": "questions.retrospect",
    "simplicity": "choosing",
    "sparsity": "choosing",
    "stability": "questions.ground",
    "steadiness": "choosing",
    "weighed": "choosing",
    "write_rules": "terrain",
}
_PARTS = ("baselines", "datasets", "errors", "geometry", "graph", "models", "toys", "views")

__all__ = [
    "Audit",
    "Contingency",
    "FACElift",
    "Feature",
    "Goal",
    "Graph",
    "Journey",
    "Multiverse",
    "Option",
    "Position",
    "Range",
    "Retrospect",
    "Terrain",
    "Variety",
    "WhyNot",
    "__version__",
    "agency",
    "audit",
    "baselines",
    "best",
    "branching",
    "brevity",
    "bridge",
    "bridge_many",
    "confidence",
    "contingency",
    "correctness",
    "datasets",
    "errors",
    "explore",
    "feasibility",
    "flow",
    "from_alibi",
    "from_dice",
    "front",
    "geometry",
    "graph",
    "ground",
    "keeping",
    "lasting",
    "lateness",
    "load_model",
    "models",
    "opportunity",
    "pockets",
    "points_of_no_return",
    "prepare",
    "proximity",
    "ranking",
    "read_rules",
    "recommend",
    "resilience",
    "retrospect",
    "simplicity",
    "sparsity",
    "stability",
    "steadiness",
    "toys",
    "views",
    "weighed",
    "write_rules",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        value = getattr(import_module(f"facelift.{_HOMES[name]}"), name)
        globals()[name] = value
        return value
    if name in _PARTS:
        return import_module(f"facelift.{name}")
    raise AttributeError(f"module 'facelift' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
