"""What tests draw, and how they read a drawing."""

from __future__ import annotations

from io import BytesIO

import matplotlib as mpl
import pandas as pd

from facelift import Multiverse, toys

AUDIT = pd.DataFrame(
    {
        "group": ["women", "men", "abroad"],
        "n": [109, 148, 11],
        "coverage": [0.97, 0.9, 0.8],
        "coverage_low": [0.93, 0.85, 0.5],
        "coverage_high": [0.99, 0.95, 0.95],
        "cost": [2.0, 3.0, 4.0],
        "cost_low": [1.5, 2.9, 3.0],
        "cost_high": [2.5, 3.1, 5.0],
    }
)
LOAN = toys.loan()


def multiverse_of(n_ways: int) -> Multiverse:
    return toys.GraphWorld(LOAN.graph, 0, LOAN.destinations[:n_ways]).multiverse()


def words(ax) -> list[str]:
    return [text.get_text() for text in ax.texts]


def svg(ax) -> bytes:
    with mpl.rc_context({"svg.hashsalt": "facelift"}):
        stream = BytesIO()
        ax.get_figure().savefig(stream, format="svg", metadata={"Date": None})
    return stream.getvalue()
