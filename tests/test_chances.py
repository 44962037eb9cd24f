"""A chance of 49.93 % beside a need of 50 % is never told as 50 %, wherever it stands."""

from __future__ import annotations

import re

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from tests.views.plot.drawn import words

from facelift import FACElift, Multiverse, contingency
from facelift.views import plot
from facelift.views.page import document, to_json
from facelift.views.report import exported
from facelift.views.text import multiverse_text
from facelift.walking.guide import Guide
from facelift.walking.walk import Take, Walk

CHANCES = np.array([0.1, 0.2, 0.3, 0.4, 0.4993, 0.7])
"""Of the six places on a line: the last but one nearly has it."""

NEED = re.compile(
    r"(need(s|ed) |needs a |a chance of |reached |Accept a chance of )50%|50% decides"
)


def chances(rows) -> np.ndarray:
    places = np.asarray(rows, dtype=float)[:, 0].astype(int)
    return np.column_stack([1 - CHANCES[places], CHANCES[places]])


def line() -> pd.DataFrame:
    return pd.DataFrame({"place": np.arange(6), "pot": np.zeros(6)})


@pytest.fixture(scope="module")
def passing() -> Multiverse:
    """Through rows, the way to the last place passes the one before."""
    found = FACElift(chances, n_neighbors=1).fit(line()).explain(line().iloc[[2]], 1)
    assert found[0].chances.tolist() == CHANCES[2:].tolist()
    return found


@pytest.fixture(scope="module")
def short() -> Multiverse:
    """Nobody has the outcome; the best place nearly does."""
    table = line().iloc[:5]
    found = FACElift(chances, n_neighbors=1).fit(table).explain(table.iloc[[2]], 1)
    assert not len(found)
    return found


def shown(found: Multiverse) -> dict[str, str]:
    """All that is printed of a multiverse, by where."""
    guide = Guide(found)
    texts = {
        "text": multiverse_text(found),
        "html": found._repr_html_(),
        "page": to_json(document(guide, Walk())).decode(),
        "report": _without_style(exported(guide, Walk(), "html")[0].decode()),
    }
    if len(found):
        nearly = walked(guide, found[0].vertices[1:-1].tolist())
        texts["page, nearly there"] = to_json(document(guide, nearly)).decode()
        texts["journey"] = found[0]._repr_html_()
        texts["read back"] = multiverse_text(Multiverse.from_json(found.to_json()))
        texts["contingency"] = str(contingency(found, 0.1))
        for name in ("journeys", "steps"):
            drawn = getattr(plot, name)(found if name == "journeys" else found[0])
            texts[name] = " ".join(words(drawn))
            plt.close("all")
    return texts


def walked(guide: Guide, vertices: list[int]) -> Walk:
    walk = Walk()
    for vertex in vertices:
        walk = guide.moved(walk, Take(vertex))
    return walk


def _without_style(page: str) -> str:
    return re.sub(r"<(style|script)\b.*?</\1>", "", page, flags=re.DOTALL)


@pytest.mark.parametrize("which", ["passing", "short"])
def test_a_chance_below_the_need_is_not_told_as_the_need(which, request):
    for where, text in shown(request.getfixturevalue(which)).items():
        assert "50%" not in NEED.sub("", text), where


def test_a_waypoint_below_the_need_is_told_with_its_decimals(passing):
    assert [passing[0].outlook(k) for k in range(4)] == ["30%", "40%", "49.9%", "70%"]
    assert "49.9%" in shown(passing)["text"]
    assert "chance 49.9% (50% decides, ways aim at 52%)" in shown(passing)["page, nearly there"]
