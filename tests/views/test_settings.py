"""What somebody may say about each column."""

from __future__ import annotations

import numpy as np
import pandas as pd

from facelift import FACElift, Terrain
from facelift.views.page import document
from facelift.walking.guide import Guide
from facelift.walking.walk import Walk


def test_limits_list_what_may_change_and_what_is_fixed(guide):
    settings = document(guide, Walk()).settings
    assert settings.fixed == ("Town",)
    savings = next(each for each in settings.settings if each.name == "savings")
    assert savings.direction == "can only rise"
    assert savings.levels == ("none", "low", "high")
    assert savings.ease == "ok"


def test_settings_count_the_people_at_each_value(guide, people):
    settings = document(guide, Walk()).settings
    by_name = {each.name: each for each in (*settings.settings, *settings.facts)}
    for level, count in zip(by_name["town"].levels, by_name["town"].people, strict=True):
        assert count == (people["town"] == level).sum()
    assert sum(by_name["income"].people) == len(people)
    assert by_name["income"].drawn == (by_name["income"].least, by_name["income"].most)
    assert len(by_name["income"].people) > 10


def test_outliers_squeeze_no_histogram_and_0_and_1_are_chosen_by_their_names():
    n = 300
    X = pd.DataFrame({"debts": np.append(np.arange(n - 3) % 40, [9000, 9001, 9002])})
    X["house"] = np.arange(n) % 2

    def model(rows):
        rich = 1 / (1 + np.exp(np.minimum(rows["debts"], 99) / 10 - 2 - rows["house"]))
        return np.column_stack([1 - rich, rich])

    terrain = Terrain.infer(X).label("house", values={0: "no", 1: "yes"})
    explainer = FACElift(model, terrain, steps="actions").fit(X)
    shown = document(Guide(explainer.explain(X.iloc[[38]])), Walk()).settings
    debts, house = (
        next(each for each in shown.settings if each.name == name) for name in ("debts", "house")
    )
    assert (debts.least, debts.most) == (0, 9002)
    assert debts.drawn == (0, 39)  # all but the three
    assert sum(debts.people) == n
    assert debts.people[-1] < n / 10
    assert (house.levels, house.level_words, house.words) == ((0, 1), ("no", "yes"), "no")
    assert house.people == (150, 150)
    assert (house.least, house.most, house.drawn) == (None, None, None)
