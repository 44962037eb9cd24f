"""Without a compiler everything works, to a stated size."""

from __future__ import annotations

import subprocess
import sys

import pytest

SCRIPT = """
import sys
sys.modules["numba"] = None
import numpy as np
import facelift as fl
from facelift.errors import MissingExtra
from sklearn.ensemble import RandomForestClassifier

draws = np.random.default_rng(0)
X = draws.uniform(size=({n}, 4)).round(3)
y = X[:, 0] + X[:, 1] > 1.2
model = RandomForestClassifier(5, max_depth=4, random_state=0).fit(X[:500], y[:500])
for steps in ("rows", "actions"):
    explainer = fl.FACElift(model, steps=steps, n_counterfactuals=3).fit(X)
    assert len(explainer.explain(X[~y][0], target=True))
    assert all(map(len, explainer.explain_many(X[~y][1:3], True)))
    assert len(explainer.explain([0.1234, 0.2, 0.3, 0.4], target=True))
try:
    fl.FACElift(model).fit(np.arange(20_001.0)[:, np.newaxis].repeat(4, axis=1))
except MissingExtra as fault:
    print(fault)
"""


@pytest.mark.parametrize("n", [300, 6_000])
def test_tables_are_explained_without_a_compiler(n):
    command = [sys.executable, "-c", SCRIPT.format(n=n)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip() == (
        "Without numba, neighbours are found among up to 20,000 records, got 20,001; "
        "pip install numba, or fit on fewer rows."
    )
