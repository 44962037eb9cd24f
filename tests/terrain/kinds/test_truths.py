"""Yes or no in words."""

from __future__ import annotations

import pandas as pd
import pytest

from facelift import Terrain


@pytest.mark.parametrize(
    ("cells", "levels"),
    [
        (["Y", "N", "Y"], ("N", "Y")),
        (["no", "yes"], ("no", "yes")),
        (["TRUE", "FALSE"], ("FALSE", "TRUE")),
        ([" ja ", "nein"], ("nein", " ja ")),
    ],
)
def test_yes_is_more_than_no(cells, levels):
    table = pd.DataFrame({"c": cells})
    terrain = Terrain.infer(table)
    feature = terrain.increase_only("c").feature("c")
    assert (feature.kind, feature.levels, feature.never) == ("truth", levels, ("fall",))
    assert terrain.decode(terrain.encode(table))["c"].tolist() == cells


@pytest.mark.parametrize("cells", [["yes", "maybe"], ["no", "yes", "n/a"], ["Y", "yes"], ["yes"]])
def test_other_words_are_categories(cells):
    assert Terrain.infer(pd.DataFrame({"c": cells})).feature("c").kind == "categorical"
