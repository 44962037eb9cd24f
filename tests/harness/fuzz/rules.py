"""Fuzz the reader of rules files: `python -m tests.harness.fuzz.rules --seconds 30`."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from .running import Dice, Target, main, one_line

COLUMNS = [
    "age",
    "income",
    "savings",
    "housing",
    "employed",
    "odd name",
    "link",
    "require",
    "wings",
]
SETTINGS = [
    "change",
    "price",
    "between",
    "order",
    "levels",
    "step",
    "rate",
    "forbid",
    "transitions",
]
VALUES = [
    *('"never"', '"increase"', '"decrease"', '"any"', '"own"', '"rent"', '"low"', '"high"', '""'),
    *("0", "1", "-1", "3.5", "1e300", "1e-300", "inf", "-inf", "nan", "true", "false"),
    *("99999999999999999999999", "1979-05-27", "07:32:00", "[]", "{}", '"\\u0000"'),
    *("[0, 40]", "[40, 0]", "[0, inf]", "[nan, 1]", "[1, 2, 3]", "[[0, 1]]", "[0.1, 0.2]"),
    *('["none", "low", "high"]', '["low", "none", "high"]', '["none", "none", "low", "high"]'),
    *('[["own", "rent"]]', '[["own", "own"]]', '[["rent", 1]]', "[[true, false]]"),
    *("{ increase = 3.0 }", "{ increase = inf, decrease = 0 }", "{ increase = nan }", "{ up = 1 }"),
    *('{ amount = 1, per = "year" }', '{ per = "month" }', '{ amount = 0, per = "year" }'),
    *('[{ from = "rent", to = "own", price = 2.0 }]', "[{ from = 1, to = 2, price = inf }]"),
    *('[["age", "income"]]', '["income <= age"]', '["age ** 9 > 1"]', "[\"savings >= 'low'\"]"),
    *("[\"housing < 'own'\"]", '["not (age > 3 and income / 0 < 2)"]', '["age"]', '["1 < 2"]'),
    *("[\"__import__('os')\"]", '["age == ' + "-" * 300 + '1"]', '["age < 1e999"]', '[["age"]]'),
]


def make(home: Path) -> tuple[Target, Iterable[bytes]]:
    import numpy as np
    import pandas as pd

    from facelift import Terrain, read_rules
    from facelift.errors import FaceliftError
    from facelift.terrain.rules import rules_text

    i = np.arange(12)
    levels = pd.CategoricalDtype(["none", "low", "high"], ordered=True)
    people = pd.DataFrame(
        {
            "age": 20 + i,
            "income": i * 1.25,
            "savings": pd.Categorical.from_codes(i % 3, dtype=levels),
            "housing": np.array(["own", "rent", "free"])[i % 3],
            "employed": i % 2 == 0,
            "odd name": i / 7,
        }
    )
    terrain = Terrain.infer(people)
    points = np.asarray(terrain.encode(people))
    file = home / "rules.toml"

    def target(data: bytes) -> None:
        file.write_bytes(composed(Dice(data[1:])) if data[:1] < b"\xc0" else data[1:])
        try:
            refined = read_rules(file, terrain)
            text = rules_text(refined)
            refined.admissible(points)
            refined.cost(points[0], points)
        except FaceliftError as fault:
            one_line(fault)
            return
        file.write_text(text, encoding="utf-8")
        assert read_rules(file, terrain) == refined, text

    return target, [b"\xff[age]\nchange = 'increase'\n"]


def composed(dice: Dice) -> bytes:
    """Text that is TOML, of settings and values that may not belong together."""
    lines = settings(dice, ["link", "require", "age"])
    for _ in range(dice.below(4)):
        lines += [f'["{dice.one_of(COLUMNS)}"]', *settings(dice, SETTINGS)]
    return "\n".join(lines).encode()


def settings(dice: Dice, names: list[str]) -> list[str]:
    return [f"{dice.one_of(names)} = {dice.one_of(VALUES)}" for _ in range(dice.below(4))]


if __name__ == "__main__":
    main(make, instrumented=["facelift", "tomllib"])
