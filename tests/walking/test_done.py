"""What steps have done is held; what no step can have done is refused."""

from __future__ import annotations

import pandas as pd
import pytest

from facelift import Terrain
from facelift.errors import InvalidInput
from facelift.walking.done import held


@pytest.mark.parametrize(
    ("name", "values"),
    [("nothing", (1, 2)), ("savings", ("a lot", 2)), ("savings", (0, "more")), ("job", ("x", "y"))],
)
def test_a_step_that_no_walk_can_have_taken_is_one_clear_line(name, values):
    table = pd.DataFrame({"savings": [0, 900], "job": ["none", "clerk"]})
    with pytest.raises(InvalidInput, match=name):
        held(Terrain.infer(table), {name: values})


def test_a_factor_makes_taking_back_dear_instead_of_impossible():
    table = pd.DataFrame({"savings": [0, 900], "job": ["clerk", "none"], "age": [20, 40]})
    terrain = Terrain.infer(table).price("savings", decrease=2.0)
    priced = held(terrain, {"savings": (0, 500), "job": ("none", "clerk")}, 3.0)
    assert (priced.by_name["savings"].increase, priced.by_name["savings"].decrease) == (1.0, 6.0)
    assert priced.by_name["job"].transition_prices()[0, 1] == 3.0
    assert held(terrain, {"savings": (0, 500)}, 1.0).by_name == terrain.by_name
    assert held(terrain, {"savings": (0, 500)}).by_name["savings"].decrease == float("inf")
