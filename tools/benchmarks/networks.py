"""How good the paper's models are, and how long they take to train.

    python -m tools.benchmarks.networks [study ...]

Models are trained anew in a folder that is thrown away. The data must be at hand (FACELIFT_DATA),
or is fetched; scans need the extra torch.
"""

from __future__ import annotations

import sys
import tempfile
import time

from facelift.paper.studies import STUDIES, study


def main() -> None:
    for name in sys.argv[1:] or STUDIES:
        with tempfile.TemporaryDirectory() as folder:
            start = time.process_time()
            found = study(name, models_home=folder)
            seconds = time.process_time() - start
        print(f"{name:15} {found.quality}, {seconds:.0f} s of CPU", flush=True)


if __name__ == "__main__":
    main()
