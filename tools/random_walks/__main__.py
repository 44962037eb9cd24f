"""The command: so many moves on some tables, and what was checked."""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter

from tools import random_walks
from tools.random_walks import USUAL, WORLDS, Checks, walk_at_random, walk_with
from tools.random_walks.checks import all_claims


def main() -> None:
    """Walk, print how often each claim was checked, and end with 1 if one does not hold."""
    parser = argparse.ArgumentParser(description=(random_walks.__doc__ or "").splitlines()[0])
    parser.add_argument("--moves", type=int, default=10_000, help="moves in all")
    parser.add_argument("--data", nargs="+", choices=list(WORLDS), default=USUAL)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--person", type=int, help="walk with this person alone")
    asked = parser.parse_args()
    faults, never = 0, all_claims()
    for name in asked.data:
        checks, start = Checks(), time.process_time()
        if asked.person is not None:
            walk_with(WORLDS[name](), asked.person, checks)
        else:
            walk_at_random(WORLDS[name](), asked.moves // len(asked.data), asked.seed, checks)
        n_claims = sum(checks.counts.values()) - checks.counts["moves"]
        print(
            f"{name}, seed {asked.seed}: {checks.counts['moves']:,} moves, {n_claims:,} claims "
            f"checked, {len(checks.faults)} contradictions, "
            f"{time.process_time() - start:.0f} s of CPU"
        )
        kinds = Counter(fault.split(":")[0] for fault in checks.faults)
        for claim, count in sorted(checks.counts.items()):
            print(f"  {claim:48} {count:8,} {kinds.get(claim, 0):6}")
        for fault in checks.faults[:40]:
            print(f"    {fault}")
        sys.stdout.flush()
        faults, never = faults + len(checks.faults), never - set(checks.counts)
    for claim in sorted(never):
        print(f"never came up: {claim}")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
