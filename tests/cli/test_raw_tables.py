"""Raw tables with names, identifiers, dates and money: an answer or one line, and soon."""

from __future__ import annotations

import json
import os
import sys

import numpy as np
import pandas as pd
import pytest

ROWS = 6_000
MOST_SECONDS, MOST_KILOBYTES = 10, 2_000_000
"""What a command may take; seconds of the processor, as others may be at work."""

pytestmark = pytest.mark.skipif(not hasattr(os, "wait4"), reason="needs the use of one child")


def raw_table() -> pd.DataFrame:
    draws = np.random.default_rng(0)
    amount = draws.integers(1, 900, ROWS) * 500
    approved = pd.Timestamp("2000-01-01") + pd.to_timedelta(draws.integers(0, 5000, ROWS), unit="D")
    paid = approved + pd.to_timedelta(30, unit="D")
    table = pd.DataFrame(
        {
            "LoanNr": draws.permutation(ROWS) + 10**9,
            "Name": [f"Firm {i} Ltd" for i in range(ROWS)],
            "City": [f"City {int(each)}" for each in draws.exponential(300, ROWS)],
            "State": draws.choice([f"S{i}" for i in range(51)], ROWS),
            "ApprovalDate": approved.strftime("%d-%b-%y"),
            "PaidOut": [f"{day.month}/{day.day}/{day.year}" for day in paid],
            "Seen": paid.strftime("%Y-%m-%d %H:%M:%S"),
            "Term": draws.integers(6, 300, ROWS),
            "Revolving": draws.choice(["Y", "N"], ROWS),
            "Approved": [f"${each:,.2f} " for each in amount],
            "Rate": [f"{each:.2f}%" for each in draws.uniform(2, 14, ROWS)],
        }
    )
    table.loc[draws.random(ROWS) < 0.02, "PaidOut"] = None
    lasting = table["Term"] + draws.normal(0, 20, ROWS) + amount / 5000
    return table.assign(Status=np.where(lasting > 180, "paid", "lost"))


def measured(folder, *words: object) -> tuple[int, str, str]:
    """Exit code and output of a command that kept within its time and memory."""
    out, err = folder / "out.txt", folder / "err.txt"
    command = [sys.executable, "-m", "facelift.cli", *map(str, words)]
    kinds = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    files = [(os.POSIX_SPAWN_OPEN, i, str(path), kinds, 0o600) for i, path in ((1, out), (2, err))]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    child = os.posix_spawn(sys.executable, command, environment, file_actions=files)
    _, status, used = os.wait4(child, 0)
    assert used.ru_utime + used.ru_stime < MOST_SECONDS
    assert used.ru_maxrss < MOST_KILOBYTES
    return os.waitstatus_to_exitcode(status), out.read_text(), err.read_text()


def test_names_are_one_line_and_the_draft_of_rules_an_answer(tmp_path):
    path, rules = tmp_path / "raw.csv", tmp_path / "rules.toml"
    table = raw_table()
    table.to_csv(path, index=False)
    row = int(np.argmin(table["Term"]))
    asked = ("explain", path, "--target-column", "Status", "--target", "paid", "--row", row)
    code, _, said = measured(tmp_path, *asked)
    assert code == 4
    assert len(said.splitlines()) == 1
    assert "'Name' (6,000 different values, 100% of the rows)" in said  # towns come back, names not
    assert "`facelift rules raw.csv --target-column Status --output rules.toml` drafts" in said
    measured(tmp_path, "rules", path, "--target-column", "Status", "--output", rules)
    code, out, _ = measured(tmp_path, *asked, "--rules", rules, "--json")
    assert code == 0
    changed = json.loads(out)
    assert len(changed["journeys"])
