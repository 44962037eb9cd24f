"""Tables that somebody drops on the page: read, trained and fitted as by the commands."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from facelift.cli.inputs import Inputs
from facelift.cli.tables import read_table
from facelift.errors import FaceliftError, InvalidData

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd

    from facelift.walking.population import Population


class Bench:
    """Reads a table that comes as text, and opens it with the small model of `facelift explain`."""

    def __init__(self, n_ways: int, steps: str) -> None:
        self.n_ways, self.steps = n_ways, steps

    def read(self, name: str, text: str) -> pd.DataFrame:
        """The table as it is."""
        with _written(name, text) as path:
            return read_table(path, None)[0]

    def open(
        self, name: str, text: str, target_column: str, target: str | None, rules: str
    ) -> Population:
        """Everybody in it, by a model trained on the column of the outcome, under rules."""
        from facelift.cli.explore import people_of

        with _written(name, text) as path:
            ruled = path.with_name("rules.toml")
            ruled.write_text(rules, encoding="utf-8")
            asked = Inputs(target_column, target, None, False, ruled, data=path, row=0)
            settings: dict[str, Any] = {"steps": self.steps, "n_counterfactuals": self.n_ways}
            return people_of(asked, asked.prepared(), settings, None, name)


@contextmanager
def _written(name: str, text: str) -> Iterator[Path]:
    """A file for as long as it is read; faults name it as its owner does."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "table.csv")
        path.write_text(text, encoding="utf-8")
        try:
            yield path
        except FaceliftError as fault:
            words = str(fault).replace(str(path), name).replace(f"{folder}/", "")
            raise InvalidData(words) from None
