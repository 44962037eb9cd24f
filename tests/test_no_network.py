"""No network unless asked: what a program looks up or connects to is seen by Python itself."""

from __future__ import annotations

import subprocess
import sys

WATCHED = """
import sys

reached = []

def watch(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto"):
        reached.append((event, [str(each) for each in arguments]))

sys.addaudithook(watch)
"""

JOBS = """
import tempfile
from pathlib import Path
import facelift as fl
from facelift.cli import commands
from facelift.models import small_classifier

table = fl.datasets.load_german_credit()
model = small_classifier(table.data, table.target)
home = Path(tempfile.mkdtemp())
for steps in ("rows", "actions"):
    explainer = fl.FACElift(model, steps=steps, n_counterfactuals=3).fit(table.data)
    found = explainer.explain(table.data.iloc[4], "good")
    found.to_frame(), found.to_json(), found._repr_html_()
    explainer.save(home / steps)
    fl.FACElift.load(home / steps, model=model).explain_many(table.data.head(3), "good")
rows = home / "rows.csv"
table.data.assign(credit=table.target).to_csv(rows, index=False)
asked = ["explain", str(rows), "--row", "4", "--target-column", "credit", "--target", "good"]
for arguments in (["demo"], asked):
    try:
        commands.main(arguments)
    except SystemExit as ended:
        assert not ended.code, arguments
"""

REACHING = """
import socket
try:
    socket.create_connection(("127.0.0.1", 9), timeout=1)
except OSError:
    pass
"""


def reached_by(jobs: str) -> str:
    script = f"{WATCHED}\n{jobs}\nprint(); print('REACHED', reached)"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout.splitlines()[-1]


def test_nothing_is_looked_up_or_connected_to():
    assert reached_by(JOBS) == "REACHED []"


def test_whoever_did_would_be_seen():
    assert "socket.connect" in reached_by(REACHING)
