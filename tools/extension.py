"""Add a toy kind of column and a toy kind of step, one file and one line each, and use them.

python -m tools.extension
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd

import facelift as fl
from facelift.steps import KINDS
from facelift.steps.lattice import ladders
from facelift.terrain import kinds
from facelift.views.page import document
from facelift.walking.guide import Guide
from facelift.walking.limits import Limits, limited
from facelift.walking.walk import Walk
from tools.toy_kind import Percent


def toy_kind() -> None:
    """A column of shares such as "12 %": told, encoded, ruled, explained and saved."""
    kinds.register(Percent())  # the one line

    table = _loans()
    terrain = fl.Terrain.infer(table).decrease_only("interest").between("interest", 3, 18)
    terrain = terrain.require("interest <= 17").price("income", 2.0)
    print(terrain)

    points = terrain.encode(table)
    pd.testing.assert_frame_equal(terrain.decode(points), table)
    case = table.iloc[0]
    assert np.array_equal(terrain.point(case), np.asarray(points)[0])

    (ladder, *_) = ladders(terrain, np.asarray(points)[0])
    climbed = np.tile(np.asarray(points)[0], (len(ladder), 1))
    climbed[:, ladder.coordinates] = ladder.values
    print("interest can be", ", ".join(terrain.to_pandas(climbed)["interest"]))

    with TemporaryDirectory() as folder:
        fl.write_rules(terrain, Path(folder, "rules.toml"))
        assert fl.read_rules(Path(folder, "rules.toml"), fl.Terrain.infer(table)) == terrain

    narrow = limited(terrain, Limits(bounds={"interest": (5, 12)}), dict(case))
    assert (narrow.feature("interest").lower, narrow.feature("interest").upper) == (5, 16)

    for steps in ("rows", "actions"):
        explainer = fl.FACElift(_granted, terrain, steps=steps, n_neighbors=5).fit(table)
        multiverse = explainer.explain(case, target=1)
        print(steps, "\n", multiverse.to_frame()[["feature", "from", "to"]].head(3), sep="")
        with TemporaryDirectory() as folder:
            explainer.save(Path(folder, "saved"))
            again = fl.FACElift.load(Path(folder, "saved"), model=_granted)
            assert again.terrain_.features == terrain.features
            assert again.explain(case, target=1).to_json() == multiverse.to_json()


def toy_step() -> None:
    """Leaps from a case to records with the outcome: explained, walked, audited, saved."""
    KINDS["leaps"] = "tools.toy_step:Leaps"  # the one line

    table = _loans().assign(interest=lambda loans: loans["interest"].str[:-2].astype(float))
    terrain = fl.Terrain.infer(table).decrease_only("interest")
    explainer = fl.FACElift(_granted, terrain, steps="leaps", n_counterfactuals=4).fit(table)
    multiverse = explainer.explain(table.iloc[0], target=1)
    print("leaps", [journey.n_steps for journey in multiverse])
    assert [found.to_json() for found in explainer.explain_many(table[:1], 1)] == [
        multiverse.to_json()
    ]

    here = fl.Position.start(multiverse)
    here = here.block(here.options()[0])
    print("without the first", len(here.options()))
    shown = document(Guide(multiverse), Walk())
    assert len(shown.ways) == len(multiverse)

    frozen = explainer.under(terrain.freeze("interest", "income"))
    print("frozen:", frozen.explain(table.iloc[0], target=1).why_not.reason)
    audited = fl.audit(explainer, table, by=table["income"] > 3000, target=1)
    print("audited\n", audited, sep="")
    with TemporaryDirectory() as folder:
        explainer.save(Path(folder, "saved"))
        again = fl.FACElift.load(Path(folder, "saved"), model=_granted)
        assert again.explain(table.iloc[0], target=1).to_json() == multiverse.to_json()


def _loans() -> pd.DataFrame:
    """Forty loans; the first is at 16 %."""
    draws = np.random.default_rng(0)
    interest = [16.0, *np.round(draws.uniform(3, 18, 39), 1)]
    income = draws.integers(10, 60, 40) * 100
    return pd.DataFrame({"interest": [f"{each:g} %" for each in interest], "income": income})


def _granted(table: pd.DataFrame) -> np.ndarray:
    """Granted if interest is low or income high."""
    interest = table["interest"].astype(str).str.removesuffix("%").astype(float)
    chance = 1 / (1 + np.exp(interest - 9 - (table["income"] - 3500) / 500))
    return np.column_stack([1 - chance, chance])


if __name__ == "__main__":
    toy_kind()
    toy_step()
