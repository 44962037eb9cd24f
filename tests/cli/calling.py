"""How tests call the command, and the table they call it with."""

from __future__ import annotations

import numpy as np
import pandas as pd
from click.testing import CliRunner, Result

from facelift import cli


def run(*arguments: object) -> Result:
    """The command in this process, its two streams apart."""
    return CliRunner().invoke(cli.commands, [str(each) for each in arguments])


def loans() -> pd.DataFrame:
    """Loans that are good when income less debts is high enough."""
    rng = np.random.default_rng(5)
    n = 120
    income, debts = rng.integers(10, 60, n), rng.integers(0, 5, n)
    town = rng.choice(["Aarau", "Bern"], n)
    risk = np.where(income - 6 * debts > 22, "good", "bad")
    return pd.DataFrame({"income": income, "debts": debts, "town": town, "risk": risk})


def one_line(text: str) -> str:
    """The only line of an error."""
    lines = text.splitlines()
    assert len(lines) == 1, lines
    assert lines[0].startswith("facelift: ")
    assert "Traceback" not in text
    return lines[0]
