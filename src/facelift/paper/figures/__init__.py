"""The paper's figures in our own design: each a function from data to a figure, written as SVG.

What a figure shows can be had without drawing it: `plane`, `examples` and `charts` compute it, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from facelift.errors import InvalidInput, MissingExtra, nearest_name
from facelift.paper import Result
from facelift.paper.studies import QUICK, Extent

try:
    from matplotlib.figure import Figure
except ImportError:  # one clear line instead of a traceback
    raise MissingExtra(
        'A figure needs matplotlib; pip install "facelift-multiverse[plot]".'
    ) from None

from facelift.paper.figures import charts, examples, plane

CAPTIONS = {
    "multiverse": "the multiverse of the first figure, journeys A to H",
    "sections": "journeys split into 5, 10 and 25 sections",
    "divergence": "where two journeys part, for three thresholds",
    "opportunity-vectors": "opportunity potential of straight journeys",
    "opportunity-graph": "opportunity potential in the loan example",
    "ablation-curves": "opportunity and distance as c grows (after facelift reproduce ablation)",
    "digits": "journeys from a 1 to a 9 with branching factors (needs MNIST)",
}
"""Every figure, and what it shows."""


def draw_all(
    part: str,  # noqa: ARG001  (all parts of the evaluation are called alike)
    folder: Path,
    extent: Extent = QUICK,
    *,
    only: Iterable[str] | None = None,
) -> Result:
    """Draw the figures, or only some, into a folder.

    The ablation is drawn from what `facelift reproduce ablation` left there, and else left out.
    """
    names = tuple(CAPTIONS) if only is None else tuple(map(_known, only))
    drawn: dict[str, Path] = {}
    for name in names:
        figure = _DRAWINGS[name](folder, extent)
        if figure is not None:
            drawn[name] = charts.write_svg(figure, folder / f"{name}.svg")
    lines = [f"- [{CAPTIONS[name]}]({path.name})" for name, path in drawn.items()]
    lines += [f"- not drawn: {CAPTIONS[name]}" for name in names if name not in drawn]
    document = {"figures": {name: str(path) for name, path in drawn.items()}}
    return Result("\n".join(["# Figures", "", *lines]), document, tuple(drawn.values()))


def _strips(_: Path, extent: Extent) -> Figure:
    return examples.draw_strips(examples.paper_strips(seed=extent.seed, data_home=extent.data_home))


def _as_c_grows(folder: Path, _: Extent) -> Figure | None:
    results = charts.read_ablation(folder)
    return None if results is None else charts.draw_ablation(results)


_DRAWINGS: dict[str, Callable[[Path, Extent], Figure | None]] = {
    "multiverse": lambda *_: plane.draw_multiverse(plane.plane()),
    "sections": lambda *_: plane.draw_normalisation(plane.plane()),
    "divergence": lambda *_: plane.draw_divergence(plane.plane()),
    "opportunity-vectors": lambda *_: examples.draw_vectors(),
    "opportunity-graph": lambda *_: examples.draw_loan(),
    "digits": _strips,
    "ablation-curves": _as_c_grows,
}


def _known(name: str) -> str:
    if name not in CAPTIONS:
        raise InvalidInput(f"There is no figure {name!r}; {nearest_name(name, CAPTIONS)}")
    return name
