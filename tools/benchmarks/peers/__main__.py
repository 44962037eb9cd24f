"""Ask some of the methods, or write the page from what is known; see the package."""

from __future__ import annotations

import argparse
from dataclasses import replace
from datetime import UTC, datetime

from tools.benchmarks.peers.environments import ROOT
from tools.benchmarks.peers.names import PEERS
from tools.benchmarks.peers.report import Comparison
from tools.benchmarks.peers.running import FULL, measure, results_of

PAGE = ROOT / "docs" / "compared.md"
PICTURE = ROOT / "docs" / "pictures" / "compared.svg"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--people", type=int, default=FULL.people, help="declined people per table")
    parser.add_argument("--peers", nargs="*", default=FULL.peers, choices=list(PEERS))
    parser.add_argument("--page", action="store_true", help="only write docs/compared.md and .csv")
    asked = parser.parse_args()
    results = results_of(quick=False)
    if not asked.page:
        measure(results, replace(FULL, people=asked.people, peers=tuple(asked.peers)), print)
    found = Comparison(list(results.lines.values()), FULL.seconds, FULL.minutes)
    if asked.page:
        PAGE.write_text(found.page(f"{datetime.now(UTC):%Y-%m-%d}"))
        PAGE.with_suffix(".csv").write_text(found.details())
        found.figure(PICTURE)
    print(found.text())


if __name__ == "__main__":
    main()
