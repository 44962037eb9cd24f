"""What the paper prints, to stand beside what was measured here: mean and deviation."""

from __future__ import annotations

from typing import NamedTuple


class Printed(NamedTuple):
    """A cell of the paper's tables."""

    distance: float
    distance_sd: float
    opportunity: float
    opportunity_sd: float


_COLUMNS = (
    "german_credit",
    "adult",
    "credit_default",
    "mnist_others",
    "mnist_nines",
    "pneumonia",
    "breast",
)

_ROWS = {
    "FACE": """
        2.16 0.72 0.31 0.30   3.59 0.44 0.30 0.18   1.10 0.29 0.21 0.16
        79.33 16.19 0.23 0.10   79.33 16.19 0.38 0.19
        23.15 8.02 0.14 0.06   28.58 9.41 0.31 0.07""",
    "GrowingSpheres": """
        1.68 1.49 0.36 0.22   2.64 0.97 0.38 0.14   0.58 0.31 0.27 0.21
        71.66 34.11 0.25 0.20   71.66 34.11 0.48 0.34
        21.38 4.30 0.17 0.05   26.36 5.29 0.27 0.14""",
    "Prototype": """
        1.14 1.11 0.32 0.15   2.84 0.52 0.27 0.18   0.74 0.65 0.32 0.24
        91.95 47.92 0.20 0.14   91.95 47.92 0.53 0.31
        24.60 5.22 0.21 0.14   25.34 7.21 0.15 0.11""",
    "FACElift c=5": """
        2.40 0.99 0.61 0.11   3.71 0.87 0.82 0.16   1.28 0.53 0.73 0.18
        103.95 16.61 0.35 0.09   105.97 21.05 0.59 0.11
        29.75 7.77 0.51 0.07   33.54 8.85 0.57 0.07""",
    "FACElift c=10": """
        2.54 0.99 0.65 0.10   3.90 0.35 0.88 0.32   1.34 0.41 0.79 0.12
        110.38 17.48 0.36 0.19   114.93 22.73 0.63 0.09
        31.00 6.78 0.58 0.13   35.03 8.08 0.64 0.19""",
}


def _cells() -> dict[tuple[str, str], Printed]:
    found = {}
    for method, text in _ROWS.items():
        numbers = list(map(float, text.split()))
        for i, column in enumerate(_COLUMNS):
            found[column, method] = Printed(*numbers[4 * i : 4 * i + 4])
    return found


PAPER = _cells()
"""The paper's Tables 1 and 2, by column and method."""
