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
