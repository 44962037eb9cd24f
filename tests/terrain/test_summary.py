"""A terrain prints as a table that says what may change, and how."""

from __future__ import annotations

import pandas as pd
from tests.terrain.small_terrain import FRAME

from facelift.terrain import Terrain

TERRAIN = Terrain.infer(FRAME)


def test_a_terrain_prints_as_a_table():
    terrain = (
        TERRAIN.increase_only("age")
        .between("income", 0.5, 8)
        .price("savings", increase=3, decrease=0.25)
        .forbid("housing", "own", "rent")
        .transition("housing", "rent", "own", price=2.5)
        .freeze("employed")
    )
    assert repr(terrain).splitlines() == [
        "column    kind         may rise  may fall  values",
        "age       numeric      at 1      never     20 to 60",
        "income    numeric      at 1      at 1      0.1 to 9; between 0.5 and 8",
        "savings   ordinal      at 3      at 0.25   none < low < high",
        "housing   categorical  at 1      at 1      "
        "free, own, rent; never own → rent; rent → own at 2.5",
        "score     categorical  at 1      at 1      3, 1, 2",
        "employed  ordinal      never     never     False < True",
    ]


def test_single_changes_are_told_in_the_order_of_the_levels():
    terrain = TERRAIN.forbid("savings", "low", "none").forbid("savings", "none", "high")
    assert "; never none → high; never low → none" in repr(terrain)


def test_the_table_of_a_notebook_escapes_what_the_data_say():
    X = pd.DataFrame({"<b>bold</b>": ["<script>alert(1)</script>", "a & b"]})
    html = Terrain.infer(X)._repr_html_()
    assert "&lt;b&gt;bold&lt;/b&gt;" in html
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html
    assert "a &amp; b" in html
    assert "<script" not in html
    assert "<b>" not in html


def test_the_table_of_a_notebook_has_a_row_for_every_column():
    html = TERRAIN._repr_html_()
    assert html.count("<tr>") == 1 + FRAME.shape[1]
    assert "<td>age</td><td>numeric</td><td>at 1</td><td>at 1</td><td>20 to 60</td>" in html


def test_rules_between_columns_are_shown():
    terrain = Terrain.infer(pd.DataFrame({"age": [20, 40], "job": [1, 9]}))
    shown = repr(terrain.link("age", "job").require("job <= age"))
    assert shown.endswith("together: age, job\nrequired: job <= age")
    html = terrain.link("age", "job").require("job >= age")._repr_html_()
    assert "<caption>Terrain; together: age, job; required: job &gt;= age</caption>" in html


def test_it_prints_what_may_become_of_missing_values():
    X = pd.DataFrame({"income": [1.0, None, 2.0]})
    assert repr(Terrain.infer(X)).endswith("1 to 2; or missing, found at 1")
    assert "never found" in repr(Terrain.infer(X).freeze("income"))
    assert "lost at 2" in repr(Terrain.infer(X).missing("income", lost=2.0))
